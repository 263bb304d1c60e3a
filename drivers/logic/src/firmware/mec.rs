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
