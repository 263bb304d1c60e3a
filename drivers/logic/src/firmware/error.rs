// SPDX-License-Identifier: GPL-2.0
//! What is wrong with a firmware file.

use core::fmt;

/// Why a firmware file is not used; its text fits behind the file's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirmwareError {
    /// The file is smaller than the header every file begins with, in bytes.
    NoHeader {
        /// Of the file.
        file: usize,
        /// Of the header.
        header: usize,
    },
    /// The file is not as long as its header says, in bytes: cut off, or more than one file.
    FileSize {
        /// Of the file.
        file: usize,
        /// By the header.
        header: u32,
    },
    /// A layout of the header, major and minor, that is not one of this kind of file.
    Layout {
        /// By the header.
        got: (u16, u16),
        /// What is understood; any minor from this one on.
        wanted: (u16, u16),
    },
    /// The header ends before a number that its layout has, in bytes.
    HeaderSize {
        /// By the header.
        header: u32,
        /// Where the number ends.
        needed: usize,
    },
    /// An image, or what belongs to one, is not inside of the file.
    Outside {
        /// Its name.
        part: &'static str,
        /// First byte in the file.
        offset: u64,
        /// Bytes.
        size: u32,
        /// Bytes of the file.
        file: usize,
    },
    /// An image that the card cannot do without has no bytes.
    Empty {
        /// Its name.
        part: &'static str,
    },
    /// A jump table is not the end of its image, in bytes.
    JumpTable {
        /// Where the table ends.
        end: u64,
        /// Bytes of the image.
        image: usize,
    },
    /// A file lists more images than one can have.
    Count {
        /// By the file.
        count: u32,
        /// The most.
        limit: u32,
    },
}

impl fmt::Display for FirmwareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NoHeader { file, header } => {
                write!(f, "the file has {file:#x} bytes, a header alone {header:#x}")
            }
            Self::FileSize { file, header } => {
                write!(f, "the file has {file:#x} bytes, by its header {header:#x}")
            }
            Self::Layout { got, wanted } => write!(
                f,
                "the header's layout is {}.{}, not {}.{} or a later minor",
                got.0, got.1, wanted.0, wanted.1
            ),
            Self::HeaderSize { header, needed } => write!(
                f,
                "the header says it has {header:#x} bytes, its layout has {needed:#x} or more"
            ),
            Self::Outside {
                part,
                offset,
                size,
                file,
            } => write!(
                f,
                "{part} would be {size:#x} bytes at {offset:#x} of a file of {file:#x} bytes"
            ),
            Self::Empty { part } => write!(f, "{part} is missing"),
            Self::JumpTable { end, image } => write!(
                f,
                "the jump table ends at {end:#x} of an image of {image:#x} bytes, not at its end"
            ),
            Self::Count { count, limit } => {
                write!(f, "the file lists {count} images, {limit} is the most")
            }
        }
    }
}
