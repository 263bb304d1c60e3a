// SPDX-License-Identifier: GPL-2.0
//! The page tables of one address space: 4 KiB each, in VRAM, written through the aperture.
//!
//! All methods are called under the lock of the address space. What can fail for want of memory comes first
//! ([`Tree::provide`]); what follows fails only if the GPU is gone.

use super::space::Space;
use crate::gpu::mem::{Domain, KernelBo, Memory};
use amdgpu_logic::pagetable::{Access, Entry, Level, Memory as Kind, Piece, VaRange, ENTRIES, PAGE};
use kernel::{prelude::*, sync::Arc};

/// A table, and the tables below it.
pub(super) struct Table {
    bo: KernelBo,
    /// Physical address, for the entry that points here.
    physical: u64,
    level: Level,
    /// Entries that are not empty.
    used: usize,
    /// Whether the GPU may be reading it.
    live: bool,
    /// Whether VRAM is known to hold empty entries where the CPU has written others since: a GPU that reads it before
    /// those have got there finds nothing mapped, which is right until a map is over.
    served: bool,
    /// By entry; empty for the last level.
    below: KVec<Option<KBox<Table>>>,
}

impl Table {
    fn new(memory: &Memory, level: Level) -> Result<KBox<Self>> {
        let bo = KernelBo::new(memory, PAGE, PAGE, Domain::Vram)?;
        bo.write_words(0, ENTRIES, |_| Entry::empty(level).0)?;
        let offset = bo.vram().ok_or(EINVAL)?;
        let physical = memory.layout().vram_entry_address(offset).ok_or(EINVAL)?;
        let mut below = KVec::new();
        if level.below().is_some() {
            below.reserve(ENTRIES, GFP_KERNEL)?;
            for _ in 0..ENTRIES {
                below.push(None, GFP_KERNEL)?;
            }
        }
        Ok(KBox::new(
            Self {
                bo,
                physical,
                level,
                used: 0,
                live: false,
                served: false,
                below,
            },
            GFP_KERNEL,
        )?)
    }

    /// Whether it can serve again as it is, with the content of a new one, once the GPU does not read it any more.
    pub(super) fn is_as_new(&self) -> bool {
        self.used == 0
    }

    /// The level that it has entries for.
    pub(super) fn level(&self) -> Level {
        self.level
    }

    fn child(&self, va: u64) -> Option<&Self> {
        self.below.get(self.level.index(va))?.as_deref()
    }

    fn child_mut(&mut self, va: u64) -> Option<&mut KBox<Self>> {
        self.below.get_mut(self.level.index(va))?.as_mut()
    }

    fn write(&self, index: usize, count: usize, entry: impl Fn(usize) -> Entry) -> Result {
        self.bo
            .write_words((index as u64).wrapping_mul(8), count, |i| entry(i).0)
    }
}

/// New tables, by level, waiting for their place, and room for the list of links to them.
#[derive(Default)]
pub(super) struct Stock {
    pdb1: KVec<KBox<Table>>,
    pdb0: KVec<KBox<Table>>,
    ptb: KVec<KBox<Table>>,
    links: KVec<Link>,
}

/// An entry that is to point to a new table: that of `level` which covers `va`.
#[derive(Clone, Copy)]
struct Link {
    va: u64,
    level: Level,
    /// Whether the GPU may be reading the table that the entry is in.
    live: bool,
    /// Whether what VRAM holds in the place of the new table may be anything.
    unknown: bool,
}

impl Stock {
    fn shelf(&mut self, level: Level) -> Option<&mut KVec<KBox<Table>>> {
        match level {
            Level::Pdb1 => Some(&mut self.pdb1),
            Level::Pdb0 => Some(&mut self.pdb0),
            Level::Ptb => Some(&mut self.ptb),
            Level::Pdb2 => None,
        }
    }

    fn add(&mut self, level: Level, table: KBox<Table>) -> Result {
        Ok(self.shelf(level).ok_or(EINVAL)?.push(table, GFP_KERNEL)?)
    }
}

/// What a run of entries is to say about its pages.
#[derive(Clone, Copy)]
pub(super) struct Pages {
    pub(super) piece: Piece,
    pub(super) access: Access,
    pub(super) kind: Kind,
}

/// A mapping, cut into runs of entries. It can be gone through several times, always with the same result.
pub(super) trait Source {
    /// Calls `f` for each run, in order of addresses.
    fn pages(&self, f: &mut dyn FnMut(Pages) -> Result) -> Result;
}

/// The tables of an address space.
pub(super) struct Tree {
    /// Always there, until [`Self::leak`].
    root: Option<KBox<Table>>,
    /// Has tables that served before.
    space: Arc<Space>,
}

impl Tree {
    /// An address space without mappings.
    pub(super) fn new(memory: &Memory, space: &Arc<Space>) -> Result<Self> {
        let mut root = Table::new(memory, Level::Pdb2)?;
        root.live = true;
        memory.flush_hdp();
        Ok(Self {
            root: Some(root),
            space: space.clone(),
        })
    }

    /// Where the hardware begins to walk.
    pub(super) fn root(&self) -> Result<Entry> {
        Ok(Entry::root(self.root.as_ref().ok_or(EINVAL)?.physical))
    }

    /// Keeps all tables in VRAM for good: the hardware may still be reading them.
    pub(super) fn leak(&mut self) {
        core::mem::forget(self.root.take());
    }

    /// Makes the tables that are missing for `source`.
    pub(super) fn provide(&self, memory: &Memory, source: &dyn Source) -> Result<Stock> {
        let (mut stock, mut count) = (Stock::default(), 0usize);
        // The table made last at each level, by the end of its addresses: the next piece may share it.
        let mut covered = [0u64; 3];
        source.pages(&mut |Pages { piece, .. }| {
            let mut table = self.root.as_deref();
            for (level, covered) in [Level::Pdb1, Level::Pdb0, Level::Ptb]
                .into_iter()
                .zip(&mut covered)
            {
                if level < piece.level {
                    break;
                }
                table = table.and_then(|t| t.child(piece.va));
                if table.is_none() && piece.va >= *covered {
                    let span = level.table_span();
                    *covered = level.table_start(piece.va).saturating_add(span);
                    let table = match self.space.take_spare(level) {
                        Some(mut table) => {
                            table.live = false;
                            table.served = true;
                            table
                        }
                        None => Table::new(memory, level)?,
                    };
                    stock.add(level, table)?;
                    count = count.saturating_add(1);
                }
            }
            Ok(())
        })?;
        stock.links.reserve(count, GFP_KERNEL)?;
        Ok(stock)
    }

    /// Writes the entries of `source`, which cover `range`, with tables from `stock` where they are missing. The
    /// GPU sees the mapping when this returns. If it fails, for the GPU is gone, nothing is mapped.
    pub(super) fn map(
        &mut self,
        memory: &Memory,
        stock: &mut Stock,
        range: VaRange,
        source: &dyn Source,
    ) -> Result {
        source.pages(&mut |Pages { piece, .. }| self.link(piece, stock))?;
        source.pages(&mut |Pages { piece, .. }| {
            let table = self.table_mut(piece.level, piece.va).ok_or(EINVAL)?;
            table.used = table.used.saturating_add(piece.count);
            Ok(())
        })?;
        let result = self.write(memory, &stock.links, source);
        if result.is_err() {
            let _ = self.unmap(range, &mut KVec::new());
        }
        result
    }

    /// Puts tables from `stock` where `piece` needs them, without telling the GPU.
    fn link(&mut self, piece: Piece, stock: &mut Stock) -> Result {
        let mut table = self.root.as_mut().ok_or(EINVAL)?;
        while table.level > piece.level {
            let (level, live) = (table.level, table.live);
            let index = level.index(piece.va);
            let slot = table.below.get_mut(index).ok_or(EINVAL)?;
            if slot.is_none() {
                let new = stock
                    .shelf(level.below().ok_or(EINVAL)?)
                    .and_then(KVec::pop)
                    .ok_or(EINVAL)?;
                let unknown = !new.served;
                *slot = Some(new);
                table.used = table.used.saturating_add(1);
                stock
                    .links
                    .push_within_capacity(Link {
                        va: piece.va,
                        level,
                        live,
                        unknown,
                    })
                    .map_err(|_| EINVAL)?;
            }
            table = table
                .below
                .get_mut(index)
                .and_then(Option::as_mut)
                .ok_or(EINVAL)?;
        }
        Ok(())
    }

    /// Tells the GPU: new tables are filled, and what VRAM has of them is theirs, before a table that it may be reading
    /// points to them.
    fn write(&mut self, memory: &Memory, links: &[Link], source: &dyn Source) -> Result {
        source.pages(&mut |Pages { piece, access, kind }| {
            let table = self.table_mut(piece.level, piece.va).ok_or(EINVAL)?;
            table.write(piece.level.index(piece.va), piece.count, |i| {
                Entry::page(piece.address_of(i), access, kind, piece.fragment)
            })
        })?;
        for live in [false, true] {
            if live && links.iter().any(|link| link.unknown) {
                memory.flush_hdp();
            }
            for link in links.iter().filter(|link| link.live == live) {
                let parent = self.table_mut(link.level, link.va).ok_or(EINVAL)?;
                let child = parent.child_mut(link.va).ok_or(EINVAL)?;
                child.live = true;
                let entry = Entry::table(link.level, child.physical);
                parent.write(link.level.index(link.va), 1, |_| entry)?;
            }
        }
        memory.flush_hdp();
        Ok(())
    }

    fn table_mut(&mut self, level: Level, va: u64) -> Option<&mut KBox<Table>> {
        let mut table = self.root.as_mut()?;
        while table.level > level {
            table = table.child_mut(va)?;
        }
        Some(table)
    }

    /// Empties the entries of `range`, all of which is mapped (or was to be, if mapping failed). Tables that are
    /// empty now are unlinked and moved to `freed`, which must have room for [`Self::tables_of`]; the GPU may still
    /// be reading them until its translations are flushed. That flush also brings to VRAM what is written here.
    pub(super) fn unmap(&mut self, range: VaRange, freed: &mut KVec<KBox<Table>>) -> Result {
        let root = self.root.as_mut().ok_or(EINVAL)?;
        Self::clear(root, range.start(), range.end(), freed)
    }

    /// How many tables unmapping `range` may free.
    pub(super) fn tables_of(range: VaRange) -> usize {
        [Level::Pdb1, Level::Pdb0, Level::Ptb]
            .iter()
            .map(|level| range.tables(*level) as usize)
            .sum()
    }

    fn clear(table: &mut Table, start: u64, end: u64, freed: &mut KVec<KBox<Table>>) -> Result {
        let (level, mut result, mut va) = (table.level, Ok(()), start);
        // Runs of pages are emptied at once.
        let (mut run_start, mut run) = (0, 0usize);
        while va < end {
            let next = end.min(level.entry_start(va).saturating_add(level.entry_span()));
            let index = level.index(va);
            match table.below.get_mut(index).and_then(Option::as_mut) {
                None => {
                    if run == 0 {
                        run_start = index;
                    }
                    run = run.saturating_add(1);
                }
                Some(child) => {
                    result = result.and(Self::clear(child, va, next, freed));
                    if child.used == 0 {
                        let unlinked = table.below.get_mut(index).and_then(Option::take);
                        result = result.and(table.write(index, 1, |_| Entry::empty(level)));
                        table.used = table.used.saturating_sub(1);
                        if let Some(unlinked) = unlinked {
                            // There is room; else the table is kept, for good, rather than freed too early.
                            let _ = freed.push_within_capacity(unlinked).map_err(core::mem::forget);
                        }
                    }
                }
            }
            if run > 0 && (next >= end || table.child(next).is_some()) {
                result = result.and(table.write(run_start, run, |_| Entry::empty(level)));
                table.used = table.used.saturating_sub(run);
                run = 0;
            }
            va = next;
        }
        result
    }
}
