// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reading fields out of a packet's payload.

/// The payload of a packet: the dwords after the header.
#[derive(Clone, Copy)]
pub(crate) struct Body<'a>(pub(crate) &'a [u32]);

impl<'a> Body<'a> {
    /// Number of dwords.
    pub(crate) fn len(self) -> usize {
        self.0.len()
    }

    /// The dword at `i`; 0 if the packet is shorter.
    pub(crate) fn dw(self, i: usize) -> u32 {
        self.0.get(i).copied().unwrap_or(0)
    }

    /// Bits `hi..=lo` of the dword at `i`.
    pub(crate) fn bits(self, i: usize, hi: u32, lo: u32) -> u32 {
        let width = hi - lo + 1;
        let mask = if width >= 32 { u32::MAX } else { (1 << width) - 1 };
        self.dw(i) >> lo & mask
    }

    /// The 64-bit value with its low half at `i`.
    pub(crate) fn qw(self, i: usize) -> u64 {
        u64::from(self.dw(i + 1)) << 32 | u64::from(self.dw(i))
    }

    /// The dwords from `i` on.
    pub(crate) fn from(self, i: usize) -> &'a [u32] {
        self.0.get(i..).unwrap_or(&[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_fields_and_zero_beyond_the_end() {
        let b = Body(&[0xdead_beef, 0x1234_5678]);
        assert_eq!(b.bits(0, 31, 0), 0xdead_beef);
        assert_eq!(b.bits(0, 15, 8), 0xbe);
        assert_eq!(b.bits(0, 31, 28), 0xd);
        assert_eq!(b.qw(0), 0x1234_5678_dead_beef);
        assert_eq!((b.dw(2), b.qw(2), b.len()), (0, 0, 2));
        assert_eq!(b.from(1), &[0x1234_5678]);
        assert!(b.from(9).is_empty());
    }
}
