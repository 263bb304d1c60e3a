// SPDX-License-Identifier: GPL-2.0
//! A data table: its place, its revision, its numbers.

use core::fmt;

use super::AtomError;
use crate::bytes::{slice_at, u16_at, u32_at, u8_at};

/// Bytes of the header that all tables have: size, format revision, content revision.
pub(super) const COMMON: usize = 4;

/// Data tables by their index in the master table (kernel atomfirmware.h:
/// `struct atom_master_list_of_data_tables_v2_1`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableId {
    /// Board parameters of power management.
    SmcDpmInfo = 2,
    /// Boot clocks and capabilities.
    FirmwareInfo = 4,
    /// Clocks of the system part.
    SmuInfo = 8,
    /// Numbers of engines and units.
    GfxInfo = 14,
    /// Limits and curves of power management.
    PowerplayInfo = 15,
    /// Memory controller.
    UmcInfo = 24,
    /// Memory.
    VramInfo = 28,
    /// The table of tables itself: no index of a table.
    Master = u16::MAX as isize,
}

impl fmt::Display for TableId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SmcDpmInfo => "smc_dpm_info",
            Self::FirmwareInfo => "firmwareinfo",
            Self::SmuInfo => "smu_info",
            Self::GfxInfo => "gfx_info",
            Self::PowerplayInfo => "powerplayinfo",
            Self::UmcInfo => "umc_info",
            Self::VramInfo => "vram_info",
            Self::Master => "of data tables",
        })
    }
}

/// A table that is inside of the image.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table<'a> {
    id: TableId,
    bytes: &'a [u8],
}

impl<'a> Table<'a> {
    /// The table at `offset` of an image; `None` at 0, where none can be.
    pub(super) fn at(image: &'a [u8], id: TableId, offset: usize) -> Result<Option<Self>, AtomError> {
        if offset == 0 {
            return Ok(None);
        }
        let outside = |size| AtomError::Outside {
            table: id,
            offset,
            size,
            image: image.len(),
        };
        let size = usize::from(u16_at(image, offset).ok_or(outside(COMMON))?);
        let bytes = slice_at(image, offset, size).ok_or(outside(size))?;
        if size < COMMON {
            return Err(AtomError::Short {
                table: id,
                size,
                needed: COMMON,
            });
        }
        Ok(Some(Self { id, bytes }))
    }

    /// The whole table, header included.
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Format and content revision.
    pub(super) fn revision(&self) -> (u8, u8) {
        let byte = |at| u8_at(self.bytes, at).unwrap_or_default();
        (byte(2), byte(3))
    }

    /// The error of a revision whose layout is not known.
    pub(super) fn unknown(&self) -> AtomError {
        AtomError::Revision {
            table: self.id,
            got: self.revision(),
        }
    }

    /// The error of a number that cannot be.
    pub(super) fn value(&self, field: &'static str, value: u32) -> AtomError {
        AtomError::Value {
            table: self.id,
            field,
            value,
        }
    }

    /// The number at a byte offset, of 8 bits.
    pub(super) fn u8(&self, at: usize) -> Result<u8, AtomError> {
        u8_at(self.bytes, at).ok_or_else(|| self.short(at, 1))
    }

    /// The number at a byte offset, of 16 bits.
    pub(super) fn u16(&self, at: usize) -> Result<u16, AtomError> {
        u16_at(self.bytes, at).ok_or_else(|| self.short(at, 2))
    }

    /// The number at a byte offset, of 32 bits.
    pub(super) fn u32(&self, at: usize) -> Result<u32, AtomError> {
        u32_at(self.bytes, at).ok_or_else(|| self.short(at, 4))
    }

    /// `size` bytes at an offset.
    pub(super) fn slice(&self, at: usize, size: usize) -> Result<&'a [u8], AtomError> {
        slice_at(self.bytes, at, size).ok_or_else(|| self.short(at, size))
    }

    fn short(&self, at: usize, size: usize) -> AtomError {
        AtomError::Short {
            table: self.id,
            size: self.bytes.len(),
            needed: at.saturating_add(size),
        }
    }
}
