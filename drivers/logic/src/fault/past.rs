// SPDX-License-Identifier: GPL-2.0
//! What was mapped until not long ago.

use super::Allocation;

/// Something that is not mapped any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone {
    /// What it was.
    pub allocation: Allocation,
    /// When it was unmapped, or how long ago that was: ms.
    pub ms: u64,
}

/// Unmapped ranges that are remembered.
const LEN: usize = 32;

/// The ranges that were unmapped last.
#[derive(Clone, Debug, Default)]
pub struct Past {
    ranges: [Option<Gone>; LEN],
    /// Where the next goes; the oldest is there.
    next: usize,
}

impl Past {
    /// None.
    pub const fn new() -> Self {
        Self {
            ranges: [None; LEN],
            next: 0,
        }
    }

    /// Notes what was unmapped at `now`, in ms. The oldest is forgotten.
    pub fn unmapped(&mut self, allocation: Allocation, now: u64) {
        let at = self.next % LEN;
        if let Some(place) = self.ranges.get_mut(at) {
            *place = Some(Gone { allocation, ms: now });
        }
        self.next = at.wrapping_add(1) % LEN;
    }

    /// What was last at the page at `addr`, and how long ago it was unmapped.
    pub fn at(&self, addr: u64, now: u64) -> Option<Gone> {
        let (newer, older) = self.ranges.split_at_checked(self.next)?;
        let newest_first = newer.iter().rev().chain(older.iter().rev());
        let gone = newest_first.flatten().find(|gone| gone.allocation.covers(addr))?;
        Some(Gone {
            ms: now.saturating_sub(gone.ms),
            ..*gone
        })
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_fault_past))]
mod tests {
    use super::*;
    use crate::pagetable::VaRange;

    fn unmap(past: &mut Past, start: u64, what: &'static str, now: u64) {
        if let Some(range) = VaRange::new(start, 0x2000) {
            past.unmapped(Allocation { range, what }, now);
        }
    }

    #[test]
    fn the_last_one_counts() {
        let mut past = Past::new();
        let what = |past: &Past, addr| past.at(addr, 100).map(|g| (g.allocation.what, g.ms));
        assert_eq!(what(&past, 0x10_0000), None);
        unmap(&mut past, 0x10_0000, "VRAM", 10);
        unmap(&mut past, 0x10_1000, "GTT", 70);
        assert_eq!(what(&past, 0x10_0000), Some(("VRAM", 90)));
        assert_eq!(what(&past, 0x10_1000), Some(("GTT", 30)));
        assert_eq!(what(&past, 0x10_2000), Some(("GTT", 30)));
        assert_eq!(what(&past, 0x10_3000), None);
    }

    #[test]
    fn the_oldest_is_forgotten() {
        let mut past = Past::new();
        for n in 0..LEN as u64 {
            unmap(&mut past, 0x10_0000 * (n + 1), "VRAM", n);
        }
        assert!(past.at(0x10_0000, 100).is_some());
        unmap(&mut past, 0x8000_0000, "VRAM", 50);
        assert_eq!(past.at(0x10_0000, 100), None);
        assert_eq!(past.at(0x20_0000, 100).map(|gone| gone.ms), Some(99));
        assert_eq!(past.at(0x8000_0000, 100).map(|gone| gone.ms), Some(50));
    }
}
