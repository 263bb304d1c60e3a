// SPDX-License-Identifier: GPL-2.0
//! The reservation lock of a buffer object, and what can be done under it.
use super::{
    super::bindings::{self as b, shim},
    bo::Bo,
    vram::Resource,
    Domain,
};
use kernel::{
    error::to_result,
    page::{PAGE_SHIFT, PAGE_SIZE},
    prelude::*,
    types::NotThreadSafe,
};

/// A contiguous piece of a buffer object's memory as the GPU addresses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Span {
    /// Bytes `at..at + len` of VRAM.
    Vram { at: u64, len: u64 },
    /// Bus addresses `at..at + len` of system memory.
    Bus { at: u64, len: u64 },
    /// CPU physical addresses `at..at + len` of one of the card's own BARs.
    Bar { at: u64, len: u64 },
}

/// A locked buffer object: it does not move while the guard lives, and after that only if it is not pinned.
pub(crate) struct BoGuard<'a> {
    bo: &'a Bo,
    _task: NotThreadSafe,
}

impl<'a> BoGuard<'a> {
    pub(super) fn new(bo: &'a Bo, interruptible: bool) -> Result<Self> {
        // SAFETY: the object is live; no other reservation lock is held (see the module's documentation), so no
        // ticket is needed.
        to_result(unsafe {
            shim::ttm_bo_reserve(bo.object().as_raw(), interruptible, false, core::ptr::null_mut())
        })?;
        Ok(Self {
            bo,
            _task: NotThreadSafe,
        })
    }

    fn raw(&self) -> *mut b::ttm_buffer_object {
        self.bo.object().as_raw()
    }

    /// Where the memory is now.
    pub(crate) fn domain(&self) -> Domain {
        // SAFETY: the lock is held; an object has a resource, and a resource a valid type.
        unsafe { (*self.raw()).resource.as_ref() }
            .map_or(Domain::System, |r| Domain::from_mem_type(r.mem_type))
    }

    /// Brings the memory to where it belongs and keeps it there until [`Self::unpin`] is called as often.
    /// `ENOMEM` if there is no room, `ERESTARTSYS` if a signal comes.
    pub(crate) fn pin(&mut self) -> Result {
        let place = self.bo.ttm().place(self.bo.domain());
        let mut placement = b::ttm_placement {
            num_placement: 1,
            placement: &place,
        };
        let mut ctx = b::ttm_operation_ctx {
            interruptible: true,
            ..pin_init::zeroed()
        };
        // SAFETY: the lock is held; placement and context live during the calls.
        unsafe {
            to_result(b::ttm_bo_validate(self.raw(), &mut placement, &mut ctx))?;
            to_result(b::ttm_bo_populate(self.raw(), &mut ctx))?;
            b::ttm_bo_pin(self.raw());
        }
        Ok(())
    }

    /// Undoes one [`Self::pin`].
    pub(crate) fn unpin(&mut self) {
        // SAFETY: the lock is held, and the caller has pinned the object (TTM warns otherwise).
        unsafe { b::ttm_bo_unpin(self.raw()) }
    }

    /// Calls `f` for each contiguous piece of the bytes `offset..offset + len`, in order. `EINVAL` outside the
    /// object, `EFAULT` if the memory is not where the GPU could reach it.
    pub(crate) fn spans(&self, offset: u64, len: u64, mut f: impl FnMut(Span) -> Result) -> Result {
        let end = offset
            .checked_add(len)
            .filter(|end| *end <= self.bo.size())
            .ok_or(EINVAL)?;
        // SAFETY: the lock is held, which keeps the resource.
        let resource = unsafe { (*self.raw()).resource.as_ref() }.ok_or(EFAULT)?;
        match self.domain() {
            Domain::Vram => {
                // SAFETY: a resource in VRAM.
                let vram = unsafe { Resource::from_raw(resource) };
                let mut at = offset;
                while at < end {
                    let (place, left) = vram.locate(at).ok_or(EFAULT)?;
                    let part = left.min(end - at);
                    f(Span::Vram { at: place, len: part })?;
                    at += part;
                }
                Ok(())
            }
            Domain::Gtt => self.bus_spans(offset, end, f),
            Domain::Doorbell | Domain::MmioRemap => {
                let base = super::callbacks::bar_address(self.bo.ttm(), resource).ok_or(EFAULT)?;
                f(Span::Bar {
                    at: base.checked_add(offset).ok_or(EFAULT)?,
                    len,
                })
            }
            Domain::System => Err(EFAULT),
        }
    }

    /// [`Self::spans`] for system pages, joining pages with consecutive bus addresses.
    fn bus_spans(&self, offset: u64, end: u64, mut f: impl FnMut(Span) -> Result) -> Result {
        let pages = self.bus_addresses().ok_or(EFAULT)?;
        let mut run: Option<(u64, u64)> = None;
        let mut at = offset;
        while at < end {
            let page = pages.get(usize::try_from(at >> PAGE_SHIFT)?).ok_or(EFAULT)?;
            let inside = at & (PAGE_SIZE as u64 - 1);
            let part = (PAGE_SIZE as u64 - inside).min(end - at);
            let bus = page.checked_add(inside).ok_or(EFAULT)?;
            run = match run {
                Some((start, len)) if start.checked_add(len) == Some(bus) => Some((start, len + part)),
                Some((at, len)) => {
                    f(Span::Bus { at, len })?;
                    Some((bus, part))
                }
                None => Some((bus, part)),
            };
            at += part;
        }
        run.map_or(Ok(()), |(at, len)| f(Span::Bus { at, len }))
    }

    /// The bus address of each page of an object in GTT.
    fn bus_addresses(&self) -> Option<&[u64]> {
        // SAFETY: the lock is held, which keeps `ttm` and its arrays. A populated `ttm` has an address per page.
        unsafe {
            let tt = (*self.raw()).ttm;
            if tt.is_null() || !shim::ttm_tt_is_populated(tt) || (*tt).dma_address.is_null() {
                return None;
            }
            Some(core::slice::from_raw_parts(
                (*tt).dma_address,
                (*tt).num_pages as usize,
            ))
        }
    }

    /// The offset in its manager, in bytes: of contiguous VRAM, or in the doorbell BAR.
    pub(crate) fn start(&self) -> Option<u64> {
        // SAFETY: the lock is held, which keeps the resource.
        unsafe { (*self.raw()).resource.as_ref() }.map(|r| (r.start as u64) << PAGE_SHIFT)
    }
}

impl Drop for BoGuard<'_> {
    fn drop(&mut self) {
        // SAFETY: the lock is held by this guard.
        unsafe { shim::ttm_bo_unreserve(self.raw()) }
    }
}
