// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT
//! Plain data that crosses the border between a process and the kernel.

/// A value that is nothing but its bytes.
///
/// # Safety
///
/// Every bit pattern is a value of the type, and the type has no padding.
pub unsafe trait Abi: Copy + 'static {
    /// The views of a union; empty for everything else.
    const VARIANTS: &'static [Field] = &[];
    /// The fields of a struct; empty for everything else.
    const FIELDS: &'static [Field] = &[];

    /// The value whose bytes are all zero.
    fn zeroed() -> Self {
        // SAFETY: zero bytes are a value, as all bit patterns are.
        unsafe { core::mem::zeroed() }
    }

    /// The bytes of the value, in memory order.
    fn as_bytes(&self) -> &[u8] {
        // SAFETY: the pointer covers exactly the value, borrowed as long as the slice; without padding all bytes
        // are initialised.
        unsafe { core::slice::from_raw_parts(core::ptr::from_ref(self).cast(), size_of::<Self>()) }
    }

    /// The bytes of the value, to be written in any way.
    fn as_bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `as_bytes`, exclusively borrowed; whatever is written is a value.
        unsafe { core::slice::from_raw_parts_mut(core::ptr::from_mut(self).cast(), size_of::<Self>()) }
    }

    /// The value that begins with `bytes`: missing bytes are zero, surplus bytes are ignored.
    fn from_prefix(bytes: &[u8]) -> Self {
        let mut value = Self::zeroed();
        for (to, from) in value.as_bytes_mut().iter_mut().zip(bytes) {
            *to = *from;
        }
        value
    }
}

// SAFETY: integers have no padding and no forbidden bit pattern.
unsafe impl Abi for u8 {}
// SAFETY: as above.
unsafe impl Abi for u16 {}
// SAFETY: as above.
unsafe impl Abi for u32 {}
// SAFETY: as above.
unsafe impl Abi for u64 {}
// SAFETY: as above.
unsafe impl Abi for i32 {}
// SAFETY: no bytes at all.
unsafe impl Abi for () {}
// SAFETY: an array has the bytes of its elements, without gaps.
unsafe impl<T: Abi, const N: usize> Abi for [T; N] {}

/// A struct or union of the ABI that knows its C counterpart.
pub trait Described: Abi {
    /// Its C name and where its fields lie.
    const LAYOUT: Layout;
}

/// Where the fields of a struct lie.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// C type, with keyword: `struct kfd_ioctl_get_version_args`.
    pub c_name: &'static str,
    /// Bytes.
    pub size: usize,
    /// Bytes.
    pub align: usize,
    /// In memory order. For a union: its views.
    pub fields: &'static [Field],
}

/// One field of a struct.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// C name; empty where the C struct has padding only.
    pub c_name: &'static str,
    /// Bytes from the start of the struct.
    pub offset: usize,
    /// Bytes.
    pub size: usize,
    /// The views, if the field is a union: offsets count from the field.
    pub variants: &'static [Field],
}

/// One named number of the ABI.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    /// C macro or enumerator.
    pub c_name: &'static str,
    /// Its value, in the lowest `bits`.
    pub value: u64,
    /// Width of the type.
    pub bits: u32,
}

/// The C name of a field: the given one, else its own.
macro_rules! c_field {
    ($own:ident) => {
        stringify!($own)
    };
    ($own:ident $c:literal) => {
        $c
    };
}

/// Declares a struct of the ABI: `pub struct Rust = "struct c" { pub field: u32, pub other = "c_name": u32, }`.
/// A field with the C name `""` stands for padding of the C struct.
macro_rules! abi_struct {
    ($(#[$meta:meta])* pub struct $name:ident = $c:literal {
        $($(#[$fmeta:meta])* pub $field:ident $(= $cfield:literal)? : $ty:ty,)*
    }) => {
        $(#[$meta])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name {
            $($(#[$fmeta])* pub $field: $ty,)*
        }

        const _: () = assert!(size_of::<$name>() == 0 $(+ size_of::<$ty>())*, "padding must be a field");

        // SAFETY: all fields are `Abi` (checked by `VARIANTS` below), and the assertion above excludes padding.
        unsafe impl $crate::abi::Abi for $name {
            const FIELDS: &'static [$crate::abi::Field] = &[$($crate::abi::Field {
                c_name: c_field!($field $($cfield)?),
                offset: core::mem::offset_of!($name, $field),
                size: size_of::<$ty>(),
                variants: <$ty as $crate::abi::Abi>::VARIANTS,
            },)*];
        }

        impl Default for $name {
            fn default() -> Self {
                $crate::abi::Abi::zeroed()
            }
        }

        impl $crate::abi::Described for $name {
            const LAYOUT: $crate::abi::Layout = $crate::abi::Layout {
                c_name: $c,
                size: size_of::<$name>(),
                align: align_of::<$name>(),
                fields: <$name as $crate::abi::Abi>::FIELDS,
            };
        }
    };
}

/// Declares a union of the ABI as words with typed views: `pub union Rust = "union c": [u64; 2] { a/set_a: A, }`.
/// An anonymous union has the C name `""`.
macro_rules! abi_union {
    ($(#[$meta:meta])* pub union $name:ident = $c:literal : [$word:ty; $n:literal] {
        $($(#[$vmeta:meta])* $variant:ident / $set:ident $(= $cvariant:literal)? : $ty:ty,)*
    }) => {
        $(#[$meta])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name {
            words: [$word; $n],
        }

        impl $name {
            $(
                $(#[$vmeta])*
                pub fn $variant(&self) -> $ty {
                    $crate::abi::Abi::from_prefix($crate::abi::Abi::as_bytes(self))
                }

                #[doc = concat!("Sets [`Self::", stringify!($variant), "`]; the bytes behind it keep their value.")]
                pub fn $set(&mut self, value: $ty) {
                    let bytes = $crate::abi::Abi::as_bytes_mut(self);
                    for (to, from) in bytes.iter_mut().zip($crate::abi::Abi::as_bytes(&value)) {
                        *to = *from;
                    }
                }
            )*
        }

        $(const _: () = assert!(size_of::<$ty>() <= size_of::<$name>() && align_of::<$ty>() <= align_of::<$name>());)*

        // SAFETY: an array of integers.
        unsafe impl $crate::abi::Abi for $name {
            const VARIANTS: &'static [$crate::abi::Field] = &[$($crate::abi::Field {
                c_name: c_field!($variant $($cvariant)?),
                offset: 0,
                size: size_of::<$ty>(),
                variants: &[],
            },)*];
        }

        impl Default for $name {
            fn default() -> Self {
                $crate::abi::Abi::zeroed()
            }
        }

        impl $crate::abi::Described for $name {
            const LAYOUT: $crate::abi::Layout = $crate::abi::Layout {
                c_name: $c,
                size: size_of::<$name>(),
                align: align_of::<$name>(),
                fields: <$name as $crate::abi::Abi>::VARIANTS,
            };
        }
    };
}

/// Declares a module of numbers whose C names have a common prefix, with a `TABLE` of all of them.
macro_rules! abi_consts {
    ($(#[$meta:meta])* pub mod $module:ident : $ty:ty = $prefix:literal {
        $($(#[$cmeta:meta])* $name:ident = $value:expr,)*
    }) => {
        $(#[$meta])*
        pub mod $module {
            $($(#[$cmeta])* pub const $name: $ty = $value;)*

            /// All of them.
            pub const TABLE: &[$crate::abi::Constant] = &[$($crate::abi::Constant {
                c_name: concat!($prefix, stringify!($name)),
                value: $name as u64,
                bits: <$ty>::BITS,
            },)*];
        }
    };
}
