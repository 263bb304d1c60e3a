// SPDX-License-Identifier: GPL-2.0
//! Cutting contiguous memory into runs of equal entries within one table.

use super::{Level, ENTRIES, LARGE_PAGE, PAGE};

/// A run of entries of one table that map contiguous memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// [`Level::Pdb0`] for large pages, [`Level::Ptb`] for small ones.
    pub level: Level,
    /// Virtual address of the first byte.
    pub va: u64,
    /// Address of the memory behind it.
    pub address: u64,
    /// Entries, at least one, at most what is left of the table.
    pub count: usize,
    /// Logarithm of how many small pages belong together in the translation caches.
    pub fragment: u32,
}

impl Piece {
    /// Bytes that it maps.
    pub const fn len(&self) -> u64 {
        self.level.entry_span().saturating_mul(self.count as u64)
    }

    /// Whether it maps nothing; it never does.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The address that entry `i` of the run maps.
    pub const fn address_of(&self, i: usize) -> u64 {
        self.address
            .wrapping_add(self.level.entry_span().wrapping_mul(i as u64))
    }
}

/// See [`pieces`].
#[derive(Clone, Debug)]
pub struct Pieces {
    va: u64,
    end: u64,
    address: u64,
}

/// Cuts the mapping of `len` bytes at `va` to contiguous memory at `address` into runs of entries: large pages where
/// virtual and physical address and the length allow, small pages with the largest fragment elsewhere.
///
/// All three must be whole pages; a rest is left out. The end of the range must not overflow, else there are none.
pub fn pieces(va: u64, address: u64, len: u64) -> Pieces {
    let len = len & PAGE.wrapping_neg();
    match (va.checked_add(len), address.checked_add(len)) {
        (Some(end), Some(_)) if va % PAGE == 0 && address % PAGE == 0 => Pieces { va, end, address },
        _ => Pieces {
            va: 0,
            end: 0,
            address: 0,
        },
    }
}

impl Iterator for Pieces {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let left = self.end.checked_sub(self.va).filter(|left| *left > 0)?;
        let aligned = self.va | self.address;
        let piece = if aligned % LARGE_PAGE == 0 && left >= LARGE_PAGE {
            let room = ENTRIES.saturating_sub(Level::Pdb0.index(self.va)) as u64;
            let count = (left / LARGE_PAGE).min(room) as usize;
            Piece {
                level: Level::Pdb0,
                va: self.va,
                address: self.address,
                count,
                fragment: 9,
            }
        } else {
            // Up to the next place where a larger fragment can begin, or a large page, or the table ends; the
            // fragment is then the same for the whole run.
            let fragment = aligned
                .trailing_zeros()
                .min(left.ilog2())
                .saturating_sub(12)
                .min(9);
            let unit = PAGE << fragment;
            let mut count = 1u64;
            while self.continues(unit, count, left) {
                count = count.saturating_add(1);
            }
            let count = (count << fragment) as usize;
            Piece {
                level: Level::Ptb,
                va: self.va,
                address: self.address,
                count,
                fragment,
            }
        };
        self.va = self.va.saturating_add(piece.len());
        self.address = self.address.saturating_add(piece.len());
        Some(piece)
    }
}

impl Pieces {
    /// Whether one more block of `unit` bytes after `count` of them has the same fragment and is in the same table.
    fn continues(&self, unit: u64, count: u64, left: u64) -> bool {
        let done = unit.saturating_mul(count);
        let (va, address) = (self.va.saturating_add(done), self.address.saturating_add(done));
        let room = left.saturating_sub(done);
        let larger = unit << 1;
        let grows = (va | address) & larger.wrapping_sub(1) == 0 && room >= larger && larger <= LARGE_PAGE;
        room >= unit && va != Level::Ptb.table_start(va) && !grows
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(
    CONFIG_KUNIT = "y",
    kernel::prelude::kunit_tests(amdgpu_logic_pagetable_pieces)
)]
mod tests {
    use super::*;
    #[cfg(test)]
    use proptest::prelude::*;

    const M: u64 = 1 << 20;

    fn shape(va: u64, address: u64, len: u64) -> impl Iterator<Item = (Level, usize, u32)> {
        pieces(va, address, len).map(|p| (p.level, p.count, p.fragment))
    }

    #[test]
    fn aligned_memory_gets_large_pages() {
        assert!(shape(64 * M, 128 * M, 6 * M).eq([(Level::Pdb0, 3, 9)]));
        // 1 GiB border: the next PDB0
        assert!(shape(1022 * M, 0, 4 * M).eq([(Level::Pdb0, 1, 9), (Level::Pdb0, 1, 9)]));
    }

    #[test]
    fn a_head_and_a_tail_are_small() {
        let got = shape(2 * M - 2 * PAGE, 4 * M - 2 * PAGE, 2 * M + 3 * PAGE);
        assert!(got.eq([(Level::Ptb, 2, 1), (Level::Pdb0, 1, 9), (Level::Ptb, 1, 0)]));
    }

    #[test]
    fn memory_that_is_not_aligned_alike_stays_small() {
        for (level, _, fragment) in shape(2 * M, 2 * M + PAGE, 4 * M) {
            assert_eq!((level, fragment), (Level::Ptb, 0));
        }
    }

    #[test]
    fn nonsense_has_no_pieces() {
        assert_eq!(shape(1, 0, PAGE).count(), 0);
        assert_eq!(shape(0, 1, PAGE).count(), 0);
        assert_eq!(shape(0, 0, PAGE - 1).count(), 0);
        assert_eq!(shape(u64::MAX - PAGE + 1, 0, PAGE).count(), 0);
    }

    #[cfg(test)]
    proptest! {
        #[test]
        fn pieces_cover_the_mapping_exactly(
            va in 0u64..3000, address in 0u64..3000, pages in 0u64..3000, alike in any::<bool>(),
        ) {
            let va = va * PAGE;
            let address = if alike { va + 8 * M } else { address * PAGE };
            let (mut at, mut to) = (va, address);
            for piece in pieces(va, address, pages * PAGE) {
                prop_assert_eq!((piece.va, piece.address), (at, to));
                prop_assert!(piece.count >= 1);
                prop_assert!(piece.level.index(piece.va) + piece.count <= ENTRIES);
                prop_assert_eq!((piece.va | piece.address) % piece.level.entry_span(), 0);
                // every fragment is aligned and whole
                let unit = PAGE << piece.fragment;
                prop_assert_eq!((piece.va | piece.address) % unit, 0);
                prop_assert_eq!(piece.len() % unit, 0);
                at += piece.len();
                to += piece.len();
            }
            prop_assert_eq!(at, va + pages * PAGE);
        }

        #[test]
        fn no_large_page_is_missed(start in 0u64..1000, pages in 0u64..3000) {
            let va = start * PAGE;
            let large: u64 = pieces(va, va, pages * PAGE)
                .filter(|p| p.level == Level::Pdb0)
                .map(|p| p.count as u64)
                .sum();
            let (first, last) = (va.div_ceil(LARGE_PAGE), (va + pages * PAGE) / LARGE_PAGE);
            prop_assert_eq!(large, last.saturating_sub(first));
        }
    }
}
