// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stands in for the kernel crate's `register!`: lists what is declared instead of generating accessors. What it does
//! not understand does not compile.

/// A declared register, or several of them at equal distances.
pub(crate) struct Register {
    /// Name.
    pub(crate) name: &'static str,
    /// What the offset is relative to; none for the start of the register BAR.
    pub(crate) base: Option<&'static str>,
    /// Byte offset of the first.
    pub(crate) offset: u32,
    /// How many.
    pub(crate) count: u32,
    /// Bytes from one to the next.
    pub(crate) stride: u32,
    /// Fields: name, highest bit, lowest bit.
    pub(crate) fields: &'static [(&'static str, u32, u32)],
}

macro_rules! register {
    ($(
        $(#[$_doc:meta])*
        $_vis:vis $name:ident(u32) $([$count:literal, stride = $stride:literal])? @ $($base:ident +)? $offset:literal {
            $($(#[$_field_doc:meta])* $high:literal:$low:literal $field:ident;)*
        }
    )*) => {
        /// The registers declared here.
        pub(super) const REGISTERS: &[crate::declared::Register] = &[$(
            crate::declared::Register {
                name: stringify!($name),
                base: crate::declared::or!(None $(, Some(stringify!($base)))?),
                offset: $offset,
                count: crate::declared::or!(1 $(, $count)?),
                stride: crate::declared::or!(0 $(, $stride)?),
                fields: &[$((stringify!($field), $high, $low)),*],
            }
        ),*];
    };
}
pub(crate) use register;

/// The last of one or two expressions.
macro_rules! or {
    ($absent:expr) => {
        $absent
    };
    ($_absent:expr, $present:expr) => {
        $present
    };
}
pub(crate) use or;
