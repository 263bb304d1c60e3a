// SPDX-License-Identifier: GPL-2.0
//! The part that all firmware files have in common. Layout: kernel amdgpu_ucode.h `struct common_firmware_header`.

use super::{FirmwareError, Image};
use crate::bytes::{slice_at, u16_at, u32_at};

/// Bytes of the common header.
pub(super) const HEADER: usize = 32;

/// A file that is as long as it says, whose header and main image are inside of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct File<'a> {
    bytes: &'a [u8],
    /// As long as the header says it is.
    header: &'a [u8],
    /// Version of the main image.
    pub(super) version: u32,
    /// Where the main image begins in the file; the images of some files are relative to it.
    pub(super) images: u32,
    /// The main image. May have no bytes.
    pub(super) payload: &'a [u8],
}

impl<'a> File<'a> {
    /// Reads the common header of a file with a layout from `wanted` on, of the same major number.
    pub(super) fn parse(bytes: &'a [u8], wanted: (u16, u16)) -> Result<Self, FirmwareError> {
        let short = FirmwareError::NoHeader {
            file: bytes.len(),
            header: HEADER,
        };
        let half = |at| u16_at(bytes, at).ok_or(short);
        let word = |at| u32_at(bytes, at).ok_or(short);
        if bytes.len() < HEADER {
            return Err(short);
        }
        let size = word(0)?;
        if usize::try_from(size) != Ok(bytes.len()) {
            return Err(FirmwareError::FileSize {
                file: bytes.len(),
                header: size,
            });
        }
        let layout = (half(8)?, half(10)?);
        if layout.0 != wanted.0 || layout.1 < wanted.1 {
            return Err(FirmwareError::Layout { got: layout, wanted });
        }
        let header_size = word(4)?;
        let header = part(bytes, "the header", 0, header_size)?;
        if header.len() < HEADER {
            return Err(FirmwareError::HeaderSize {
                header: header_size,
                needed: HEADER,
            });
        }
        let images = word(24)?;
        Ok(Self {
            bytes,
            header,
            version: word(16)?,
            images,
            payload: part(bytes, "the main image", u64::from(images), word(20)?)?,
        })
    }

    /// A number of the kind's own, at byte `at` of the header.
    pub(super) fn word(&self, at: usize) -> Result<u32, FirmwareError> {
        u32_at(self.header, at).ok_or(FirmwareError::HeaderSize {
            // not longer than the file, whose length is a u32
            header: u32::try_from(self.header.len()).unwrap_or(u32::MAX),
            needed: at.saturating_add(4),
        })
    }

    /// `size` bytes at `offset` of the file; `None` if there are none to be.
    pub(super) fn image(
        &self,
        name: &'static str,
        version: u32,
        offset: u64,
        size: u32,
    ) -> Result<Option<Image<'a>>, FirmwareError> {
        if size == 0 {
            return Ok(None);
        }
        let bytes = part(self.bytes, name, offset, size)?;
        Ok(Some(Image { version, bytes }))
    }

    /// The main image, which must have bytes.
    pub(super) fn main(&self, name: &'static str) -> Result<Image<'a>, FirmwareError> {
        if self.payload.is_empty() {
            return Err(FirmwareError::Empty { part: name });
        }
        Ok(Image {
            version: self.version,
            bytes: self.payload,
        })
    }

    /// A number behind the header, at byte `offset` of the file, of a list called `name`.
    pub(super) fn listed(&self, name: &'static str, offset: u64) -> Result<u32, FirmwareError> {
        let word = part(self.bytes, name, offset, 4)?;
        u32_at(word, 0).ok_or(FirmwareError::Empty { part: name })
    }
}

/// `size` bytes at `offset`.
fn part<'a>(bytes: &'a [u8], name: &'static str, offset: u64, size: u32) -> Result<&'a [u8], FirmwareError> {
    usize::try_from(offset)
        .ok()
        .zip(usize::try_from(size).ok())
        .and_then(|(at, size)| slice_at(bytes, at, size))
        .ok_or(FirmwareError::Outside {
            part: name,
            offset,
            size,
            file: bytes.len(),
        })
}
