// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tables that driver and firmware pass through memory (kernel smu13_driver_if_aldebaran.h).

use super::power::{Reading, CLOCKS};

/// Table numbers.
pub(super) const PPTABLE: u32 = 0;
pub(super) const SMU_METRICS: u32 = 4;
pub(super) const I2C_COMMANDS: u32 = 6;

/// sizeof(PPTable_t).
pub(super) const PPTABLE_SIZE: usize = 760;
/// sizeof(SmuMetrics_t).
const METRICS_SIZE: usize = 120;

/// Unit of the busy counters in 10 ns. No public source gives the firmware's; this is a percent of a millisecond.
const BUSY_UNIT: u64 = 1000;

/// Number that identifies this card.
pub(super) const SERIAL: u64 = 0x9a0a_f00d_0000_0001;

/// What the firmware takes from a power table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PowerTable {
    /// Features to switch on.
    pub(super) features: u64,
    /// Package power limit, watts.
    pub(super) power: u32,
    /// Graphics clock, MHz: lowest, highest.
    pub(super) gfxclk: (u32, u32),
}

impl PowerTable {
    /// Reads a table; why it is none otherwise.
    pub(super) fn parse(b: &[u8; PPTABLE_SIZE]) -> Result<Self, String> {
        let half = |at: usize| {
            let bytes = b.get(at..at + 2).unwrap_or_default();
            bytes.iter().rev().fold(0u32, |w, b| w << 8 | u32::from(*b))
        };
        let word = |at: usize| u64::from(half(at)) | u64::from(half(at + 2)) << 16;
        let table = Self {
            features: word(4) | word(8) << 32,
            power: half(12),
            gfxclk: (half(326), half(324)),
        };
        let (low, high) = table.gfxclk;
        if table.power == 0 || low == 0 || low > high {
            return Err(format!("{table:x?}"));
        }
        Ok(table)
    }
}

/// SmuMetrics_t.
pub(super) fn metrics(r: &Reading, time: u64) -> [u8; METRICS_SIZE] {
    let mut b = [0; METRICS_SIZE];
    let mut put = |at: usize, bytes: &[u8]| {
        for (to, from) in b.iter_mut().skip(at).zip(bytes) {
            *to = *from;
        }
    };
    let half = |v: u32| u16::try_from(v).unwrap_or(u16::MAX).to_le_bytes();
    for (n, clock) in r.clocks.iter().enumerate() {
        put(2 * n, &half(*clock));
    }
    debug_assert_eq!(CLOCKS.len(), 7);
    let [gfx, _, _, soc, u, ..] = r.clocks;
    // averages: clocks, activities
    for (n, v) in [gfx, soc, u, r.activity, r.activity / 2].into_iter().enumerate() {
        put(16 + 2 * n, &half(v));
    }
    put(30, &half(r.power));
    // edge, hotspot, memory, regulators
    let t = r.temperature;
    for (n, v) in [t, t + 6, t + 2, t, t, t].into_iter().enumerate() {
        put(32 + 2 * n, &half(v));
    }
    put(48, &SERIAL.to_le_bytes());
    for n in 0..4 {
        put(56 + 2 * n, &half(t + 2));
    }
    // counters wrap; of the memory half the shaders' time, as for the averages
    put(64, &((r.busy / BUSY_UNIT) as u32).to_le_bytes());
    put(68, &((r.busy / 2 / BUSY_UNIT) as u32).to_le_bytes());
    // in units of 15.259 uJ
    let energy = u128::from(r.energy) * 1000 / 15_259;
    put(72, &(energy as u64).to_le_bytes());
    put(80, &time.to_le_bytes());
    b
}
