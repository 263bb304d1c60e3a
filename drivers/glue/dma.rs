// SPDX-License-Identifier: GPL-2.0
//! DMA mappings of memory that the driver did not allocate: pages of a process, and BARs.
//!
//! The kernel crate maps memory of its own (`dma::Coherent`) and scatter lists.
use super::{
    bindings::{self as b, shim},
    raw_device,
};
use core::sync::atomic::{AtomicBool, Ordering};
use kernel::{
    device::{Bound, Core, Device},
    dma::Device as _,
    page::PAGE_SIZE,
    pci,
    prelude::*,
    sync::aref::ARef,
};

const DIRECTION: b::dma_data_direction = b::dma_data_direction::DMA_BIDIRECTIONAL;

/// Says how many bits of a bus address the device can form. To be called once, before anything is mapped for it.
pub(crate) fn set_mask(pdev: &pci::Device<Core<'_>>, bits: u32) -> Result {
    let mask = kernel::dma::DmaMask::try_new(bits)?;
    // SAFETY: probing owns the device: nothing has been mapped for it, and nobody else does so meanwhile.
    unsafe { pdev.dma_set_mask_and_coherent(mask) }
}

/// Pages that a device can reach, each at a bus address of its own.
pub(crate) struct PageList {
    device: ARef<Device>,
    bus: KVVec<u64>,
    mapped: AtomicBool,
}

impl PageList {
    /// Room for `count` pages of which none is mapped.
    pub(super) fn with_capacity(device: &Device<Bound>, count: usize) -> Result<Self> {
        let bus = KVVec::with_capacity(count, GFP_KERNEL)?;
        Ok(Self {
            device: device.into(),
            bus,
            mapped: AtomicBool::new(true),
        })
    }

    /// Maps one more page. `ENOMEM` if the device cannot reach it.
    ///
    /// # Safety
    ///
    /// `page` must be a live page, and stay so until [`Self::unmap`] (or drop). The device given to
    /// [`Self::with_capacity`] must still be bound.
    pub(super) unsafe fn push(&mut self, page: *mut b::page) -> Result {
        let dev = raw_device(&self.device);
        // SAFETY: device and page are live; the page is whole.
        let bus = unsafe { shim::dma_map_page(dev, page, 0, PAGE_SIZE, DIRECTION) };
        // SAFETY: the address comes from the call above.
        if unsafe { shim::dma_mapping_error(dev, bus) } != 0 {
            return Err(ENOMEM);
        }
        self.bus.push(bus, GFP_KERNEL).inspect_err(|_| {
            // SAFETY: mapped above.
            unsafe { shim::dma_unmap_page(dev, bus, PAGE_SIZE, DIRECTION) }
        })?;
        Ok(())
    }

    /// The bus address of each page.
    pub(crate) fn bus(&self) -> &[u64] {
        &self.bus
    }

    /// Takes the pages from the device, which must not access them any more. Does not sleep; happens once.
    pub(super) fn unmap(&self) {
        if self.mapped.swap(false, Ordering::AcqRel) {
            for bus in &self.bus {
                // SAFETY: mapped by `push`, and only here unmapped, once.
                unsafe { shim::dma_unmap_page(raw_device(&self.device), *bus, PAGE_SIZE, DIRECTION) }
            }
        }
    }
}

impl Drop for PageList {
    fn drop(&mut self) {
        self.unmap();
    }
}

/// A part of a BAR that the device itself reaches over the bus.
pub(crate) struct BarMapping {
    device: ARef<Device>,
    bus: u64,
    len: usize,
}

impl BarMapping {
    /// Maps `len` bytes from CPU physical address `phys`, a part of one of the device's own BARs.
    pub(crate) fn new(device: &Device<Bound>, phys: u64, len: u64) -> Result<Self> {
        let len = usize::try_from(len)?;
        // SAFETY: the device is bound; the callee makes sure that the range is not memory.
        let bus = unsafe { b::dma_map_resource(raw_device(device), phys, len, DIRECTION, 0) };
        // SAFETY: the address comes from the call above.
        if unsafe { shim::dma_mapping_error(raw_device(device), bus) } != 0 {
            return Err(ENOMEM);
        }
        Ok(Self {
            device: device.into(),
            bus,
            len,
        })
    }

    /// Bus address of the first byte.
    pub(crate) fn bus(&self) -> u64 {
        self.bus
    }
}

impl Drop for BarMapping {
    fn drop(&mut self) {
        // SAFETY: mapped by `new`.
        unsafe { b::dma_unmap_resource(raw_device(&self.device), self.bus, self.len, DIRECTION, 0) }
    }
}
