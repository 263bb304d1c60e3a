// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The command processor: two compute micro engines (MEC) with their queues and firmware.

pub mod dispatch_request;

use std::sync::Arc;

use crate::ctx::Ctx;
use crate::model::spi::Spi;
use crate::regs::{Block, Select};

/// Both compute micro engines.
pub struct Cp {
    ctx: Ctx,
    _spi: Arc<Spi>,
}

impl Cp {
    /// The power-on state: halted, no queue mapped.
    pub fn new(ctx: Ctx, spi: Arc<Spi>) -> Self {
        Self { ctx, _spi: spi }
    }

    /// A doorbell that is not in a range of another engine arrives: BAR2 dword index and value.
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
