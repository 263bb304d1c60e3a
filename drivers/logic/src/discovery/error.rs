// SPDX-License-Identifier: GPL-2.0
//! What is wrong with a discovery table.

use core::fmt;

/// Why a table is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiscoveryError {
    /// There are too few bytes.
    Size {
        /// So many.
        size: usize,
        /// What the header, or the number in it, asks for.
        needed: usize,
    },
    /// A table begins with something else than its signature.
    Signature {
        /// Which.
        table: &'static str,
        /// What it begins with.
        got: u32,
    },
    /// A table has a layout that is not known.
    Version {
        /// Which.
        table: &'static str,
        /// Its version.
        version: u16,
    },
    /// The bytes of a table do not add up.
    Checksum {
        /// Which.
        table: &'static str,
        /// Their sum.
        sum: u16,
        /// What it would be.
        wanted: u16,
    },
    /// There is no table of blocks.
    Missing,
    /// A part is not inside of the binary, in bytes.
    Outside {
        /// What it is.
        table: &'static str,
        /// Where it begins.
        offset: usize,
        /// Its size.
        size: usize,
        /// Bytes of the binary.
        binary: usize,
    },
    /// More dies than the list has places.
    Dies(u16),
    /// A die calls itself something else than its place.
    Die {
        /// Its place.
        index: u16,
        /// What it calls itself.
        id: u16,
    },
}

impl fmt::Display for DiscoveryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IP discovery: ")?;
        match *self {
            Self::Size { size, needed } => {
                write!(f, "{size:#x} bytes, {needed:#x} or more are needed")
            }
            Self::Signature { table, got } => write!(f, "table '{table}' begins with {got:#010x}"),
            Self::Version { table, version } => {
                write!(f, "table '{table}' has the unknown version {version}")
            }
            Self::Checksum { table, sum, wanted } => write!(
                f,
                "the bytes of table '{table}' add up to {sum:#06x}, not {wanted:#06x}"
            ),
            Self::Missing => f.write_str("no table 'blocks'"),
            Self::Outside {
                table,
                offset,
                size,
                binary,
            } => write!(
                f,
                "'{table}' would be {size:#x} bytes at {offset:#x} of {binary:#x}"
            ),
            Self::Dies(count) => write!(f, "{count} dies"),
            Self::Die { index, id } => write!(f, "die {index} calls itself {id}"),
        }
    }
}
