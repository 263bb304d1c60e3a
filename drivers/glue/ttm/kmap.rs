// SPDX-License-Identifier: GPL-2.0
//! The CPU's access to the contents of a pinned buffer object.
use super::{
    super::{bindings as b, inject, mmio::Aperture},
    bo::Bo,
    pinned::{Locked, Pinned},
    Domain,
};
use core::{mem::ManuallyDrop, ptr::NonNull};
use kernel::{error::to_result, prelude::*, sync::Arc};

/// A buffer object that stays where it is and can be read and written by the kernel. Every access is checked against
/// its size, and fails with `ENODEV` once the card is unbound; the GPU may access it at the same time.
pub(crate) struct KernelMap {
    bo: ManuallyDrop<Pinned>,
    by: Access,
    /// Whether `drop` leaves pin and mapping alone.
    kept: bool,
}

enum Access {
    /// Contiguous VRAM from this offset, through the aperture.
    Vram(Arc<Aperture>, u64),
    /// Mapped system pages.
    Pages(Pages),
}

/// A mapping made by `ttm_bo_vmap`.
struct Pages {
    base: NonNull<u8>,
    map: b::iosys_map,
}

// SAFETY: kernel mappings are the same for all tasks.
unsafe impl Send for Pages {}
// SAFETY: shared access goes through volatile or byte-wise copies.
unsafe impl Sync for Pages {}

impl KernelMap {
    /// Pins and maps `bo`. `EINVAL` if it is neither in GTT nor in contiguous VRAM.
    pub(crate) fn new(bo: &Bo) -> Result<Self> {
        let bo = bo.pin_unkillable()?;
        let by = match bo.domain() {
            Domain::Vram => {
                let mut pieces = 0u32;
                bo.spans(0, bo.size(), |_| {
                    pieces = pieces.saturating_add(1);
                    Ok(())
                })?;
                if pieces != 1 {
                    return Err(EINVAL);
                }
                Access::Vram(bo.ttm().layout.aperture.clone(), bo.start()?)
            }
            Domain::Gtt => Access::Pages(Pages::new(&bo)?),
            _ => return Err(EINVAL),
        };
        Ok(Self {
            by,
            bo: ManuallyDrop::new(bo),
            kept: false,
        })
    }

    /// The mapped object.
    pub(crate) fn bo(&self) -> &Pinned {
        &self.bo
    }

    /// Offset in VRAM, if it is there.
    pub(crate) fn vram(&self) -> Option<u64> {
        match &self.by {
            Access::Vram(_, start) => Some(*start),
            Access::Pages(_) => None,
        }
    }

    /// Keeps the object, pinned and mapped, for good: for memory that the GPU may still use.
    pub(crate) fn leak(&mut self) {
        self.kept = true;
    }

    /// Reads a 32-bit word in one access; `offset` must be a multiple of 4.
    pub(crate) fn read32(&self, offset: u64) -> Result<u32> {
        self.check_aligned(offset, 4)?;
        match &self.by {
            Access::Vram(aperture, start) => aperture.read32(start.saturating_add(offset)),
            Access::Pages(pages) => self.bo.ttm().with_pages(|| {
                // SAFETY: checked to be in the mapping and aligned; the pages are there.
                unsafe { pages.at(offset).cast::<u32>().read_volatile() }
            }),
        }
    }

    /// Reads a 64-bit word in one access; `offset` must be a multiple of 8.
    pub(crate) fn read64(&self, offset: u64) -> Result<u64> {
        self.check_aligned(offset, 8)?;
        match &self.by {
            Access::Vram(aperture, start) => aperture.read64(start.saturating_add(offset)),
            Access::Pages(pages) => self.bo.ttm().with_pages(|| {
                // SAFETY: checked to be in the mapping and aligned; the pages are there.
                unsafe { pages.at(offset).cast::<u64>().read_volatile() }
            }),
        }
    }

    /// Writes a 32-bit word in one access; `offset` must be a multiple of 4.
    pub(crate) fn write32(&self, offset: u64, value: u32) -> Result {
        self.check_aligned(offset, 4)?;
        match &self.by {
            Access::Vram(aperture, start) => aperture.write32(start.saturating_add(offset), value),
            Access::Pages(pages) => self.bo.ttm().with_pages(|| {
                // SAFETY: checked to be in the mapping and aligned; the pages are there.
                unsafe { pages.at(offset).cast::<u32>().write_volatile(value) }
            }),
        }
    }

    /// Writes a 64-bit word in one access; `offset` must be a multiple of 8.
    pub(crate) fn write64(&self, offset: u64, value: u64) -> Result {
        self.write_words(offset, 1, |_| value)
    }

    /// Writes `count` 64-bit words, each in one access, from `offset`, a multiple of 8.
    pub(crate) fn write_words(&self, offset: u64, count: usize, value: impl Fn(usize) -> u64) -> Result {
        self.check_aligned(offset, 8)?;
        self.check(offset, count.checked_mul(8).ok_or(EINVAL)?)?;
        match &self.by {
            Access::Vram(aperture, start) => aperture.write_words(start.saturating_add(offset), count, value),
            Access::Pages(pages) => self.bo.ttm().with_pages(|| {
                let base = pages.at(offset).cast::<u64>();
                for i in 0..count {
                    // SAFETY: checked to be in the mapping and aligned; the pages are there.
                    unsafe { base.wrapping_add(i).write_volatile(value(i)) }
                }
            }),
        }
    }

    /// Copies bytes to the object.
    pub(crate) fn write(&self, offset: u64, data: &[u8]) -> Result {
        self.check(offset, data.len())?;
        match &self.by {
            Access::Vram(aperture, start) => aperture.write(start.saturating_add(offset), data),
            Access::Pages(pages) => self.bo.ttm().with_pages(|| {
                // SAFETY: checked to be in the mapping, whose pages are there; `data` is memory of Rust's, not of the
                // object.
                unsafe { core::ptr::copy_nonoverlapping(data.as_ptr(), pages.at(offset), data.len()) }
            }),
        }
    }

    /// Copies bytes of the object. What the device writes meanwhile may be there in part.
    pub(crate) fn read(&self, offset: u64, out: &mut [u8]) -> Result {
        self.check(offset, out.len())?;
        match &self.by {
            Access::Vram(aperture, start) => aperture.read(start.saturating_add(offset), out),
            Access::Pages(pages) => self.bo.ttm().with_pages(|| {
                // SAFETY: checked to be in the mapping, whose pages are there; `out` is memory of Rust's, not of the
                // object.
                unsafe { core::ptr::copy_nonoverlapping(pages.at(offset), out.as_mut_ptr(), out.len()) }
            }),
        }
    }

    fn check(&self, offset: u64, len: usize) -> Result {
        match offset.checked_add(len as u64) {
            Some(end) if end <= self.bo.size() => Ok(()),
            _ => Err(EINVAL),
        }
    }

    fn check_aligned(&self, offset: u64, align: u64) -> Result {
        if offset.checked_rem(align) != Some(0) {
            return Err(EINVAL);
        }
        self.check(offset, align as usize)
    }
}

impl Pages {
    /// Maps an object in GTT.
    fn new(bo: &Pinned) -> Result<Self> {
        inject::point(ENOMEM)?;
        let _lock = Locked::new(bo, false)?;
        let mut map = pin_init::zeroed::<b::iosys_map>();
        // SAFETY: the object is locked; `map` is a place for the result.
        to_result(unsafe { b::ttm_bo_vmap(bo.object().as_raw(), &mut map) })?;
        // SAFETY: system pages are mapped at a plain virtual address.
        let base = NonNull::new(unsafe { map.__bindgen_anon_1.vaddr }.cast()).ok_or(ENOMEM)?;
        Ok(Self { base, map })
    }

    fn at(&self, offset: u64) -> *mut u8 {
        self.base.as_ptr().wrapping_add(offset as usize)
    }
}

impl Drop for KernelMap {
    fn drop(&mut self) {
        if self.kept {
            return;
        }
        if let Access::Pages(pages) = &mut self.by {
            let Ok(_lock) = Locked::new(&self.bo, false) else {
                pr_err!("a buffer object stays mapped: its lock is not to be had\n");
                return;
            };
            // SAFETY: mapped by `Pages::new`, locked, and not accessed any more.
            unsafe { b::ttm_bo_vunmap(self.bo.object().as_raw(), &mut pages.map) };
        }
        // SAFETY: dropped here alone, and not used afterwards.
        unsafe { ManuallyDrop::drop(&mut self.bo) };
    }
}
