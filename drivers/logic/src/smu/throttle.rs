// SPDX-License-Identifier: GPL-2.0
//! Reasons for lower clocks.

/// This chip's bits (kernel smu13_driver_if_aldebaran.h: THROTTLER_*_BIT), each with the bit that all chips have for
/// the same reason (kernel amdgpu_smu.h: SMU_THROTTLER_*_BIT).
const BITS: [(u8, u8); 11] = [
    // power of the card, and of its first rail
    (0, 0),
    (1, 1),
    // current of compute units, system part, memory
    (2, 16),
    (3, 17),
    (4, 18),
    // temperature of the chip, of the memory
    (6, 32),
    (7, 34),
    // temperature of the regulators for compute units, system part, memory
    (11, 38),
    (12, 39),
    (13, 40),
    // peak current control
    (19, 23),
];

/// Reasons of this chip as those that all chips have. Those that no chip's driver has a name for are left out.
pub(super) fn common(throttlers: u32) -> u64 {
    BITS.iter()
        .filter(|(own, _)| throttlers & 1 << own != 0)
        .fold(0, |all, (_, common)| all | 1 << common)
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_smu_throttle))]
mod tests {
    use super::*;

    #[test]
    fn bits_keep_their_meaning() {
        assert_eq!(common(0), 0);
        assert_eq!(common(0b11), 0b11);
        assert_eq!(common(1 << 19 | 1 << 6), 1 << 23 | 1 << 32);
        assert_eq!(common(u32::MAX).count_ones(), 11);
        // a bit without a meaning
        assert_eq!(common(1 << 31), 0);
    }
}
