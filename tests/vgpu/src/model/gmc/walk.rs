// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The page-table walker, as hardware does it: from a context's root down to a leaf, with "translate further".
//!
//! A context has `depth` levels of directories above its page tables. A page table covers `2^block` times 2 MiB; its
//! entries map 4 KiB, or what the block fragment of the directory entry above says. With a block fragment, an entry
//! with F set points to one more table, of 4 KiB entries. The driver uses depth 2, block 9 and block fragment 9: four
//! tables of 512 entries for 48 bits (device-contract 4.3). VMID 0 has depth 0: one flat table.

use super::entry::Entry;
use super::types::FaultKind;
use crate::mem::{MemError, PhysAddr};

/// log2 of the 4 KiB page.
pub(crate) const PAGE_SHIFT: u32 = 12;
/// log2 of the entries in a directory or in a table reached by F.
const TABLE_SHIFT: u32 = 9;
/// Entries read on the way: at most three directories, a page table, a further table.
pub(crate) const MAX_STEPS: usize = 5;

/// The geometry of a context (VM_CONTEXTn_CNTL, START, BASE).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Geometry {
    /// Root in PDE format.
    pub(crate) root: Entry,
    /// Directory levels above the page table, 0..=3.
    pub(crate) depth: u32,
    /// log2 of the 2 MiB blocks a page table covers, 0..=15.
    pub(crate) block: u32,
    /// First virtual address of the context.
    pub(crate) start: u64,
    /// Physical address of the first byte of VRAM (MC_VM_FB_OFFSET).
    pub(crate) fb_offset: u64,
}

/// The entries read on the way to a leaf, the leaf included: where each was, and its value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Path {
    steps: [Option<(PhysAddr, Entry)>; MAX_STEPS],
}

impl Path {
    fn push(&mut self, at: PhysAddr, e: Entry) {
        if let Some(s) = self.steps.iter_mut().find(|s| s.is_none()) {
            *s = Some((at, e));
        }
    }

    /// The steps from the root down.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (PhysAddr, Entry)> + '_ {
        self.steps.iter().copied().flatten()
    }

    /// The leaf.
    pub(crate) fn last(&self) -> Option<(PhysAddr, Entry)> {
        self.iter().last()
    }
}

/// A leaf and how it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// The entry.
    pub(crate) entry: Entry,
    /// log2 of the bytes one entry of its table maps.
    pub(crate) shift: u32,
    /// log2 of the bytes its table maps (fragments do not reach over tables).
    pub(crate) table_shift: u32,
    /// All entries read.
    pub(crate) path: Path,
}

/// Walks to the leaf of `va`, which is inside the context. `read` fetches an entry.
pub(crate) fn walk(
    g: &Geometry,
    va: u64,
    mut read: impl FnMut(PhysAddr) -> Result<Entry, MemError>,
) -> Result<Leaf, FaultKind> {
    let va = va.wrapping_sub(g.start);
    let block_shift = PAGE_SHIFT + TABLE_SHIFT + g.block;
    let mut path = Path::default();
    let mut table = g.root;
    let mut fragment = 0;
    let mut level = g.depth;
    loop {
        // what one entry of this table maps, and what the table maps
        let (shift, table_shift) = match level {
            0 => (PAGE_SHIFT + fragment, block_shift),
            _ => (
                block_shift + TABLE_SHIFT * (level - 1),
                block_shift + TABLE_SHIFT * level,
            ),
        };
        // the root covers whatever is left of the address
        let table_shift = if level == g.depth { 64 } else { table_shift };
        let entry = fetch(g, table, index(va, shift, table_shift), &mut path, &mut read)?;
        if level == 0 {
            if !(entry.valid() && entry.further()) {
                return Ok(Leaf {
                    entry,
                    shift,
                    table_shift,
                    path,
                });
            }
            if fragment == 0 {
                return Err(FaultKind::BadEntry { entry: entry.0 });
            }
            let index = index(va, PAGE_SHIFT, shift);
            let entry = fetch(g, entry, index, &mut path, &mut read)?;
            return Ok(Leaf {
                entry,
                shift: PAGE_SHIFT,
                table_shift: shift,
                path,
            });
        }
        if entry.is_pte() {
            return Ok(Leaf {
                entry,
                shift,
                table_shift,
                path,
            });
        }
        if !entry.valid() {
            return Err(FaultKind::NotValid { level: level as u8 });
        }
        if level == 1 {
            fragment = entry.block_fragment();
            if fragment > TABLE_SHIFT + g.block {
                return Err(FaultKind::BadEntry { entry: entry.0 });
            }
        }
        table = entry;
        level -= 1;
    }
}

/// The index bits of an address in a table that maps 2^table_shift bytes with entries of 2^shift.
fn index(va: u64, shift: u32, table_shift: u32) -> u64 {
    let inside = 1u64.checked_shl(table_shift).map_or(va, |size| va & (size - 1));
    inside.checked_shr(shift).unwrap_or(0)
}

fn fetch(
    g: &Geometry,
    table: Entry,
    index: u64,
    path: &mut Path,
    read: &mut impl FnMut(PhysAddr) -> Result<Entry, MemError>,
) -> Result<Entry, FaultKind> {
    let at = locate(table, table.table_addr(), g.fb_offset).offset(index.wrapping_mul(8));
    let entry = read(at).map_err(FaultKind::Walker)?;
    path.push(at, entry);
    Ok(entry)
}

/// Where an entry's address is.
pub(crate) fn locate(e: Entry, addr: u64, fb_offset: u64) -> PhysAddr {
    if e.system() {
        PhysAddr::system(addr)
    } else {
        PhysAddr::vram(addr.wrapping_sub(fb_offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    const V: u64 = 1;
    const S: u64 = 2;
    const P: u64 = 1 << 54;
    const F: u64 = 1 << 56;
    const BFS9: u64 = 9 << 59;

    fn user() -> Geometry {
        Geometry {
            root: Entry(0x1000 | V),
            depth: 2,
            block: 9,
            start: 0,
            fb_offset: 0,
        }
    }

    fn run(g: &Geometry, va: u64, tables: &HashMap<PhysAddr, u64>) -> Result<Leaf, FaultKind> {
        walk(g, va, |at| Ok(Entry(tables.get(&at).copied().unwrap_or(0))))
    }

    /// Indices of the four tables of 512 entries.
    fn indices(va: u64) -> [u64; 4] {
        [va >> 39 & 511, va >> 30 & 511, va >> 21 & 511, va >> 12 & 511]
    }

    proptest! {
        /// The driver's four-table layout is what the walker follows, in VRAM and in guest memory.
        #[test]
        fn translate_further(page in 0u64..1 << 36, system in any::<bool>()) {
            let va = page << 12;
            let [i3, i2, i1, i0] = indices(va);
            let at = |a: u64, i: u64| if system { PhysAddr::system(a + i * 8) } else { PhysAddr::vram(a + i * 8) };
            let s = if system { S } else { 0 };
            let tables = HashMap::from([
                (PhysAddr::vram(0x1000 + i3 * 8), 0x2000 | V | s),
                (at(0x2000, i2), 0x3000 | V | s | BFS9),
                (at(0x3000, i1), 0x4000 | V | s | F),
                (at(0x4000, i0), 0x5000 | V | 1 << 5),
            ]);
            let leaf = run(&user(), va, &tables).unwrap();
            prop_assert_eq!(leaf.entry.page_addr(), 0x5000);
            prop_assert_eq!((leaf.shift, leaf.table_shift), (12, 21));
            prop_assert_eq!(leaf.path.iter().count(), 4);
        }
    }

    #[test]
    fn block_leaf_without_further() {
        let va = 0x7f12_3456_7000;
        let [i3, i2, i1, _] = indices(va);
        let tables = HashMap::from([
            (PhysAddr::vram(0x1000 + i3 * 8), 0x2000 | V),
            (PhysAddr::vram(0x2000 + i2 * 8), 0x3000 | V | BFS9),
            (PhysAddr::vram(0x3000 + i1 * 8), 0x60_0000 | V | 1 << 5 | 9 << 7),
        ]);
        let leaf = run(&user(), va, &tables).unwrap();
        assert_eq!(
            (leaf.entry.page_addr(), leaf.shift, leaf.table_shift),
            (0x60_0000, 21, 30)
        );
    }

    #[test]
    fn leaf_in_a_directory() {
        let va = 0x7f12_3456_7000;
        let [i3, i2, ..] = indices(va);
        let mut tables = HashMap::from([
            (PhysAddr::vram(0x1000 + i3 * 8), 0x2000 | V),
            (PhysAddr::vram(0x2000 + i2 * 8), 0x4000_0000 | V | P),
        ]);
        assert_eq!(run(&user(), va, &tables).unwrap().shift, 30);
        tables.insert(PhysAddr::vram(0x1000 + i3 * 8), 0x80_0000_0000 | V | P);
        assert_eq!(run(&user(), va, &tables).unwrap().shift, 39);
    }

    #[test]
    fn not_valid_names_the_level() {
        let va = 0x7f12_3456_7000;
        let [i3, i2, i1, _] = indices(va);
        let mut tables = HashMap::new();
        assert_eq!(run(&user(), va, &tables), Err(FaultKind::NotValid { level: 2 }));
        tables.insert(PhysAddr::vram(0x1000 + i3 * 8), 0x2000 | V);
        assert_eq!(run(&user(), va, &tables), Err(FaultKind::NotValid { level: 1 }));
        tables.insert(PhysAddr::vram(0x2000 + i2 * 8), 0x3000 | V | BFS9);
        // leaves are returned as they are, valid or not: F without V is a leaf without V
        assert!(!run(&user(), va, &tables).unwrap().entry.valid());
        tables.insert(PhysAddr::vram(0x3000 + i1 * 8), 0x4000 | F);
        let leaf = run(&user(), va, &tables).unwrap();
        assert!(!leaf.entry.valid() && leaf.shift == 21);
    }

    #[test]
    fn further_without_block_fragment_is_an_error() {
        let va = 0x1000;
        let tables = HashMap::from([
            (PhysAddr::vram(0x1000), 0x2000 | V),
            (PhysAddr::vram(0x2000), 0x3000 | V),
            (PhysAddr::vram(0x3000 + 8), 0x4000 | V | F),
        ]);
        assert!(matches!(
            run(&user(), va, &tables),
            Err(FaultKind::BadEntry { .. })
        ));
        let too_big = HashMap::from([
            (PhysAddr::vram(0x1000), 0x2000 | V),
            (PhysAddr::vram(0x2000), 0x3000 | V | 31 << 59),
        ]);
        assert!(matches!(
            run(&user(), va, &too_big),
            Err(FaultKind::BadEntry { .. })
        ));
    }

    #[test]
    fn flat_table_is_relative_to_start() {
        let g = Geometry {
            root: Entry(0x10_0000 | V),
            depth: 0,
            block: 0,
            start: 0x7f_0000_0000,
            fb_offset: 0x100_0000_0000,
        };
        let g = Geometry {
            root: Entry(g.root.0 + g.fb_offset),
            ..g
        };
        let tables = HashMap::from([(PhysAddr::vram(0x10_0000 + 70_000 * 8), 0xabc000 | V | S)]);
        let leaf = run(&g, g.start + 70_000 * 4096 + 5, &tables).unwrap();
        assert_eq!((leaf.entry.page_addr(), leaf.shift), (0xabc000, 12));
    }

    proptest! {
        /// No table contents and no geometry make the walker panic.
        #[test]
        fn survives_anything(
            depth in 0u32..4, block in 0u32..16, start in any::<u64>(), va in any::<u64>(), root in any::<u64>(),
            e in proptest::collection::vec(any::<u64>(), 5),
        ) {
            let g = Geometry { root: Entry(root), depth, block, start, fb_offset: start };
            let mut e = e.into_iter();
            let _ = walk(&g, va, |_| Ok(Entry(e.next().unwrap_or(0))));
        }
    }
}
