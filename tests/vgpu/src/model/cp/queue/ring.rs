// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Positions in a ring in memory. Positions are 64-bit and never wrap; only addresses and reported pointers do.

use super::super::bus::{Bus, Mem};

/// A write pointer that cannot be: more would be in the ring than fits, or it went backwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Overrun {
    /// Read position.
    pub(crate) rptr: u64,
    /// The write pointer that was given.
    pub(crate) wptr: u64,
    /// Size of the ring.
    pub(crate) size: u64,
}

/// A ring of `size` units (a power of two) of `unit` bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ring {
    base: u64,
    vmid: u8,
    size: u64,
    unit: u64,
    rptr: u64,
    wptr: u64,
}

impl Ring {
    /// A ring at `base` in an address space, read up to `rptr`, written up to `wptr`; both are 64-bit positions.
    pub(crate) fn new(base: u64, vmid: u8, size: u64, unit: u64, rptr: u64, wptr: u64) -> Self {
        Self {
            base,
            vmid,
            size: size.max(1).next_power_of_two(),
            unit,
            rptr,
            wptr,
        }
    }

    /// The 64-bit read position that belongs to a reported, wrapped read pointer: the last one not after `wptr`.
    pub(crate) fn unwrap_rptr(size: u64, wrapped: u64, wptr: u64) -> u64 {
        let mask = size.wrapping_sub(1);
        wptr.wrapping_sub(wptr.wrapping_sub(wrapped) & mask)
    }

    /// Next unit to read.
    pub(crate) fn rptr(&self) -> u64 {
        self.rptr
    }

    /// One past the last unit written.
    pub(crate) fn wptr(&self) -> u64 {
        self.wptr
    }

    /// Size in units.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// The read pointer as hardware shows it: wrapped to the size.
    pub(crate) fn wrapped_rptr(&self) -> u64 {
        self.rptr & (self.size - 1)
    }

    /// Units written and not yet read.
    pub(crate) fn available(&self) -> u64 {
        self.wptr.wrapping_sub(self.rptr)
    }

    /// Takes over a write pointer. One that says more than the ring holds is taken modulo the size, as hardware does,
    /// and returned as an error.
    pub(crate) fn set_wptr(&mut self, wptr: u64) -> Result<(), Overrun> {
        if wptr.wrapping_sub(self.rptr) <= self.size {
            self.wptr = wptr;
            return Ok(());
        }
        let error = Overrun {
            rptr: self.rptr,
            wptr,
            size: self.size,
        };
        let ahead = wptr.wrapping_sub(self.rptr) & (self.size - 1);
        self.wptr = self.rptr.wrapping_add(ahead);
        Err(error)
    }

    /// Moves the read position.
    pub(crate) fn consume(&mut self, units: u64) {
        self.rptr = self.rptr.wrapping_add(units);
    }

    /// Address of a unit.
    pub(crate) fn address(&self, position: u64) -> u64 {
        self.base
            .wrapping_add((position & (self.size - 1)).wrapping_mul(self.unit))
    }

    /// Reads bytes from a unit on, going on at the start of the ring behind its end.
    pub(crate) fn read(&self, bus: &dyn Bus, position: u64, buf: &mut [u8]) -> Mem<()> {
        let mut rest = buf;
        let mut offset = (position & (self.size - 1)).wrapping_mul(self.unit);
        let bytes = self.size.saturating_mul(self.unit);
        while !rest.is_empty() {
            let room = usize::try_from(bytes.saturating_sub(offset)).unwrap_or(usize::MAX);
            let (now, later) = rest.split_at_mut(room.min(rest.len()));
            bus.read(self.vmid, self.base.wrapping_add(offset), now)?;
            rest = later;
            offset = 0;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::cp::testing::FakeBus;
    use proptest::prelude::*;

    proptest! {
        /// Bytes read across the end of the ring are the ones at the wrapped addresses.
        #[test]
        fn reads_wrap(log2 in 1u32..6, position: u64, count in 1usize..40) {
            let size = 1u64 << log2;
            let bus = FakeBus::new();
            for i in 0..size {
                bus.poke32(3, 0x1000 + i * 4, 0x100 + i as u32);
            }
            let ring = Ring::new(0x1000, 3, size, 4, position, position);
            let mut buf = vec![0; count * 4];
            prop_assert!(ring.read(&*bus, position, &mut buf).is_ok());
            for (i, b) in buf.chunks(4).enumerate() {
                let at = position.wrapping_add(i as u64) % size;
                prop_assert_eq!(u32::from_le_bytes(b.try_into().unwrap()), 0x100 + at as u32);
            }
        }

        /// However pointers wrap, what is available is what was written minus what was read.
        #[test]
        fn pointers_wrap(log2 in 1u32..10, start: u64, steps in proptest::collection::vec((0u64..600, 0u64..600), 1..30)) {
            let size = 1u64 << log2;
            let mut r = Ring::new(0, 0, size, 4, start, start);
            let (mut read, mut written) = (0u64, 0u64);
            for (w, c) in steps {
                let w = w % (size - (written - read) + 1);
                written += w;
                prop_assert_eq!(r.set_wptr(start.wrapping_add(written)), Ok(()));
                let c = c.min(written - read);
                r.consume(c);
                read += c;
                prop_assert_eq!(r.available(), written - read);
                prop_assert_eq!(r.wrapped_rptr(), r.rptr() % size);
                if written - read < size {
                    prop_assert_eq!(Ring::unwrap_rptr(size, r.wrapped_rptr(), r.wptr()), r.rptr());
                }
            }
        }
    }

    #[test]
    fn too_much_or_backwards_is_an_overrun() {
        let mut r = Ring::new(0, 0, 16, 4, 100, 100);
        assert_eq!(r.set_wptr(116), Ok(()));
        assert_eq!(
            r.set_wptr(117),
            Err(Overrun {
                rptr: 100,
                wptr: 117,
                size: 16
            })
        );
        assert_eq!(r.available(), 1);
        assert!(r.set_wptr(99).is_err());
        assert_eq!(r.available(), 15);
    }
}
