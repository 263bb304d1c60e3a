// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The bus interface: identity, doorbell routing, HDP remap and flush.

use crate::regs::{Block, Select};

/// The bus interface: identity, doorbell routing, HDP remap and flush.
pub struct Nbio {}

impl Nbio {
    /// The power-on state.
    pub fn new() -> Self {
        Self {}
    }
}

impl Default for Nbio {
    fn default() -> Self {
        Self::new()
    }
}

impl Block for Nbio {
    fn name(&self) -> &'static str {
        "NBIO"
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
