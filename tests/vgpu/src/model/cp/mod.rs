// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The command processor: compute micro engines, their queues and the scheduler firmware.

pub mod dispatch_request;

use std::sync::Arc;

use crate::ctx::Ctx;
use crate::model::spi::Spi;
use crate::regs::{Block, Select};

/// MEC1 and MEC2 with their pipes and queues.
pub struct Cp {
    ctx: Ctx,
    _spi: Arc<Spi>,
}

impl Cp {
    /// The power-on state: halted.
    pub fn new(ctx: Ctx, spi: Arc<Spi>) -> Self {
        Self { ctx, _spi: spi }
    }

    /// A doorbell that no other block's range claims: BAR2 dword index and value.
    pub fn doorbell(&self, index: u32, value: u64) {
        self.ctx.report.unknown("cp-missing", format!("doorbell {index:#x} = {value:#x}"));
    }
}

impl Block for Cp {
    fn name(&self) -> &'static str {
        "CP"
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
