// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The card's reference clock: the time base of interrupt vectors, signals and timestamps.

use std::time::Instant;

/// Ticks per second of the reference clock (device-contract 4.4: 100 MHz).
pub const HZ: u64 = 100_000_000;

/// A 100 MHz counter that starts at power-on and never stops.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
}

impl Clock {
    /// Starts counting.
    pub fn start() -> Self {
        Self {
            start: Instant::now(),
        }
    }

    /// Ticks of 10 ns since power-on.
    pub fn now(&self) -> u64 {
        let t = self.start.elapsed();
        t.as_secs()
            .wrapping_mul(HZ)
            .wrapping_add(u64::from(t.subsec_nanos()) / 10)
    }
}
