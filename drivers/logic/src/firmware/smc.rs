// SPDX-License-Identifier: GPL-2.0
//! The file for system management (SMU). Layout: kernel amdgpu_ucode.h `struct smc_firmware_header_v2_1`; the power
//! tables such a file may hold are not used: the VBIOS has the card's own.

use super::file::File;
use super::{FirmwareError, Image};

/// Code of the management processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Smc<'a> {
    /// The code. Its version is program, major, minor and debug number, a byte each.
    pub code: Image<'a>,
}

impl<'a> Smc<'a> {
    /// Reads the file (aldebaran_smc.bin).
    pub fn parse(bytes: &'a [u8]) -> Result<Self, FirmwareError> {
        let file = File::parse(bytes, (2, 0))?;
        Ok(Self {
            code: file.main("the code")?,
        })
    }
}
