// SPDX-License-Identifier: GPL-2.0
//! What TTM asks the driver about a buffer object's system pages and I/O addresses.
use super::{
    super::{bindings as b, inject},
    bo::Object,
    vram::Resource,
    Device, Domain,
};
use kernel::{
    ffi::{c_int, c_ulong, c_void},
    page::PAGE_SHIFT,
    prelude::*,
};

/// `ttm_device_funcs.ttm_tt_create`: system pages with bus addresses, always cleared.
///
/// # Safety
///
/// For TTM, which calls it for a live object of this driver.
pub(super) unsafe extern "C" fn tt_create(bo: *mut b::ttm_buffer_object, flags: u32) -> *mut b::ttm_tt {
    let Ok(tt) = KBox::new(pin_init::zeroed::<b::ttm_tt>(), GFP_KERNEL) else {
        return core::ptr::null_mut();
    };
    if inject::point(ENOMEM).is_err() {
        return core::ptr::null_mut();
    }
    let tt = KBox::into_raw(tt);
    let flags = flags | b::TTM_TT_FLAG_ZERO_ALLOC;
    // SAFETY: TTM calls this for a live object; `tt` is zeroed memory.
    unsafe {
        if b::ttm_sg_tt_init(tt, bo, flags, b::ttm_caching_ttm_cached) != 0 {
            drop(KBox::from_raw(tt));
            return core::ptr::null_mut();
        }
    }
    tt
}

/// `ttm_device_funcs.ttm_tt_destroy`
///
/// # Safety
///
/// For TTM, which calls it once for pages that `tt_create` has made.
pub(super) unsafe extern "C" fn tt_destroy(_: *mut b::ttm_device, tt: *mut b::ttm_tt) {
    // SAFETY: made by `tt_create`, unpopulated, and not used any more.
    unsafe {
        b::ttm_tt_fini(tt);
        drop(KBox::from_raw(tt));
    }
}

/// CPU physical address of a resource that is part of a BAR other than VRAM.
pub(super) fn bar_address(device: &Device, resource: &b::ttm_resource) -> Option<u64> {
    let base = match Domain::from_mem_type(resource.mem_type) {
        Domain::Doorbell => device.layout.doorbells,
        Domain::MmioRemap => device.layout.mmio_remap,
        _ => return None,
    };
    base.checked_add((resource.start as u64) << PAGE_SHIFT)
}

/// `ttm_device_funcs.io_mem_reserve`: says where the CPU finds a resource, and how it must be cached.
///
/// # Safety
///
/// For TTM, which calls it for a device of this driver and a live resource of it.
pub(super) unsafe extern "C" fn io_mem_reserve(
    ttm: *mut b::ttm_device,
    resource: *mut b::ttm_resource,
) -> c_int {
    // SAFETY: TTM calls this for a live device of ours, with one of its resources.
    let (device, resource) = unsafe { (Device::from_raw(ttm), &mut *resource) };
    match Domain::from_mem_type(resource.mem_type) {
        Domain::System | Domain::Gtt => return 0,
        Domain::Vram => {
            // For the first page: `io_mem_pfn` knows the others.
            let start = (resource.start as u64) << PAGE_SHIFT;
            resource.bus.offset = device.layout.aperture.phys().wrapping_add(start);
            resource.bus.caching = b::ttm_caching_ttm_write_combined;
        }
        Domain::Doorbell | Domain::MmioRemap => {
            let Some(address) = bar_address(device, resource) else {
                return EINVAL.to_errno();
            };
            resource.bus.offset = address;
            resource.bus.caching = b::ttm_caching_ttm_uncached;
        }
    }
    resource.bus.is_iomem = true;
    0
}

/// `ttm_device_funcs.io_mem_pfn`: the page frame of a page of an object in I/O memory, whose lock is held.
///
/// # Safety
///
/// For TTM, which calls it for a live, locked object of this driver.
pub(super) unsafe extern "C" fn io_mem_pfn(bo: *mut b::ttm_buffer_object, page: c_ulong) -> c_ulong {
    // SAFETY: TTM calls this for a live, locked object that has a resource.
    let (device, resource) = unsafe { (Device::from_raw((*bo).bdev), &*(*bo).resource) };
    let offset = (page as u64) << PAGE_SHIFT;
    let address = match Domain::from_mem_type(resource.mem_type) {
        Domain::Vram => {
            // SAFETY: a resource in VRAM.
            let place = unsafe { Resource::from_raw(resource) }
                .locate(offset)
                .map_or(0, |(vram, _)| vram);
            device.layout.aperture.phys().wrapping_add(place)
        }
        _ => bar_address(device, resource).unwrap_or(0).wrapping_add(offset),
    };
    (address >> PAGE_SHIFT) as c_ulong
}

/// `ttm_device_funcs.access_memory`: a debugger reads or writes VRAM. Returns the bytes done.
///
/// # Safety
///
/// For TTM, which calls it for a live, locked object of this driver, with a buffer of `len` bytes.
pub(super) unsafe extern "C" fn access_memory(
    bo: *mut b::ttm_buffer_object,
    offset: c_ulong,
    buf: *mut c_void,
    len: c_int,
    write: c_int,
) -> c_int {
    // SAFETY: TTM calls this for a live, locked object.
    let (device, object, resource) = unsafe {
        (
            Device::from_raw((*bo).bdev),
            Object::from_raw(bo),
            (*bo).resource.as_ref(),
        )
    };
    let in_vram = |r: &&b::ttm_resource| Domain::from_mem_type(r.mem_type) == Domain::Vram;
    let (Some(resource), Ok(len)) = (resource.filter(in_vram), usize::try_from(len)) else {
        return EIO.to_errno();
    };
    // SAFETY: a resource in VRAM; the buffer is TTM's and has `len` bytes.
    let (vram, buf) = unsafe {
        (
            Resource::from_raw(resource),
            core::slice::from_raw_parts_mut(buf.cast::<u8>(), len),
        )
    };
    let aperture = &device.layout.aperture;
    let mut done = 0usize;
    while done < len {
        let at = (offset as u64).saturating_add(done as u64);
        let Some((place, left)) = vram.locate(at).filter(|_| at < object.size()) else {
            break;
        };
        let Some(part) = buf.get_mut(done..len.min(done.saturating_add(left as usize))) else {
            break;
        };
        let copied = if write != 0 {
            aperture.write(place, part)
        } else {
            aperture.read(place, part)
        };
        if copied.is_err() {
            break;
        }
        done = done.saturating_add(part.len());
    }
    if done == 0 {
        EIO.to_errno()
    } else {
        done as c_int
    }
}
