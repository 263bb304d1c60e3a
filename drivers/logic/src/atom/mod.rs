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
#[cfg(any(test, CONFIG_KUNIT = "y"))]
mod testing;

pub use error::AtomError;
pub use firmware_info::FirmwareInfo;
pub use gfx_info::GfxInfo;
pub use memory::{MemoryKind, UmcInfo, VramInfo};
pub use power::{PowerTable, POWER_TABLE};
pub use smu_info::SmuInfo;
pub use strings::PartNumber;
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

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_atom))]
mod tests {
    use super::testing::*;
    use super::*;
    #[cfg(test)]
    use proptest::prelude::*;

    fn sample() -> Sample {
        let mut sample = Sample::new(TableId::SmuInfo, 0x60, (3, 6));
        sample.word(TABLE + 16, 10_000);
        sample
    }

    #[inline(never)]
    fn error(change: impl FnOnce(&mut Sample) -> &mut Sample) -> Option<AtomError> {
        let mut sample = sample();
        change(&mut sample);
        Bios::parse(&sample.bytes).and_then(|bios| bios.smu_info()).err()
    }

    #[test]
    fn a_good_image() -> Result<(), AtomError> {
        let mut sample = sample();
        sample.word(TABLE + 40, 9).word(TABLE + 72, 8);
        let bios = Bios::parse(&sample.bytes)?;
        let info = bios.smu_info()?;
        assert_eq!((info.refclk, info.socclk, info.fclk), (10_000, 9, 8));
        // absent by a zero, and by a master table that is shorter
        assert_eq!(
            bios.firmware_info(),
            Err(AtomError::Missing(TableId::FirmwareInfo))
        );
        assert_eq!(bios.umc_info(), Ok(None));
        assert_eq!(bios.vram_info(0), Ok(None));
        Ok(())
    }

    #[test]
    fn signatures() {
        let signature = |wanted, at| Some(AtomError::Signature { wanted, at });
        assert_eq!(error(|s| s.put(1, [0])), signature("55 AA", 0));
        assert_eq!(error(|s| s.put(0x39, [0])), signature(" 761295520", 0x30));
        assert_eq!(error(|s| s.put(0x87, [0])), signature("ATOM", 0x84));
        assert_eq!(error(|s| s.half(0x48, 0xffff)), signature("ATOM", 0x1_0003));
    }

    #[test]
    fn sizes() {
        let image = |size, needed| Some(AtomError::Image { size, needed });
        assert_eq!(error(|s| s.put(2, [5])), image(SIZE, 5 * 512));
        let short = sample();
        assert_eq!(Bios::parse(&short.bytes[..0x49]).err(), image(0x49, 0x4a));
        assert_eq!(Bios::parse(&[]).err(), image(0, 0x4a));
        let outside = |table, offset, size| {
            Some(AtomError::Outside {
                table,
                offset,
                size,
                image: SIZE,
            })
        };
        let id = TableId::SmuInfo;
        assert_eq!(error(|s| s.half(TABLE, 0x701)), outside(id, TABLE, 0x701));
        assert_eq!(error(|s| s.half(0xb4 + 16, 0x7ff)), outside(id, 0x7ff, 4));
        assert_eq!(error(|s| s.half(0xa0, 0x7ff)), outside(TableId::Master, 0x7ff, 4));
        assert_eq!(
            error(|s| s.half(0xa0, 0)),
            Some(AtomError::Missing(TableId::Master))
        );
        let short = |size, needed| {
            Some(AtomError::Short {
                table: id,
                size,
                needed,
            })
        };
        assert_eq!(error(|s| s.half(TABLE, 3)), short(3, 4));
        assert_eq!(error(|s| s.half(TABLE, 4)), short(4, 20));
        assert_eq!(error(|s| s.half(TABLE, 75)), short(75, 76));
    }

    #[test]
    fn revisions_and_values() {
        let revision = AtomError::Revision {
            table: TableId::SmuInfo,
            got: (3, 7),
        };
        assert_eq!(error(|s| s.put(TABLE + 3, [7])), Some(revision));
        let value = AtomError::Value {
            table: TableId::SmuInfo,
            field: "core_refclk_10khz",
            value: 0,
        };
        assert_eq!(error(|s| s.word(TABLE + 16, 0)), Some(value));
    }

    #[cfg(test)]
    proptest! {
        #[test]
        fn any_bytes_behind_the_signatures(
            bytes in proptest::collection::vec(any::<u8>(), 0xc0..0x400),
            module: u8,
            pointers: [u16; 3],
        ) {
            let mut bytes = bytes;
            bytes[..3].copy_from_slice(&[0x55, 0xaa, 0]);
            bytes[0x30..0x3a].copy_from_slice(b" 761295520");
            bytes[0x48..0x4a].copy_from_slice(&[0x80, 0]);
            bytes[0x84..0x88].copy_from_slice(b"ATOM");
            bytes[0xa0..0xa2].copy_from_slice(&(pointers[0] % 0x100).to_le_bytes());
            read_all(&bytes, module);
        }

        #[test]
        fn any_table(
            table in prop_oneof![
                Just((TableId::FirmwareInfo, (3, 4))),
                Just((TableId::GfxInfo, (2, 4))),
                Just((TableId::UmcInfo, (3, 3))),
                Just((TableId::VramInfo, (2, 6))),
                Just((TableId::PowerplayInfo, (15, 0))),
            ],
            size in 0u16..0x700,
            bytes in proptest::collection::vec(any::<u8>(), 0x200),
            module: u8,
        ) {
            let mut sample = Sample::new(table.0, size, table.1);
            sample.bytes[TABLE + 4..][..0x200].copy_from_slice(&bytes);
            read_all(&sample.bytes, module);
        }
    }
}
