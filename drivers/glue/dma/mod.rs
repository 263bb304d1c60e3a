// SPDX-License-Identifier: GPL-2.0
//! DMA mappings of memory that the driver did not allocate: pages of a process or of another card's objects, and BARs.
//!
//! The kernel crate maps memory of its own (`dma::Coherent`) and scatter lists.

mod mappings;

pub(crate) use mappings::Mappings;

use super::{
    bindings::{self as b, shim},
    inject, raw_device,
};
use core::iter::Peekable;
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

/// Memory that a device sees in one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// Bus address of its first byte.
    pub(crate) bus: u64,
    /// Bytes.
    pub(crate) len: usize,
}

/// What a device can reach over the bus.
enum Extent {
    /// Pages, those that follow each other in memory as one run.
    Pages(KVVec<Run>),
    /// A part of a BAR.
    Bar(Run),
}

impl Extent {
    /// The runs of pages; a BAR has none.
    fn pages(&self) -> &[Run] {
        match self {
            Self::Pages(runs) => runs,
            Self::Bar(_) => &[],
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
            Self::Pages(runs) => {
                for run in runs {
                    // SAFETY: by the requirement.
                    unsafe { shim::dma_unmap_page(dev, run.bus, run.len, DIRECTION) }
                }
            }
            // SAFETY: by the requirement.
            Self::Bar(bar) => unsafe { b::dma_unmap_resource(dev, bar.bus, bar.len, DIRECTION, 0) },
        }
    }
}

/// Pages that a device can reach, until it is unbound.
pub(crate) struct PageList(Registered);

impl PageList {
    /// Maps pages for a device. `ENOMEM` if there is no memory or the device cannot reach one of them, `ENODEV`
    /// if it is being unbound.
    ///
    /// # Safety
    ///
    /// Each must be a live page, and stay so until [`Self::unmap`] has succeeded, or the list is dropped. The device is
    /// bound during the call.
    pub(super) unsafe fn new(
        mappings: &Arc<Mappings>,
        pages: impl Iterator<Item = *mut b::page>,
    ) -> Result<Self> {
        let dev = raw_device(mappings.device());
        let mut runs = KVVec::new();
        // SAFETY: a plain computation on the address of a live page.
        let mut numbers = pages.map(|page| unsafe { shim::page_to_pfn(page) }).peekable();
        let result = core::iter::from_fn(|| consecutive(&mut numbers)).try_for_each(|(first, count)| {
            runs.reserve(1, GFP_KERNEL)?;
            let len = count.checked_mul(PAGE_SIZE).ok_or(EINVAL)?;
            inject::point(ENOMEM)?;
            // SAFETY: the device is live and bound, and so are these pages, which follow each other.
            let bus = unsafe { shim::dma_map_page(dev, shim::pfn_to_page(first), 0, len, DIRECTION) };
            // SAFETY: the address comes from the call above.
            if unsafe { shim::dma_mapping_error(dev, bus) } != 0 {
                return Err(ENOMEM);
            }
            runs.push_within_capacity(Run { bus, len }).map_err(|_| ENOMEM)
        });
        // SAFETY: mapped above, for the device.
        let registered = unsafe { Registered::new(mappings, Extent::Pages(runs)) };
        result.and(registered).map(Self)
    }

    /// The runs that the pages are, in their order.
    pub(crate) fn runs(&self) -> &[Run] {
        self.0.extent().pages()
    }

    /// Takes the pages from the device, which must not access them any more; nothing happens the second time. Unless
    /// `may_block`, it may fail instead of sleeping: `EAGAIN`.
    pub(super) fn unmap(&self, may_block: bool) -> Result {
        self.0.unmap(may_block)
    }
}

/// The next of the numbers, with those that each are one more than the last: the first, and how many.
fn consecutive(numbers: &mut Peekable<impl Iterator<Item = usize>>) -> Option<(usize, usize)> {
    let first = numbers.next()?;
    let mut count = 1usize;
    while numbers
        .next_if(|number| first.checked_add(count) == Some(*number))
        .is_some()
    {
        count = count.saturating_add(1);
    }
    Some((first, count))
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
        inject::point(ENOMEM)?;
        // SAFETY: the device is live; the callee makes sure that the range is not memory.
        let bus = unsafe { b::dma_map_resource(dev, phys, len, DIRECTION, 0) };
        // SAFETY: the address comes from the call above.
        if unsafe { shim::dma_mapping_error(dev, bus) } != 0 {
            return Err(ENOMEM);
        }
        // SAFETY: mapped above, for the device.
        let registered = unsafe { Registered::new(mappings, Extent::Bar(Run { bus, len })) }?;
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

#[kunit_tests(amdgpu_glue_dma_runs)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_follow_each_other_are_one_run() {
        let mut numbers = [4, 5, 6, 8, 8, 7, 9, 10, usize::MAX - 1, usize::MAX, 0]
            .into_iter()
            .peekable();
        for run in [
            (4, 3),
            (8, 1),
            (8, 1),
            (7, 1),
            (9, 2),
            (usize::MAX - 1, 2),
            (0, 1),
        ] {
            assert_eq!(consecutive(&mut numbers), Some(run));
        }
        assert_eq!(consecutive(&mut numbers), None);
    }
}
