// SPDX-License-Identifier: GPL-2.0
//! The file with trusted applications (TA): programs of the security processor's operating system. Layout: kernel
//! amdgpu_ucode.h `struct ta_firmware_header_v2_0`.

use super::file::{File, HEADER};
use super::{FirmwareError, Image};

/// What an application is for (kernel amdgpu_ucode.h: ta_fw_type).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaKind {
    /// Links between cards.
    Xgmi = 2,
    /// Errors of memories.
    Ras = 3,
    /// Access to protected registers.
    Rap = 6,
}

/// A checked list of applications.
#[derive(Clone, Copy, Debug)]
pub struct Ta<'a> {
    file: File<'a>,
    count: u32,
}

/// Bytes of an entry: kind, version, offset from the first image, size.
const ENTRY: u64 = 16;
/// The most entries (kernel amdgpu_psp.c: parse_ta_v2_microcode).
const LIMIT: u32 = 25;

impl<'a> Ta<'a> {
    /// Reads the file (aldebaran_ta.bin) and checks every entry of it.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, FirmwareError> {
        let file = File::parse(bytes, (2, 0))?;
        let count = file.word(HEADER)?;
        if count > LIMIT {
            return Err(FirmwareError::Count { count, limit: LIMIT });
        }
        let ta = Self { file, count };
        (0..count).try_for_each(|n| ta.entry(n).map(|_| ()))?;
        Ok(ta)
    }

    /// The application of this kind, if the file has one.
    pub fn find(&self, kind: TaKind) -> Option<Image<'a>> {
        (0..self.count).find_map(|n| match self.entry(n) {
            Ok((k, image)) if k == kind as u32 => image,
            // parse() has seen them all without an error
            _ => None,
        })
    }

    /// Kind and image of an entry. The entries follow the count, beyond what the header calls its size.
    fn entry(&self, n: u32) -> Result<(u32, Option<Image<'a>>), FirmwareError> {
        const FIRST: u64 = HEADER as u64 + 4;
        let at = FIRST.saturating_add(ENTRY.saturating_mul(u64::from(n)));
        let word = |byte| self.file.listed("an entry", at.saturating_add(byte));
        let offset = u64::from(self.file.images).saturating_add(u64::from(word(8)?));
        let image = self.file.image("an application", word(4)?, offset, word(12)?)?;
        Ok((word(0)?, image))
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_firmware_ta))]
mod tests {
    use super::super::testing::*;
    use super::*;
    #[cfg(test)]
    use proptest::prelude::*;

    /// The header's size does not cover the entries, as in the distribution's file.
    fn sample() -> Sample {
        let mut sample = Sample::new((2, 0), 0x24);
        sample
            .word(0x20, 3)
            .words(0x24, [2, 21, 0, 0x10])
            .words(0x34, [3, 22, 0x10, 0x1f0])
            // known, without bytes
            .words(0x44, [6, 23, 0, 0]);
        sample
    }

    #[test]
    fn by_kind() -> Result<(), FirmwareError> {
        let sample = sample();
        let ta = Ta::parse(&sample.bytes)?;
        let found = |kind| ta.find(kind).map(|image| (image.version, image.bytes));
        assert_eq!(found(TaKind::Xgmi), Some((21, &sample.bytes[0x100..0x110])));
        assert_eq!(found(TaKind::Ras), Some((22, &sample.bytes[0x110..0x300])));
        assert_eq!(found(TaKind::Rap), None);
        Ok(())
    }

    #[test]
    fn every_entry_is_checked() {
        let error = |at, value| Ta::parse(&sample().word(at, value).bytes).err();
        assert_eq!(
            error(0x20, 26),
            Some(FirmwareError::Count { count: 26, limit: 25 })
        );
        let outside = FirmwareError::Outside {
            part: "an application",
            offset: 0x110,
            size: 0x1f1,
            file: SIZE,
        };
        assert_eq!(error(0x40, 0x1f1), Some(outside));
    }

    #[test]
    fn entries_behind_the_file() {
        let mut sample = Sample::new((2, 0), 0x24);
        sample.word(0x20, 1).word(20, 0).word(24, 0).word(0, 0x2c);
        let outside = FirmwareError::Outside {
            part: "an entry",
            offset: 0x2c,
            size: 4,
            file: 0x2c,
        };
        assert_eq!(Ta::parse(&sample.bytes[..0x2c]).err(), Some(outside));
    }

    #[cfg(test)]
    proptest! {
        #[test]
        fn damaged_files(bytes in damaged(sample())) {
            if let Ok(ta) = Ta::parse(&bytes) {
                for kind in [TaKind::Xgmi, TaKind::Ras, TaKind::Rap] {
                    if let Some(image) = ta.find(kind) {
                        assert_inside(&bytes, image.bytes);
                    }
                }
            }
        }
    }
}
