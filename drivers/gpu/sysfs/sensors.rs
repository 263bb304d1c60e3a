// SPDX-License-Identifier: GPL-2.0
//! The hwmon device. Units and names are those of the kernel's Documentation/hwmon/sysfs-interface.rst.

use super::{names, readings::Readings};
use crate::glue::sysfs::{Directory, Text};
use amdgpu_logic::{
    atom::PowerTable,
    smu::{Clock, Metrics},
};
use core::fmt::Write;
use kernel::{prelude::*, sync::Arc};

/// Sensors of a GPU.
pub(super) struct Sensors(pub(super) Arc<Readings>);

/// What a file shows.
#[derive(Clone, Copy)]
enum Shown {
    Label(&'static str),
    /// A measured temperature.
    Temperature(fn(&Metrics) -> u16),
    /// A temperature at which the firmware lowers clocks.
    Critical(fn(&PowerTable) -> u16),
    /// A temperature at which the card switches off.
    Emergency(fn(&PowerTable) -> u16),
    /// Average power of the card.
    Power,
    /// Power limit in force.
    Cap,
    /// Power limit of the board.
    BoardCap,
    /// No power limit is too low (kernel aldebaran_ppt.c: aldebaran_init_ppt_limits).
    LowestCap,
    Clock(Clock),
}

use Shown::*;

const TABLE: [(&CStr, Shown); 20] = [
    (c"temp1_label", Label("edge")),
    (c"temp1_input", Temperature(|m| m.edge)),
    (c"temp2_label", Label("junction")),
    (c"temp2_input", Temperature(|m| m.hotspot)),
    (c"temp2_crit", Critical(PowerTable::hotspot_limit)),
    (c"temp2_emergency", Emergency(PowerTable::hotspot_limit)),
    (c"temp3_label", Label("mem")),
    (c"temp3_input", Temperature(|m| m.memory)),
    (c"temp3_crit", Critical(PowerTable::memory_limit)),
    (c"temp3_emergency", Emergency(PowerTable::memory_limit)),
    (c"power1_label", Label("PPT")),
    (c"power1_average", Power),
    (c"power1_cap", Cap),
    (c"power1_cap_default", BoardCap),
    (c"power1_cap_max", BoardCap),
    (c"power1_cap_min", LowestCap),
    (c"freq1_label", Label("sclk")),
    (c"freq1_input", Clock(Clock::Gfx)),
    (c"freq2_label", Label("mclk")),
    (c"freq2_input", Clock(Clock::Memory)),
];

/// Degrees between lower clocks and switching off (kernel smu_v13_0.h: CTF_OFFSET_HOTSPOT, CTF_OFFSET_MEM).
const CTF_OFFSET: u64 = 5;

impl Directory for Sensors {
    const FILES: &'static [&'static CStr] = &names(&TABLE);

    fn show(&self, file: usize, out: &mut Text<'_>) -> Result {
        const MILLI: u64 = 1_000;
        const MICRO: u64 = 1_000_000;
        let smu = self.0.smu();
        let power = smu.power_table();
        let (value, unit) = match TABLE.get(file).ok_or(ENOENT)?.1 {
            Label(text) => return Ok(writeln!(out, "{text}")?),
            Temperature(of) => (of(&self.0.now()?).into(), MILLI),
            Critical(of) => (of(power).into(), MILLI),
            Emergency(of) => (u64::from(of(power)).saturating_add(CTF_OFFSET), MILLI),
            Power => (self.0.now()?.power.into(), MICRO),
            Cap => (smu.power_limit()?.into(), MICRO),
            BoardCap => (power.power_limit().into(), MICRO),
            LowestCap => (0, MICRO),
            Clock(clock) => (self.0.now()?.clock(clock).into(), MICRO),
        };
        Ok(writeln!(out, "{}", value.saturating_mul(unit))?)
    }
}
