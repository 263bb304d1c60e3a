// SPDX-License-Identifier: GPL-2.0
//! amdgpu: compute on AMD data-centre GPUs.
use kernel::prelude::*;
use kernel::InPlaceModule;

mod glue;

#[pin_data]
struct Amdgpu {}

// ROCm and the tools around it look for a module and a DRM driver of exactly this name, and two drivers for the
// same PCI ids must exclude each other: hence the name of the kernel's own driver.
module! {
    type: Amdgpu,
    name: "amdgpu",
    authors: ["The Ferrock project"],
    description: "Compute driver for AMD data-centre GPUs",
    license: "GPL",
    imports_ns: ["DMA_BUF"],
}

impl InPlaceModule for Amdgpu {
    fn init(_module: &'static ThisModule) -> impl PinInit<Self, Error> {
        try_pin_init!(Self {})
    }
}
