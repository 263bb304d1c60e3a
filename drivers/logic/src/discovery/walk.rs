// SPDX-License-Identifier: GPL-2.0
//! From die to die, from block to block.

use super::DiscoveryError;
use crate::bytes::{slice_at, u16_at, u32_at, u64_at, u8_at};

/// Places for dies in the table.
const DIES: u16 = 16;
/// Bytes of a block's entry before its bases.
const ENTRY: usize = 8;

/// A block of a die.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// The die.
    pub die: u16,
    /// AMD's number of the kind of block: 11 for GC, 42 for SDMA, 255 for MP0.
    pub id: u16,
    /// Which of this kind.
    pub instance: u8,
    /// Generation: major, minor, revision.
    pub version: (u8, u8, u8),
    /// Dwords, or quadwords, of the bases.
    bases: &'a [u8],
    wide: bool,
}

impl Block<'_> {
    /// Where a segment of its registers begins, in dwords.
    pub fn base(&self, segment: usize) -> Option<u64> {
        if self.wide {
            u64_at(self.bases, segment.checked_mul(8)?)
        } else {
            u32_at(self.bases, segment.checked_mul(4)?).map(u64::from)
        }
    }
}

/// A table whose entries are all inside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk<'a> {
    /// Offsets of dies are from its begin.
    binary: &'a [u8],
    table: &'a [u8],
    dies: u16,
    wide: bool,
}

impl<'a> Walk<'a> {
    pub(super) fn new(binary: &'a [u8], table: &'a [u8]) -> Result<Self, DiscoveryError> {
        let half = |at: usize| {
            u16_at(table, at).ok_or(DiscoveryError::Size {
                size: table.len(),
                needed: at.saturating_add(2),
            })
        };
        let version = half(4)?;
        if !(1..=4).contains(&version) {
            return Err(DiscoveryError::Version {
                table: "blocks",
                version,
            });
        }
        let dies = half(12)?;
        if dies > DIES {
            return Err(DiscoveryError::Dies(dies));
        }
        let walk = Self {
            binary,
            table,
            dies,
            wide: version == 4 && half(78)? & 1 != 0,
        };
        for index in 0..dies {
            let (id, mut rest) = walk.die(index)?;
            if id != index {
                return Err(DiscoveryError::Die { index, id });
            }
            while let Some(block) = rest.step(&walk)? {
                rest = block.1;
            }
        }
        Ok(walk)
    }

    /// What a die calls itself, and its blocks.
    fn die(&self, index: u16) -> Result<(u16, Rest), DiscoveryError> {
        let place = usize::from(index).saturating_mul(4).saturating_add(16);
        let at = usize::from(u16_at(self.table, place).unwrap_or_default());
        match (u16_at(self.binary, at), u16_at(self.binary, at.saturating_add(2))) {
            (Some(id), Some(left)) => Ok((
                id,
                Rest {
                    die: index,
                    at: at.saturating_add(4),
                    left,
                },
            )),
            _ => Err(self.outside("a die", at, 4)),
        }
    }

    fn outside(&self, table: &'static str, offset: usize, size: usize) -> DiscoveryError {
        DiscoveryError::Outside {
            table,
            offset,
            size,
            binary: self.binary.len(),
        }
    }

    pub(super) fn blocks(self) -> Blocks<'a> {
        Blocks {
            walk: self,
            die: 0,
            rest: None,
        }
    }
}

/// The blocks of a die that are still to come.
#[derive(Clone, Copy, Debug)]
struct Rest {
    die: u16,
    at: usize,
    left: u16,
}

impl Rest {
    /// The next block, and those behind it.
    fn step<'a>(self, walk: &Walk<'a>) -> Result<Option<(Block<'a>, Self)>, DiscoveryError> {
        let Some(left) = self.left.checked_sub(1) else {
            return Ok(None);
        };
        let outside = |size| walk.outside("a block", self.at, size);
        let entry = slice_at(walk.binary, self.at, ENTRY).ok_or(outside(ENTRY))?;
        let byte = |at| u8_at(entry, at).unwrap_or_default();
        let each = if walk.wide { 8 } else { 4 };
        let size = usize::from(byte(3)).saturating_mul(each);
        let first = self.at.saturating_add(ENTRY);
        let block = Block {
            die: self.die,
            id: u16_at(entry, 0).unwrap_or_default(),
            instance: byte(2),
            version: (byte(4), byte(5), byte(6)),
            bases: slice_at(walk.binary, first, size).ok_or(outside(size))?,
            wide: walk.wide,
        };
        let rest = Self {
            at: first.saturating_add(size),
            left,
            ..self
        };
        Ok(Some((block, rest)))
    }
}

/// All blocks of a table.
#[derive(Clone, Debug)]
pub struct Blocks<'a> {
    walk: Walk<'a>,
    /// The next die.
    die: u16,
    rest: Option<Rest>,
}

impl<'a> Iterator for Blocks<'a> {
    type Item = Block<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            // no error is left: all entries were walked when the table was checked
            if let Some(Ok(Some((block, rest)))) = self.rest.map(|rest| rest.step(&self.walk)) {
                self.rest = Some(rest);
                return Some(block);
            }
            if self.die >= self.walk.dies {
                return None;
            }
            self.rest = self.walk.die(self.die).ok().map(|(_, rest)| rest);
            self.die = self.die.saturating_add(1);
        }
    }
}

/// Blocks that do not work.
#[derive(Clone, Debug)]
pub struct Harvested<'a> {
    entries: core::slice::ChunksExact<'a, u8>,
}

impl<'a> Harvested<'a> {
    pub(super) fn new(entries: &'a [u8]) -> Self {
        Self {
            entries: entries.chunks_exact(4),
        }
    }
}

impl Iterator for Harvested<'_> {
    /// Hardware id and instance.
    type Item = (u16, u8);

    fn next(&mut self) -> Option<Self::Item> {
        let entry = self.entries.next()?;
        // the list ends with the first place that is empty
        match (u16_at(entry, 0)?, u8_at(entry, 2)?) {
            (0, _) => None,
            found => Some(found),
        }
    }
}
