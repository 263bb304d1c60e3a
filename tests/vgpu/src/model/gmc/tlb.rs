// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The translation cache of one VMID in one hub. It keeps what it has until it is invalidated, as silicon may: a
//! driver that forgets to flush gets the old page, and the use of it is noticed.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::RwLock;

use super::entry::Entry;
use super::walk::{locate, Leaf, Path, PAGE_SHIFT};
use crate::mem::PhysAddr;

/// Cached blocks per VMID; beyond it the cache starts over.
const CAPACITY: usize = 1 << 16;

/// A cached block of contiguous pages.
#[derive(Debug)]
pub(crate) struct Block {
    /// First virtual address.
    pub(crate) start: u64,
    /// Bytes.
    pub(crate) len: u64,
    /// Where the first byte is.
    pub(crate) at: PhysAddr,
    /// The entry of the first page of the block.
    entry: Entry,
    /// log2 of the bytes one entry maps.
    shift: u32,
    /// Where the entry of the first page is.
    first: PhysAddr,
    /// The entries above the leaf.
    path: Path,
    /// Its staleness was reported.
    told: AtomicBool,
}

impl Block {
    /// The block around `va` that a leaf maps: its whole fragment, as far as one table holds it.
    pub(crate) fn new(va: u64, leaf: &Leaf, fb_offset: u64) -> Option<Self> {
        let (leaf_at, entry) = leaf.path.last()?;
        let covers = (PAGE_SHIFT + entry.fragment())
            .min(leaf.table_shift)
            .min(48)
            .max(leaf.shift);
        let len = 1u64.checked_shl(covers)?;
        let start = va & !(len - 1);
        // pages of the block before the one that was looked up
        let before = (va & (len - 1)) >> leaf.shift << leaf.shift;
        let entry = entry.advanced(before.wrapping_neg());
        let page = entry.page_addr() & !((1u64 << leaf.shift) - 1);
        Some(Self {
            start,
            len,
            at: locate(entry, page, fb_offset),
            entry,
            shift: leaf.shift,
            first: leaf_at.offset((before >> leaf.shift).wrapping_mul(8).wrapping_neg()),
            path: leaf.path,
            told: AtomicBool::new(false),
        })
    }

    /// The entry that covers the block's pages (of the first page; the others differ in the address only).
    pub(crate) fn entry(&self) -> Entry {
        self.entry
    }

    /// Compares the cached entries with memory, for the page of `va`: the first difference, once per block.
    pub(crate) fn stale(&self, va: u64, mut read: impl FnMut(PhysAddr) -> Option<Entry>) -> Option<Stale> {
        let page = va.saturating_sub(self.start) >> self.shift;
        let leaf_at = self.first.offset(page.wrapping_mul(8));
        let leaf = self.entry.advanced(page << self.shift);
        let above = self.path.iter().count().saturating_sub(1);
        let stale = self
            .path
            .iter()
            .take(above)
            .chain([(leaf_at, leaf)])
            .map(|(at, cached)| Stale {
                at,
                cached,
                now: read(at),
            })
            .find(|s| s.now != Some(s.cached))?;
        (!self.told.swap(true, Ordering::Relaxed)).then_some(stale)
    }
}

/// A cached entry that memory no longer holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stale {
    /// Where the entry is.
    pub(crate) at: PhysAddr,
    /// What the cache has.
    pub(crate) cached: Entry,
    /// What memory has; `None` if it cannot be read any more.
    pub(crate) now: Option<Entry>,
}

/// Cached blocks by first address; they do not overlap.
#[derive(Debug, Default)]
pub(crate) struct Tlb {
    inner: RwLock<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    blocks: BTreeMap<u64, Block>,
    /// Counts invalidations, so that a walk that one overtook is not cached.
    generation: u64,
}

impl Tlb {
    /// Runs `f` on the block that holds `va`, if cached.
    pub(crate) fn with<T>(&self, va: u64, f: impl FnOnce(&Block) -> T) -> Option<T> {
        let inner = self.inner.read();
        let (_, b) = inner.blocks.range(..=va).next_back()?;
        (va - b.start < b.len).then(|| f(b))
    }

    /// To be taken before a walk and given to [`insert`](Self::insert).
    pub(crate) fn generation(&self) -> u64 {
        self.inner.read().generation
    }

    /// Caches a block, replacing what it overlaps; not if an invalidation came since `generation`.
    pub(crate) fn insert(&self, block: Block, generation: u64) {
        let mut inner = self.inner.write();
        if inner.generation != generation {
            return;
        }
        if inner.blocks.len() >= CAPACITY {
            inner.blocks.clear();
        }
        let last = block.start.saturating_add(block.len - 1);
        while let Some(start) = inner
            .blocks
            .range(..=last)
            .next_back()
            .filter(|(s, b)| s.saturating_add(b.len - 1) >= block.start)
            .map(|(s, _)| *s)
        {
            inner.blocks.remove(&start);
        }
        inner.blocks.insert(block.start, block);
    }

    /// Drops everything.
    pub(crate) fn invalidate(&self) {
        let mut inner = self.inner.write();
        inner.generation = inner.generation.wrapping_add(1);
        inner.blocks.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::super::walk::{walk, Geometry};
    use super::*;

    fn flat(va: u64, entry: impl Fn(u64) -> u64) -> Block {
        let g = Geometry {
            root: Entry(0x8000 | 1),
            depth: 0,
            block: 0,
            start: 0,
            fb_offset: 0,
        };
        let leaf = walk(&g, va, |at| Ok(Entry(entry((at.addr - 0x8000) / 8)))).unwrap();
        Block::new(va, &leaf, 0).unwrap()
    }

    /// 16 contiguous pages from 0x40_0000, fragment 4.
    fn fragment(i: u64) -> u64 {
        0x40_0000 + i * 4096 | 1 | 1 << 5 | 4 << 7
    }

    #[test]
    fn a_fragment_is_one_block() {
        let b = flat(0x1_3456, fragment);
        assert_eq!(
            (b.start, b.len, b.at),
            (0x1_0000, 0x1_0000, PhysAddr::vram(0x41_0000))
        );
        let same = |at: PhysAddr| Some(Entry(fragment((at.addr - 0x8000) / 8)));
        for page in 0..16 {
            assert_eq!(b.stale(0x1_0000 + page * 4096, same), None);
        }
    }

    #[test]
    fn a_change_anywhere_in_the_fragment_is_stale_once() {
        let b = flat(0x1_3456, fragment);
        let changed = |at: PhysAddr| {
            let i = (at.addr - 0x8000) / 8;
            Some(Entry(if i == 0x1a { 0 } else { fragment(i) }))
        };
        assert_eq!(b.stale(0x1_9fff, changed), None);
        assert_eq!(b.stale(0x1_a000, changed).unwrap().now, Some(Entry(0)));
        assert_eq!(b.stale(0x1_a000, changed), None);
    }

    #[test]
    fn lookups_hit_inside_only_and_overlaps_are_replaced() {
        let t = Tlb::default();
        t.insert(flat(0x1_3456, fragment), 0);
        assert!(t.with(0xffff, |_| ()).is_none() && t.with(0x2_0000, |_| ()).is_none());
        assert_eq!(t.with(0x1_ffff, |b| b.start), Some(0x1_0000));
        t.insert(flat(0x1_5000, |i| i * 4096 | 1), 0);
        assert_eq!(t.with(0x1_5000, |b| b.len), Some(0x1000));
        assert!(t.with(0x1_4000, |_| ()).is_none());
    }

    #[test]
    fn a_walk_overtaken_by_an_invalidation_is_not_cached() {
        let t = Tlb::default();
        let before = t.generation();
        t.invalidate();
        t.insert(flat(0, fragment), before);
        assert!(t.with(0, |_| ()).is_none());
    }
}
