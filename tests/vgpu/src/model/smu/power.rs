// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Clocks, their levels and limits, and what a busy card draws: a plausible board, not a measured one.

/// A clock (kernel smu13_driver_if_aldebaran.h: PPCLK_e).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clock {
    Gfx,
    V,
    D,
    Soc,
    U,
    F,
    L,
}

/// All clocks, in the order of their numbers.
pub(super) const CLOCKS: [Clock; 7] = [
    Clock::Gfx,
    Clock::V,
    Clock::D,
    Clock::Soc,
    Clock::U,
    Clock::F,
    Clock::L,
];

impl Clock {
    /// By number.
    pub(super) fn of(n: u32) -> Option<Self> {
        CLOCKS.get(n as usize).copied()
    }

    /// The frequencies it runs at, MHz, lowest first.
    pub(super) const fn levels(self) -> &'static [u32] {
        match self {
            Self::Gfx => &[500, 1700],
            Self::V | Self::D => &[300, 1200],
            Self::Soc => &[666, 857, 1000, 1090],
            Self::U => &[400, 700, 1200, 1600],
            Self::F => &[400, 1200, 1600],
            Self::L => &[400, 900],
        }
    }

    pub(super) fn lowest(self) -> u32 {
        self.levels().first().copied().unwrap_or(0)
    }

    pub(super) fn highest(self) -> u32 {
        self.levels().last().copied().unwrap_or(0)
    }
}

/// Limits a driver has set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Lowest and highest frequency by clock, MHz.
    pub(super) soft: [(u32, u32); CLOCKS.len()],
    /// Package power, watts.
    pub(super) power: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            soft: CLOCKS.map(|c| (c.lowest(), c.highest())),
            power: POWER_LIMIT,
        }
    }
}

/// Package power limit of the board, watts.
pub(super) const POWER_LIMIT: u32 = 300;
/// Power of an idle board, watts.
const IDLE_POWER: u32 = 41;
/// Temperature of an idle board, degrees Celsius.
const IDLE_TEMPERATURE: u32 = 38;

/// What sensors and counters say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    /// By clock, MHz.
    pub(super) clocks: [u32; CLOCKS.len()],
    /// Percent of time that shaders work.
    pub(super) activity: u32,
    /// Watts.
    pub(super) power: u32,
    /// Degrees Celsius.
    pub(super) temperature: u32,
}

impl Reading {
    /// A board that is `activity` percent busy.
    pub(super) fn new(limits: &Limits, activity: u32) -> Self {
        let activity = activity.min(100);
        let share = |low: u32, high: u32| low + high.saturating_sub(low) * activity / 100;
        let mut clocks = [0; CLOCKS.len()];
        for (clock, (low, high)) in clocks.iter_mut().zip(limits.soft) {
            *clock = share(low, high);
        }
        Self {
            clocks,
            activity,
            power: share(IDLE_POWER, limits.power),
            temperature: share(IDLE_TEMPERATURE, 75),
        }
    }
}
