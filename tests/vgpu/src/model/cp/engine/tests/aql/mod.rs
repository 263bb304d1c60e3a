// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An AQL queue and the program that uses it.

mod errors;
mod packets;

use super::*;

const VMID: u8 = 8;
const DOORBELL: u32 = 0x1000;
const RING: u64 = 0x10_0000;
/// amd_queue_t; its read index is at +0x80, write index at +0x38.
const QUEUE: u64 = 0x20_0000;
const INACTIVE: u64 = 0x21_0000;
const KERNEL: u64 = 0x30_0000;
const SIGNALS: u64 = 0x40_0000;
const PACKETS: u64 = 16;

/// An AQL queue of 16 packets, mapped by registers.
struct Aql {
    rig: Rig,
    next: u64,
}

impl Aql {
    fn new() -> Self {
        let mut rig = Rig::new();
        let bus = rig.bus.clone();
        for (va, bytes) in [
            (RING, 0x1000),
            (QUEUE, 0x1000),
            (INACTIVE, 0x1000),
            (KERNEL, 0x1000),
            (SIGNALS, 0x1000),
        ] {
            bus.map(VMID, va, bytes);
        }
        for n in 0..PACKETS {
            bus.poke(VMID, RING + n * 64, &[1, 0]);
        }
        bus.poke32(VMID, QUEUE + 0x88, 0x80);
        bus.poke64(VMID, QUEUE + 0xc0, INACTIVE);
        // a kernel with 4 user SGPRs: dispatch pointer and kernel arguments
        bus.poke64(VMID, KERNEL + 16, 0x100);
        bus.poke32(VMID, KERNEL + 52, 4 << 1);
        bus.poke32(VMID, KERNEL + 56, 0x0a);
        let s = Self::slot();
        for (reg, v) in [
            (Hqd::Vmid, VMID.into()),
            (Hqd::PqBaseLo, (RING >> 8) as u32),
            (Hqd::PqControl, 7),
            (Hqd::RptrReportLo, QUEUE as u32 + 0x80),
            (Hqd::WptrPollLo, QUEUE as u32 + 0x38),
            (Hqd::AqlControl, 1),
            (Hqd::DoorbellControl, DOORBELL << 2 | 1 << 30),
            (Hqd::Active, 1),
        ] {
            rig.hqd(s, reg, v);
        }
        rig.run();
        Self { rig, next: 0 }
    }

    fn slot() -> Slot {
        slot(1, 3, 2)
    }

    fn bus(&self) -> Arc<FakeBus> {
        self.rig.bus.clone()
    }

    /// Reserves a slot and writes a packet, all but its header.
    fn reserve(&mut self, body: &[u8; 64]) -> u64 {
        let n = self.next;
        self.next += 1;
        let bus = self.bus();
        bus.poke64(VMID, QUEUE + 0x38, self.next);
        bus.poke(VMID, RING + n % PACKETS * 64 + 2, &body[2..]);
        n
    }

    fn publish(&mut self, n: u64, header: u16) -> Turn {
        self.bus()
            .poke(VMID, RING + n % PACKETS * 64, &header.to_le_bytes());
        self.rig.doorbell(DOORBELL, n)
    }

    fn submit(&mut self, header: u16, body: &[u8; 64]) -> Turn {
        let n = self.reserve(body);
        self.publish(n, header)
    }

    fn read_index(&self) -> u64 {
        self.rig.bus.peek64(VMID, QUEUE + 0x80)
    }

    fn header(&self, n: u64) -> u16 {
        self.rig.bus.peek32(VMID, RING + n % PACKETS * 64) as u16
    }

    /// A signal with this value.
    fn signal(&self, n: u64, value: u64) -> u64 {
        let at = SIGNALS + n * 64;
        self.rig.bus.poke64(VMID, at + 8, value);
        at
    }

    fn value(&self, signal: u64) -> i64 {
        self.rig.bus.peek64(VMID, signal + 8) as i64
    }

    fn error(&self) -> u64 {
        self.rig.bus.peek64(VMID, INACTIVE + 8)
    }
}

const DISPATCH: u16 = 2;
const BARRIER_AND: u16 = 3;
const BARRIER_OR: u16 = 5;
const BARRIER: u16 = 1 << 8;

fn set(b: &mut [u8; 64], at: usize, bytes: &[u8]) {
    b[at..at + bytes.len()].copy_from_slice(bytes);
}

/// 256 of 64 work-items with these arguments and completion signal.
fn dispatch(kernarg: u64, signal: u64) -> [u8; 64] {
    let mut b = [0; 64];
    b[2] = 1;
    for (at, v) in [(4, 64u16), (6, 1), (8, 1)] {
        set(&mut b, at, &v.to_le_bytes());
    }
    for (at, v) in [(12, 256u32), (16, 1), (20, 1)] {
        set(&mut b, at, &v.to_le_bytes());
    }
    for (at, v) in [(32, KERNEL), (40, kernarg), (56, signal)] {
        set(&mut b, at, &v.to_le_bytes());
    }
    b
}

fn barrier(deps: &[u64], signal: u64) -> [u8; 64] {
    let mut b = [0; 64];
    for (i, d) in deps.iter().enumerate() {
        set(&mut b, 8 + i * 8, &d.to_le_bytes());
    }
    set(&mut b, 56, &signal.to_le_bytes());
    b
}

fn pm4_ib(base: u64, dwords: u32, signal: u64) -> [u8; 64] {
    let mut b = [0; 64];
    b[2] = 1;
    for (at, v) in [
        (4, 0xc002_3f00),
        (8, base as u32),
        (12, (base >> 32) as u32),
        (16, dwords | 1 << 23),
        (20, 0xa),
    ] {
        set(&mut b, at, &v.to_le_bytes());
    }
    set(&mut b, 56, &signal.to_le_bytes());
    b
}
