// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The system management unit: mailbox.

use crate::regs::{Block, Select};

/// The system management unit: mailbox.
pub struct Smu {}

impl Smu {
    /// The power-on state.
    pub fn new() -> Self {
        Self {}
    }
}

impl Default for Smu {
    fn default() -> Self {
        Self::new()
    }
}

impl Block for Smu {
    fn name(&self) -> &'static str {
        "SMU"
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
