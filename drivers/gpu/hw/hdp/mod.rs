// SPDX-License-Identifier: GPL-2.0
//! HDP, the host data path: the way of the CPU's reads and writes of VRAM through BAR 0.
//!
//! It gathers the CPU's writes in a cache of its own, so that the GPU does not see them until the path is flushed.

mod hal;
mod regs;

use super::nbio::{Nbio, FLUSH_PAGE};
use super::{ip::IpVersion, Bars};
use hal::HdpHal;
use kernel::{dev_err, prelude::*};

/// The block.
#[derive(Clone, Copy)]
pub(crate) struct Hdp {
    hal: &'static dyn HdpHal,
    nbio: Nbio,
}

impl Hdp {
    /// The block of that version; `ENODEV` if the driver does not know it.
    pub(crate) fn new(bars: &Bars, version: IpVersion, nbio: Nbio) -> Result<Self> {
        let hal = hal::of(version).ok_or(ENODEV).inspect_err(|_| {
            dev_err!(bars.dev, "HDP {}: version not supported\n", version);
        })?;
        Ok(Self { hal, nbio })
    }

    /// Tells the path where VRAM begins in the GPU's physical address space.
    pub(crate) fn set_up(&self, bars: &Bars, vram_start: u64) -> Result {
        self.hal.set_up(&bars.registers, vram_start)
    }

    /// When this returns, the GPU sees what the CPU wrote to VRAM before. Callable from any context.
    pub(crate) fn flush(&self, bars: &Bars) {
        bars.registers.write32(FLUSH_PAGE as usize, 0);
        self.nbio.posting_read(bars);
    }
}
