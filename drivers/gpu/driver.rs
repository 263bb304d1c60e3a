// SPDX-License-Identifier: GPL-2.0
//! The PCI driver: from a card on the bus to a GPU that userspace can see, and back.

use super::{bring_up::Steps, device::Gpu, drm::Amdgpu, hw::ip, kfd, sysfs};
use crate::glue;
use kernel::{
    device::Core,
    pci::{self, DeviceId, Vendor},
    prelude::*,
};

/// The driver as PCI knows it.
pub(crate) struct Driver;

/// What exists while a card is bound. Field order is the order in which it goes.
#[pin_data]
pub(crate) struct Bound {
    /// Takes the files of management programs away: they read from what goes next.
    _files: sysfs::Files,
    /// Takes the GPU away from processes: first of what acts, while it can still be told to stop.
    _kfd: kfd::Published,
    /// Takes the device nodes away, waits for ioctls under way, then stops the GPU.
    _drm: glue::drm::Registration<Amdgpu>,
    /// Takes doorbells and the flush page away from processes: once nobody can map them any more.
    _shown: kfd::ShownPages,
}

/// Ids of vendor 0x1002.
const fn amd(device: u32) -> DeviceId {
    DeviceId::from_id(Vendor::ATI, device)
}

kernel::pci_device_table!(
    PCI_TABLE,
    <Driver as pci::Driver>::IdInfo,
    [
        (amd(ip::DEVICE_IDS[0]), ()),
        (amd(ip::DEVICE_IDS[1]), ()),
        (amd(ip::DEVICE_IDS[2]), ()),
        (amd(ip::DEVICE_IDS[3]), ())
    ]
);

impl pci::Driver for Driver {
    type IdInfo = ();
    type Data<'bound> = Bound;
    const ID_TABLE: pci::IdTable<Self::IdInfo> = &PCI_TABLE;

    fn probe<'bound>(
        pdev: &'bound pci::Device<Core<'_>>,
        _info: Option<&'bound Self::IdInfo>,
    ) -> impl PinInit<Self::Data<'bound>, Error> + 'bound {
        pin_init::pin_init_scope(move || {
            pdev.enable_device_mem()?;
            pdev.set_master();
            glue::dma::set_mask(pdev, DMA_BITS)?;
            let (device, gpu) = Gpu::new(pdev)?;
            let step = Steps { dev: pdev.as_ref() };
            let drm = step.run("DRM device", glue::drm::Registration::new(device, gpu))?;
            let files = step.run("sysfs", sysfs::Files::new(pdev, &*drm.device().enter()?))?;
            let kfd = step.run("KFD node", kfd::Published::new(pdev, drm.device()))?;
            Ok(try_pin_init!(Bound {
                _shown: kfd.shown_pages(),
                _files: files,
                _kfd: kfd,
                _drm: drm,
            }))
        })
    }
}

/// Bits of a bus address that the GPU can form (kernel amdgpu/gmc_v9_0.c: `gmc_v9_0_sw_init`, from GC 9.4.2 on).
const DMA_BITS: u32 = 48;
