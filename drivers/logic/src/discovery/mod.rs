// SPDX-License-Identifier: GPL-2.0
//! The IP discovery table: which blocks a card is made of, of which generation, and where their registers are.
//!
//! Cards from gfx942 on have it in their memory; for gfx90a there is a file, whose contents the driver knows anyway.
//! Whoever wrote the memory wrote the table: every offset is checked before anything is made of it.
//!
//! Layout: kernel include/discovery.h.

mod error;
mod walk;

pub use error::DiscoveryError;
pub use walk::{Block, Blocks, Harvested};

use crate::bytes::{slice_at, u16_at, u32_at};
use walk::Walk;

/// binary_signature.
const SIGNATURE: u32 = 0x2821_1407;
/// `IPDS`: signature of the table of blocks.
const BLOCKS: u32 = 0x5344_5049;
/// `HARV`: signature of the table of blocks that do not work.
const HARVEST: u32 = 0x5652_4148;

/// A checked table.
#[derive(Clone, Copy, Debug)]
pub struct Discovery<'a> {
    walk: Walk<'a>,
    /// Entries of the table of blocks that do not work.
    harvest: &'a [u8],
}

impl<'a> Discovery<'a> {
    /// Checks all of it: checksums, signatures, and that every block's entry is inside.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, DiscoveryError> {
        let short = DiscoveryError::Size {
            size: bytes.len(),
            needed: HEADER,
        };
        let half = |at| u16_at(bytes, at).ok_or(short);
        let signature = u32_at(bytes, 0).ok_or(short)?;
        if signature != SIGNATURE {
            return Err(DiscoveryError::Signature {
                table: "discovery",
                got: signature,
            });
        }
        let size = usize::from(half(10)?);
        let binary = slice_at(bytes, 0, size).ok_or(DiscoveryError::Size {
            size: bytes.len(),
            needed: size,
        })?;
        let (list, count) = match half(4)? {
            1 => (12, 6),
            2 => (16, half(12)?),
            version => {
                return Err(DiscoveryError::Version {
                    table: "discovery",
                    version,
                })
            }
        };
        // all behind the checksum itself
        checked("discovery", binary.get(10..).unwrap_or_default(), half(8)?)?;
        let find = |name, index| table(binary, list, count, name, index);
        let blocks = find("blocks", 0)?.ok_or(DiscoveryError::Missing)?;
        let walk = Walk::new(binary, signed("blocks", blocks, BLOCKS)?)?;
        let harvest = match find("harvest", 2)? {
            Some(table) => signed("harvest", table, HARVEST)?.get(8..).unwrap_or_default(),
            None => &[],
        };
        Ok(Self { walk, harvest })
    }

    /// All blocks of all dies.
    pub fn blocks(&self) -> Blocks<'a> {
        self.walk.blocks()
    }

    /// The blocks that do not work on this card, by hardware id and instance.
    pub fn harvested(&self) -> Harvested<'a> {
        Harvested::new(self.harvest)
    }
}

/// Bytes before the list of tables.
const HEADER: usize = 12;

/// A table of the list, with the right checksum; `None` if there is none.
fn table<'a>(
    binary: &'a [u8],
    list: usize,
    count: u16,
    name: &'static str,
    index: u16,
) -> Result<Option<&'a [u8]>, DiscoveryError> {
    if index >= count {
        return Ok(None);
    }
    let entry = usize::from(index).saturating_mul(8).saturating_add(list);
    let half = |at: usize| {
        u16_at(binary, entry.saturating_add(at)).ok_or(DiscoveryError::Size {
            size: binary.len(),
            needed: entry.saturating_add(8),
        })
    };
    let (offset, sum, size) = (half(0)?, half(2)?, half(4)?);
    if offset == 0 {
        return Ok(None);
    }
    let table = slice_at(binary, offset.into(), size.into()).ok_or(DiscoveryError::Outside {
        table: name,
        offset: offset.into(),
        size: size.into(),
        binary: binary.len(),
    })?;
    checked(name, table, sum)?;
    Ok(Some(table))
}

/// Fails if the bytes do not add up.
fn checked(table: &'static str, bytes: &[u8], wanted: u16) -> Result<(), DiscoveryError> {
    let sum = bytes
        .iter()
        .fold(0u16, |sum, byte| sum.wrapping_add(u16::from(*byte)));
    if sum == wanted {
        Ok(())
    } else {
        Err(DiscoveryError::Checksum { table, sum, wanted })
    }
}

/// The table, if it begins with its signature.
fn signed<'a>(name: &'static str, table: &'a [u8], wanted: u32) -> Result<&'a [u8], DiscoveryError> {
    match u32_at(table, 0) {
        Some(got) if got == wanted => Ok(table),
        got => Err(DiscoveryError::Signature {
            table: name,
            got: got.unwrap_or_default(),
        }),
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_discovery))]
mod tests {
    use super::*;
    #[cfg(test)]
    use proptest::prelude::*;

    const SIZE: usize = 256;
    const TABLE: usize = 0x3c;
    const DIE: usize = TABLE + 80;
    const HARVESTED: usize = 0xe0;

    fn put(bytes: &mut [u8], at: usize, value: u32) {
        for (to, from) in bytes.iter_mut().skip(at).zip(value.to_le_bytes()) {
            *to = from;
        }
    }

    fn half(bytes: &mut [u8], at: usize, value: u16) {
        for (to, from) in bytes.iter_mut().skip(at).zip(value.to_le_bytes()) {
            *to = from;
        }
    }

    /// Makes the checksums right, where the tables are inside.
    fn seal(bytes: &mut [u8]) {
        let sum = |bytes: &[u8]| bytes.iter().fold(0u16, |s, b| s.wrapping_add((*b).into()));
        for entry in [12, 28] {
            let at = |n| u16_at(bytes, entry + n).unwrap_or_default().into();
            let total = slice_at(bytes, at(0), at(4)).map_or(0, sum);
            half(bytes, entry + 2, total);
        }
        let size = u16_at(bytes, 10).unwrap_or_default().into();
        let total = sum(bytes.get(10..size).unwrap_or_default());
        half(bytes, 8, total);
    }

    /// One die with a GC 9.4.2 of two bases and an SDMA, and a harvested VCN.
    fn sample() -> [u8; SIZE] {
        let mut bytes = [0; SIZE];
        put(&mut bytes, 0, SIGNATURE);
        half(&mut bytes, 4, 1);
        half(&mut bytes, 10, SIZE as u16);
        half(&mut bytes, 12, TABLE as u16);
        half(&mut bytes, 16, 120);
        half(&mut bytes, 28, HARVESTED as u16);
        half(&mut bytes, 32, 16);
        put(&mut bytes, TABLE, BLOCKS);
        half(&mut bytes, TABLE + 4, 2);
        half(&mut bytes, TABLE + 12, 1);
        half(&mut bytes, TABLE + 16, DIE as u16);
        half(&mut bytes, DIE + 2, 2);
        put(&mut bytes, DIE + 4, 0x0200_000b);
        put(&mut bytes, DIE + 8, 0x0002_0409);
        put(&mut bytes, DIE + 12, 0x2000);
        put(&mut bytes, DIE + 16, 0xa000);
        put(&mut bytes, DIE + 20, 0x0103_002a);
        put(&mut bytes, DIE + 24, 0x0000_0404);
        put(&mut bytes, DIE + 28, 0x1e400);
        put(&mut bytes, HARVESTED, HARVEST);
        put(&mut bytes, HARVESTED + 8, 0x0001_000c);
        seal(&mut bytes);
        bytes
    }

    #[test]
    fn blocks_and_what_does_not_work() -> Result<(), DiscoveryError> {
        let bytes = sample();
        let discovery = Discovery::parse(&bytes)?;
        let mut blocks = discovery.blocks();
        let gc = blocks.next().ok_or(DiscoveryError::Missing)?;
        assert_eq!((gc.die, gc.id, gc.instance, gc.version), (0, 11, 0, (9, 4, 2)));
        assert_eq!(
            [gc.base(0), gc.base(1), gc.base(2)],
            [Some(0x2000), Some(0xa000), None]
        );
        let sdma = blocks.next().ok_or(DiscoveryError::Missing)?;
        assert_eq!((sdma.id, sdma.instance, sdma.version), (42, 3, (4, 4, 0)));
        assert_eq!(sdma.base(0), Some(0x1e400));
        assert!(blocks.next().is_none());
        let mut harvested = discovery.harvested();
        assert_eq!(harvested.next(), Some((12, 1)));
        assert_eq!(harvested.next(), None);
        Ok(())
    }

    #[inline(never)]
    fn error(change: impl FnOnce(&mut [u8]), sealed: bool) -> Option<DiscoveryError> {
        let mut bytes = sample();
        change(&mut bytes);
        if sealed {
            seal(&mut bytes);
        }
        Discovery::parse(&bytes).err()
    }

    #[test]
    fn what_is_wrong_has_a_name() {
        let checksum = |e| matches!(e, Some(DiscoveryError::Checksum { .. }));
        assert!(checksum(error(|b| b[SIZE - 1] ^= 1, false)));
        assert!(checksum(error(|b| half(b, 8, 0), false)));
        let signature = |e| matches!(e, Some(DiscoveryError::Signature { .. }));
        assert!(signature(error(|b| b[0] ^= 1, true)));
        assert!(signature(error(|b| b[TABLE] ^= 1, true)));
        assert!(signature(error(|b| b[HARVESTED] ^= 1, true)));
        let version = |e| matches!(e, Some(DiscoveryError::Version { .. }));
        assert!(version(error(|b| half(b, 4, 3), true)));
        assert!(version(error(|b| half(b, TABLE + 4, 5), true)));
        assert_eq!(error(|b| half(b, 12, 0), true), Some(DiscoveryError::Missing));
        let size = SIZE;
        let needed = SIZE + 1;
        assert_eq!(
            error(|b| half(b, 10, SIZE as u16 + 1), true),
            Some(DiscoveryError::Size { size, needed })
        );
        let outside = |e| matches!(e, Some(DiscoveryError::Outside { .. }));
        assert!(outside(error(|b| half(b, 16, 0xff00), true)));
        assert!(outside(error(|b| half(b, TABLE + 16, 0xffff), true)));
        // more blocks, and more bases, than there is room for
        assert!(outside(error(|b| half(b, DIE + 2, 0xffff), true)));
        assert!(outside(error(|b| b[DIE + 7] = 0xff, true)));
        let dies = Some(DiscoveryError::Dies(17));
        assert_eq!(error(|b| half(b, TABLE + 12, 17), true), dies);
        let wrong = Some(DiscoveryError::Die { index: 0, id: 1 });
        assert_eq!(error(|b| half(b, DIE, 1), true), wrong);
        let nothing = Discovery::parse(&[]).err();
        assert_eq!(nothing, Some(DiscoveryError::Size { size: 0, needed: 12 }));
    }

    #[cfg(test)]
    proptest! {
        #[test]
        fn damaged_tables(
            changes in proptest::collection::vec((0..SIZE, any::<u8>()), 0..12),
            cut in 0..=SIZE,
        ) {
            let mut bytes = sample();
            for (at, value) in changes {
                bytes[at] = value;
            }
            seal(&mut bytes);
            let bytes = if cut % 4 == 0 { &bytes[..cut] } else { &bytes[..] };
            if let Ok(discovery) = Discovery::parse(bytes) {
                for block in discovery.blocks() {
                    for n in 0..256 {
                        let _ = block.base(n);
                    }
                }
                prop_assert!(discovery.harvested().count() <= SIZE);
            }
        }

        #[test]
        fn any_bytes(bytes: std::vec::Vec<u8>) {
            prop_assert!(Discovery::parse(&bytes).is_err());
        }
    }
}
