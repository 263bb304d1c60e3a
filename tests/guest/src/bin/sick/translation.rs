// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The hubs: invalidations without acknowledgement, page tables that are not what the driver wrote.

use crate::card::{use_it, Card};
use guest_tests::buffer::Buffer;
use guest_tests::gpu::Gpu;
use guest_tests::runner::Case;

pub(crate) const CASES: &[Case] = &[
    ("sick: a hub never acknowledges a flush", silent),
    ("sick: a page-table entry is lost", || corrupt("walk-invalid")),
    ("sick: a page-table entry is garbage", || corrupt("walk-garbage")),
];

/// System memory, for which the kernel changes its own table.
fn kernel_memory(gpu: &Gpu) {
    for _ in 0..2 {
        let buffer = Buffer::gtt(gpu, 64 << 10);
        drop(buffer);
    }
    let _ = std::panic::catch_unwind(|| use_it(gpu));
}

/// The kernel's own translations are flushed while the card is brought up.
fn silent() {
    let mut card = Card::first();
    card.unbind();
    card.inject("flush-silent");
    card.refused("GMC: translation");
    card.heal();
    card.bind();
    // later it is only asked for when the kernel's table changes
    card.inject("flush-silent");
    let process = card.process(kernel_memory);
    card.ends(&process);
    card.heal_quietly();
    card.works();
}

/// The process faults; the others do not notice.
fn corrupt(fault: &str) {
    let mut card = Card::first();
    card.inject(&format!("{fault},vmid=process,unit=GFXHUB,times=1"));
    let process = card.process(use_it);
    card.ends(&process);
    card.said("page fault of VMID");
    card.is_still_good();
}
