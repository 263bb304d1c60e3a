// SPDX-License-Identifier: GPL-2.0
//! NBIO, north bridge I/O: the device's side of PCIe.
//!
//! It knows how much VRAM there is, decides which block hears which doorbell, and maps two flush registers of the
//! host data path into a page of its own, so that userspace can be given that page and nothing else.

mod hal;
mod regs;
mod smn;

use super::{ip::IpVersion, Bars};
use amdgpu_logic::slots::doorbell;
use hal::NbioHal;
use kernel::{dev_err, dev_info, prelude::*};

pub(crate) use smn::Smn;

/// Byte offset in the register BAR of the page that userspace may map to flush the host data path: the last one,
/// in which there is nothing else.
pub(crate) const FLUSH_PAGE: u32 = 0x7f000;

/// The block.
#[derive(Clone, Copy)]
pub(crate) struct Nbio {
    hal: &'static dyn NbioHal,
}

impl Nbio {
    /// The block of that version; `ENODEV` if the driver does not know it.
    pub(crate) fn new(bars: &Bars, version: IpVersion) -> Result<Self> {
        let hal = hal::of(version).ok_or(ENODEV).inspect_err(|_| {
            dev_err!(bars.dev, "NBIO {}: version not supported\n", version);
        })?;
        Ok(Self { hal })
    }

    /// Bytes of VRAM. `EIO` if the device does not answer or reports none.
    pub(crate) fn vram_size(&self, bars: &Bars) -> Result<u64> {
        match self.hal.vram_mib(&bars.registers) {
            0 | u32::MAX => {
                dev_err!(bars.dev, "NBIO: the device reports no VRAM size\n");
                Err(EIO)
            }
            mib => Ok(u64::from(mib) << 20),
        }
    }

    /// Revision of the chip.
    pub(crate) fn revision(&self, bars: &Bars) -> u8 {
        self.hal.revision(&bars.registers)
    }

    /// Lets the CPU reach VRAM, moves the flush registers to [`FLUSH_PAGE`] and opens the doorbell BAR.
    ///
    /// `sdma_engines` engines and the interrupt handler get their doorbells; all others are the command
    /// processor's.
    pub(crate) fn set_up(&self, bars: &Bars, sdma_engines: u8) -> Result {
        let r = &bars.registers;
        self.hal.leave_standby(r);
        self.hal.remap_flush(r, FLUSH_PAGE);
        self.hal.open_vram(r, true);
        for engine in 0..sdma_engines {
            self.hal
                .route_sdma(r, engine, doorbell::sdma(engine), doorbell::SDMA_RANGE_DWORDS)?;
        }
        self.hal.route_ih(r, doorbell::IH, IH_DOORBELLS)?;
        self.hal.open_doorbells(r, true);
        self.hal.self_ring(r, Some(bars.doorbells.phys()));
        dev_info!(bars.dev, "NBIO: chip revision {}\n", self.hal.revision(r));
        Ok(())
    }

    /// Closes what [`Nbio::set_up`] opened, so that nothing rings in a device without a driver.
    pub(crate) fn tear_down(&self, bars: &Bars) {
        let r = &bars.registers;
        self.hal.self_ring(r, None);
        self.hal.open_doorbells(r, false);
    }

    /// Makes interrupts be plain messages, with no dummy read before them, and snooped.
    pub(crate) fn set_up_interrupts(&self, bars: &Bars, dummy_page: u64) {
        self.hal.interrupts(&bars.registers, dummy_page);
    }

    /// 1 if the device answers, 0 if not.
    pub(crate) fn is_there(&self, bars: &Bars) -> u32 {
        u32::from(self.hal.vram_mib(&bars.registers) != u32::MAX)
    }

    /// Waits until earlier writes to the device have arrived there.
    pub(crate) fn posting_read(&self, bars: &Bars) {
        let _ = self.hal.vram_mib(&bars.registers);
    }
}

/// Dwords of the interrupt handler's doorbells: three rings and the retry CAM, 64 bits each.
const IH_DOORBELLS: u32 = 8;
