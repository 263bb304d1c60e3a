// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What an engine (CP, SDMA, SPI) gets to work with.

use std::sync::{Arc, Weak};

use crate::clock::Clock;
use crate::device::Gpu;
use crate::inject::Inject;
use crate::mem::PhysMem;
use crate::model::gmc::Gmc;
use crate::model::grbm::Grbm;
use crate::model::ih::Ih;
use crate::model::psp::Firmware;
use crate::report::Report;
use crate::trace::Trace;

/// The blocks an engine talks to, and the register bus. Cheap to clone.
#[derive(Clone)]
pub struct Ctx {
    /// VRAM and guest memory, for accesses without translation.
    pub mem: Arc<PhysMem>,
    /// Translation, for every access an engine makes for a queue.
    pub gmc: Arc<Gmc>,
    /// Interrupts.
    pub ih: Arc<Ih>,
    /// Bank selects and per-VMID shader state.
    pub grbm: Arc<Grbm>,
    /// Which engines have their firmware.
    pub firmware: Arc<Firmware>,
    /// Counters and violations.
    pub report: Arc<Report>,
    /// The 100 MHz time base.
    pub clock: Clock,
    /// The access trace, for lines beyond those the bus writes.
    pub trace: Arc<Trace>,
    /// Faults on request.
    pub inject: Arc<Inject>,
    pub(crate) gpu: Weak<Gpu>,
}

impl Ctx {
    /// Reads a register by BAR5 byte offset as the engine `who` (WAIT_REG_MEM, COPY_DATA, POLL_REGMEM).
    /// An unknown register is counted and reads 0. The bus may call back into the engine's own block: hold no lock
    /// that `read_reg` takes.
    pub fn reg_read(&self, who: &'static str, off: u32) -> u32 {
        self.gpu.upgrade().map_or(0, |g| g.reg_read(who, off))
    }

    /// Writes a register by BAR5 byte offset as the engine `who` (WRITE_DATA, SRBM_WRITE). Locks as for
    /// [`reg_read`](Self::reg_read).
    pub fn reg_write(&self, who: &'static str, off: u32, value: u32) {
        if let Some(g) = self.gpu.upgrade() {
            g.reg_write(who, off, value);
        }
    }

    /// Rings a doorbell from inside the card (self-ring): BAR2 dword index.
    pub fn ring_doorbell(&self, index: u32, value: u64) {
        if let Some(g) = self.gpu.upgrade() {
            g.doorbell(index, value);
        }
    }
}
