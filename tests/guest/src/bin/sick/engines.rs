// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Engines that stop, and what they do not acknowledge.

use crate::card::{use_it, Card};
use guest_tests::buffer::Buffer;
use guest_tests::child::Child;
use guest_tests::gpu::Gpu;
use guest_tests::queue::{sdma, Kind, Queue};
use guest_tests::runner::{until, Case};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

pub(crate) const CASES: &[Case] = &[
    ("sick: the scheduler is dead", || {
        scheduler("hiq-dead,at=doorbell:1")
    }),
    ("sick: the scheduler does not take queues off", || {
        scheduler("unmap-silent")
    }),
    ("sick: the kernel interface queue is dead", || flush("kiq-dead")),
    ("sick: a flush is never acknowledged", || {
        flush("flush-packet-silent")
    }),
    ("sick: the kernel's SDMA fences are late", late_fence),
    ("sick: the kernel's SDMA fence never comes", no_fence),
    ("sick: a process's SDMA queue hangs", hanging_queue),
];

/// A process that uses the card as long as it can, and then for ever waits for a signal.
fn stubborn(gpu: &Gpu) {
    let _queue = Queue::new(gpu, Kind::Pm4);
    let _ = std::panic::catch_unwind(|| use_it(gpu));
    loop {
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// A process that makes queues and ends them, whatever comes of it.
fn queues(gpu: &Gpu) {
    for _ in 0..3 {
        let queue = Queue::new(gpu, Kind::Pm4);
        drop(queue);
    }
}

fn scheduler(fault: &str) {
    let mut card = Card::first();
    card.inject(fault);
    let first = card.process(queues);
    card.ends(&first);
    card.said("scheduler: queues off the hardware: not reached within 9000 ms");
    card.said("scheduler: the device does not confirm that queues are off; no queue runs any more");
    // others are told so, and are not kept waiting
    let second = card.process(queues);
    card.ends(&second);
    killed(&card, stubborn);
    card.is_given_back();
}

fn flush(fault: &str) {
    let mut card = Card::first();
    card.inject(fault);
    let process = card.process(|gpu| {
        let buffer = Buffer::vram(gpu, 2 << 20);
        drop(buffer);
    });
    card.ends(&process);
    card.said_at_least_once("KIQ: TLB of a process invalidated: not reached within 1000 ms");
    killed(&card, stubborn);
    card.is_given_back();
}

/// A process on the card ends when it is killed.
#[track_caller]
fn killed(card: &Card, work: fn(&Gpu)) {
    let process = card.process(work);
    std::thread::sleep(Duration::from_millis(300));
    let start = std::time::Instant::now();
    assert!(Child::kill(process), "the process ended by itself");
    let time = start.elapsed();
    assert!(time < Duration::from_secs(45), "SIGKILL took {time:?}");
}

/// Memory that the kernel clears by SDMA.
fn clears(gpu: &Gpu) {
    let vram = Buffer::vram(gpu, 8 << 20).unwrap();
    assert_eq!(vram.cpu().word(4 << 20).load(Relaxed), 0);
}

fn late_fence() {
    let mut card = Card::first();
    card.inject("sdma-fence-silent,vmid=0,ms=700,times=2");
    assert_eq!(card.process(clears).wait(), 0);
    card.is_still_good();
}

fn no_fence() {
    let mut card = Card::first();
    card.inject("sdma-fence-silent,vmid=0");
    let process = card.process(clears);
    card.ends(&process);
    card.said("SDMA0: stopped, the CPU does its work");
    card.is_given_back();
}

/// One process's queue hangs; another's goes on, also on the same engine.
fn hanging_queue() {
    let mut card = Card::first();
    card.inject("sdma-fence-silent,vmid=process,times=1");
    let hanging = card.process(|gpu| {
        let queue = Queue::new(gpu, Kind::Sdma).unwrap();
        let fence = Buffer::gtt(gpu, 4096).unwrap();
        queue.submit(&sdma::fence(fence.address(), 1));
        until(|| fence.cpu().word(0).load(Relaxed) == 1);
    });
    std::thread::sleep(Duration::from_millis(500));
    card.works();
    assert!(hanging.kill(), "the queue did not hang");
    card.is_still_good();
}
