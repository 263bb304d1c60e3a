// SPDX-License-Identifier: GPL-2.0
//! Tables vram_info and umc_info. Layouts: kernel atomfirmware.h `struct atom_vram_info_header_v2_6`,
//! `struct atom_vram_module_v9`, `struct atom_umc_info_v3_3`.

use super::{AtomError, Bios, TableId};

/// What memory is made of (kernel atomfirmware.h: atom_dgpu_vram_type).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// Stacks beside the chip, of any generation.
    Hbm,
    /// Graphics memory, generation 5.
    Gddr5,
    /// Graphics memory, generation 6.
    Gddr6,
    /// Another.
    Other(u8),
}

/// The card's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VramInfo {
    /// Kind.
    pub kind: MemoryKind,
    /// Who made it, AMD's number of it.
    pub vendor: u8,
    /// Bits that are transferred at once.
    pub width: u32,
}

/// The memory controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UmcInfo {
    /// It can correct errors of the memory.
    pub ecc: bool,
}

/// UMC_CONFIG__DEFAULT_MEM_ECC_ENABLE.
const DEFAULT_ECC: u8 = 2;
/// UMC_CONFIG1__ENABLE_ECC_CAPABLE.
const ECC_CAPABLE: u32 = 0x1_0000;

impl Bios<'_> {
    /// The card's memory, of the kinds of memory that the board may be made with the one numbered `module` (the
    /// register BIOS_SCRATCH_4 has the number in its bits 23:16). `None` if the VBIOS does not say.
    pub fn vram_info(&self, module: u8) -> Result<Option<VramInfo>, AtomError> {
        let Some(table) = self.find(TableId::VramInfo)? else {
            return Ok(None);
        };
        if table.revision() != (2, 6) {
            return Err(table.unknown());
        }
        // the number may be of another board: the first is taken then
        let module = if module < table.u8(20)? { module } else { 0 };
        let mut at = 24usize;
        for _ in 0..module {
            at = at.saturating_add(table.u16(at.saturating_add(20))?.into());
        }
        let byte = |offset: usize| table.u8(at.saturating_add(offset));
        let log2 = byte(25)?;
        let width = u32::from(byte(24)?).checked_mul(1u32.checked_shl(log2.into()).unwrap_or(0));
        Ok(Some(VramInfo {
            kind: match byte(23)? {
                0x60 | 0x61 | 0x80 | 0x81 => MemoryKind::Hbm,
                0x50 => MemoryKind::Gddr5,
                0x70 => MemoryKind::Gddr6,
                kind => MemoryKind::Other(kind),
            },
            width: width
                .filter(|width| *width != 0)
                .ok_or(table.value("channel_width", log2.into()))?,
            vendor: byte(28)? & 0xf,
        }))
    }

    /// The memory controller; `None` if the VBIOS does not say.
    pub fn umc_info(&self) -> Result<Option<UmcInfo>, AtomError> {
        let Some(table) = self.find(TableId::UmcInfo)? else {
            return Ok(None);
        };
        if table.revision() != (3, 3) {
            return Err(table.unknown());
        }
        Ok(Some(UmcInfo {
            ecc: table.u8(27)? & DEFAULT_ECC != 0 || table.u32(52)? & ECC_CAPABLE != 0,
        }))
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_atom_memory))]
mod tests {
    use super::super::testing::*;
    use super::*;

    /// Two modules, the first of them longer.
    fn sample() -> Sample {
        let mut sample = Sample::new(TableId::VramInfo, 24 + 60 + 52, (2, 6));
        sample
            .put(TABLE + 20, [2])
            .half(TABLE + 24 + 20, 60)
            .put(TABLE + 24 + 23, [0x61, 32, 7, 0, 0, 0x21])
            .put(TABLE + 24 + 60 + 23, [0x70, 4, 5, 0, 0, 0xf3]);
        sample
    }

    #[inline(never)]
    fn read(
        change: impl FnOnce(&mut Sample) -> &mut Sample,
        module: u8,
    ) -> Result<Option<VramInfo>, AtomError> {
        let mut sample = sample();
        change(&mut sample);
        Bios::parse(&sample.bytes)?.vram_info(module)
    }

    #[test]
    fn the_board_says_which_memory() {
        let first = VramInfo {
            kind: MemoryKind::Hbm,
            vendor: 1,
            width: 4096,
        };
        let second = VramInfo {
            kind: MemoryKind::Gddr6,
            vendor: 3,
            width: 128,
        };
        assert_eq!(read(|s| s, 0), Ok(Some(first)));
        assert_eq!(read(|s| s, 1), Ok(Some(second)));
        assert_eq!(read(|s| s, 2), Ok(Some(first)));
        // a list that leads out of the table
        assert!(read(|s| s.half(TABLE + 24 + 20, 0xffff), 1).is_err());
    }

    #[test]
    fn widths_that_no_memory_has() {
        for log2 in [32, 255] {
            assert!(read(|s| s.put(TABLE + 24 + 25, [log2]), 0).is_err());
        }
        assert!(read(|s| s.put(TABLE + 24 + 24, [0]), 0).is_err());
    }

    #[test]
    fn error_correction() -> Result<(), AtomError> {
        let read = |config, config1| {
            let mut sample = Sample::new(TableId::UmcInfo, 68, (3, 3));
            sample.put(TABLE + 27, [config]).word(TABLE + 52, config1);
            Bios::parse(&sample.bytes)?.umc_info()
        };
        let ecc = |ecc| Some(UmcInfo { ecc });
        assert_eq!(read(0xfd, 0xfffe_ffff)?, ecc(false));
        assert_eq!(read(2, 0)?, ecc(true));
        assert_eq!(read(0, 0x1_0000)?, ecc(true));
        Ok(())
    }
}
