// SPDX-License-Identifier: GPL-2.0
//! The GART: one flat table in VRAM by which VMID 0 sees system memory.
//!
//! Only buffers of the driver itself are bound in it. Processes see system memory through their own page tables.

use crate::{
    glue::{
        ttm::{Bo, Create, Domain, KernelMap, Pinned, Span},
        wait::Wakeable,
    },
    gpu::{
        drm::Device,
        hw::gmc::{Layout, Tlb, GART_BYTES},
    },
};
use amdgpu_logic::pagetable::{Entry, PAGE};
use kernel::{
    gpu::buddy::{AllocatedBlocks, GpuBuddy, GpuBuddyAllocFlag, GpuBuddyAllocMode, GpuBuddyParams},
    new_mutex,
    prelude::*,
    ptr::Alignment,
    sync::{Arc, Mutex},
};

/// Pages that the GART covers.
const PAGES: usize = (GART_BYTES / PAGE) as usize;

/// The table and who uses which part of it.
#[pin_data]
pub(crate) struct Gart {
    table: KernelMap,
    /// Address in VMID 0 of its first page.
    start: u64,
    /// Offset of the table in VRAM.
    vram: u64,
    slots: GpuBuddy,
    /// Set while translation is on. Before and after, nothing is cached.
    #[pin]
    tlb: Mutex<Option<Arc<Tlb>>>,
}

impl Gart {
    /// A table that maps nothing, for the range that `layout` has for it.
    pub(super) fn new(device: &Device, layout: &Layout) -> Result<Arc<Self>> {
        let size = (PAGES * 8) as u64;
        let how = Create {
            size,
            domain: Domain::Vram,
            align: 0,
            contiguous: true,
            user: false,
        };
        let table = KernelMap::new(&Bo::new(device, how)?)?;
        table.write_words(0, PAGES, |_| Entry::GART_EMPTY.0)?;
        let vram = table.vram().ok_or(EINVAL)?;
        let page = Alignment::new_checked(PAGE as usize).ok_or(EINVAL)?;
        let slots = GpuBuddy::new(GpuBuddyParams {
            base_offset: 0,
            size: GART_BYTES,
            chunk_size: page,
        })?;
        let gart = try_pin_init!(Self {
            table,
            start: layout.gart.start,
            vram,
            slots,
            tlb <- new_mutex!(None),
        });
        Arc::pin_init(gart, GFP_KERNEL)
    }

    /// Offset of the table in VRAM, for programming the memory controller.
    pub(crate) fn table_vram(&self) -> u64 {
        self.vram
    }

    /// Translation is on, and changes must be followed by a flush, or (`None`) off.
    pub(super) fn set_tlb(&self, tlb: Option<Arc<Tlb>>) {
        let old = core::mem::replace(&mut *self.tlb.lock(), tlb);
        drop(old);
    }

    pub(super) fn tlb(&self) -> Option<Arc<Tlb>> {
        self.tlb.lock().clone()
    }

    /// Maps a buffer object in GTT. `ENOMEM` if the table is full.
    pub(super) fn bind(self: &Arc<Self>, bo: &Pinned) -> Result<Bound> {
        let slot = self.slots.alloc_blocks(
            GpuBuddyAllocMode::Simple,
            bo.size(),
            self.slots.chunk_size(),
            GpuBuddyAllocFlag::Contiguous,
        );
        let slot = KBox::pin_init(slot, GFP_KERNEL).map_err(|_| ENOMEM)?;
        let first = slot.iter().map(|block| block.offset()).min().ok_or(ENOMEM)? / PAGE;
        let (first, count) = (usize::try_from(first)?, usize::try_from(bo.size() / PAGE)?);
        // From here on the entries are cleared and the slot is freed by `drop`.
        let bound = Bound {
            gart: self.clone(),
            slot: Some(slot),
            first,
            count,
        };
        let mut at = first;
        bo.spans(0, bo.size(), |span| {
            let Span::Bus { at: bus, len } = span else {
                return Err(EINVAL);
            };
            let pages = (len / PAGE) as usize;
            self.write(at, pages, |i| {
                Entry::gart(bus.wrapping_add((i as u64).wrapping_mul(PAGE)))
            })?;
            at = at.saturating_add(pages);
            Ok(())
        })?;
        self.flush()?;
        Ok(bound)
    }

    fn write(&self, first: usize, count: usize, entry: impl Fn(usize) -> Entry) -> Result {
        self.table
            .write_words((first as u64).checked_mul(8).ok_or(EINVAL)?, count, |i| {
                entry(i).0
            })
    }

    fn flush(&self) -> Result {
        let Some(tlb) = self.tlb() else { return Ok(()) };
        tlb.flush(tlb.kernel(), Wakeable::Never).map(|_| ())
    }
}

/// A mapped part of the table.
pub(super) struct Bound {
    gart: Arc<Gart>,
    /// `None` once the entries are not in use any more.
    slot: Option<Pin<KBox<AllocatedBlocks>>>,
    first: usize,
    count: usize,
}

impl Bound {
    /// Address in VMID 0.
    pub(super) fn address(&self) -> u64 {
        self.gart
            .start
            .wrapping_add((self.first as u64).wrapping_mul(PAGE))
    }

    /// Unmaps. On an error the GPU may still reach the memory, and the slot stays taken.
    pub(super) fn release(mut self) -> Result {
        self.unmap()
    }

    fn unmap(&mut self) -> Result {
        // After unbind there is no table, and no GPU that could read it.
        match self.gart.write(self.first, self.count, |_| Entry::GART_EMPTY) {
            Err(e) if e == ENODEV => {}
            other => other.and_then(|()| self.gart.flush())?,
        }
        self.slot = None;
        Ok(())
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        if self.slot.is_some() && self.unmap().is_err() {
            pr_err!("memory: {} pages of the GART stay taken\n", self.count);
            core::mem::forget(self.slot.take());
        }
    }
}
