// SPDX-License-Identifier: GPL-2.0
//! The file for the DMA engines (SDMA), the same for all of a card. Layout: kernel amdgpu_ucode.h
//! `struct sdma_firmware_header_v1_0`.

use super::file::{File, HEADER};
use super::{FirmwareError, Image};

/// Code of an engine; its jump table is part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sdma<'a> {
    /// Version of the interface to the driver.
    pub feature: u32,
    /// The code.
    pub code: Image<'a>,
}

impl<'a> Sdma<'a> {
    /// Reads the file (aldebaran_sdma.bin).
    pub fn parse(bytes: &'a [u8]) -> Result<Self, FirmwareError> {
        let file = File::parse(bytes, (1, 0))?;
        Ok(Self {
            feature: file.word(HEADER)?,
            code: file.main("the code")?,
        })
    }
}
