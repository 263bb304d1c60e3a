// SPDX-License-Identifier: GPL-2.0
//! The reservation lock of a buffer object, and objects that stay where they are.
use super::{
    super::{
        bindings::{self as b, shim},
        inject,
    },
    bo::Bo,
    callbacks::bar_address,
    vram::Resource,
    Domain,
};
use core::ops::Deref;
use kernel::{
    error::to_result,
    page::{PAGE_SHIFT, PAGE_SIZE},
    prelude::*,
    types::NotThreadSafe,
};

/// A locked buffer object. No other reservation lock may be held.
pub(super) struct Locked<'a> {
    bo: &'a Bo,
    _task: NotThreadSafe,
}

impl<'a> Locked<'a> {
    /// Takes the lock: `ERESTARTSYS` if `interruptible` and a signal comes first.
    pub(super) fn new(bo: &'a Bo, interruptible: bool) -> Result<Self> {
        if interruptible {
            inject::point(ERESTARTSYS)?;
        }
        // SAFETY: the object is live; without another lock held no ticket is needed.
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

    /// Whether the object is where it belongs.
    pub(super) fn is_in_place(&self) -> bool {
        // SAFETY: the lock is held, so that the object keeps its resource.
        let resource = unsafe { (*self.raw()).resource.as_ref() };
        resource.is_some_and(|r| Domain::from_mem_type(r.mem_type) == self.bo.domain())
    }

    fn pin(&self, interruptible: bool) -> Result {
        inject::point(ENOMEM)?;
        let place = self.bo.ttm().place(self.bo.domain());
        let mut placement = b::ttm_placement {
            num_placement: 1,
            placement: &place,
        };
        let mut ctx = b::ttm_operation_ctx {
            interruptible,
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
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // SAFETY: the lock is held.
        unsafe { shim::ttm_bo_unreserve(self.raw()) }
    }
}

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

/// A buffer object that is where it belongs and stays there until this is dropped.
///
/// # Invariants
///
/// The object is pinned: its resource and its array of bus addresses exist and do not change.
pub(crate) struct Pinned(Bo);

impl Pinned {
    pub(super) fn new(bo: &Bo, interruptible: bool) -> Result<Self> {
        Locked::new(bo, interruptible)?.pin(interruptible)?;
        Ok(Self(bo.clone()))
    }

    fn resource(&self) -> Option<&b::ttm_resource> {
        // SAFETY: by the invariant.
        unsafe { (*self.object().as_raw()).resource.as_ref() }
    }

    /// Calls `f` for each contiguous piece of the bytes `offset..offset + len`, in order. `EINVAL` outside the
    /// object, `EFAULT` if its memory was given up because the card was unbound.
    pub(crate) fn spans(&self, offset: u64, len: u64, mut f: impl FnMut(Span) -> Result) -> Result {
        let end = offset
            .checked_add(len)
            .filter(|end| *end <= self.size())
            .ok_or(EINVAL)?;
        let resource = self.resource().ok_or(EFAULT)?;
        match Domain::from_mem_type(resource.mem_type) {
            Domain::Vram => {
                // SAFETY: a resource in VRAM, which exists as long as `self`.
                let vram = unsafe { Resource::from_raw(resource) };
                let mut at = offset;
                while at < end {
                    let (place, left) = vram.locate(at).ok_or(EFAULT)?;
                    let part = left.min(end.saturating_sub(at));
                    f(Span::Vram { at: place, len: part })?;
                    at = at.saturating_add(part);
                }
                Ok(())
            }
            Domain::Gtt => self.bus_spans(offset, end, f),
            Domain::Doorbell | Domain::MmioRemap => {
                let base = bar_address(self.ttm(), resource).ok_or(EFAULT)?;
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
            let inside = at & const { PAGE_SIZE as u64 - 1 };
            let part = (PAGE_SIZE as u64)
                .saturating_sub(inside)
                .min(end.saturating_sub(at));
            let bus = page.checked_add(inside).ok_or(EFAULT)?;
            run = match run {
                Some((start, len)) if start.checked_add(len) == Some(bus) => {
                    Some((start, len.saturating_add(part)))
                }
                Some((at, len)) => {
                    f(Span::Bus { at, len })?;
                    Some((bus, part))
                }
                None => Some((bus, part)),
            };
            at = at.saturating_add(part);
        }
        run.map_or(Ok(()), |(at, len)| f(Span::Bus { at, len }))
    }

    /// The bus address of each page of an object in GTT.
    fn bus_addresses(&self) -> Option<&[u64]> {
        // SAFETY: by the invariant; a populated `ttm` has an address per page. When the card is unbound the pages
        // are given up, but the array stays until the object goes.
        unsafe {
            let tt = (*self.object().as_raw()).ttm;
            if tt.is_null() || !shim::ttm_tt_is_populated(tt) || (*tt).dma_address.is_null() {
                return None;
            }
            Some(core::slice::from_raw_parts(
                (*tt).dma_address,
                (*tt).num_pages as usize,
            ))
        }
    }

    /// The pages of an object in GTT.
    pub(super) fn pages(&self) -> Option<&[*mut b::page]> {
        // SAFETY: by the invariant; a populated `ttm` has an array of pages, which stays until the object goes.
        unsafe {
            let tt = (*self.object().as_raw()).ttm;
            if self.domain() != Domain::Gtt || tt.is_null() || !shim::ttm_tt_is_populated(tt) {
                return None;
            }
            Some(core::slice::from_raw_parts((*tt).pages, (*tt).num_pages as usize))
        }
    }

    /// Where the object begins, in bytes: in VRAM (if it is one piece), or in the doorbell BAR.
    pub(crate) fn start(&self) -> Result<u64> {
        self.resource()
            .map(|r| (r.start as u64) << PAGE_SHIFT)
            .ok_or(EFAULT)
    }
}

impl Deref for Pinned {
    type Target = Bo;

    fn deref(&self) -> &Bo {
        &self.0
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        match Locked::new(&self.0, false) {
            // SAFETY: the lock is held, and the object was pinned by `new`.
            Ok(locked) => unsafe { b::ttm_bo_unpin(locked.raw()) },
            Err(e) => pr_err!("a buffer object stays pinned: {:?}\n", e),
        }
    }
}
