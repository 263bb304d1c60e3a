// SPDX-License-Identifier: GPL-2.0
//! The VRAM manager: TTM resources made of gpu_buddy blocks.
use super::{
    super::{
        bindings::{self as b, shim},
        Table,
    },
    bo::Object,
    manager::Manager,
};
use kernel::{
    error::to_result, ffi::c_int, new_mutex, page::PAGE_SHIFT, prelude::*, sync::Mutex, types::Opaque,
};

/// Blocks of at least this size are preferred, so that page tables can map them by one entry.
const LARGE_PAGE: u64 = 2 << 20;
/// The allocator's unit.
const CHUNK: u64 = 4 << 10;

/// Manages `0..len` of VRAM.
#[pin_data]
#[repr(C)]
pub(super) struct Vram {
    /// First, so that the C manager is also a pointer to this structure.
    #[pin]
    manager: Manager,
    #[pin]
    buddy: Mutex<Buddy>,
}

/// The allocator itself. On the heap, since its blocks refer to nothing but each other and it may be moved.
struct Buddy {
    raw: KBox<Opaque<b::gpu_buddy>>,
    len: u64,
}

// SAFETY: the allocator may be used from any task, under the lock.
unsafe impl Send for Buddy {}

impl Buddy {
    fn new(len: u64) -> Result<Self> {
        let raw = KBox::new(Opaque::uninit(), GFP_KERNEL)?;
        // SAFETY: memory for an allocator; a whole number of chunks, which is a power of two.
        to_result(unsafe { b::gpu_buddy_init(raw.get(), len, CHUNK) })?;
        Ok(Self { raw, len })
    }

    /// Adds blocks of `size` bytes, each of at least `block` bytes (a power of two), to `list`.
    ///
    /// # Safety
    ///
    /// `list` must be an initialised list of blocks of this allocator.
    unsafe fn alloc(&mut self, size: u64, block: u64, list: *mut b::list_head, flags: u64) -> Result {
        // SAFETY: the allocator is initialised and locked by the caller's exclusive reference, the list is as the
        // caller promises; sizes are checked by the callee.
        to_result(unsafe {
            b::gpu_buddy_alloc_blocks(self.raw.get(), 0, self.len, size, block, list, flags as usize)
        })
    }

    /// Frees all blocks of `list`, which is empty afterwards.
    ///
    /// # Safety
    ///
    /// `list` must be an initialised list of blocks of this allocator.
    unsafe fn free(&mut self, list: *mut b::list_head) {
        // SAFETY: as above. The contents are not known to be cleared.
        unsafe { b::gpu_buddy_free_list(self.raw.get(), list, 0) }
    }
}

impl Drop for Buddy {
    fn drop(&mut self) {
        // SAFETY: initialised by `new`; every block has been freed, since resources keep the manager in use.
        unsafe { b::gpu_buddy_fini(self.raw.get()) }
    }
}

/// A contiguous piece of an object's VRAM.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    /// Offset in the object, in bytes.
    pub(super) offset: u64,
    /// Offset in VRAM, in bytes.
    pub(super) vram: u64,
    /// Bytes.
    pub(super) len: u64,
}

/// VRAM of one buffer object.
#[repr(C)]
pub(super) struct Resource {
    base: b::ttm_resource,
    blocks: b::list_head,
    /// The same, in order of the object's offsets, neighbours joined.
    pub(super) extents: KVec<Extent>,
}

impl Resource {
    /// # Safety
    ///
    /// `res` must be a live resource in VRAM that outlives the result.
    pub(super) unsafe fn from_raw<'a>(res: *const b::ttm_resource) -> &'a Self {
        // SAFETY: resources in VRAM are made by `alloc`; `base` is the first field.
        unsafe { &*res.cast() }
    }

    /// Where the byte `offset` of the object is, and how many bytes follow it contiguously.
    pub(super) fn locate(&self, offset: u64) -> Option<(u64, u64)> {
        let after = self.extents.partition_point(|e| e.offset <= offset);
        let extent = self.extents.get(after.checked_sub(1)?)?;
        let inside = offset.checked_sub(extent.offset)?;
        let left = extent.len.checked_sub(inside).filter(|left| *left > 0)?;
        Some((extent.vram.checked_add(inside)?, left))
    }
}

impl Vram {
    /// A manager of `len` bytes for `ttm`.
    ///
    /// # Safety
    ///
    /// `ttm` must be an initialised TTM device without a VRAM manager that outlives the result.
    pub(super) unsafe fn new(ttm: *mut b::ttm_device, len: u64) -> impl PinInit<Self, Error> {
        try_pin_init!(Self {
            buddy <- new_mutex!(Buddy::new(len)?),
            // SAFETY: as the caller promises; the callbacks find `Self` by `manager`, its first field.
            manager <- unsafe { Manager::new(ttm, b::TTM_PL_VRAM, false, len, &FUNCS.0) },
        })
    }

    pub(super) fn manager(&self) -> &Manager {
        &self.manager
    }

    /// Fills in the blocks and extents of `resource`, for an object of `size` bytes.
    fn fill(&self, resource: &mut Resource, size: u64, align: u64, contiguous: bool) -> Result {
        let mut buddy = self.buddy.lock();
        let list = &raw mut resource.blocks;
        let align = align.max(CHUNK);
        if contiguous {
            // SAFETY: `resource.blocks` is initialised and holds blocks of this manager only.
            unsafe { buddy.alloc(size, align, list, b::GPU_BUDDY_CONTIGUOUS_ALLOCATION) }?;
        } else {
            let large = size - size % LARGE_PAGE;
            let rest = size - large;
            for (size, block) in [(large, LARGE_PAGE.max(align)), (rest, align)] {
                if size == 0 {
                    continue;
                }
                // SAFETY: as above.
                unsafe {
                    buddy
                        .alloc(size, block, list, 0)
                        .or_else(|_| buddy.alloc(size, align, list, 0))
                }?;
            }
        }
        // SAFETY: the allocator is initialised, and the list holds allocated blocks.
        unsafe { collect(buddy.raw.get(), list, size, &mut resource.extents) }
    }
}

/// Appends the blocks of `list` to `extents`, joining neighbours, cut to `size` bytes.
///
/// # Safety
///
/// `list` must be an initialised list of allocated blocks of `buddy`.
unsafe fn collect(
    buddy: *mut b::gpu_buddy,
    list: *mut b::list_head,
    size: u64,
    extents: &mut KVec<Extent>,
) -> Result {
    let mut offset = 0;
    // SAFETY: the list is initialised.
    let mut link = unsafe { (*list).next };
    while !core::ptr::eq(link, list) && offset < size {
        // SAFETY: every element but the head is the `link` of a block.
        let (block, next) = unsafe {
            (
                kernel::container_of!(link, b::gpu_buddy_block, __bindgen_anon_1.link),
                (*link).next,
            )
        };
        // SAFETY: an allocated block of this allocator.
        let (vram, len) = unsafe {
            (
                shim::gpu_buddy_block_offset(block),
                shim::gpu_buddy_block_size(buddy, block),
            )
        };
        let len = len.min(size - offset);
        match extents.last_mut() {
            Some(last) if last.vram.checked_add(last.len) == Some(vram) => last.len += len,
            _ => extents.push(Extent { offset, vram, len }, GFP_KERNEL)?,
        }
        offset += len;
        link = next;
    }
    if offset < size {
        return Err(ENOSPC);
    }
    Ok(())
}

static FUNCS: Table<b::ttm_resource_manager_func> = Table(b::ttm_resource_manager_func {
    alloc: Some(alloc),
    free: Some(free),
    ..pin_init::zeroed()
});

/// `ttm_resource_manager_func.alloc`
unsafe extern "C" fn alloc(
    manager: *mut b::ttm_resource_manager,
    bo: *mut b::ttm_buffer_object,
    place: *const b::ttm_place,
    out: *mut *mut b::ttm_resource,
) -> c_int {
    // SAFETY: TTM calls this for a manager made by `Vram::new`, whose first field it is, and an object of ours.
    let (this, object) = unsafe { (&*manager.cast::<Vram>(), Object::from_raw(bo)) };
    let resource = Resource {
        base: pin_init::zeroed(),
        blocks: pin_init::zeroed(),
        extents: KVec::new(),
    };
    let Ok(mut resource) = KBox::new(resource, GFP_KERNEL) else {
        return ENOMEM.to_errno();
    };
    let list = &raw mut resource.blocks;
    // SAFETY: both are fields of a boxed structure that stays where it is.
    unsafe {
        b::INIT_LIST_HEAD(list);
        b::ttm_resource_init(bo, place, &raw mut resource.base);
    }
    let align = u64::from(object.page_alignment()) << PAGE_SHIFT;
    let result = match this.manager.has_room() {
        true => this.fill(&mut resource, object.size(), align, object.contiguous),
        false => Err(ENOSPC),
    };
    match result {
        Ok(()) => {
            let Some(first) = resource.extents.first() else {
                return EINVAL.to_errno();
            };
            resource.base.start = (first.vram >> PAGE_SHIFT) as usize;
            resource.base.bus.caching = b::ttm_caching_ttm_write_combined;
            resource.base.bus.is_iomem = true;
            // SAFETY: `out` is where TTM wants the result; `free` takes the box back.
            unsafe { *out = KBox::into_raw(resource).cast() };
            0
        }
        Err(e) => {
            // SAFETY: the resource was initialised above and is not used by TTM after an error.
            unsafe { discard(this, manager, resource) };
            // A size that the allocator cannot serve at all is a lack of space for TTM.
            if e == EINVAL { ENOSPC } else { e }.to_errno()
        }
    }
}

/// `ttm_resource_manager_func.free`
unsafe extern "C" fn free(manager: *mut b::ttm_resource_manager, res: *mut b::ttm_resource) {
    // SAFETY: TTM gives back a resource made by `alloc` of this manager.
    unsafe {
        discard(
            &*manager.cast::<Vram>(),
            manager,
            KBox::from_raw(res.cast::<Resource>()),
        )
    }
}

/// # Safety
///
/// `resource` must be of `this`, whose C manager is `manager`, and be initialised.
unsafe fn discard(this: &Vram, manager: *mut b::ttm_resource_manager, mut resource: KBox<Resource>) {
    // SAFETY: as the caller promises.
    unsafe {
        this.buddy.lock().free(&raw mut resource.blocks);
        b::ttm_resource_fini(manager, &raw mut resource.base);
    }
}

const _: () =
    assert!(core::mem::offset_of!(Resource, base) == 0 && core::mem::offset_of!(Vram, manager) == 0);
