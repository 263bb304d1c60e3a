// SPDX-License-Identifier: GPL-2.0
//! What the card measures. Layout: kernel smu13_driver_if_aldebaran.h `SmuMetrics_t`.

use crate::bits::join;
use crate::bytes::{u16_at, u32_at};

/// sizeof(SmuMetrics_t).
pub const METRICS: usize = 120;

/// A clock of the card (kernel smu13_driver_if_aldebaran.h: PPCLK_e).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Of the compute units.
    Gfx = 0,
    /// Of the video engine.
    Vclk = 1,
    /// Of the video engine's decoder.
    Dclk = 2,
    /// Of the system part.
    Soc = 3,
    /// Of the memory.
    Memory = 4,
    /// Of the data fabric.
    Fabric = 5,
    /// Of the PCIe link's part.
    Link = 6,
}

/// Decoded measurements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Metrics {
    /// Clocks now, MHz, by [`Clock`].
    pub clocks: [u16; 7],
    /// Average graphics clock, MHz.
    pub average_gfxclk: u16,
    /// Average clock of the system part, MHz.
    pub average_socclk: u16,
    /// Average memory clock, MHz.
    pub average_uclk: u16,
    /// How busy the compute units are, percent.
    pub gfx_activity: u16,
    /// How busy the memory is, percent.
    pub memory_activity: u16,
    /// Power of the card, watts.
    pub power: u16,
    /// Temperature at the edge of the die, degrees Celsius as all.
    pub edge: u16,
    /// At the hottest place.
    pub hotspot: u16,
    /// Of the hottest memory stack.
    pub memory: u16,
    /// Of the regulators for compute units, system part and memory.
    pub regulators: [u16; 3],
    /// Of each memory stack.
    pub stacks: [u16; 4],
    /// Reasons for lower clocks, bits of this chip.
    pub throttlers: u32,
    /// The card's serial number, which sysfs calls its unique id.
    pub serial: u64,
    /// Busy time of the compute units since start, in the firmware's unit.
    pub gfx_busy: u32,
    /// Busy time of the memory since start, in the firmware's unit.
    pub memory_busy: u32,
    /// Energy since start, in units of 15.259 uJ.
    pub energy: u64,
    /// When this was measured, in units of 10 ns.
    pub time: u64,
}

impl Metrics {
    /// The measurements in a table. Every bit pattern is one.
    pub fn decode(table: &[u8; METRICS]) -> Self {
        // the places below are inside of the table, whose length is fixed: nothing is made up
        let half = |at| u16_at(table, at).unwrap_or_default();
        let word = |at| u32_at(table, at).unwrap_or_default();
        let long = |at: usize| join(word(at), word(at.saturating_add(4)));
        Self {
            clocks: [0, 2, 4, 6, 8, 10, 12].map(half),
            average_gfxclk: half(16),
            average_socclk: half(18),
            average_uclk: half(20),
            gfx_activity: half(22),
            memory_activity: half(24),
            power: half(30),
            edge: half(32),
            hotspot: half(34),
            memory: half(36),
            regulators: [38, 40, 42].map(half),
            throttlers: word(44),
            serial: long(48),
            stacks: [56, 58, 60, 62].map(half),
            gfx_busy: word(64),
            memory_busy: word(68),
            energy: long(72),
            time: long(80),
        }
    }

    /// A clock now, MHz.
    pub fn clock(&self, clock: Clock) -> u16 {
        self.clocks.get(clock as usize).copied().unwrap_or_default()
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_smu_metrics))]
pub(super) mod tests {
    use super::*;

    /// A table whose 16-bit numbers count up from 0x100.
    pub(in crate::smu) fn table() -> [u8; METRICS] {
        let mut table = [0; METRICS];
        for (n, half) in table.chunks_exact_mut(2).enumerate() {
            half.copy_from_slice(&(0x100 + n as u16).to_le_bytes());
        }
        table
    }

    #[test]
    fn every_number_has_its_place() {
        let m = Metrics::decode(&table());
        assert_eq!(m.clock(Clock::Gfx), 0x100);
        assert_eq!(m.clock(Clock::Soc), 0x103);
        assert_eq!(m.clock(Clock::Link), 0x106);
        assert_eq!(
            [m.average_gfxclk, m.average_socclk, m.average_uclk],
            [0x108, 0x109, 0x10a]
        );
        assert_eq!(
            [m.gfx_activity, m.memory_activity, m.power],
            [0x10b, 0x10c, 0x10f]
        );
        assert_eq!([m.edge, m.hotspot, m.memory], [0x110, 0x111, 0x112]);
        assert_eq!(m.regulators, [0x113, 0x114, 0x115]);
        assert_eq!(m.throttlers, 0x0117_0116);
        assert_eq!(m.serial, 0x011b_011a_0119_0118);
        assert_eq!(m.stacks, [0x11c, 0x11d, 0x11e, 0x11f]);
        assert_eq!([m.gfx_busy, m.memory_busy], [0x0121_0120, 0x0123_0122]);
        assert_eq!(m.energy, 0x0127_0126_0125_0124);
        assert_eq!(m.time, 0x012b_012a_0129_0128);
    }
}
