// SPDX-License-Identifier: GPL-2.0
//! What management programs (rocm-smi, `sensors`) read in sysfs: files in the folder of the PCI device and sensors of
//! the hwmon class, by the names that the C driver gave them (kernel Documentation/gpu/amdgpu/thermal.rst,
//! driver-misc.rst). All are read-only: the firmware manages clocks and power by itself.

mod firmware;
mod memory;
mod power;
mod readings;
mod sensors;

use super::device::Gpu;
use crate::glue::device_files::{DeviceFiles, Hwmon};
use kernel::{device::Bound, pci, prelude::*};
use readings::Readings;

/// The files of a GPU. They must go before the GPU does.
pub(crate) struct Files {
    _sensors: Hwmon<sensors::Sensors>,
    _power: DeviceFiles<power::Power>,
    _memory: DeviceFiles<memory::MemoryFiles>,
    _firmware: DeviceFiles<firmware::Versions>,
}

impl Files {
    /// Creates them.
    pub(crate) fn new(pdev: &pci::Device<Bound>, gpu: &Gpu) -> Result<Self> {
        let dev = pdev.as_ref();
        let readings = Readings::new(gpu.smu().clone())?;
        Ok(Self {
            _sensors: Hwmon::new(dev, c"amdgpu", sensors::Sensors(readings.clone()))?,
            _power: DeviceFiles::new(dev, None, power::Power::new(pdev, readings, gpu.part_number()))?,
            _memory: DeviceFiles::new(dev, None, memory::MemoryFiles(gpu.memory().clone()))?,
            _firmware: DeviceFiles::new(dev, Some(c"fw_version"), firmware::Versions(*gpu.firmware()))?,
        })
    }
}

/// The names in a table of files.
#[expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "for constants: the compiler runs it"
)]
const fn names<T, const N: usize>(table: &[(&'static CStr, T); N]) -> [&'static CStr; N] {
    let mut names = [c""; N];
    let mut n = 0;
    while n < N {
        names[n] = table[n].0;
        n += 1;
    }
    names
}
