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

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(
    CONFIG_KUNIT = "y",
    ::kernel::prelude::kunit_tests(amdgpu_logic_atom_firmware_info)
)]
mod tests {
    use super::super::testing::*;
    use super::*;

    fn sample(revision: (u8, u8)) -> Sample {
        let mut sample = Sample::new(TableId::FirmwareInfo, 108, revision);
        sample
            .word(TABLE + 4, 3)
            .word(TABLE + 8, 50_000)
            .word(TABLE + 12, 160_000)
            .word(TABLE + 16, 0x200)
            .word(TABLE + 24, 0x4c)
            .word(TABLE + 84, 17);
        sample
    }

    #[inline(never)]
    fn read(
        revision: (u8, u8),
        change: impl FnOnce(&mut Sample) -> &mut Sample,
    ) -> Result<FirmwareInfo, AtomError> {
        let mut sample = sample(revision);
        change(&mut sample);
        Bios::parse(&sample.bytes)?.firmware_info()
    }

    #[test]
    fn clocks_and_capabilities() -> Result<(), AtomError> {
        let info = read((3, 4), |s| s)?;
        assert_eq!((info.revision, info.gfxclk, info.uclk), (3, 50_000, 160_000));
        assert_eq!((info.scratch, info.reserved), (0x4c, 17));
        assert!(info.sram_ecc());
        assert_eq!(read((3, 1), |s| s)?.reserved, 0);
        Ok(())
    }

    #[test]
    fn what_cannot_be() {
        let table = TableId::FirmwareInfo;
        for got in [(3, 5), (3, 0), (2, 4)] {
            assert_eq!(read(got, |s| s), Err(AtomError::Revision { table, got }));
        }
        let field = "bootup_mclk_in10khz";
        assert_eq!(
            read((3, 4), |s| s.word(TABLE + 12, 0)),
            Err(AtomError::Value {
                table,
                field,
                value: 0
            })
        );
    }
}
