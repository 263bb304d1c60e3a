// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The platform security processor: mailboxes and ring.

use crate::regs::{Block, Select};

/// The platform security processor: mailboxes and ring.
pub struct Psp {}

impl Psp {
    /// The power-on state.
    pub fn new() -> Self {
        Self {}
    }
}

impl Default for Psp {
    fn default() -> Self {
        Self::new()
    }
}

impl Block for Psp {
    fn name(&self) -> &'static str {
        "PSP"
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
