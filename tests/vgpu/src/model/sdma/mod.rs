// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The system DMA engines (SDMA 4.4.0, five of them).

use crate::ctx::Ctx;
use crate::regs::{Block, Select};

/// All SDMA engines.
pub struct Sdma {
    ctx: Ctx,
}

impl Sdma {
    /// The power-on state: halted.
    pub fn new(ctx: Ctx) -> Self {
        Self { ctx }
    }

    /// A doorbell in the NBIO range of engine `engine`: BAR2 dword index and value.
    pub fn doorbell(&self, engine: usize, index: u32, value: u64) {
        self.ctx.report.unknown("sdma-missing", format!("engine {engine} doorbell {index:#x} = {value:#x}"));
    }
}

impl Block for Sdma {
    fn name(&self) -> &'static str {
        "SDMA"
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
