// SPDX-License-Identifier: GPL-2.0
//! Copies and fills of any length, cut into packets.

use super::{Copy, Fill, MAX_BYTES};

/// The packets that copy `bytes` bytes from `src` to `dst`.
///
/// `None` if either range wraps around the address space. No packet for no bytes.
pub fn copies(src: u64, dst: u64, bytes: u64) -> Option<Copies> {
    src.checked_add(bytes)?;
    dst.checked_add(bytes)?;
    Some(Copies {
        src,
        dst,
        left: bytes,
    })
}

/// Iterator of [`copies`].
#[derive(Clone, Debug)]
pub struct Copies {
    src: u64,
    dst: u64,
    left: u64,
}

impl Copies {
    /// Bytes that the packets not yet taken cover.
    pub fn left(&self) -> u64 {
        self.left
    }
}

impl Iterator for Copies {
    type Item = Copy;

    fn next(&mut self) -> Option<Copy> {
        let bytes = chunk(self.left)?;
        let packet = Copy {
            src: self.src,
            dst: self.dst,
            count: bytes.checked_sub(1)?,
        };
        self.src = self.src.checked_add(bytes.into())?;
        self.dst = self.dst.checked_add(bytes.into())?;
        self.left = self.left.checked_sub(bytes.into())?;
        Some(packet)
    }
}

/// The packets that set `bytes` bytes from `dst` on to the dword `value`.
///
/// `None` unless `dst` and `bytes` are multiples of 4, or if the range wraps around the address space.
pub fn fills(dst: u64, bytes: u64, value: u32) -> Option<Fills> {
    dst.checked_add(bytes)?;
    if dst % 4 != 0 || bytes % 4 != 0 {
        return None;
    }
    Some(Fills {
        dst,
        value,
        left: bytes,
    })
}

/// Iterator of [`fills`].
#[derive(Clone, Debug)]
pub struct Fills {
    dst: u64,
    value: u32,
    left: u64,
}

impl Fills {
    /// Bytes that the packets not yet taken cover.
    pub fn left(&self) -> u64 {
        self.left
    }
}

impl Iterator for Fills {
    type Item = Fill;

    fn next(&mut self) -> Option<Fill> {
        let bytes = chunk(self.left)?;
        let packet = Fill {
            dst: self.dst,
            value: self.value,
            count: bytes.checked_sub(4)?,
        };
        self.dst = self.dst.checked_add(bytes.into())?;
        self.left = self.left.checked_sub(bytes.into())?;
        Some(packet)
    }
}

/// Bytes of the next packet when `left` are to be done.
fn chunk(left: u64) -> Option<u32> {
    match u32::try_from(left) {
        Ok(0) => None,
        Ok(left) => Some(left.min(MAX_BYTES)),
        Err(_) => Some(MAX_BYTES),
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(
    CONFIG_KUNIT = "y",
    kernel::prelude::kunit_tests(amdgpu_logic_sdma_packet_range)
)]
mod tests {
    use super::*;
    #[cfg(test)]
    use crate::{bits::join, sdma_packet::Packet};
    #[cfg(test)]
    use proptest::prelude::*;

    #[test]
    fn borders() {
        assert_eq!(copies(0, 0, 0).map(|c| c.count()), Some(0));
        assert_eq!(copies(0, 0, u64::from(MAX_BYTES)).map(|c| c.count()), Some(1));
        assert_eq!(copies(0, 0, u64::from(MAX_BYTES) + 1).map(|c| c.count()), Some(2));
        assert!(copies(u64::MAX, 0, 2).is_none());
        assert!(fills(2, 4, 0).is_none());
        assert!(fills(4, 6, 0).is_none());
    }

    #[cfg(test)]
    proptest! {
        #[test]
        fn copies_cover_the_range_once(src in 0u64..1 << 48, dst in 0u64..1 << 48, bytes in 0u64..1 << 28) {
            let mut at = 0;
            for packet in copies(src, dst, bytes).unwrap() {
                let w = packet.encode();
                prop_assert_eq!(join(w[3], w[4]), src + at);
                prop_assert_eq!(join(w[5], w[6]), dst + at);
                at += u64::from(w[1]) + 1;
            }
            prop_assert_eq!(at, bytes);
        }

        #[test]
        fn fills_cover_the_range_once(dst in 0u64..1 << 46, dwords in 0u64..1 << 26, value: u32) {
            let (dst, mut at) = (dst * 4, 0);
            for packet in fills(dst, dwords * 4, value).unwrap() {
                let w = packet.encode();
                prop_assert_eq!(w[0], 0x8000_000b);
                prop_assert_eq!(join(w[1], w[2]), dst + at);
                prop_assert_eq!(w[3], value);
                at += u64::from(w[4]) + 4;
            }
            prop_assert_eq!(at, dwords * 4);
        }
    }
}
