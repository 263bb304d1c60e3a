// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Clocks, their levels and limits, and what a busy card draws: a plausible board, not a measured one.

use crate::clock;

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

/// Highest temperature of a board that draws its limit, degrees Celsius.
const BUSY_TEMPERATURE: u32 = 75;
/// Time constant of averaged readings, seconds (DriverSmuConfig_t has one for each).
const AVERAGE: f64 = 0.1;
/// Time constant of the heat sink, seconds.
const HEAT: f64 = 5.0;

/// What sensors and counters say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    /// By clock, MHz.
    pub(super) clocks: [u32; CLOCKS.len()],
    /// Percent of time that shaders work, averaged.
    pub(super) activity: u32,
    /// Watts, averaged.
    pub(super) power: u32,
    /// Degrees Celsius.
    pub(super) temperature: u32,
    /// Energy since power-on, microjoules.
    pub(super) energy: u64,
    /// Time in which shaders worked since power-on, in 10 ns.
    pub(super) busy: u64,
}

/// What builds up over time. The card does not measure by itself: each sample accounts for the time since the last one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sensors {
    /// Time of the last sample, and how long shaders had worked by then, in 10 ns.
    at: u64,
    busy: u64,
    /// The same at power-on.
    busy_at_start: u64,
    /// Averaged share of time that shaders work, 0 to 1.
    activity: f64,
    /// Degrees Celsius.
    temperature: f64,
    /// Joules.
    energy: f64,
}

impl Sensors {
    /// A board that is powered on at `now`; `busy` is what the shaders' meter says. Both in 10 ns.
    pub(super) fn new(now: u64, busy: u64) -> Self {
        Self {
            at: now,
            busy,
            busy_at_start: busy,
            activity: 0.0,
            temperature: IDLE_TEMPERATURE.into(),
            energy: 0.0,
        }
    }

    /// Readings at `now`.
    pub(super) fn sample(&mut self, now: u64, busy: u64, limits: &Limits) -> Reading {
        let seconds = |ticks: u64| ticks as f64 / clock::HZ as f64;
        let passed = seconds(now.saturating_sub(self.at));
        let load = match passed > 0.0 {
            true => (seconds(busy.saturating_sub(self.busy)) / passed).min(1.0),
            false => self.activity,
        };
        let towards =
            |value: f64, target: f64, constant: f64| target + (value - target) * (-passed / constant).exp();
        let share =
            |low: u32, high: u32, part: f64| f64::from(low) + f64::from(high.saturating_sub(low)) * part;
        self.energy += share(IDLE_POWER, limits.power, load) * passed;
        self.activity = towards(self.activity, load, AVERAGE);
        let heat = share(IDLE_POWER, limits.power, load) / f64::from(POWER_LIMIT);
        let warm = share(IDLE_TEMPERATURE, BUSY_TEMPERATURE, heat * load);
        self.temperature = towards(self.temperature, warm, HEAT);
        (self.at, self.busy) = (now, busy);
        Reading {
            clocks: limits
                .soft
                .map(|(low, high)| share(low, high, self.activity).round() as u32),
            activity: (self.activity * 100.0).round() as u32,
            power: share(IDLE_POWER, limits.power, self.activity).round() as u32,
            temperature: self.temperature.round() as u32,
            energy: (self.energy * 1e6) as u64,
            busy: busy.saturating_sub(self.busy_at_start),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Milliseconds in ticks.
    const MS: u64 = clock::HZ / 1000;

    #[test]
    fn readings_follow_the_load_each_at_its_pace() {
        let limits = Limits::default();
        let mut s = Sensors::new(7 * MS, 3 * MS);
        let idle = s.sample(1007 * MS, 3 * MS, &limits);
        assert_eq!(
            (idle.activity, idle.power, idle.temperature),
            (0, IDLE_POWER, IDLE_TEMPERATURE)
        );
        assert_eq!((idle.clocks[0], idle.energy, idle.busy), (500, 41_000_000, 0));
        // a second of work: averages are there, the heat sink is not
        let busy = s.sample(2007 * MS, 1003 * MS, &limits);
        assert_eq!(
            (busy.activity, busy.power, busy.clocks[0]),
            (100, POWER_LIMIT, 1700)
        );
        assert!(busy.temperature > idle.temperature && busy.temperature < BUSY_TEMPERATURE);
        assert_eq!((busy.energy, busy.busy), (341_000_000, 1000 * MS));
        // a minute later
        let hot = s.sample(62_007 * MS, 61_003 * MS, &limits);
        assert_eq!(hot.temperature, BUSY_TEMPERATURE);
        let cooling = s.sample(63_007 * MS, 61_003 * MS, &limits);
        assert!(cooling.activity == 0 && cooling.temperature > IDLE_TEMPERATURE);
    }

    #[test]
    fn half_the_time_is_half_the_load_and_limits_hold() {
        let limits = Limits {
            power: 141,
            ..Limits::default()
        };
        let mut s = Sensors::new(0, 0);
        let r = s.sample(10_000 * MS, 5_000 * MS, &limits);
        assert_eq!((r.activity, r.power, r.clocks[0]), (50, 91, 1100));
        // twice at the same moment
        assert_eq!(s.sample(10_000 * MS, 5_000 * MS, &limits), r);
    }
}
