// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Counts what the page tables of all processes hold. A driver's stores to them pass the card by, so the difference
//! between two counts is what can be said about them exactly.

use std::collections::BTreeMap;

use super::entry::Entry;
use super::hub::VMIDS;
use super::walk::{locate, Geometry, PAGE_SHIFT, TABLE_SHIFT};
use super::{Gmc, HubId};

/// Most entries of a table that are looked at: a page table without a block fragment has as many.
const MAX_ENTRIES: u64 = 1 << (2 * TABLE_SHIFT);

/// What page tables hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Directories and tables, roots included.
    pub tables: u64,
    /// Valid leaves, by the log2 of the bytes that each maps.
    pub leaves: BTreeMap<u32, u64>,
}

impl Gmc {
    /// Counts the tables of every process whose address space has a VMID.
    pub fn census(&self) -> Census {
        let hub = self.hub(HubId::Gfx);
        let mut census = Census::default();
        for vmid in 1..VMIDS {
            let in_use = u8::try_from(vmid).is_ok_and(|vmid| self.pasid(vmid) != 0);
            let Some(cntl) = hub.context(vmid).filter(|_| in_use) else {
                continue;
            };
            let geometry = hub.geometry(vmid, cntl);
            if geometry.root.valid() {
                let range = hub.context_range(vmid);
                let bytes = range.last.saturating_sub(range.first);
                self.count(&geometry, geometry.root, geometry.depth, 0, bytes, &mut census);
            }
        }
        census
    }

    /// Counts the table that `above` points to, which maps `bytes` and one more.
    fn count(&self, g: &Geometry, above: Entry, level: u32, fragment: u32, bytes: u64, census: &mut Census) {
        let block_shift = PAGE_SHIFT + TABLE_SHIFT + g.block;
        let shift = match level {
            0 => PAGE_SHIFT + fragment,
            _ => block_shift + TABLE_SHIFT * (level - 1),
        };
        let entries = (bytes.checked_shr(shift).unwrap_or(0) + 1).min(MAX_ENTRIES);
        let below = 1u64.checked_shl(shift).map_or(u64::MAX, |size| size - 1);
        census.tables += 1;
        let table = locate(above, above.table_addr(), g.fb_offset);
        for index in 0..entries {
            let Ok(entry) = self.entry(table.offset(index * 8)) else {
                return;
            };
            match level {
                _ if !entry.valid() => {}
                0 if entry.further() && fragment != 0 => self.count(g, entry, 0, 0, below, census),
                1.. if !entry.is_pte() => {
                    let fragment = if level == 1 { entry.block_fragment() } else { 0 };
                    self.count(g, entry, level - 1, fragment, below, census);
                }
                _ => *census.leaves.entry(shift).or_default() += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mem::PhysAddr;
    use crate::testing::{TestCard, RWX};

    #[test]
    fn leaves_are_counted_by_size() {
        let mut card = TestCard::new();
        assert_eq!(card.gpu.gmc.census(), Census::default());
        card.map(8, 0x7f00_1234_5000, PhysAddr::vram(0x3000), 8192, RWX);
        card.gpu.ih.set_pasid(8, 77);
        let census = card.gpu.gmc.census();
        assert_eq!(census.leaves.get(&PAGE_SHIFT), Some(&2), "{census:?}");
        assert!(census.tables >= 3, "{census:?}");
        card.assert_clean();
    }
}
