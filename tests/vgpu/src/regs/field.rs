// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Fields of registers, as masks.

/// The mask of the field `high:low`.
pub const fn mask(high: u32, low: u32) -> u32 {
    assert!(low <= high && high < 32);
    u32::MAX >> (31 - (high - low)) << low
}

/// The field of `value` that `mask` covers, shifted down.
pub const fn extract(value: u32, mask: u32) -> u32 {
    (value & mask) >> mask.trailing_zeros()
}

/// `value` shifted up into the field that `mask` covers, and cut off there.
pub const fn place(value: u32, mask: u32) -> u32 {
    value << mask.trailing_zeros() & mask
}

/// Declares the masks of fields by public names and bits: `MASK = REGISTER.FIELD[high:low];`. Names and bits are
/// compared with AMD's headers (`tests/registers`).
///
/// ```
/// vgpu::fields! {
///     /// The queue is empty.
///     IDLE = SDMA0_GFX_CONTEXT_STATUS.IDLE[2:2];
/// }
/// assert_eq!(IDLE, 4);
/// ```
#[macro_export]
macro_rules! fields {
    ($($(#[$doc:meta])* $name:ident = $register:ident.$field:ident[$high:literal:$low:literal];)*) => {
        $(
            $(#[$doc])*
            #[doc = concat!("(", stringify!($register), ".", stringify!($field), ")")]
            #[allow(unreachable_pub)]
            pub const $name: u32 = $crate::regs::mask($high, $low);
        )*
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_take_out_and_put_in() {
        assert_eq!((mask(31, 0), mask(31, 31), mask(5, 1)), (u32::MAX, 1 << 31, 0x3e));
        assert_eq!(extract(0x1234_5678, mask(15, 8)), 0x56);
        assert_eq!(place(0x156, mask(15, 8)), 0x5600);
    }
}
