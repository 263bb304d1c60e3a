// SPDX-License-Identifier: GPL-2.0
//! The data tables of the VBIOS (AMD calls its format ATOM): what the board is made of, its boot clocks, its limits.
//!
//! An image holds a ROM header, which points at a master table of offsets, one for each data table. A table begins
//! with its size and revision; every number is read inside of that size, and the size is inside of the image. The
//! programs an image holds as well are not run: the card has run them itself when it started.
//!
//! Layouts: kernel include/atomfirmware.h.

mod error;
mod firmware_info;
mod gfx_info;
mod memory;
mod power;
mod smu_info;
mod strings;
mod table;

pub use error::AtomError;
pub use firmware_info::FirmwareInfo;
pub use gfx_info::GfxInfo;
pub use memory::{MemoryKind, UmcInfo, VramInfo};
pub use power::{PowerTable, POWER_TABLE};
pub use smu_info::SmuInfo;
pub use table::TableId;

use crate::bytes::{slice_at, u16_at, u8_at};
use table::{Table, COMMON};

/// Where the image's length is, in units of 512 bytes (PCI firmware specification).
const LENGTH: usize = 2;
/// Where the offset of the ROM header is.
const HEADER_POINTER: usize = 0x48;
/// Offset in the ROM header: a signature.
const SIGNATURE: usize = 4;
/// Offset in the ROM header: offset of the master table of data tables.
const DATA: usize = 0x20;

/// A VBIOS image with the signatures of one.
#[derive(Clone, Copy, Debug)]
pub struct Bios<'a> {
    image: &'a [u8],
    /// Where the master table of data tables is.
    data: usize,
}

impl<'a> Bios<'a> {
    /// Checks the signatures of an image, as the ROM or the platform hands it over.
    pub fn parse(image: &'a [u8]) -> Result<Self, AtomError> {
        let short = AtomError::Image {
            size: image.len(),
            needed: HEADER_POINTER.saturating_add(2),
        };
        let header = usize::from(u16_at(image, HEADER_POINTER).ok_or(short)?);
        let signed = |at: usize, wanted: &'static str| match slice_at(image, at, wanted.len()) {
            Some(bytes) if bytes == wanted.as_bytes() => Ok(()),
            _ => Err(AtomError::Signature { wanted, at }),
        };
        if image.first_chunk() != Some(&[0x55, 0xaa]) {
            return Err(AtomError::Signature {
                wanted: "55 AA",
                at: 0,
            });
        }
        let declared = usize::from(u8_at(image, LENGTH).ok_or(short)?).saturating_mul(512);
        if declared > image.len() {
            return Err(AtomError::Image {
                size: image.len(),
                needed: declared,
            });
        }
        signed(0x30, " 761295520")?;
        signed(header.saturating_add(SIGNATURE), "ATOM")?;
        let data = u16_at(image, header.saturating_add(DATA));
        Ok(Self {
            image,
            data: data.map(usize::from).ok_or(AtomError::Image {
                size: image.len(),
                needed: header.saturating_add(DATA).saturating_add(2),
            })?,
        })
    }

    /// A data table; `None` if the board has none of this kind.
    fn find(&self, id: TableId) -> Result<Option<Table<'a>>, AtomError> {
        let entry = (id as usize).saturating_mul(2).saturating_add(COMMON);
        // the master table may be shorter: what is behind it does not exist
        let Some(master) = Table::at(self.image, TableId::Master, self.data)? else {
            return Err(AtomError::Missing(TableId::Master));
        };
        match u16_at(master.bytes(), entry) {
            None | Some(0) => Ok(None),
            Some(offset) => Table::at(self.image, id, usize::from(offset)),
        }
    }

    /// A data table that the card cannot do without.
    fn table(&self, id: TableId) -> Result<Table<'a>, AtomError> {
        self.find(id)?.ok_or(AtomError::Missing(id))
    }
}
