// SPDX-License-Identifier: GPL-2.0
//! The file for the run list controller (RLC). Layout: kernel amdgpu_ucode.h `struct rlc_firmware_header_v2_1`.

use super::file::File;
use super::{FirmwareError, Image};

/// Code, and the lists of registers to save and restore when the engine loses power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rlc<'a> {
    /// Version of the interface to the driver.
    pub feature: u32,
    /// RLC_G: the code.
    pub code: Image<'a>,
    /// Save and restore list: control.
    pub restore_cntl: Image<'a>,
    /// Save and restore list: memory of the controller's own processor (GPM).
    pub restore_gpm: Image<'a>,
    /// Save and restore list: the save and restore machine (SRM).
    pub restore_srm: Image<'a>,
}

/// Byte offsets in the header. A list's entry is its version, its feature version, size and offset in the file.
mod at {
    pub(super) const FEATURE: usize = 32;
    pub(super) const CNTL: usize = 108;
    pub(super) const GPM: usize = 124;
    pub(super) const SRM: usize = 140;
}

impl<'a> Rlc<'a> {
    /// Reads the file (aldebaran_rlc.bin).
    pub fn parse(bytes: &'a [u8]) -> Result<Self, FirmwareError> {
        let file = File::parse(bytes, (2, 1))?;
        Ok(Self {
            feature: file.word(at::FEATURE)?,
            code: file.main("the code")?,
            restore_cntl: list(&file, "the restore list CNTL", at::CNTL)?,
            restore_gpm: list(&file, "the restore list GPM", at::GPM)?,
            restore_srm: list(&file, "the restore list SRM", at::SRM)?,
        })
    }
}

fn list<'a>(file: &File<'a>, name: &'static str, at: usize) -> Result<Image<'a>, FirmwareError> {
    let size = file.word(at.saturating_add(8))?;
    let offset = file.word(at.saturating_add(12))?;
    file.image(name, file.word(at)?, u64::from(offset), size)?
        .ok_or(FirmwareError::Empty { part: name })
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_firmware_rlc))]
mod tests {
    use super::super::testing::*;
    use super::*;
    #[cfg(test)]
    use proptest::prelude::*;

    fn sample() -> Sample {
        let mut sample = Sample::new((2, 1), 0x9c);
        sample
            .word(0x20, 1)
            .words(0x6c, [4, 0, 0x10, 0x200])
            .words(0x7c, [5, 0, 0x20, 0x210])
            .words(0x8c, [6, 0, 0xd0, 0x230]);
        sample
    }

    #[test]
    fn code_and_three_lists() -> Result<(), FirmwareError> {
        let sample = sample();
        let rlc = Rlc::parse(&sample.bytes)?;
        let image = |version, from: usize, to: usize| Image {
            version,
            bytes: &sample.bytes[from..to],
        };
        assert_eq!(rlc.feature, 1);
        assert_eq!(rlc.code, image(7, 0x100, 0x200));
        assert_eq!(rlc.restore_cntl, image(4, 0x200, 0x210));
        assert_eq!(rlc.restore_gpm, image(5, 0x210, 0x230));
        assert_eq!(rlc.restore_srm, image(6, 0x230, 0x300));
        Ok(())
    }

    #[test]
    fn lists_that_are_not_there() {
        let error = |at, value| Rlc::parse(&sample().word(at, value).bytes).err();
        let part = "the restore list SRM";
        assert_eq!(error(0x94, 0), Some(FirmwareError::Empty { part }));
        let outside = FirmwareError::Outside {
            part,
            offset: 0x230,
            size: 0xd1,
            file: SIZE,
        };
        assert_eq!(error(0x94, 0xd1), Some(outside));
        // the header ends before the last list's entry
        let short = FirmwareError::HeaderSize {
            header: 0x98,
            needed: 0x9c,
        };
        assert_eq!(error(4, 0x98), Some(short));
    }

    #[cfg(test)]
    proptest! {
        #[test]
        fn damaged_files(bytes in damaged(sample())) {
            if let Ok(rlc) = Rlc::parse(&bytes) {
                for image in [rlc.code, rlc.restore_cntl, rlc.restore_gpm, rlc.restore_srm] {
                    assert_inside(&bytes, image.bytes);
                }
            }
        }
    }
}
