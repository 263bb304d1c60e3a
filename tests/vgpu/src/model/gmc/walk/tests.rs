// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Walks through tables of every form.

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
