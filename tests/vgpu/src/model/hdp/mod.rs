// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The host data path between the CPU and VRAM.

use crate::regs::{Block, Select};

/// The host data path between the CPU and VRAM.
pub struct Hdp {}

impl Hdp {
    /// The power-on state.
    pub fn new() -> Self {
        Self {}
    }
}

impl Default for Hdp {
    fn default() -> Self {
        Self::new()
    }
}

impl Block for Hdp {
    fn name(&self) -> &'static str {
        "HDP"
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
