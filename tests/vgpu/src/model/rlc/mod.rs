// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The run list controller: clock capture, safe mode, SERDES.

use crate::regs::{Block, Select};

/// The run list controller: clock capture, safe mode, SERDES.
pub struct Rlc {}

impl Rlc {
    /// The power-on state.
    pub fn new() -> Self {
        Self {}
    }
}

impl Default for Rlc {
    fn default() -> Self {
        Self::new()
    }
}

impl Block for Rlc {
    fn name(&self) -> &'static str {
        "RLC"
    }
    fn read_reg(&self, _off: u32, _sel: Select) -> Option<u32> {
        None
    }
    fn write_reg(&self, _off: u32, _sel: Select, _value: u32) -> bool {
        false
    }
    fn reg_name(&self, _off: u32) -> Option<&'static str> {
        None
    }
    fn reset(&self) {}
}
