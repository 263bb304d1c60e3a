// SPDX-License-Identifier: GPL-2.0
//! Moving a buffer object's memory between domains.
use super::{
    super::{
        bindings::{self as b, shim},
        inject, Table,
    },
    vram::Resource,
    Device, Domain, Place,
};
use kernel::{error::to_result, ffi::c_int, page::PAGE_SIZE, prelude::*};

/// Bytes of VRAM that the CPU clears at least as soon as an engine that must be asked, and interrupts when it is done:
/// some 10 us over PCIe.
const BY_CPU: u64 = 64 << 10;

const fn place(domain: Domain) -> b::ttm_place {
    b::ttm_place {
        fpfn: 0,
        lpfn: 0,
        mem_type: domain.mem_type(),
        flags: 0,
    }
}

/// From VRAM an object goes to where the GPU can still reach it, from there to where it can be swapped out.
static FROM_VRAM: Table<[b::ttm_place; 2]> = Table([place(Domain::Gtt), place(Domain::System)]);
static FROM_GTT: Table<[b::ttm_place; 1]> = Table([place(Domain::System)]);

/// `ttm_device_funcs.evict_flags`: where to put an object that must make room.
///
/// # Safety
///
/// For TTM, which calls it for a live, locked object, with a placement to fill in.
pub(super) unsafe extern "C" fn evict_flags(bo: *mut b::ttm_buffer_object, out: *mut b::ttm_placement) {
    // SAFETY: TTM calls this for a live, locked object, with a place for the answer.
    let (resource, out) = unsafe { ((*bo).resource.as_ref(), &mut *out) };
    let places = match resource.map(|r| Domain::from_mem_type(r.mem_type)) {
        Some(Domain::Vram) => &FROM_VRAM.0[..],
        _ => &FROM_GTT.0[..],
    };
    out.num_placement = places.len() as u32;
    out.placement = places.as_ptr();
}

/// `ttm_device_funcs.move`
///
/// # Safety
///
/// For TTM, which calls it for a live, locked object of this driver, with a new resource for it and a live context.
pub(super) unsafe extern "C" fn move_(
    bo: *mut b::ttm_buffer_object,
    _evict: bool,
    ctx: *mut b::ttm_operation_ctx,
    new: *mut b::ttm_resource,
    _hop: *mut b::ttm_place,
) -> c_int {
    // SAFETY: TTM calls this for a live, locked object of ours and a fresh resource for it.
    let mut the_move = unsafe {
        Move {
            device: Device::from_raw((*bo).bdev),
            bo,
            ctx,
            new,
        }
    };
    the_move.run().map_or_else(|e| e.to_errno(), |()| 0)
}

/// One move of a locked object to a new resource. What it does first may fail; the switch to the new resource,
/// which comes last, does not.
struct Move<'a> {
    device: &'a Device,
    bo: *mut b::ttm_buffer_object,
    ctx: *mut b::ttm_operation_ctx,
    new: *mut b::ttm_resource,
}

impl Move<'_> {
    fn run(&mut self) -> Result {
        use Domain::{Gtt, System, Vram};
        inject::point(ENOMEM)?;
        // SAFETY: the object is locked.
        let old = unsafe { (*self.bo).resource.as_ref() };
        // SAFETY: a live resource.
        let to = Domain::from_mem_type(unsafe { (*self.new).mem_type });
        let from = old.map(|r| Domain::from_mem_type(r.mem_type));
        match (from, to) {
            (None, Vram) => {
                self.clear(self.new)?;
                self.switch_pages();
            }
            (None, _) | (Some(System), System | Gtt) => self.switch_pages(),
            (Some(Gtt), System | Gtt) => {
                self.wait()?;
                self.switch_pages();
            }
            (Some(System | Gtt), Vram) => {
                self.wait()?;
                match self.has_pages() {
                    true => self.copy_pages(self.new, true)?,
                    false => self.clear(self.new)?,
                }
                self.switch_memory();
            }
            (Some(Vram), System | Gtt) => {
                self.wait()?;
                let old = old.ok_or(EINVAL)?;
                self.copy_pages(old, false)?;
                self.switch_memory();
            }
            (Some(Vram), Vram) => {
                self.wait()?;
                self.copy_vram(old.ok_or(EINVAL)?)?;
                self.switch_memory();
            }
            // Doorbell and remap pages stay where they were made.
            _ => return Err(EINVAL),
        }
        Ok(())
    }

    /// Waits until the engines that use the object are done.
    fn wait(&self) -> Result {
        // SAFETY: locked object, live context.
        to_result(unsafe { b::ttm_bo_wait_ctx(self.bo, self.ctx) })
    }

    /// Switches to the new resource, keeping the system pages, if any.
    fn switch_pages(&self) {
        // SAFETY: locked object; the new resource is its to take.
        unsafe { shim::ttm_bo_move_null(self.bo, self.new) }
    }

    /// Switches to the new resource and frees what the object had before, of which a copy was made.
    fn switch_memory(&self) {
        // SAFETY: as above, and the object is idle.
        unsafe { b::ttm_bo_move_sync_cleanup(self.bo, self.new) }
    }

    /// Whether the object has contents in system pages (or swapped out).
    fn has_pages(&self) -> bool {
        // SAFETY: locked object.
        unsafe {
            let tt = (*self.bo).ttm;
            !tt.is_null() && (shim::ttm_tt_is_populated(tt) || shim::ttm_tt_is_swapped(tt))
        }
    }

    /// Clears VRAM that the object is about to get. The GPU sees it so when the host data path is flushed.
    fn clear(&self, resource: *const b::ttm_resource) -> Result {
        // SAFETY: a live resource in VRAM.
        for extent in &unsafe { Resource::from_raw(resource) }.extents {
            let engine = self.device.copier().filter(|_| extent.len > BY_CPU);
            let by_engine = engine.map(|copier| copier.clear(extent.vram, extent.len));
            if !matches!(by_engine, Some(Ok(()))) {
                self.device.layout.aperture.clear(extent.vram, extent.len)?;
            }
        }
        Ok(())
    }

    /// Copies between the object's system pages and VRAM.
    fn copy_pages(&self, vram: *const b::ttm_resource, to_vram: bool) -> Result {
        // SAFETY: locked object, live context. This allocates pages, or reads them back from swap.
        to_result(unsafe { b::ttm_bo_populate(self.bo, self.ctx) })?;
        // SAFETY: the object is populated, so `ttm` has a page and a bus address for each page of the object.
        let (pages, bus) = unsafe {
            let tt = (*self.bo).ttm.as_ref().ok_or(EINVAL)?;
            let count = tt.num_pages as usize;
            if tt.pages.is_null() || tt.dma_address.is_null() {
                return Err(EINVAL);
            }
            (
                core::slice::from_raw_parts(tt.pages, count),
                core::slice::from_raw_parts(tt.dma_address, count),
            )
        };
        // SAFETY: a live resource in VRAM.
        let vram = unsafe { Resource::from_raw(vram) };
        let (copier, page_len) = (self.device.copier(), PAGE_SIZE as u64);
        for (i, (page, bus)) in pages.iter().zip(bus).enumerate() {
            let (at, _) = vram.locate((i as u64).saturating_mul(page_len)).ok_or(EINVAL)?;
            let (from, to) = match to_vram {
                true => (Place::Bus(*bus), Place::Vram(at)),
                false => (Place::Vram(at), Place::Bus(*bus)),
            };
            if matches!(copier.as_ref().map(|c| c.copy(from, to, page_len)), Some(Ok(()))) {
                continue;
            }
            // SAFETY: `page` is one of the object's pages.
            unsafe { self.device.layout.aperture.copy_page(at, *page, to_vram) }?;
        }
        Ok(())
    }

    /// Copies VRAM to VRAM, by way of a buffer.
    fn copy_vram(&self, old: *const b::ttm_resource) -> Result {
        // SAFETY: both are live resources in VRAM.
        let (old, new) = unsafe { (Resource::from_raw(old), Resource::from_raw(self.new)) };
        let aperture = &self.device.layout.aperture;
        let mut buffer = KVec::from_elem(0u8, PAGE_SIZE, GFP_KERNEL)?;
        for extent in &old.extents {
            for page in (0..extent.len).step_by(PAGE_SIZE) {
                let (to, _) = new.locate(extent.offset.saturating_add(page)).ok_or(EINVAL)?;
                aperture.read(extent.vram.saturating_add(page), &mut buffer)?;
                aperture.write(to, &buffer)?;
            }
        }
        Ok(())
    }
}
