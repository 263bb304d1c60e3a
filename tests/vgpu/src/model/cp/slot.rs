// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Names of the hardware queue slots: two micro engines of four pipes with eight queues each.

use std::fmt;

use crate::regs::Select;

/// Number of hardware queue slots of both compute micro engines.
pub(crate) const SLOTS: usize = 64;

/// One hardware queue slot (HQD), numbered as in SET_RESOURCES.queue_mask: `(me - 1) * 32 + pipe * 8 + queue`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Slot(u8);

impl Slot {
    /// The slot of a micro engine (1 or 2), pipe (0..=3) and queue (0..=7).
    pub(crate) fn new(me: u8, pipe: u8, queue: u8) -> Option<Self> {
        (matches!(me, 1 | 2) && pipe < 4 && queue < 8).then(|| Self((me - 1) * 32 + pipe * 8 + queue))
    }

    /// The slot that GRBM_GFX_CNTL selects, if it is one of a compute engine.
    pub(crate) fn selected(sel: Select) -> Option<Self> {
        Self::new(sel.me, sel.pipe, sel.queue)
    }

    /// All slots in order.
    pub(crate) fn all() -> impl DoubleEndedIterator<Item = Self> {
        (0..SLOTS as u8).map(Self)
    }

    /// 0..=63.
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Micro engine, 1 or 2.
    pub(crate) fn me(self) -> u8 {
        self.0 / 32 + 1
    }

    /// Pipe of the micro engine, 0..=3.
    pub(crate) fn pipe(self) -> u8 {
        self.0 / 8 % 4
    }

    /// Queue of the pipe, 0..=7.
    pub(crate) fn queue(self) -> u8 {
        self.0 % 8
    }

    /// How interrupt vectors name the slot: queue in 6:4, micro engine in 3:2, pipe in 1:0 (gfx_v9_0_eop_irq).
    pub(crate) fn ring_id(self) -> u8 {
        self.queue() << 4 | self.me() << 2 | self.pipe()
    }

    /// Number of the pipe over both micro engines, 0..=7.
    pub(crate) fn pipe_index(self) -> usize {
        usize::from(self.0 / 8)
    }
}

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "me{}.pipe{}.queue{}", self.me(), self.pipe(), self.queue())
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_agree() {
        for slot in Slot::all() {
            assert_eq!(Slot::new(slot.me(), slot.pipe(), slot.queue()), Some(slot));
        }
        let kiq = Slot::new(2, 1, 0).unwrap();
        assert_eq!((kiq.index(), kiq.ring_id(), kiq.pipe_index()), (40, 0x09, 5));
        assert_eq!(Slot::new(1, 2, 3).map(Slot::ring_id), Some(0x36));
        for (me, pipe, queue) in [(0, 0, 0), (3, 0, 0), (1, 4, 0), (1, 0, 8)] {
            assert_eq!(Slot::new(me, pipe, queue), None);
        }
    }
}
