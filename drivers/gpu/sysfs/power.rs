// SPDX-License-Identifier: GPL-2.0
//! Clocks, load and identity, in the folder of the PCI device.

use super::{names, readings::Readings};
use crate::glue::{
    machine::{boottime_ns, PciLink},
    sysfs::{Directory, Text},
};
use amdgpu_logic::{
    atom::PartNumber,
    smu::{Clock, GpuMetrics, Link},
};
use core::fmt::Write;
use kernel::{device::Bound, pci, prelude::*, sync::Arc};

/// Clocks, load and identity of a GPU.
pub(super) struct Power {
    readings: Arc<Readings>,
    link: PciLink,
    part_number: PartNumber,
}

/// What a file shows.
#[derive(Clone, Copy)]
enum Shown {
    /// The levels of a clock.
    Levels(Clock),
    /// How busy the compute units are, percent.
    Busy,
    /// How busy the memory is, percent.
    MemoryBusy,
    /// What the clocks are chosen for.
    State,
    /// Who chooses them.
    PerformanceLevel,
    /// The card's serial number.
    Serial,
    /// The board's part number.
    Vbios,
    /// All measurements, binary.
    All,
}

use Shown::*;

const TABLE: [(&CStr, Shown); 10] = [
    (c"pp_dpm_sclk", Levels(Clock::Gfx)),
    (c"pp_dpm_mclk", Levels(Clock::Memory)),
    (c"pp_dpm_socclk", Levels(Clock::Soc)),
    (c"gpu_busy_percent", Busy),
    (c"mem_busy_percent", MemoryBusy),
    (c"power_dpm_state", State),
    (c"power_dpm_force_performance_level", PerformanceLevel),
    (c"unique_id", Serial),
    (c"vbios_version", Vbios),
    (c"gpu_metrics", All),
];

impl Power {
    /// Of the GPU that is this card.
    pub(super) fn new(pdev: &pci::Device<Bound>, readings: Arc<Readings>, part_number: PartNumber) -> Self {
        Self {
            readings,
            link: PciLink::of(pdev),
            part_number,
        }
    }
}

impl Directory for Power {
    const FILES: &'static [&'static CStr] = &names(&TABLE);

    fn show(&self, file: usize, out: &mut Text<'_>) -> Result {
        let now = || self.readings.now();
        let smu = self.readings.smu();
        Ok(match TABLE.get(file).ok_or(ENOENT)?.1 {
            Levels(clock) => write!(out, "{}", smu.levels(clock).text(now()?.clock(clock).into())),
            Busy => writeln!(out, "{}", now()?.gfx_activity),
            MemoryBusy => writeln!(out, "{}", now()?.memory_activity),
            State => out.write_str("performance\n"),
            // nobody can force a level: the firmware chooses
            PerformanceLevel => out.write_str("auto\n"),
            Serial => match smu.serial() {
                0 => Ok(()),
                serial => writeln!(out, "{serial:016x}"),
            },
            Vbios => writeln!(out, "{}", self.part_number.text()),
            All => {
                let (width, speed) = self.link.now().unwrap_or((0, 0));
                let record = GpuMetrics {
                    metrics: &now()?,
                    link: Link { width, speed },
                    boottime: boottime_ns(),
                };
                out.write_bytes(&record.encode())
            }
        }?)
    }
}
