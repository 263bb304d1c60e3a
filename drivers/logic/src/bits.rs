// SPDX-License-Identifier: GPL-2.0
//! Cutting and joining of machine words, as every packet, register and descriptor needs it.

/// Low 32 bits of a 64-bit address or value.
pub const fn lo(value: u64) -> u32 {
    (value & 0xffff_ffff) as u32
}

/// High 32 bits of a 64-bit address or value.
pub const fn hi(value: u64) -> u32 {
    (value >> 32) as u32
}

/// The 64-bit value of two halves.
pub const fn join(lo: u32, hi: u32) -> u64 {
    (hi as u64) << 32 | lo as u64
}

/// `value` placed in the field `HIGH:LOW` of a dword, both inclusive as AMD's documents write them.
///
/// Bits that do not fit are cut off: callers hand in types that cannot be too wide, or check before.
pub const fn field<const HIGH: u32, const LOW: u32>(value: u32) -> u32 {
    const { assert!(HIGH < 32 && LOW <= HIGH) };
    (value & mask(const { HIGH - LOW })) << LOW
}

/// The field `HIGH:LOW` of `word`, shifted down.
pub const fn extract<const HIGH: u32, const LOW: u32>(word: u32) -> u32 {
    const { assert!(HIGH < 32 && LOW <= HIGH) };
    (word >> LOW) & mask(const { HIGH - LOW })
}

/// `log2` ones and one more.
const fn mask(log2: u32) -> u32 {
    u32::MAX >> 31u32.saturating_sub(log2)
}

/// Base-2 logarithm of a power of two; `None` for anything else.
pub const fn log2(value: u32) -> Option<u32> {
    if value.is_power_of_two() {
        Some(value.trailing_zeros())
    } else {
        None
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_bits))]
mod tests {
    use super::*;
    #[cfg(test)]
    use proptest::prelude::*;

    #[test]
    fn fields_are_placed_and_cut() {
        assert_eq!(field::<31, 0>(0xdead_beef), 0xdead_beef);
        assert_eq!(field::<15, 8>(0x1ff), 0xff00);
        assert_eq!(field::<31, 31>(1), 0x8000_0000);
        assert_eq!(extract::<15, 8>(0x1234_5678), 0x56);
        assert_eq!(log2(4096), Some(12));
        assert_eq!(log2(0), None);
        assert_eq!(log2(3), None);
    }

    #[cfg(test)]
    proptest! {
        #[test]
        fn halves_join(v: u64) {
            prop_assert_eq!(join(lo(v), hi(v)), v);
        }

        #[test]
        fn a_field_reads_back(v in 0u32..0x400) {
            prop_assert_eq!(extract::<19, 10>(field::<19, 10>(v)), v);
        }
    }
}
