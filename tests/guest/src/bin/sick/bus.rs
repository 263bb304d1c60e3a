// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A card that falls off the bus, in every phase of its life, and one that resets itself.

use crate::card::{use_it, Card};
use guest_tests::gpu::Gpu;
use guest_tests::queue::{Kind, Queue};
use guest_tests::runner::Case;
use std::time::Duration;

pub(crate) const CASES: &[Case] = &[
    ("sick: gone while idle", gone_idle),
    ("sick: gone with running queues", || gone_running("gone")),
    ("sick: registers are all ones with running queues", || {
        gone_running("registers-ones")
    }),
    ("sick: gone while it is bound", gone_in_probe),
    ("sick: gone while it is unbound", gone_in_teardown),
    ("sick: it resets itself with running queues", || {
        gone_running("reset")
    }),
];

fn gone_idle() {
    let mut card = Card::first();
    card.inject("gone");
    let process = card.process(|gpu| drop(std::panic::catch_unwind(|| use_it(gpu))));
    card.ends(&process);
    card.is_given_back();
}

/// A process that has queues, and uses the card on.
fn goes_on(gpu: &Gpu) {
    let queues = [Kind::Pm4, Kind::Sdma, Kind::Aql].map(|kind| Queue::new(gpu, kind).unwrap());
    std::thread::sleep(Duration::from_millis(600));
    let _ = std::panic::catch_unwind(|| use_it(gpu));
    drop(queues);
}

fn gone_running(fault: &str) {
    let mut card = Card::first();
    let running = card.process(goes_on);
    std::thread::sleep(Duration::from_millis(400));
    card.inject(&format!("{fault},while=queues"));
    card.ends(&running);
    card.is_given_back();
}

/// Early, in the middle, and late in the bring-up.
fn gone_in_probe() {
    let mut card = Card::first();
    for nth in [1, 40, 150, 400] {
        card.unbind();
        card.inject(&format!("gone,at=reg-read:{nth}"));
        card.refused("");
        card.heal();
        card.bind();
    }
    card.works();
}

fn gone_in_teardown() {
    let mut card = Card::first();
    for nth in [1, 12, 30] {
        card.inject(&format!("gone,at=reg-write:{nth}"));
        card.unbind();
        card.heal_quietly();
        card.bind();
    }
    card.works();
}
