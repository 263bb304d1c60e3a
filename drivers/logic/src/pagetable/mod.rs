// SPDX-License-Identifier: GPL-2.0
//! Page tables of a process's address space on gfx9: geometry, entries, and how a mapping is cut into them.
//!
//! Four levels of 512 entries each, 4 KiB per table (kernel amdgpu/gmc_v9_0.c: `gmc_v9_0_get_vm_pde`). The hardware
//! is told three levels with blocks of 2 MiB; an entry of the third may say "translate further" and point to a
//! table of 4 KiB pages.
//!
//! | level | entry covers | entries are |
//! |---|---|---|
//! | [`Level::Pdb2`], the root | 512 GiB | tables |
//! | [`Level::Pdb1`] | 1 GiB | tables |
//! | [`Level::Pdb0`] | 2 MiB | pages of 2 MiB, or tables |
//! | [`Level::Ptb`] | 4 KiB | pages of 4 KiB |

mod entry;
mod pieces;

pub use entry::{Access, Entry, Memory, Mtype};
pub use pieces::{pieces, Piece, Pieces};

/// Bytes of a small page, and of a table.
pub const PAGE: u64 = 4 << 10;
/// Bytes of a large page.
pub const LARGE_PAGE: u64 = 2 << 20;
/// Entries of a table.
pub const ENTRIES: usize = 512;

/// Lowest address that a process may map (kernel amdgpu/amdgpu_vm.h: `AMDGPU_VA_RESERVED_BOTTOM`).
pub const VA_START: u64 = 0x1_0000;
/// End of the addresses that a process may map: what x86-64 gives user programs.
pub const VA_END: u64 = 1 << 47;

/// A level of the page table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Page table block, the leaves.
    Ptb,
    /// Page directory block 0, right above.
    Pdb0,
    /// Page directory block 1.
    Pdb1,
    /// Page directory block 2, the root.
    Pdb2,
}

impl Level {
    const fn shift(self) -> u32 {
        match self {
            Self::Ptb => 12,
            Self::Pdb0 => 21,
            Self::Pdb1 => 30,
            Self::Pdb2 => 39,
        }
    }

    /// Bytes of address space that one entry covers.
    pub const fn entry_span(self) -> u64 {
        1 << self.shift()
    }

    /// Bytes of address space that a table covers.
    pub const fn table_span(self) -> u64 {
        (ENTRIES as u64) << self.shift()
    }

    /// Where the addresses begin that the entry for `va` covers.
    pub const fn entry_start(self, va: u64) -> u64 {
        va & self.entry_span().wrapping_neg()
    }

    /// Where the addresses begin that the table for `va` covers.
    pub const fn table_start(self, va: u64) -> u64 {
        va & self.table_span().wrapping_neg()
    }

    /// Which entry of its table covers `va`; always below [`ENTRIES`].
    pub const fn index(self, va: u64) -> usize {
        (va >> self.shift()) as usize % ENTRIES
    }

    /// The level of the tables that entries of this one point to; `None` for the last.
    pub const fn below(self) -> Option<Self> {
        match self {
            Self::Pdb2 => Some(Self::Pdb1),
            Self::Pdb1 => Some(Self::Pdb0),
            Self::Pdb0 => Some(Self::Ptb),
            Self::Ptb => None,
        }
    }
}

/// A range of whole pages of a process's GPU address space: not empty, within `VA_START..VA_END`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VaRange {
    start: u64,
    end: u64,
}

impl VaRange {
    /// The range of `len` bytes from `start`. `None` unless both are whole pages and it is where a process may map.
    pub fn new(start: u64, len: u64) -> Option<Self> {
        let end = start.checked_add(len)?;
        let whole = start % PAGE == 0 && len % PAGE == 0;
        (whole && len > 0 && start >= VA_START && end <= VA_END).then_some(Self { start, end })
    }

    /// First byte.
    pub const fn start(&self) -> u64 {
        self.start
    }

    /// First byte behind.
    pub const fn end(&self) -> u64 {
        self.end
    }

    /// Bytes; at least a page.
    #[expect(clippy::len_without_is_empty, reason = "it never is")]
    pub const fn len(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Whether both have a byte in common.
    pub const fn overlaps(&self, other: &Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// The part of the range that lies in the table of `level` which covers `va`, and where the next begins.
    ///
    /// `va` must be in the range.
    fn within_table(&self, level: Level, va: u64) -> (u64, u64) {
        let span = level.table_span();
        (va, self.end.min(level.table_start(va).saturating_add(span)))
    }

    /// How many tables of `level` the range touches.
    pub fn tables(&self, level: Level) -> u64 {
        let number = |va: u64| va >> level.shift() >> ENTRIES.trailing_zeros();
        number(self.end.saturating_sub(1))
            .saturating_sub(number(self.start))
            .saturating_add(1)
    }

    /// Cuts the range at the borders of the tables of `level`: start and end of each part.
    pub fn by_table(&self, level: Level) -> impl Iterator<Item = (u64, u64)> {
        let range = *self;
        let mut va = range.start;
        core::iter::from_fn(move || {
            if va >= range.end {
                return None;
            }
            let (start, end) = range.within_table(level, va);
            va = end;
            Some((start, end))
        })
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_pagetable))]
mod tests {
    use super::*;
    #[cfg(test)]
    use proptest::prelude::*;

    #[test]
    fn ranges_are_checked() {
        assert!(VaRange::new(VA_START, PAGE).is_some());
        assert!(VaRange::new(VA_END - PAGE, PAGE).is_some());
        for (start, len) in [
            (0, PAGE),
            (VA_START - PAGE, PAGE),
            (VA_START + 1, PAGE),
            (VA_START, 0),
            (VA_START, PAGE + 1),
            (VA_END - PAGE, 2 * PAGE),
            (VA_END, PAGE),
            (u64::MAX - PAGE + 1, PAGE),
            (VA_START, u64::MAX - PAGE + 1),
        ] {
            assert_eq!(VaRange::new(start, len), None);
        }
    }

    #[test]
    fn levels_nest() {
        let mut level = Level::Pdb2;
        assert_eq!(level.table_span(), 1 << 48);
        while let Some(below) = level.below() {
            assert_eq!(level.entry_span(), below.table_span());
            level = below;
        }
        assert_eq!(level.entry_span(), PAGE);
        assert_eq!(Level::Pdb0.entry_span(), LARGE_PAGE);
    }

    #[test]
    fn indices_are_the_digits_of_an_address() {
        let va = (3 << 39) | (5 << 30) | (7 << 21) | (511 << 12) | 0xfff;
        let digits = [Level::Pdb2, Level::Pdb1, Level::Pdb0, Level::Ptb].map(|l| l.index(va));
        assert_eq!(digits, [3, 5, 7, 511]);
    }

    #[cfg(test)]
    proptest! {
        #[test]
        fn cutting_by_table_loses_nothing(start in 16u64..1 << 35, pages in 1u64..5000) {
            let range = VaRange::new(start * PAGE, pages * PAGE);
            prop_assume!(range.is_some());
            let range = range.unwrap();
            for level in [Level::Ptb, Level::Pdb0, Level::Pdb1] {
                let parts: std::vec::Vec<_> = range.by_table(level).collect();
                prop_assert_eq!(parts.len() as u64, range.tables(level));
                prop_assert_eq!(parts[0].0, range.start());
                prop_assert_eq!(parts[parts.len() - 1].1, range.end());
                for pair in parts.windows(2) {
                    prop_assert_eq!(pair[0].1, pair[1].0);
                    prop_assert_eq!(pair[0].1 % level.table_span(), 0);
                }
            }
        }
    }
}
