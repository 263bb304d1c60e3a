// SPDX-License-Identifier: GPL-2.0
//! The VRAM manager: TTM resources made of gpu_buddy blocks.
use super::{
    super::{bindings as b, inject, Table},
    bo::Object,
    manager::Manager,
};
use kernel::{
    ffi::c_int,
    gpu::buddy::{
        AllocatedBlocks, GpuBuddy, GpuBuddyAllocFlag, GpuBuddyAllocFlags, GpuBuddyAllocMode, GpuBuddyParams,
    },
    page::PAGE_SHIFT,
    prelude::*,
    ptr::Alignment,
};

/// Blocks of at least this size are preferred, so that page tables can map them by one entry.
const LARGE_PAGE: u64 = 2 << 20;
/// The allocator's unit.
const CHUNK: u64 = 4 << 10;
/// Bytes that only the driver's own objects may take, so that what users have can be mapped: page tables (kernel
/// amdgpu/amdgpu_vm.h: `AMDGPU_VM_RESERVED_VRAM`).
const RESERVED: u64 = 8 << 20;

/// Manages `0..len` of VRAM.
#[pin_data]
#[repr(C)]
pub(super) struct Vram {
    /// First, so that the C manager is also a pointer to this structure.
    #[pin]
    manager: Manager,
    buddy: GpuBuddy,
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
    /// In order of the object's offsets, neighbours joined.
    pub(super) extents: KVec<Extent>,
    /// What the extents are made of; given back when dropped.
    blocks: KVec<Pin<KBox<AllocatedBlocks>>>,
}

impl Resource {
    /// Without memory, and not known to TTM.
    const fn new() -> Self {
        Self {
            base: pin_init::zeroed(),
            extents: KVec::new(),
            blocks: KVec::new(),
        }
    }

    /// Takes memory for an object of `size` bytes that is aligned to `align` bytes, a power of two.
    ///
    /// `ENOSPC` or `EINVAL` if there is none, and for a size of 0; what was taken is then given back by dropping this.
    fn fill(&mut self, buddy: &GpuBuddy, size: u64, align: u64, contiguous: bool) -> Result {
        let align = align.max(CHUNK);
        if contiguous {
            let blocks = alloc_blocks(buddy, size, align, GpuBuddyAllocFlag::Contiguous.into())?;
            // Adjacent, but in no certain order.
            let vram = blocks.iter().map(|block| block.offset()).min().ok_or(ENOSPC)?;
            self.extents.push(
                Extent {
                    offset: 0,
                    vram,
                    len: size,
                },
                GFP_KERNEL,
            )?;
            self.blocks.push(blocks, GFP_KERNEL)?;
            return Ok(());
        }
        let rest = size % LARGE_PAGE;
        for (size, block) in [(size.saturating_sub(rest), LARGE_PAGE.max(align)), (rest, align)] {
            if size > 0 {
                let plain = GpuBuddyAllocFlags::default();
                let blocks = alloc_blocks(buddy, size, block, plain)
                    .or_else(|_| alloc_blocks(buddy, size, align, plain))?;
                self.add(blocks, size)?;
            }
        }
        match self.extents.is_empty() {
            true => Err(EINVAL),
            false => Ok(()),
        }
    }

    /// Appends blocks for the next `size` bytes of the object.
    fn add(&mut self, blocks: Pin<KBox<AllocatedBlocks>>, size: u64) -> Result {
        let mut left = size;
        for block in blocks.iter() {
            let (vram, len) = (block.offset(), block.size().min(left));
            left = left.saturating_sub(len);
            match self.extents.last_mut() {
                _ if len == 0 => break,
                Some(last) if last.vram.checked_add(last.len) == Some(vram) => {
                    last.len = last.len.saturating_add(len);
                }
                last => {
                    let offset = last.map_or(0, |l| l.offset.saturating_add(l.len));
                    self.extents.push(Extent { offset, vram, len }, GFP_KERNEL)?;
                }
            }
        }
        self.blocks.push(blocks, GFP_KERNEL)?;
        if left > 0 {
            Err(ENOSPC)
        } else {
            Ok(())
        }
    }

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
            buddy: GpuBuddy::new(GpuBuddyParams {
                base_offset: 0,
                size: len,
                chunk_size: Alignment::new_checked(CHUNK as usize).ok_or(EINVAL)?,
            })?,
            // SAFETY: as the caller promises; the callbacks find `Self` by `manager`, its first field.
            manager <- unsafe { Manager::new(ttm, b::TTM_PL_VRAM, false, len, &FUNCS.0) },
        })
    }

    /// Bytes in use.
    pub(super) fn used(&self) -> u64 {
        self.manager.usage()
    }

    /// Bytes that users' objects can take together with those of the driver.
    pub(super) fn size_for_users(&self) -> u64 {
        self.manager.size().saturating_sub(RESERVED)
    }

    /// Whether the resources that were counted so far fit, the last one being for `object`.
    fn has_room(&self, object: &Object) -> bool {
        match object.is_of_user() {
            true => self.manager.usage() <= self.size_for_users(),
            false => self.manager.has_room(),
        }
    }
}

/// Blocks of together `size` bytes, each of `min` bytes or more (a power of two).
fn alloc_blocks(
    buddy: &GpuBuddy,
    size: u64,
    min: u64,
    flags: GpuBuddyAllocFlags,
) -> Result<Pin<KBox<AllocatedBlocks>>> {
    let min = Alignment::new_checked(usize::try_from(min)?).ok_or(EINVAL)?;
    KBox::pin_init(
        buddy.alloc_blocks(GpuBuddyAllocMode::Simple, size, min, flags),
        GFP_KERNEL,
    )
}

static FUNCS: Table<b::ttm_resource_manager_func> = Table(b::ttm_resource_manager_func {
    alloc: Some(alloc),
    free: Some(free),
    ..pin_init::zeroed()
});

/// `ttm_resource_manager_func.alloc`
///
/// # Safety
///
/// For TTM, which calls it for the manager of VRAM and a live object, with a place for the result.
unsafe extern "C" fn alloc(
    manager: *mut b::ttm_resource_manager,
    bo: *mut b::ttm_buffer_object,
    place: *const b::ttm_place,
    out: *mut *mut b::ttm_resource,
) -> c_int {
    // SAFETY: TTM calls this for a manager made by `Vram::new`, whose first field it is, and an object of ours.
    let (this, object) = unsafe { (&*manager.cast::<Vram>(), Object::from_raw(bo)) };
    let Ok(mut resource) = KBox::new(Resource::new(), GFP_KERNEL) else {
        return ENOMEM.to_errno();
    };
    // SAFETY: a field of a boxed structure that stays where it is.
    unsafe { b::ttm_resource_init(bo, place, &raw mut resource.base) };
    let align = u64::from(object.page_alignment()) << PAGE_SHIFT;
    let room = inject::point(ENOMEM).map(|()| this.has_room(object));
    let result = match room {
        Ok(true) => resource.fill(&this.buddy, object.size(), align, object.contiguous),
        Ok(false) => Err(ENOSPC),
        Err(e) => Err(e),
    };
    match result.and_then(|()| resource.extents.first().copied().ok_or(ENOSPC)) {
        Ok(first) => {
            resource.base.start = (first.vram >> PAGE_SHIFT) as usize;
            resource.base.bus.caching = b::ttm_caching_ttm_write_combined;
            resource.base.bus.is_iomem = true;
            // SAFETY: `out` is where TTM wants the result; `free` takes the box back.
            unsafe { *out = KBox::into_raw(resource).cast() };
            0
        }
        Err(e) => {
            // SAFETY: the resource was initialised above and is not used by TTM after an error.
            unsafe { discard(manager, resource) };
            // A size that the allocator cannot serve at all is a lack of space for TTM.
            if e == EINVAL { ENOSPC } else { e }.to_errno()
        }
    }
}

/// `ttm_resource_manager_func.free`
///
/// # Safety
///
/// For TTM, which calls it once for a resource that `alloc` has made.
unsafe extern "C" fn free(manager: *mut b::ttm_resource_manager, res: *mut b::ttm_resource) {
    // SAFETY: TTM gives back a resource made by `alloc` of this manager.
    unsafe { discard(manager, KBox::from_raw(res.cast::<Resource>())) }
}

/// # Safety
///
/// `resource` must have been counted by `manager`, and be unused.
unsafe fn discard(manager: *mut b::ttm_resource_manager, mut resource: KBox<Resource>) {
    // SAFETY: as the caller promises. The blocks are freed with the box.
    unsafe { b::ttm_resource_fini(manager, &raw mut resource.base) };
}

const _: () =
    assert!(core::mem::offset_of!(Resource, base) == 0 && core::mem::offset_of!(Vram, manager) == 0);

#[kunit_tests(amdgpu_glue_ttm_vram)]
mod tests {
    use super::*;

    const K: u64 = 1 << 10;
    const M: u64 = 1 << 20;

    fn buddy() -> Result<GpuBuddy> {
        GpuBuddy::new(GpuBuddyParams {
            base_offset: 0,
            size: 64 * M,
            chunk_size: Alignment::new_checked(CHUNK as usize).ok_or(EINVAL)?,
        })
    }

    fn filled(buddy: &GpuBuddy, size: u64, align: u64, contiguous: bool) -> Result<Resource> {
        let mut resource = Resource::new();
        resource.fill(buddy, size, align, contiguous)?;
        Ok(resource)
    }

    /// Whether the extents are `size` bytes without a gap.
    fn covers(resource: &Resource, size: u64) -> bool {
        let mut end = 0;
        let adjacent = resource.extents.iter().all(|e| {
            let follows = e.offset == end && e.len > 0 && e.vram + e.len <= 64 * M;
            end += e.len;
            follows
        });
        adjacent && end == size
    }

    #[test]
    fn every_byte_has_its_place() -> Result {
        let buddy = buddy()?;
        for size in [4 * K, 2 * M - 4 * K, 2 * M, 5 * M + 12 * K, 64 * M] {
            let resource = filled(&buddy, size, 0, false)?;
            assert!(covers(&resource, size));
            assert_eq!(resource.locate(size - 1).map(|(_, left)| left), Some(1));
            assert_eq!(resource.locate(size), None);
            for e in &resource.extents {
                assert_eq!(resource.locate(e.offset), Some((e.vram, e.len)));
                assert_eq!(
                    resource.locate(e.offset + e.len - 1),
                    Some((e.vram + e.len - 1, 1))
                );
            }
            drop(resource);
            assert_eq!(buddy.avail(), 64 * M);
        }
        Ok(())
    }

    #[test]
    fn large_objects_are_made_of_large_pages() -> Result {
        let buddy = buddy()?;
        let small = filled(&buddy, 4 * K, 0, false)?;
        let large = filled(&buddy, 6 * M + 4 * K, 0, false)?;
        assert!(covers(&small, 4 * K) && covers(&large, 6 * M + 4 * K));
        for page in 0..3 {
            let at = large.locate(page * LARGE_PAGE);
            assert!(at.is_some_and(|(vram, left)| vram % LARGE_PAGE == 0 && left >= LARGE_PAGE));
        }
        Ok(())
    }

    #[test]
    fn contiguous_objects_are_in_one_piece() -> Result {
        let buddy = buddy()?;
        for (size, align) in [(3 * M, 64 * K), (12 * K, 0), (32 * M, 32 * M)] {
            let resource = filled(&buddy, size, align, true)?;
            assert!(covers(&resource, size));
            assert_eq!(resource.extents.len(), 1);
            let first = resource.locate(0).ok_or(ENOENT)?;
            assert_eq!(first.0 % align.max(CHUNK), 0);
        }
        assert_eq!(buddy.avail(), 64 * M);
        Ok(())
    }

    #[test]
    fn holes_are_used_unless_one_piece_is_asked_for() -> Result {
        let buddy = buddy()?;
        let mut all = KVec::new();
        while let Ok(resource) = filled(&buddy, M, 0, false) {
            all.push(resource, GFP_KERNEL)?;
        }
        assert_eq!(all.len(), 64);
        let mut even = false;
        all.retain(|_| {
            even = !even;
            even
        });
        assert_eq!(buddy.avail(), 32 * M);
        assert!(filled(&buddy, 2 * M, 0, true).is_err());
        // too much, of which nothing may stay taken
        assert!(filled(&buddy, 33 * M, 0, false).is_err());
        assert_eq!(buddy.avail(), 32 * M);
        let spread = filled(&buddy, 32 * M, 0, false)?;
        assert!(covers(&spread, 32 * M) && spread.extents.len() == 32);
        Ok(())
    }

    #[test]
    fn nonsense_is_refused() -> Result {
        let buddy = buddy()?;
        assert!(filled(&buddy, 0, 0, false).is_err() && filled(&buddy, 0, 0, true).is_err());
        assert!(filled(&buddy, u64::MAX, 0, false).is_err() && filled(&buddy, u64::MAX, 0, true).is_err());
        assert!(filled(&buddy, 4 * K, 12 * K, false).is_err());
        assert_eq!(buddy.avail(), 64 * M);
        Ok(())
    }
}
