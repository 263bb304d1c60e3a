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
pub(crate) const TABLE_SHIFT: u32 = 9;
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
mod tests;
