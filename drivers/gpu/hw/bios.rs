// SPDX-License-Identifier: GPL-2.0
//! The VBIOS: what the board's maker says of the board.
//!
//! Its data tables are read from the expansion ROM. Its command tables, programs for an interpreter, are not run: cards
//! are initialised by the platform's firmware when the machine starts, and by their own after a reset. A card that says
//! it was not is refused.

use super::{Bars, Words};
use crate::glue::rom;
use amdgpu_logic::atom::{AtomError, Bios, PartNumber, PowerTable};
use kernel::{dev_err, device::Bound, pci, prelude::*};

/// What the driver takes from it.
pub(crate) struct Board {
    /// For the system management unit.
    pub(crate) power: PowerTable,
    /// What sysfs calls the VBIOS's version.
    pub(crate) part_number: PartNumber,
    /// Dword offset of the register BIOS_SCRATCH_0.
    scratch: u32,
}

impl Board {
    /// Reads the ROM. `ENODEV` if there is none, `EINVAL` if it is damaged; the log says what is wrong.
    pub(crate) fn new(pdev: &pci::Device<Bound>, bars: &Bars) -> Result<Self> {
        let image = rom::read(pdev).inspect_err(|e| {
            dev_err!(bars.dev, "VBIOS: the expansion ROM cannot be read: {:?}\n", e);
        })?;
        Self::parse(&image).map_err(|why| {
            dev_err!(bars.dev, "{}\n", Words(why));
            EINVAL
        })
    }

    fn parse(image: &[u8]) -> Result<Self, AtomError> {
        let bios = Bios::parse(image)?;
        Ok(Self {
            power: bios.power_table()?,
            part_number: bios.keep_part_number(),
            scratch: bios.firmware_info()?.scratch,
        })
    }

    /// `ENODEV` if the card was not initialised.
    pub(crate) fn check_posted(&self, bars: &Bars) -> Result {
        /// BIOS_SCRATCH_7, after the first of these registers.
        const STATE: u32 = 7;
        /// ATOM_S7_ASIC_INIT_COMPLETE (kernel atombios.h: ATOM_S7_ASIC_INIT_COMPLETE_MASK).
        const INITIALISED: u32 = 0x200;
        let offset = self
            .scratch
            .checked_add(STATE)
            .and_then(|dwords| dwords.checked_mul(4))
            .ok_or(EINVAL)?;
        let state = bars.registers.read32(offset as usize);
        if state == u32::MAX || state & INITIALISED == 0 {
            dev_err!(
                bars.dev,
                "VBIOS: the card is not initialised (BIOS_SCRATCH_7 is {:#010x}); \
                 the platform's firmware does that when the machine starts\n",
                state
            );
            return Err(ENODEV);
        }
        Ok(())
    }
}
