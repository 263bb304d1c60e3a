// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Interrupts that do not come, come twice, mean nothing, or come in masses: the card goes on.

use crate::card::Card;
use amdgpu_uapi::kfd::event::wait_result;
use guest_tests::buffer::Buffer;
use guest_tests::event::Events;
use guest_tests::gpu::Gpu;
use guest_tests::queue::{aql, Kind, Queue};
use guest_tests::runner::{until, Case};

pub(crate) const CASES: &[Case] = &[
    ("sick: an interrupt message is lost", || lost("msi-lost,times=1")),
    ("sick: interrupt messages come twice", || goes_on("msi-twice")),
    ("sick: interrupt messages without a vector", || {
        goes_on("msi-spurious,times=50")
    }),
    ("sick: vectors come twice", || goes_on("vector-twice")),
    ("sick: vectors of garbage", garbage),
    ("sick: a storm of vectors", || {
        goes_on("vector-storm,times=40,ms=5")
    }),
    ("sick: the interrupt ring overflows", overflow),
    ("sick: an ECC error of the command processor", || {
        named("ecc-cp", "unknown source 197")
    }),
    ("sick: an ECC error of an SDMA engine", || {
        named("ecc-sdma", "SDMA0: uncorrectable memory error")
    }),
];

/// A process that waits for events of its queue, several times.
fn wait_for_events(gpu: &Gpu) {
    let queue = Queue::new(gpu, Kind::Aql).unwrap();
    let (events, id) = Events::new(gpu).unwrap();
    let signal = Buffer::gtt(gpu, 4096).unwrap();
    for round in 0..4 {
        aql::signal(signal.cpu(), events.slot(id), id);
        queue.submit_aql(&aql::barrier(signal.address()));
        let waited = events.wait_one(id, 10_000);
        assert_eq!(waited, Ok(wait_result::COMPLETE), "round {round}");
        // when interrupts were lost, events are told to be on the safe side
        until(|| aql::value(signal.cpu()) == 0);
    }
}

#[track_caller]
fn events_come(card: &Card) {
    assert_eq!(card.process(wait_for_events).wait(), 0, "an event does not come");
}

/// Nobody waits for ever: what the lost message would have told is found out.
fn lost(fault: &str) {
    let mut card = Card::first();
    card.inject(fault);
    events_come(&card);
    card.is_still_good();
}

fn goes_on(fault: &str) {
    let mut card = Card::first();
    card.inject(fault);
    events_come(&card);
    card.is_still_good();
}

fn garbage() {
    let mut card = Card::first();
    card.inject("vector-garbage,times=1");
    // the event is lost with its vector
    let child = card.process(wait_for_events);
    card.ends(&child);
    card.said("with unknown source 90");
    card.is_still_good();
    events_come(&card);
}

fn overflow() {
    let mut card = Card::first();
    card.inject("ih-overflow");
    events_come(&card);
    card.is_still_good();
    card.said_at_least_once("IH: the ring overflowed, interrupts were lost");
}

/// The log has the line.
fn named(fault: &str, line: &str) {
    let mut card = Card::first();
    card.inject(fault);
    events_come(&card);
    card.is_still_good();
    card.said(line);
}
