// SPDX-License-Identifier: GPL-2.0
//! What is wrong with a VBIOS image.

use core::fmt;

use super::TableId;

/// Why an image or one of its tables is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomError {
    /// The image is too small, in bytes.
    Image {
        /// Of the image.
        size: usize,
        /// What a pointer in it, or its own length, asks for.
        needed: usize,
    },
    /// A signature is not there.
    Signature {
        /// What would be there.
        wanted: &'static str,
        /// Where, in bytes.
        at: usize,
    },
    /// A table that the card cannot do without is not in the master table.
    Missing(TableId),
    /// A table is not inside of the image, in bytes.
    Outside {
        /// Which.
        table: TableId,
        /// Where it begins.
        offset: usize,
        /// Its size, or that of a header if even this is outside.
        size: usize,
        /// Bytes of the image.
        image: usize,
    },
    /// A revision of a table, format and content, whose layout is not known.
    Revision {
        /// Which.
        table: TableId,
        /// Its revision.
        got: (u8, u8),
    },
    /// A table ends before a number of its revision, in bytes.
    Short {
        /// Which.
        table: TableId,
        /// Its size.
        size: usize,
        /// Where the number ends.
        needed: usize,
    },
    /// A number that no card has.
    Value {
        /// In which table.
        table: TableId,
        /// Its name.
        field: &'static str,
        /// What it is.
        value: u32,
    },
}

impl fmt::Display for AtomError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Image { size, needed } => {
                write!(f, "VBIOS: {size:#x} bytes, {needed:#x} or more are needed")
            }
            Self::Signature { wanted, at } => write!(f, "VBIOS: no '{wanted}' at {at:#x}"),
            Self::Missing(table) => write!(f, "VBIOS: no table {table}"),
            Self::Outside {
                table,
                offset,
                size,
                image,
            } => write!(
                f,
                "VBIOS: table {table} would be {size:#x} bytes at {offset:#x} of {image:#x}"
            ),
            Self::Revision { table, got } => {
                write!(
                    f,
                    "VBIOS: table {table} has the unknown revision {}.{}",
                    got.0, got.1
                )
            }
            Self::Short { table, size, needed } => write!(
                f,
                "VBIOS: table {table} has {size:#x} bytes, {needed:#x} or more are needed"
            ),
            Self::Value { table, field, value } => write!(f, "VBIOS: table {table}: {field} is {value}"),
        }
    }
}
