// SPDX-License-Identifier: GPL-2.0
//! amdgpu: compute on AMD data-centre GPUs.
use glue::params::CWSR_ENABLE;
use kernel::{driver, pci, prelude::*, InPlaceModule};

mod glue;
mod gpu;

#[pin_data]
struct Amdgpu {
    #[pin]
    _pci: driver::Registration<pci::Adapter<gpu::driver::Driver>>,
    /// After the last GPU.
    _kfd: gpu::kfd::Service,
}

// ROCm and the tools around it look for a module and a DRM driver of exactly this name, and two drivers for the
// same PCI ids must exclude each other: hence the name of the kernel's own driver.
module! {
    type: Amdgpu,
    name: "amdgpu",
    authors: ["The Ferrock project"],
    description: "Compute driver for AMD data-centre GPUs",
    license: "GPL",
    // gpu/hw/firmware.rs has the same
    firmware: [
        "amdgpu/aldebaran_sos.bin",
        "amdgpu/aldebaran_smc.bin",
        "amdgpu/aldebaran_sdma.bin",
        "amdgpu/aldebaran_mec.bin",
        "amdgpu/aldebaran_rlc.bin",
    ],
    imports_ns: ["DMA_BUF"],
}

impl InPlaceModule for Amdgpu {
    fn init(module: &'static ThisModule) -> impl PinInit<Self, Error> {
        try_pin_init!(Self {
            // what userspace reads in sysfs must be true
            _: {
                let cwsr = CWSR_ENABLE.get();
                if cwsr != 0 {
                    pr_err!("cwsr_enable={}: waves cannot be saved and restored yet\n", cwsr);
                    Err::<(), Error>(EINVAL)?;
                }
            },
            // first, so that GPUs find it; the fields still go in the order of the declaration
            _kfd: gpu::kfd::Service::new()?,
            _pci <- driver::Registration::new(<Self as kernel::ModuleMetadata>::NAME, module),
        })
    }
}
