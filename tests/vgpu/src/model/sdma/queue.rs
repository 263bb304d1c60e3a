// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One queue of an engine: its registers, and where its command stream is.

use std::time::Instant;

use super::regs::{queue as q, QUEUE_DEFAULTS, QUEUE_STRIDE};
use crate::regs::{extract, place};

/// An indirect buffer that a queue executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ib {
    /// Virtual address.
    pub(super) base: u64,
    /// Length in dwords.
    pub(super) dwords: u32,
    /// Dwords that are done.
    pub(super) next: u32,
    /// Address space of the buffer and of the packets in it.
    pub(super) vmid: u8,
}

/// How far a queue's command stream is executed. Lives in the queue's registers whenever the queue does not run, so that
/// a preempted queue continues where it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Position {
    /// Bytes of the ring that are done, counted from the queue's creation.
    pub(super) rptr: u64,
    /// The indirect buffer that runs.
    pub(super) ib: Option<Ib>,
    /// Bytes of the current packet's work that are done.
    pub(super) done: u64,
}

/// A queue's registers and what the engine keeps beside them.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    regs: [u32; QUEUE_STRIDE as usize],
    /// The process, if the scheduler mapped the queue.
    pub(super) pasid: Option<u16>,
    /// Changes when the position was set from outside: the end of a running slice then does not count.
    pub(super) serial: u64,
    /// A poll that did not pass is tried again at this time.
    pub(super) retry_at: Option<Instant>,
    /// Failed tries of the poll the queue waits in.
    pub(super) tries: u32,
    /// The queue stopped on an error and waits for the driver.
    pub(super) exception: bool,
    /// Somebody waits for the queue to stop: it gets no further turn.
    pub(super) stopping: bool,
}

impl Queue {
    /// The power-on state: disabled.
    pub(super) fn new() -> Self {
        let mut regs = [0; QUEUE_STRIDE as usize];
        for (reg, value) in QUEUE_DEFAULTS {
            if let Some(r) = regs.get_mut(*reg as usize) {
                *r = *value;
            }
        }
        Self {
            regs,
            pasid: None,
            serial: 0,
            retry_at: None,
            tries: 0,
            exception: false,
            stopping: false,
        }
    }

    /// A register, by dwords from RB_CNTL.
    pub(super) fn get(&self, reg: u32) -> u32 {
        self.regs.get(reg as usize).copied().unwrap_or(0)
    }

    /// Stores a register without side effects.
    pub(super) fn set(&mut self, reg: u32, value: u32) {
        if let Some(r) = self.regs.get_mut(reg as usize) {
            *r = value;
        }
    }

    fn get64(&self, lo: u32, hi: u32) -> u64 {
        u64::from(self.get(hi)) << 32 | u64::from(self.get(lo))
    }

    fn set64(&mut self, lo: u32, hi: u32, value: u64) {
        self.set(lo, value as u32);
        self.set(hi, (value >> 32) as u32);
    }

    /// Whether the ring is switched on.
    pub(super) fn enabled(&self) -> bool {
        self.get(q::RB_CNTL) & q::RB_ENABLE != 0
    }

    /// Virtual address of the ring, 256-byte aligned.
    pub(super) fn ring_base(&self) -> u64 {
        self.get64(q::RB_BASE, q::RB_BASE_HI) << 8
    }

    /// Bytes of the ring, a power of two (RB_SIZE is log2 of dwords).
    pub(super) fn ring_bytes(&self) -> u64 {
        4 << extract(self.get(q::RB_CNTL), q::RB_SIZE)
    }

    /// Address space of the ring.
    pub(super) fn vmid(&self) -> u8 {
        extract(self.get(q::RB_CNTL), q::RB_VMID) as u8
    }

    /// Where the read pointer goes, if it is written back.
    pub(super) fn rptr_addr(&self) -> Option<u64> {
        let on = self.get(q::RB_CNTL) & q::RPTR_WRITEBACK_ENABLE != 0;
        on.then(|| self.get64(q::RB_RPTR_ADDR_LO, q::RB_RPTR_ADDR_HI) & !3)
    }

    /// Bytes of the ring that are filled, counted like [`Position::rptr`].
    pub(super) fn wptr(&self) -> u64 {
        self.get64(q::RB_WPTR, q::RB_WPTR_HI)
    }

    /// Sets the write pointer.
    pub(super) fn set_wptr(&mut self, bytes: u64) {
        self.set64(q::RB_WPTR, q::RB_WPTR_HI, bytes);
    }

    /// The doorbell's BAR2 dword index, if the doorbell is on.
    pub(super) fn doorbell(&self) -> Option<u32> {
        let on = self.get(q::DOORBELL) & q::DOORBELL_ENABLE != 0;
        on.then(|| extract(self.get(q::DOORBELL_OFFSET), q::DOORBELL_INDEX))
    }

    /// Where the queue is, from its registers.
    pub(super) fn position(&self) -> Position {
        let dwords = self.get(q::IB_SIZE);
        let ib = (dwords != 0).then(|| Ib {
            base: self.get64(q::IB_BASE_LO, q::IB_BASE_HI),
            dwords,
            next: self.get(q::IB_OFFSET),
            vmid: extract(self.get(q::IB_CNTL), q::CMD_VMID) as u8,
        });
        let resumes = self.get(q::MIDCMD_CNTL) & q::DATA_VALID != 0;
        Position {
            rptr: self.get64(q::RB_RPTR, q::RB_RPTR_HI),
            ib,
            done: if resumes {
                self.get64(q::MIDCMD_DATA0, q::MIDCMD_DATA1)
            } else {
                0
            },
        }
    }

    /// Puts a position into the registers.
    pub(super) fn set_position(&mut self, p: &Position) {
        self.set64(q::RB_RPTR, q::RB_RPTR_HI, p.rptr);
        let ib = p.ib.unwrap_or(Ib {
            base: 0,
            dwords: 0,
            next: 0,
            vmid: 0,
        });
        self.set64(q::IB_BASE_LO, q::IB_BASE_HI, ib.base);
        self.set(q::IB_SIZE, ib.dwords);
        self.set(q::IB_OFFSET, ib.next);
        self.set(
            q::IB_CNTL,
            self.get(q::IB_CNTL) & !q::CMD_VMID | place(ib.vmid.into(), q::CMD_VMID),
        );
        self.set64(q::MIDCMD_DATA0, q::MIDCMD_DATA1, p.done);
        self.set(q::MIDCMD_CNTL, place(u32::from(p.done != 0), q::DATA_VALID));
    }

    /// A register write moved the read pointer: nothing of the old stream is left.
    pub(super) fn restart(&mut self) {
        let rptr = self.position().rptr;
        self.set_position(&Position {
            rptr,
            ib: None,
            done: 0,
        });
        self.serial = self.serial.wrapping_add(1);
        self.wake();
        self.exception = false;
    }

    /// Forgets that the queue waits in a poll.
    pub(super) fn wake(&mut self) {
        self.retry_at = None;
        self.tries = 0;
    }

    /// Whether there is something to execute.
    pub(super) fn has_work(&self) -> bool {
        let p = self.position();
        self.enabled() && !self.exception && !self.stopping && (p.ib.is_some() || p.rptr != self.wptr())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ring_geometry_comes_from_rb_cntl() {
        let mut queue = Queue::new();
        queue.set(
            q::RB_CNTL,
            10 << 1 | q::RB_ENABLE | q::RPTR_WRITEBACK_ENABLE | 5 << 24,
        );
        queue.set(q::RB_BASE, 0x1234);
        queue.set(q::RB_BASE_HI, 1);
        assert_eq!(queue.ring_bytes(), 4096);
        assert_eq!(queue.ring_base(), 0x1_0000_1234 << 8);
        assert_eq!(queue.vmid(), 5);
        assert_eq!(queue.rptr_addr(), Some(0));
    }

    proptest! {
        #[test]
        fn a_position_survives_the_registers(rptr: u64, done: u64, ib in any::<Option<(u64, u32, u32, u8)>>()) {
            let ib = ib.map(|(base, dwords, next, vmid)| Ib { base, dwords: dwords.max(1), next, vmid: vmid & 15 });
            let p = Position { rptr, ib, done };
            let mut queue = Queue::new();
            queue.set_position(&p);
            prop_assert_eq!(queue.position(), p);
        }
    }
}
