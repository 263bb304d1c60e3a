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
