// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The engine on a card made of tables.

mod aql;
mod hws;
mod pm4;
mod queues;

use std::sync::Arc;

use super::super::regs::{Hqd, CP_MEC_CNTL};
use super::super::testing::FakeBus;
use super::super::{Bus, Effect, Rung};
use super::*;
use crate::regs::Select;

/// CP_PQ_STATUS.
const PQ_STATUS: u32 = 0xc2e0;
/// RLC_CP_SCHEDULERS.
const SCHEDULERS: u32 = 0x3b2a8;
/// CPC_INT_CNTL.
const INT_CNTL: u32 = 0xc2d0;
/// TIME_STAMP, OPCODE_ERROR, PRIV_REG, GENERIC2.
const INTERRUPTS: u32 = 1 << 26 | 1 << 24 | 1 << 23 | 1 << 29;

/// A card with its engine, driven by hand.
struct Rig {
    bus: Arc<FakeBus>,
    shared: Arc<Shared>,
    engine: Engine,
}

/// A PM4 packet.
fn packet(op: u8, body: &[u32]) -> Vec<u32> {
    let mut p = vec![3 << 30 | (body.len() as u32 - 1) << 16 | u32::from(op) << 8];
    p.extend(body);
    p
}

fn slot(me: u8, pipe: u8, queue: u8) -> Slot {
    Slot::new(me, pipe, queue).unwrap()
}

impl Rig {
    /// Engines run, doorbells and interrupts are on.
    fn new() -> Self {
        let bus = FakeBus::new();
        let shared = Arc::new(Shared::new());
        let mut rig = Self {
            engine: Engine::new(bus.clone(), shared.clone()),
            bus,
            shared,
        };
        rig.write(CP_MEC_CNTL, Select::default(), 0);
        rig.write(PQ_STATUS, Select::default(), 2);
        for s in Slot::all() {
            rig.write(INT_CNTL, Rig::select(s), INTERRUPTS);
        }
        rig
    }

    fn select(s: Slot) -> Select {
        Select {
            me: s.me(),
            pipe: s.pipe(),
            queue: s.queue(),
            ..Select::default()
        }
    }

    fn write(&mut self, off: u32, sel: Select, value: u32) {
        let effect = self
            .shared
            .regs
            .lock()
            .write(off, sel, value)
            .expect("unknown register");
        if effect != Effect::None {
            self.shared.post(Message::Effect(effect));
        }
    }

    fn hqd(&mut self, s: Slot, reg: Hqd, value: u32) {
        self.write(reg.offset(), Self::select(s), value);
    }

    fn read_hqd(&self, s: Slot, reg: Hqd) -> u32 {
        self.shared
            .regs
            .lock()
            .read(reg.offset(), Self::select(s))
            .unwrap()
    }

    fn doorbell(&mut self, index: u32, value: u64) -> Turn {
        let message = match self.shared.regs.lock().doorbell(index, value) {
            Rung::Queue(s) => Message::Doorbell(s),
            Rung::Unmapped => Message::Unattached(index, value),
            Rung::Disabled => panic!("doorbells are off"),
        };
        self.shared.post(message);
        self.run()
    }

    fn run(&mut self) -> Turn {
        self.engine.turn()
    }

    /// Lets time pass, in microseconds.
    fn wait(&mut self, us: u64) -> Turn {
        self.bus.advance(us * 100);
        self.run()
    }

    /// Sets up a queue of 64 dwords at 0x10000 in VMID 0 by registers, with doorbell 0, as the KIQ.
    fn kiq(&mut self) -> Kiq {
        let s = slot(2, 1, 0);
        self.write(SCHEDULERS, Select::default(), 2 << 5 | 1 << 3 | 0x80);
        self.register_queue(s, 0, 1 << 31);
        Kiq {
            ring: TestRing::new(0, 0x1_0000, 64, 0),
        }
    }

    /// A PM4 queue of 64 dwords at 0x10000 by registers in a VMID.
    fn register_queue(&mut self, s: Slot, vmid: u32, pq_control: u32) {
        self.bus.map(vmid as u8, 0x1_0000, 0x1000);
        self.bus.map(vmid as u8, 0x2_0000, 0x1000);
        self.hqd(s, Hqd::Vmid, vmid);
        self.hqd(s, Hqd::PqBaseLo, 0x100);
        self.hqd(s, Hqd::PqControl, 5 | pq_control);
        self.hqd(s, Hqd::RptrReportLo, 0x2_0000);
        self.hqd(s, Hqd::DoorbellControl, 1 << 30);
        self.hqd(s, Hqd::Active, 1);
        self.run();
    }

    fn no_violations(&self) {
        assert_eq!(self.bus.log.lock().violations, []);
    }
}

/// A ring written by a driver.
struct TestRing {
    vmid: u8,
    base: u64,
    size: u64,
    wptr: u64,
    doorbell: u32,
}

impl TestRing {
    fn new(vmid: u8, base: u64, size: u64, doorbell: u32) -> Self {
        Self {
            vmid,
            base,
            size,
            wptr: 0,
            doorbell,
        }
    }

    /// Writes packets and rings.
    fn submit(&mut self, rig: &mut Rig, dwords: &[u32]) -> Turn {
        for d in dwords {
            rig.bus
                .poke32(self.vmid, self.base + self.wptr % self.size * 4, *d);
            self.wptr += 1;
        }
        rig.doorbell(self.doorbell, self.wptr)
    }
}

/// The kernel interface queue of the tests.
struct Kiq {
    ring: TestRing,
}

impl Kiq {
    fn submit(&mut self, rig: &mut Rig, dwords: &[u32]) -> Turn {
        self.ring.submit(rig, dwords)
    }
}
