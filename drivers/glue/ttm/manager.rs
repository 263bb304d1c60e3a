// SPDX-License-Identifier: GPL-2.0
//! The common part of TTM resource managers, and the simplest of them: one that counts.
use super::super::{
    bindings::{self as b, shim},
    inject, Table,
};
use kernel::{ffi::c_int, prelude::*, types::Opaque};

/// A manager that is registered with its TTM device. Pinned as the first field of what the callbacks need.
#[pin_data(PinnedDrop)]
#[repr(C)]
pub(super) struct Manager {
    #[pin]
    raw: Opaque<b::ttm_resource_manager>,
    mem_type: u32,
}

// SAFETY: TTM has its own locks for it.
unsafe impl Send for Manager {}
// SAFETY: as above.
unsafe impl Sync for Manager {}

impl Manager {
    /// Registers a manager of `size` bytes for `mem_type`; `use_tt` if its memory is system pages.
    ///
    /// # Safety
    ///
    /// - `ttm` must be an initialised TTM device without a manager for `mem_type` that outlives the result;
    /// - `funcs` must accept the address of the result as their manager.
    pub(super) unsafe fn new(
        ttm: *mut b::ttm_device,
        mem_type: u32,
        use_tt: bool,
        size: u64,
        funcs: &'static b::ttm_resource_manager_func,
    ) -> impl PinInit<Self> {
        pin_init!(Self {
            raw <- Opaque::ffi_init(move |slot: *mut b::ttm_resource_manager| {
                // SAFETY: `slot` is memory for a manager, at its final address; `ttm` as the caller promises.
                unsafe {
                    core::ptr::write_bytes(slot, 0, 1);
                    (*slot).use_tt = use_tt;
                    (*slot).func = funcs;
                    b::ttm_resource_manager_init(slot, ttm, size);
                    shim::ttm_set_driver_manager(ttm, mem_type as c_int, slot);
                    shim::ttm_resource_manager_set_used(slot, true);
                }
            }),
            mem_type,
        })
    }

    /// Bytes in use.
    pub(super) fn usage(&self) -> u64 {
        // SAFETY: initialised.
        unsafe { b::ttm_resource_manager_usage(self.raw.get()) }
    }

    /// Bytes that can be used.
    pub(super) fn size(&self) -> u64 {
        // SAFETY: initialised, and constant afterwards.
        unsafe { (*self.raw.get()).size }
    }

    /// Whether the resources that were counted so far, by `ttm_resource_init`, fit.
    pub(super) fn has_room(&self) -> bool {
        self.usage() <= self.size()
    }
}

#[pinned_drop]
impl PinnedDrop for Manager {
    fn drop(self: Pin<&mut Self>) {
        let raw = self.raw.get();
        // SAFETY: the manager was registered by `new`. No buffer object is left: they keep the device alive.
        unsafe {
            let ttm = (*raw).bdev;
            shim::ttm_resource_manager_set_used(raw, false);
            if b::ttm_resource_manager_evict_all(ttm, raw) != 0 {
                pr_err!("buffer objects are left in memory of type {}\n", self.mem_type);
            }
            shim::ttm_resource_manager_cleanup(raw);
            shim::ttm_set_driver_manager(ttm, self.mem_type as c_int, core::ptr::null_mut());
        }
    }
}

/// A manager of system pages: it only counts them, their place is TTM's business.
#[pin_data]
#[repr(C)]
pub(super) struct Counter {
    #[pin]
    manager: Manager,
}

impl Counter {
    /// Counts up to `size` bytes of `mem_type`.
    ///
    /// # Safety
    ///
    /// `ttm` must be an initialised TTM device without a manager for `mem_type` that outlives the result.
    pub(super) unsafe fn new(ttm: *mut b::ttm_device, mem_type: u32, size: u64) -> impl PinInit<Self> {
        // SAFETY: as the caller promises; `manager` is the first field.
        pin_init!(Self { manager <- unsafe { Manager::new(ttm, mem_type, true, size, &COUNT.0) } })
    }

    pub(super) fn manager(&self) -> &Manager {
        &self.manager
    }
}

static COUNT: Table<b::ttm_resource_manager_func> = Table(b::ttm_resource_manager_func {
    alloc: Some(count),
    free: Some(discount),
    ..pin_init::zeroed()
});

/// `ttm_resource_manager_func.alloc`
///
/// # Safety
///
/// For TTM, which calls it for a manager made by this file and a live object, with a place for the result.
unsafe extern "C" fn count(
    manager: *mut b::ttm_resource_manager,
    bo: *mut b::ttm_buffer_object,
    place: *const b::ttm_place,
    out: *mut *mut b::ttm_resource,
) -> c_int {
    let Ok(resource) = KBox::new(pin_init::zeroed::<b::ttm_resource>(), GFP_KERNEL) else {
        return ENOMEM.to_errno();
    };
    let resource = KBox::into_raw(resource);
    // SAFETY: memory for a resource at a final address; TTM calls this for a manager made by `Counter::new`.
    unsafe {
        b::ttm_resource_init(bo, place, resource);
        if inject::point(ENOSPC).is_err() || !(*manager.cast::<Counter>()).manager.has_room() {
            discount(manager, resource);
            return ENOSPC.to_errno();
        }
        *out = resource;
    }
    0
}

/// `ttm_resource_manager_func.free`
///
/// # Safety
///
/// For TTM, which calls it once for a resource that `count` has made.
unsafe extern "C" fn discount(manager: *mut b::ttm_resource_manager, resource: *mut b::ttm_resource) {
    // SAFETY: `resource` was made by `count`.
    unsafe {
        b::ttm_resource_fini(manager, resource);
        drop(KBox::from_raw(resource));
    }
}

/// A manager of pages at fixed places, by TTM's own range manager. The unit is the page.
#[pin_data(PinnedDrop)]
pub(super) struct Range {
    ttm: *mut b::ttm_device,
    mem_type: u32,
}

// SAFETY: the pointer is used in `drop` alone.
unsafe impl Send for Range {}
// SAFETY: as above.
unsafe impl Sync for Range {}

impl Range {
    /// Manages `pages` pages of `mem_type`.
    ///
    /// # Safety
    ///
    /// `ttm` must be an initialised TTM device without a manager for `mem_type` that outlives the result.
    pub(super) unsafe fn new(
        ttm: *mut b::ttm_device,
        mem_type: u32,
        pages: u64,
    ) -> impl PinInit<Self, Error> {
        try_pin_init!(Self {
            ttm: {
                // SAFETY: as the caller promises.
                kernel::error::to_result(unsafe {
                    b::ttm_range_man_init_nocheck(ttm, mem_type, false, usize::try_from(pages)?)
                })?;
                ttm
            },
            mem_type,
        })
    }
}

#[pinned_drop]
impl PinnedDrop for Range {
    fn drop(self: Pin<&mut Self>) {
        // SAFETY: registered by `new`; no buffer object is left.
        if unsafe { b::ttm_range_man_fini_nocheck(self.ttm, self.mem_type) } != 0 {
            pr_err!("buffer objects are left in memory of type {}\n", self.mem_type);
        }
    }
}
