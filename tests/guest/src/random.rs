// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Numbers that look random and can be had again from their seed.

use std::time::{SystemTime, UNIX_EPOCH};

/// A sequence of numbers (Vigna, "splitmix64").
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Draws the next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Draws a number below `end`, which is not 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.draw() % end
    }
}

/// The seed that the environment's `SEED` asks for, or another one every time.
pub fn seed() -> u64 {
    let wanted = std::env::var("SEED").ok().and_then(|text| text.parse().ok());
    wanted.unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::from(now.subsec_nanos())
    })
}
