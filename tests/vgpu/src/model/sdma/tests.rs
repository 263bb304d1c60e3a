// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whole engines, programmed through registers, rings and doorbells as a driver does.

mod packets;
mod queues;
mod strict;

use std::time::{Duration, Instant};

use super::regs::{global, global_offset, queue as q, queue_offset, GFX, RLC0};
use super::{QueueMap, SdmaMqd};
use crate::mem::PhysAddr;
use crate::testing::{TestCard, GART, RWX};

/// Bus address of the kernel's ring; 4 KiB.
const RING: u64 = 0x1_0000;
/// Bus address of the kernel ring's read pointer.
const RPTR: u64 = 0x2_0000;
/// Bus address of the interrupt ring.
const IH_RING: u64 = 0x3_0000;
/// Bus address where tests keep data; reachable for VMID 0 at [`DATA_VA`].
const DATA: u64 = 0x10_0000;
/// Address of [`DATA`] for VMID 0.
const DATA_VA: u64 = GART + DATA;
/// Doorbell of the kernel ring of engine 1.
const DOORBELL: u32 = (0x100 + 10) * 2;
const ENGINE: usize = 1;

/// A card whose engine 1 has the kernel's ring running.
struct Bench {
    card: TestCard,
    wptr: u64,
}

fn reg(engine: usize, reg: u32) -> u32 {
    global_offset(engine, reg).unwrap()
}

fn qreg(engine: usize, queue: usize, reg: u32) -> u32 {
    queue_offset(engine, queue, reg).unwrap()
}

impl Bench {
    fn new() -> Self {
        let card = TestCard::new();
        let w = |r, value: u64| card.write(qreg(ENGINE, GFX, r), value as u32);
        w(q::RB_CNTL, 10 << 1 | u64::from(q::RPTR_WRITEBACK_ENABLE));
        w(q::RB_BASE, (GART + RING) >> 8);
        w(q::RB_BASE_HI, (GART + RING) >> 40);
        w(q::RB_RPTR_ADDR_LO, GART + RPTR);
        w(q::RB_RPTR_ADDR_HI, (GART + RPTR) >> 32);
        w(q::MINOR_PTR_UPDATE, 1);
        w(q::DOORBELL, u64::from(q::DOORBELL_ENABLE));
        w(q::DOORBELL_OFFSET, u64::from(DOORBELL) << 2);
        w(q::MINOR_PTR_UPDATE, 0);
        w(
            q::RB_CNTL,
            10 << 1 | u64::from(q::RPTR_WRITEBACK_ENABLE | q::RB_ENABLE),
        );
        w(q::IB_CNTL, u64::from(q::IB_ENABLE));
        card.write(reg(ENGINE, global::CNTL), global::TRAP_ENABLE);
        card.write(reg(ENGINE, global::F32_CNTL), 0);
        // interrupt ring 0: 64 entries, bus addresses, enabled
        card.write(0x48b4, 1 << 4);
        card.write(0x4484, (IH_RING >> 8) as u32);
        card.write(0x4480, 1 | 9 << 1 | 1 << 17 | 1 << 28);
        Self { card, wptr: 0 }
    }

    /// Appends packets to the kernel's ring and rings its doorbell.
    fn submit(&mut self, words: &[u32]) {
        for w in words {
            self.card
                .put_words(PhysAddr::system(RING + self.wptr % 4096), &[*w]);
            self.wptr += 4;
        }
        self.card.gpu.sdma.doorbell(ENGINE, DOORBELL, self.wptr);
    }

    /// Runs packets to their end.
    fn run(&mut self, words: &[u32]) {
        self.submit(words);
        self.settle();
    }

    /// Waits until the engine has nothing to do.
    fn settle(&self) {
        let idle = reg(ENGINE, global::STATUS_REG);
        wait("an idle engine", || self.card.read(idle) & 1 != 0);
    }

    fn exception(&self) -> bool {
        self.card.read(qreg(ENGINE, GFX, q::CONTEXT_STATUS)) & q::EXCEPTION != 0
    }

    fn data(&self, off: u64, dwords: usize) -> Vec<u32> {
        self.card.get_words(PhysAddr::system(DATA + off), dwords)
    }

    fn set(&self, off: u64, words: &[u32]) {
        self.card.put_words(PhysAddr::system(DATA + off), words);
    }

    /// Dwords of the interrupt ring's entry `n`.
    fn interrupt(&self, n: u64) -> Vec<u32> {
        self.card.get_words(PhysAddr::system(IH_RING + n * 32), 8)
    }

    fn violations(&self, kind: &str) -> u64 {
        self.card.gpu.report.violations_of(kind)
    }
}

fn wait(what: &str, mut done: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !done() {
        assert!(Instant::now() < deadline, "no {what} within 10 s");
        std::thread::sleep(Duration::from_micros(200));
    }
}

fn lo(va: u64) -> u32 {
    va as u32
}

fn hi(va: u64) -> u32 {
    (va >> 32) as u32
}

fn write_linear(va: u64, data: &[u32]) -> Vec<u32> {
    [&[2, lo(va), hi(va), data.len() as u32 - 1], data].concat()
}

fn copy(src: u64, dst: u64, bytes: u32) -> Vec<u32> {
    vec![1, bytes - 1, 0, lo(src), hi(src), lo(dst), hi(dst)]
}

fn fence(va: u64, data: u32) -> Vec<u32> {
    vec![5, lo(va), hi(va), data]
}
