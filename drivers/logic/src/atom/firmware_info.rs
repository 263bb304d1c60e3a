// SPDX-License-Identifier: GPL-2.0
//! Table firmwareinfo. Layout: kernel atomfirmware.h `struct atom_firmware_info_v3_4`; what is read here is at the same
//! place since 3.1, but for the reserved size.

use super::{AtomError, Bios, TableId};

/// Boot clocks and capabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirmwareInfo {
    /// Version of the VBIOS.
    pub revision: u32,
    /// Graphics clock at boot, in 10 kHz; not 0.
    pub gfxclk: u32,
    /// Memory clock at boot, in 10 kHz; not 0.
    pub uclk: u32,
    /// Bits of capability.
    pub capability: u32,
    /// Dword offset of the register BIOS_SCRATCH_0.
    pub scratch: u32,
    /// VRAM at the end that firmware keeps to itself, in KiB.
    pub reserved: u32,
}

impl FirmwareInfo {
    /// The memories inside of the engines correct errors (ATOM_FIRMWARE_CAP_SRAM_ECC).
    pub fn sram_ecc(&self) -> bool {
        self.capability & 0x200 != 0
    }
}

impl Bios<'_> {
    /// Boot clocks and capabilities.
    pub fn firmware_info(&self) -> Result<FirmwareInfo, AtomError> {
        let table = self.table(TableId::FirmwareInfo)?;
        let reserved = match table.revision() {
            (3, 1..=3) => 0,
            (3, 4) => table.u32(84)?,
            _ => return Err(table.unknown()),
        };
        let clock = |field, at| match table.u32(at)? {
            0 => Err(table.value(field, 0)),
            clock => Ok(clock),
        };
        Ok(FirmwareInfo {
            revision: table.u32(4)?,
            gfxclk: clock("bootup_sclk_in10khz", 8)?,
            uclk: clock("bootup_mclk_in10khz", 12)?,
            capability: table.u32(16)?,
            scratch: table.u32(24)?,
            reserved,
        })
    }
}
