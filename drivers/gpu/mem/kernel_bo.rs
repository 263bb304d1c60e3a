// SPDX-License-Identifier: GPL-2.0
//! Buffers of the driver itself.

use super::{gart, Memory};
use crate::glue::{
    inject,
    ttm::{Bo, Create, Domain, KernelMap, Span},
};
use core::ops::Deref;
use kernel::prelude::*;

/// A buffer that stays where it is, is mapped for the kernel, and has an address in VMID 0. Zeroed when new.
///
/// Reads and writes are those of [`KernelMap`]: checked, at offsets in bytes. What is written to VRAM is seen by the
/// GPU after [`Memory::flush_hdp`].
pub(crate) struct KernelBo {
    /// Goes first: the GPU must not reach the pages when they are freed.
    gart: Option<gart::Bound>,
    map: KernelMap,
    address: u64,
}

impl KernelBo {
    /// A buffer of `size` bytes (rounded up to pages), aligned to `align` bytes (0: a page) if in VRAM. `domain` is
    /// [`Domain::Vram`] (one piece) or [`Domain::Gtt`].
    pub(crate) fn new(memory: &Memory, size: u64, align: u64, domain: Domain) -> Result<Self> {
        inject::point(ENOMEM)?;
        let how = Create {
            size,
            domain,
            align,
            contiguous: domain == Domain::Vram,
            user: false,
        };
        Self::adopt(memory, &Bo::new(&memory.device, how)?)
    }

    /// Makes a buffer object the driver's, too: it is pinned and mapped as long as the result lives.
    pub(crate) fn adopt(memory: &Memory, bo: &Bo) -> Result<Self> {
        let map = KernelMap::new(bo)?;
        match map.vram() {
            Some(offset) => {
                let address = memory.layout.vram.start.checked_add(offset).ok_or(EIO)?;
                Ok(Self {
                    gart: None,
                    map,
                    address,
                })
            }
            None => {
                let gart = memory.gart.bind(map.bo())?;
                Ok(Self {
                    address: gart.address(),
                    gart: Some(gart),
                    map,
                })
            }
        }
    }

    /// Address in VMID 0.
    pub(crate) fn gpu_addr(&self) -> u64 {
        self.address
    }

    /// Bytes.
    pub(crate) fn len(&self) -> u64 {
        self.map.bo().size()
    }

    /// Bus address of the first page of a buffer in GTT; `EINVAL` for one in VRAM.
    pub(crate) fn bus_addr(&self) -> Result<u64> {
        let mut first = Err(EINVAL);
        self.map.bo().spans(0, 1, |span| {
            if let Span::Bus { at, .. } = span {
                first = Ok(at);
            }
            Ok(())
        })?;
        first
    }

    /// Keeps the memory for good, mapped: the GPU may still use it.
    pub(crate) fn leak(&mut self) {
        self.map.leak();
        core::mem::forget(self.gart.take());
    }

    /// Offset in VRAM; `None` for a buffer in GTT.
    pub(crate) fn vram(&self) -> Option<u64> {
        self.map.vram()
    }
}

impl Deref for KernelBo {
    type Target = KernelMap;

    fn deref(&self) -> &KernelMap {
        &self.map
    }
}

impl Drop for KernelBo {
    fn drop(&mut self) {
        if let Some(Err(e)) = self.gart.take().map(gart::Bound::release) {
            // Without a flush the GPU may still write there: the pages stay as they are, for good.
            pr_err!(
                "memory: {} KiB at {:#x} are kept, the GPU may still use them: {:?}\n",
                self.len() >> 10,
                self.address,
                e
            );
            self.map.leak();
        }
    }
}
