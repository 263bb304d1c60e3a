// SPDX-License-Identifier: GPL-2.0
//! The file for the compute micro engines (MEC). Layout: kernel amdgpu_ucode.h `struct gfx_firmware_header_v1_0`.

use super::file::{File, HEADER};
use super::{FirmwareError, Image};

/// Code, with the jump table at its end as an image of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mec<'a> {
    /// Version of the interface to the driver.
    pub feature: u32,
    /// The code.
    pub code: Image<'a>,
    /// Where in the code each packet's handler is.
    pub jump_table: Image<'a>,
}

impl<'a> Mec<'a> {
    /// Reads the file (aldebaran_mec.bin).
    pub fn parse(bytes: &'a [u8]) -> Result<Self, FirmwareError> {
        let file = File::parse(bytes, (1, 0))?;
        let image = file.main("the code")?;
        // both in dwords
        let start = u64::from(file.word(HEADER + 4)?).saturating_mul(4);
        let size = u64::from(file.word(HEADER + 8)?).saturating_mul(4);
        let end = start.saturating_add(size);
        if u64::try_from(image.bytes.len()) != Ok(end) {
            return Err(FirmwareError::JumpTable {
                end,
                image: image.bytes.len(),
            });
        }
        let (code, jump_table) = usize::try_from(start)
            .ok()
            .and_then(|start| image.bytes.split_at_checked(start))
            .filter(|(code, table)| !code.is_empty() && !table.is_empty())
            .ok_or(FirmwareError::Empty {
                part: "the code or its jump table",
            })?;
        let part = |bytes| Image { bytes, ..image };
        Ok(Self {
            feature: file.word(HEADER)?,
            code: part(code),
            jump_table: part(jump_table),
        })
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_firmware_mec))]
mod tests {
    use super::super::testing::*;
    use super::*;
    #[cfg(test)]
    use proptest::prelude::*;

    /// 0xe0 bytes of code, 0x20 of jump table.
    fn sample() -> Sample {
        let mut sample = Sample::new((1, 0), 0x2c);
        sample.words(0x20, [46, 0x38, 8]);
        sample
    }

    #[test]
    fn the_jump_table_is_the_end() -> Result<(), FirmwareError> {
        let sample = sample();
        let mec = Mec::parse(&sample.bytes)?;
        assert_eq!(mec.feature, 46);
        assert_eq!((mec.code.version, mec.jump_table.version), (7, 7));
        assert_eq!(mec.code.bytes, &sample.bytes[0x100..0x1e0]);
        assert_eq!(mec.jump_table.bytes, &sample.bytes[0x1e0..0x200]);
        Ok(())
    }

    #[test]
    fn a_jump_table_elsewhere() {
        let error = |start, size| Mec::parse(&sample().words(0x24, [start, size]).bytes).err();
        let image = PAYLOAD as usize;
        for (start, size, end) in [
            (0x38, 7, 0xfc),
            (0x39, 8, 0x104),
            (u32::MAX, u32::MAX, 0x7_ffff_fff8),
        ] {
            assert_eq!(error(start, size), Some(FirmwareError::JumpTable { end, image }));
        }
        let part = "the code or its jump table";
        assert_eq!(error(0, 0x40), Some(FirmwareError::Empty { part }));
        assert_eq!(error(0x40, 0), Some(FirmwareError::Empty { part }));
    }

    #[cfg(test)]
    proptest! {
        #[test]
        fn damaged_files(bytes in damaged(sample())) {
            if let Ok(mec) = Mec::parse(&bytes) {
                assert_inside(&bytes, mec.code.bytes);
                assert_inside(&bytes, mec.jump_table.bytes);
            }
        }
    }
}
