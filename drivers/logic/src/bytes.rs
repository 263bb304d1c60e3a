// SPDX-License-Identifier: GPL-2.0
//! Little-endian numbers in bytes that nobody vouches for: firmware files, the VBIOS, tables of the device's firmware.

/// The byte at offset `at`; `None` behind the end, as for the others.
pub fn u8_at(bytes: &[u8], at: usize) -> Option<u8> {
    bytes.get(at).copied()
}

/// The 16-bit number at byte offset `at`, of any alignment.
pub fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    array_at(bytes, at).map(u16::from_le_bytes)
}

/// The 32-bit number at byte offset `at`, of any alignment.
pub fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    array_at(bytes, at).map(u32::from_le_bytes)
}

/// The 64-bit number at byte offset `at`, of any alignment.
pub fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    array_at(bytes, at).map(u64::from_le_bytes)
}

/// `N` bytes at offset `at`.
pub fn array_at<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}

/// `size` bytes at offset `at`.
pub fn slice_at(bytes: &[u8], at: usize, size: usize) -> Option<&[u8]> {
    bytes.get(at..)?.get(..size)
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_bytes))]
mod tests {
    use super::*;
    #[cfg(test)]
    use proptest::prelude::*;

    #[test]
    fn numbers_end_with_the_bytes() {
        let bytes = [1, 2, 3, 4, 5, 6, 7, 8, 9];
        assert_eq!(u8_at(&bytes, 8), Some(9));
        assert_eq!(u8_at(&bytes, 9), None);
        assert_eq!(u16_at(&bytes, 7), Some(0x0908));
        assert_eq!(u16_at(&bytes, 8), None);
        assert_eq!(u32_at(&bytes, 5), Some(0x0908_0706));
        assert_eq!(u32_at(&bytes, 6), None);
        assert_eq!(u64_at(&bytes, 1), Some(0x0908_0706_0504_0302));
        assert_eq!(u64_at(&bytes, 2), None);
        assert_eq!(u32_at(&bytes, usize::MAX), None);
        assert_eq!(slice_at(&bytes, 9, 0), Some(&bytes[9..]));
        assert_eq!(slice_at(&bytes, 10, 0), None);
        assert_eq!(slice_at(&bytes, 1, usize::MAX), None);
    }

    #[cfg(test)]
    proptest! {
        #[test]
        fn a_slice_is_there_or_not(bytes: std::vec::Vec<u8>, at in 0usize..64, size in 0usize..64) {
            prop_assert_eq!(slice_at(&bytes, at, size), bytes.get(at..at + size));
        }
    }
}
