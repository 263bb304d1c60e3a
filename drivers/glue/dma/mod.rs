// SPDX-License-Identifier: GPL-2.0
//! DMA mappings of memory that the driver did not allocate: pages of a process or of another card's objects, and BARs.
//!
//! The kernel crate maps memory of its own (`dma::Coherent`) and scatter lists.

mod mappings;

pub(crate) use mappings::Mappings;

use super::{
    bindings::{self as b, shim},
    raw_device,
};
use kernel::{
    device::{Core, Device},
    dma::Device as _,
    page::PAGE_SIZE,
    pci,
    prelude::*,
    sync::Arc,
};
use mappings::Registered;

const DIRECTION: b::dma_data_direction = b::dma_data_direction::DMA_BIDIRECTIONAL;

/// Says how many bits of a bus address the device can form. To be called once, before anything is mapped for it.
pub(crate) fn set_mask(pdev: &pci::Device<Core<'_>>, bits: u32) -> Result {
    let mask = kernel::dma::DmaMask::try_new(bits)?;
    // SAFETY: probing owns the device: nothing has been mapped for it, and nobody else does so meanwhile.
    unsafe { pdev.dma_set_mask_and_coherent(mask) }
}

/// What a device can reach over the bus.
enum Extent {
    /// Pages, each at a bus address of its own.
    Pages(KVVec<u64>),
    /// A part of a BAR: bus address, bytes.
    Bar(u64, usize),
}

impl Extent {
    /// The bus address of each page; a BAR has none.
    fn pages(&self) -> &[u64] {
        match self {
            Self::Pages(pages) => pages,
            Self::Bar(..) => &[],
        }
    }

    /// Takes it from the device.
    ///
    /// # Safety
    ///
    /// It was mapped for `device` and is so still, and the device does not access it any more.
    unsafe fn unmap(&self, device: &Device) {
        let dev = raw_device(device);
        match self {
            Self::Pages(pages) => {
                for bus in pages {
                    // SAFETY: by the requirement.
                    unsafe { shim::dma_unmap_page(dev, *bus, PAGE_SIZE, DIRECTION) }
                }
            }
            // SAFETY: by the requirement.
            Self::Bar(bus, len) => unsafe { b::dma_unmap_resource(dev, *bus, *len, DIRECTION, 0) },
        }
    }
}

/// Pages that a device can reach, each at a bus address of its own, until it is unbound.
pub(crate) struct PageList(Registered);

impl PageList {
    /// Maps `count` pages for a device. `ENOMEM` if there is no memory or the device cannot reach one of them, `ENODEV`
    /// if it is being unbound.
    ///
    /// # Safety
    ///
    /// Each must be a live page, and stay so until [`Self::unmap`] has succeeded, or the list is dropped. The device is
    /// bound during the call.
    pub(super) unsafe fn new(
        mappings: &Arc<Mappings>,
        count: usize,
        pages: impl Iterator<Item = *mut b::page>,
    ) -> Result<Self> {
        let dev = raw_device(mappings.device());
        let mut list = KVVec::with_capacity(count, GFP_KERNEL)?;
        let result = pages.take(count).try_for_each(|page| {
            // SAFETY: device and page are live, and the device is bound; the page is whole.
            let bus = unsafe { shim::dma_map_page(dev, page, 0, PAGE_SIZE, DIRECTION) };
            // SAFETY: the address comes from the call above.
            if unsafe { shim::dma_mapping_error(dev, bus) } != 0 {
                return Err(ENOMEM);
            }
            // there is room
            list.push(bus, GFP_KERNEL).map_err(Error::from)
        });
        // SAFETY: mapped above, for the device.
        let registered = unsafe { Registered::new(mappings, Extent::Pages(list)) };
        result.and(registered).map(Self)
    }

    /// The bus address of each page.
    pub(crate) fn bus(&self) -> &[u64] {
        self.0.extent().pages()
    }

    /// Takes the pages from the device, which must not access them any more; nothing happens the second time. Unless
    /// `may_block`, it may fail instead of sleeping: `EAGAIN`.
    pub(super) fn unmap(&self, may_block: bool) -> Result {
        self.0.unmap(may_block)
    }
}

/// A part of a BAR that the device itself reaches over the bus, until it is unbound.
pub(crate) struct BarMapping {
    bus: u64,
    _registered: Registered,
}

impl BarMapping {
    /// Maps `len` bytes from CPU physical address `phys`, a part of one of the device's own BARs. `ENOMEM` if there is no
    /// memory or the device cannot reach it, `ENODEV` if it is being unbound.
    pub(crate) fn new(mappings: &Arc<Mappings>, phys: u64, len: u64) -> Result<Self> {
        let dev = raw_device(mappings.device());
        let len = usize::try_from(len)?;
        // SAFETY: the device is live; the callee makes sure that the range is not memory.
        let bus = unsafe { b::dma_map_resource(dev, phys, len, DIRECTION, 0) };
        // SAFETY: the address comes from the call above.
        if unsafe { shim::dma_mapping_error(dev, bus) } != 0 {
            return Err(ENOMEM);
        }
        // SAFETY: mapped above, for the device.
        let registered = unsafe { Registered::new(mappings, Extent::Bar(bus, len)) }?;
        Ok(Self {
            bus,
            _registered: registered,
        })
    }

    /// Bus address of the first byte.
    pub(crate) fn bus(&self) -> u64 {
        self.bus
    }
}
