// SPDX-License-Identifier: GPL-2.0
//! The GPU's memory: what there is of it, the driver's own buffers in it, and the GART.
//!
//! | part | for |
//! |---|---|
//! | [`Memory`] | one GPU's memory; lives as long as anyone has a buffer in it |
//! | [`KernelBo`] | a buffer of the driver itself, at a fixed address in VMID 0 |
//! | [`Gart`] | the table by which VMID 0 sees system memory |
//!
//! Lock order, outer first: lock of a VM, reservation lock of a buffer object, lock of the GART's slots, lock of the
//! VRAM allocator.

mod gart;
mod kernel_bo;

pub(crate) use crate::glue::ttm::{Bo, Domain, Usage};
pub(crate) use gart::Gart;
pub(crate) use kernel_bo::KernelBo;

use super::{
    drm::Device,
    hw::{
        gmc::{self, Tlb},
        hdp::Hdp,
        nbio, Bars,
    },
    vm::Pasids,
};
use crate::glue::{
    mmio::Aperture,
    ttm::{self, Copier, Create},
};
use kernel::{
    dev_err, dev_info,
    device::Bound,
    new_mutex, pci,
    prelude::*,
    sync::{aref::ARef, Arc, Mutex},
};

/// Bytes at the end of VRAM that the card's firmware uses: IP discovery table, boot data (kernel
/// amdgpu/amdgpu_discovery.h: `DISCOVERY_TMR_OFFSET`, amdgpu/psp_v13_0.c: runtime database 1 MiB from the end).
const FIRMWARE_RESERVED: u64 = 2 << 20;

/// Bytes of the doorbell BAR that are the driver's own: the two pages with the indices up to 0x1f7 (64-bit
/// doorbells; kernel amdgpu/amdgpu_doorbell.h: `AMDGPU_VEGA20_DOORBELL_*`).
const KERNEL_DOORBELLS: u64 = 8 << 10;

/// One GPU's memory.
#[pin_data]
pub(crate) struct Memory {
    device: ARef<Device>,
    bars: Arc<Bars>,
    hdp: Hdp,
    layout: gmc::Layout,
    gart: Arc<Gart>,
    pasids: Arc<Pasids>,
    /// The one object that is the remap page, once somebody has asked for it.
    #[pin]
    mmio_remap: Mutex<Option<Bo>>,
}

impl Memory {
    /// Maps the aperture, and manages `vram` bytes of VRAM that lie as `layout` says.
    ///
    /// `ENODEV` if the CPU does not reach all of VRAM: page tables are written through the aperture.
    pub(crate) fn new(
        pdev: &pci::Device<Bound>,
        bars: Arc<Bars>,
        hdp: Hdp,
        layout: gmc::Layout,
        vram: u64,
    ) -> Result<Arc<Self>> {
        let aperture = Arc::new(Aperture::new(pdev)?, GFP_KERNEL)?;
        if aperture.len() < vram {
            dev_err!(
                bars.dev,
                "memory: the CPU reaches {} MiB of {} MiB of VRAM; enable large BARs in the firmware setup\n",
                aperture.len() >> 20,
                vram >> 20
            );
            return Err(ENODEV);
        }
        let usable = vram
            .checked_sub(FIRMWARE_RESERVED)
            .filter(|b| *b > 0)
            .ok_or(EIO)?;
        let managed = ttm::Layout {
            vram_len: usable,
            aperture,
            doorbells: bars.doorbells.phys(),
            doorbells_len: bars.doorbells.len(),
            doorbells_reserved: KERNEL_DOORBELLS,
            mmio_remap: pdev
                .resource_start(5)?
                .checked_add(u64::from(nbio::FLUSH_PAGE))
                .ok_or(EIO)?,
        };
        let device = Device::new(pdev, managed)?;
        let gart = Gart::new(&device, &layout)?;
        if let Some(gtt) = device.memory().usage(Domain::Gtt) {
            dev_info!(
                bars.dev,
                "memory: {} MiB of VRAM, {} MiB of GTT\n",
                usable >> 20,
                gtt.size >> 20
            );
        }
        let pasids = Pasids::new()?;
        let memory = pin_init!(Self {
            device,
            bars,
            hdp,
            layout,
            gart,
            pasids,
            mmio_remap <- new_mutex!(None, "mmio remap page"),
        });
        Arc::pin_init(memory, GFP_KERNEL)
    }

    /// The DRM device that the buffer objects belong to.
    pub(crate) fn device(&self) -> &ARef<Device> {
        &self.device
    }

    /// Where memory lies in VMID 0.
    pub(crate) fn layout(&self) -> &gmc::Layout {
        &self.layout
    }

    /// The GART.
    pub(crate) fn gart(&self) -> &Arc<Gart> {
        &self.gart
    }

    /// The names of address spaces.
    pub(crate) fn pasids(&self) -> &Arc<Pasids> {
        &self.pasids
    }

    /// Translation is on: from now on memory comes back after a flush. With `None` it is off again, and nothing is
    /// cached any more.
    pub(crate) fn set_tlb(&self, tlb: Option<Arc<Tlb>>) {
        self.gart.set_tlb(tlb);
    }

    /// The way to flush, while translation is on.
    pub(crate) fn tlb(&self) -> Option<Arc<Tlb>> {
        self.gart.tlb()
    }

    /// What `domain` ([`Domain::Vram`] or [`Domain::Gtt`]) holds.
    pub(crate) fn usage(&self, domain: Domain) -> Usage {
        self.device
            .memory()
            .usage(domain)
            .unwrap_or(Usage { used: 0, size: 0 })
    }

    /// Lets an engine of the GPU clear and move buffer objects, or the CPU again.
    pub(crate) fn set_copier(&self, copier: Option<Arc<dyn Copier>>) {
        self.device.memory().set_copier(copier);
    }

    /// The page of the register BAR through which userspace flushes the host data path. Everybody shares it.
    pub(crate) fn mmio_remap(&self) -> Result<Bo> {
        let mut page = self.mmio_remap.lock();
        if let Some(bo) = &*page {
            return Ok(bo.clone());
        }
        let how = Create {
            size: 4096,
            domain: Domain::MmioRemap,
            align: 0,
            contiguous: true,
            user: true,
        };
        Ok(page.insert(Bo::new(&self.device, how)?).clone())
    }

    /// When this returns, the GPU sees what the CPU wrote to VRAM before.
    pub(crate) fn flush_hdp(&self) {
        self.hdp.flush(&self.bars);
    }
}
