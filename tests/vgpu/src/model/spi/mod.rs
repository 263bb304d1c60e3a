// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The dispatcher: turns a dispatch into workgroups and waves, and runs them.

use crate::ctx::Ctx;
use crate::regs::{Block, Select};

/// The shader processor input and the compute units behind it.
pub struct Spi {
    _ctx: Ctx,
}

impl Spi {
    /// The power-on state: no waves.
    pub fn new(ctx: Ctx) -> Self {
        Self { _ctx: ctx }
    }
}

impl Block for Spi {
    fn name(&self) -> &'static str {
        "SPI"
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
