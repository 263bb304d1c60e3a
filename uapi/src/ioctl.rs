// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT
//! How an ioctl request number is composed (asm-generic/ioctl.h): bits 0-7 number, 8-15 type, 16-29 size of the
//! argument in bytes, 30-31 direction.

/// Which way the argument goes, as the caller sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Dir {
    /// No argument.
    None = 0,
    /// To the kernel.
    Write = 1,
    /// From the kernel.
    Read = 2,
    /// Both.
    ReadWrite = 3,
}

/// The request number for an argument of `size` bytes (below 16 KiB).
pub const fn encode(dir: Dir, ty: u8, nr: u8, size: usize) -> u32 {
    assert!(size < 1 << 14);
    (dir as u32) << 30 | (size as u32) << 16 | (ty as u32) << 8 | nr as u32
}

/// Number of a request: the part a tolerant dispatcher goes by.
pub const fn nr(cmd: u32) -> u8 {
    cmd as u8
}

/// Type (family letter) of a request.
pub const fn ty(cmd: u32) -> u8 {
    (cmd >> 8) as u8
}

/// Bytes of the argument, as the caller compiled it.
pub const fn size(cmd: u32) -> usize {
    (cmd >> 16 & 0x3fff) as usize
}

/// Whether the caller passes data to the kernel.
pub const fn writes(cmd: u32) -> bool {
    cmd >> 30 & Dir::Write as u32 != 0
}

/// Whether the caller expects data from the kernel.
pub const fn reads(cmd: u32) -> bool {
    cmd >> 30 & Dir::Read as u32 != 0
}

/// One request of a device.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// C macro.
    pub c_name: &'static str,
    /// Name without prefix, for messages.
    pub name: &'static str,
    /// Request number with this crate's argument size.
    pub cmd: u32,
}

/// Declares the requests of a device: number, direction, argument type, a `TABLE` of all, and `FIELDS`.
macro_rules! ioctls {
    ($(#[$meta:meta])* pub mod $module:ident = $prefix:literal, $ty:expr, $base:expr;
        $($(#[$imeta:meta])* $name:ident = $dir:ident($nr:literal, $arg:ty),)*) => {
        $(#[$meta])*
        pub mod $module {
            use super::*;
            use $crate::ioctl::{encode, Dir, Request};

            $($(#[$imeta])* pub const $name: u32 = encode(Dir::$dir, $ty, $base + $nr, size_of::<$arg>());)*

            /// All of them, by number.
            pub const TABLE: &[Request] = &[$(Request {
                c_name: concat!($prefix, stringify!($name)),
                name: stringify!($name),
                cmd: $name,
            },)*];

            /// The fields of each one's argument.
            pub const FIELDS: &[(u32, &[$crate::abi::Field])] =
                &[$(($name, <$arg as $crate::abi::Abi>::FIELDS),)*];
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_back() {
        let cmd = encode(Dir::ReadWrite, b'K', 0x02, 96);
        assert_eq!(cmd, 0xc060_4b02);
        assert_eq!((nr(cmd), ty(cmd), size(cmd)), (2, b'K', 96));
        assert!(writes(cmd) && reads(cmd));
        assert!(!reads(encode(Dir::Write, b'K', 3, 8)));
    }
}
