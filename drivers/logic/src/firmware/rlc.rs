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
