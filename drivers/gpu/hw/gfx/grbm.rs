// SPDX-License-Identifier: GPL-2.0
//! GRBM: the bus to the registers of the graphics block, and its banks.
//!
//! Some registers exist many times at the same offset. Two index registers say which copy is meant: one for
//! hardware queues and VMIDs, one for shader arrays. Whoever points them somewhere keeps everybody else away until
//! they point back to where they rest.

use super::regs::*;
use crate::glue::mmio::Registers;
use crate::gpu::hw::{Bars, RegisterIo};
use kernel::{new_mutex, prelude::*, sync::Mutex};

/// Coordinates of a hardware queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    /// Micro engine: 1 or 2 for MEC 1 and 2.
    pub(crate) me: u8,
    /// Pipe of the micro engine.
    pub(crate) pipe: u8,
    /// Queue of the pipe.
    pub(crate) queue: u8,
}

/// The index registers.
#[pin_data]
pub(super) struct Grbm {
    #[pin]
    banks: Mutex<()>,
}

impl Grbm {
    pub(super) fn new() -> impl PinInit<Self> {
        pin_init!(Self { banks <- new_mutex!((), "grbm banks") })
    }

    /// Runs `f` with the registers of a hardware queue in reach. `EINVAL` if there cannot be such a queue.
    pub(super) fn of_queue<R>(&self, bars: &Bars, slot: Slot, f: impl FnOnce(&Registers) -> R) -> Result<R> {
        let bank = GRBM_GFX_CNTL::zeroed()
            .try_with_meid(u32::from(slot.me))?
            .try_with_pipeid(u32::from(slot.pipe))?
            .try_with_queueid(u32::from(slot.queue))?;
        Ok(self.in_bank(bars, bank, f))
    }

    /// Runs `f` with the registers of a VMID in reach. `EINVAL` if there is no such VMID.
    pub(super) fn of_vmid<R>(&self, bars: &Bars, vmid: u8, f: impl FnOnce(&Registers) -> R) -> Result<R> {
        let bank = GRBM_GFX_CNTL::zeroed().try_with_vmid(u32::from(vmid))?;
        Ok(self.in_bank(bars, bank, f))
    }

    /// Runs `f` with the registers of the one shader array of a shader engine in reach.
    pub(super) fn of_shader_engine<R>(&self, bars: &Bars, engine: u8, f: impl FnOnce(&Registers) -> R) -> R {
        let _banks = self.banks.lock();
        let everything = GRBM_GFX_INDEX::zeroed()
            .with_se_broadcast_writes(true)
            .with_sh_broadcast_writes(true)
            .with_instance_broadcast_writes(true);
        bars.registers.write_reg(
            everything
                .with_se_broadcast_writes(false)
                .with_sh_broadcast_writes(false)
                .with_se_index(engine),
        );
        let result = f(&bars.registers);
        bars.registers.write_reg(everything);
        result
    }

    fn in_bank<R>(&self, bars: &Bars, bank: GRBM_GFX_CNTL, f: impl FnOnce(&Registers) -> R) -> R {
        let _banks = self.banks.lock();
        bars.registers.write_reg(bank);
        let result = f(&bars.registers);
        bars.registers.write_reg(GRBM_GFX_CNTL::zeroed());
        result
    }
}
