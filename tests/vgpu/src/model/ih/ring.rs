// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One ring of interrupt vectors: pointers, overflow, and where the entries go.

use super::iv::IV_BYTES;
use super::regs::*;
use crate::regs::extract;

/// The registers of a ring.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ring {
    pub(crate) cntl: u32,
    pub(crate) base: u32,
    pub(crate) base_hi: u32,
    pub(crate) rptr: u32,
    pub(crate) wptr: u32,
    pub(crate) doorbell: u32,
    overflow: bool,
    /// The driver lost its place by an overflow: its next RPTR may be anywhere.
    lost: bool,
}

/// What pushing an entry does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Push {
    /// The ring is off.
    Off,
    /// The ring is full and does not overwrite.
    Full,
    /// The entry goes to this bus address; `overwrites` says that unread entries are lost.
    At { addr: u64, overwrites: bool },
}

impl Ring {
    /// Ring size in bytes; RB_SIZE is log2 of dwords.
    pub(crate) fn size(&self) -> u32 {
        4u32.checked_shl(extract(self.cntl, RB_SIZE))
            .unwrap_or(0)
            .clamp(IV_BYTES, OFFSET + 4)
    }

    /// Address of the ring's first byte.
    pub(crate) fn addr(&self) -> u64 {
        u64::from(self.base) << 8 | u64::from(self.base_hi & BASE_HI) << 40
    }

    /// MC_SPACE: which address space the ring is in.
    pub(crate) fn space(&self) -> u32 {
        extract(self.cntl, MC_SPACE)
    }

    /// WPTR as the register and the writeback show it.
    pub(crate) fn wptr_value(&self) -> u32 {
        self.wptr & OFFSET | if self.overflow { RB_OVERFLOW } else { 0 }
    }

    /// Makes room for an entry and says where it goes.
    pub(crate) fn push(&mut self) -> Push {
        if self.cntl & RB_ENABLE == 0 {
            return Push::Off;
        }
        let mask = self.size() - 1;
        let at = self.wptr & mask & !(IV_BYTES - 1);
        let next = at.wrapping_add(IV_BYTES) & mask;
        let overwrites = next == self.rptr & mask;
        if overwrites {
            if self.cntl & WPTR_OVERFLOW_ENABLE == 0 {
                return Push::Full;
            }
            self.overflow = true;
            self.lost = true;
        }
        self.wptr = next;
        Push::At {
            addr: self.addr().wrapping_add(u64::from(at)),
            overwrites,
        }
    }

    /// Whether entries wait to be read.
    pub(crate) fn has_entries(&self) -> bool {
        self.cntl & RB_ENABLE != 0 && (self.wptr ^ self.rptr) & (self.size() - 1) != 0
    }

    /// The driver writes RPTR; `false` if it cannot be one: not at an entry, or beyond what was written. While the ring is
    /// off nothing is written or read: drivers then set it back to the start (kernel vega20_ih.c:
    /// vega20_ih_toggle_ring_interrupts).
    pub(crate) fn set_rptr(&mut self, value: u32) -> bool {
        let mask = self.size() - 1;
        let unread = self.wptr.wrapping_sub(self.rptr) & mask;
        let read = value.wrapping_sub(self.rptr) & mask;
        let off = self.cntl & RB_ENABLE == 0;
        let sane = value & !mask == 0 && value % IV_BYTES == 0 && (off || read <= unread || self.lost);
        self.lost = self.overflow;
        self.rptr = value & mask;
        sane
    }

    /// The driver writes RB_CNTL.
    pub(crate) fn set_cntl(&mut self, value: u32) {
        if value & WPTR_OVERFLOW_CLEAR != 0 && self.cntl & WPTR_OVERFLOW_CLEAR == 0 {
            self.overflow = false;
        }
        self.cntl = value;
    }

    /// The driver writes WPTR.
    pub(crate) fn set_wptr(&mut self, value: u32) {
        self.wptr = value & OFFSET;
        self.overflow = value & RB_OVERFLOW != 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A ring of 2^6 dwords = 8 entries.
    fn ring() -> Ring {
        Ring {
            cntl: RB_ENABLE | 6 << 1 | WPTR_OVERFLOW_ENABLE,
            base: 0x10,
            ..Ring::default()
        }
    }

    #[test]
    fn off_and_full() {
        assert_eq!(Ring::default().push(), Push::Off);
        let mut r = Ring {
            cntl: RB_ENABLE | 6 << 1,
            ..ring()
        };
        for i in 0..7 {
            assert_eq!(
                r.push(),
                Push::At {
                    addr: 0x1000 + i * 32,
                    overwrites: false
                }
            );
        }
        assert_eq!(r.push(), Push::Full);
        assert!(r.set_rptr(32));
        assert_eq!(
            r.push(),
            Push::At {
                addr: 0x1000 + 7 * 32,
                overwrites: false
            }
        );
    }

    #[test]
    fn overflow_overwrites_and_stays_until_cleared() {
        let mut r = ring();
        for _ in 0..7 {
            r.push();
        }
        assert_eq!(r.wptr_value(), 7 * 32);
        assert_eq!(
            r.push(),
            Push::At {
                addr: 0x1000 + 7 * 32,
                overwrites: true
            }
        );
        assert_eq!(r.wptr_value(), RB_OVERFLOW);
        // the driver restarts behind the oldest entry that is left
        assert!(r.set_rptr(32));
        assert_eq!(r.wptr_value(), RB_OVERFLOW);
        r.set_cntl(r.cntl | WPTR_OVERFLOW_CLEAR);
        assert_eq!(r.wptr_value(), 0);
        // a second write with the bit still set is no edge
        for _ in 0..8 {
            r.push();
        }
        r.set_cntl(r.cntl | WPTR_OVERFLOW_CLEAR);
        assert_eq!(r.wptr_value() & RB_OVERFLOW, RB_OVERFLOW);
    }

    #[test]
    fn impossible_read_pointers_are_noticed() {
        let mut r = ring();
        r.push();
        r.push();
        assert!(!Ring { ..r }.set_rptr(3 * 32));
        assert!(!Ring { ..r }.set_rptr(8));
        assert!(!Ring { ..r }.set_rptr(256));
        assert!(r.set_rptr(64) && !r.has_entries());
    }

    proptest! {
        #[test]
        fn entries_stay_inside_the_ring(cntl in any::<u32>(), ptrs in any::<(u32, u32)>(), n in 1usize..40) {
            let mut r = Ring { cntl: cntl | RB_ENABLE, base: 1, rptr: ptrs.0, wptr: ptrs.1, ..Ring::default() };
            for _ in 0..n {
                if let Push::At { addr, .. } = r.push() {
                    prop_assert!(addr >= r.addr() && addr + 32 <= r.addr() + u64::from(r.size()));
                }
                r.set_rptr(ptrs.0);
            }
        }
    }
}
