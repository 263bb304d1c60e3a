// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Swizzled memory: scratch, where the dwords of the lanes alternate.

use super::lanes::{self, lanes_of, Addresses, Data};
use crate::memory::{MemFault, Memory};
use crate::wave::{by_lane, LANES};

/// Bytes that stay together (element size of scratch).
const ELEMENT: u64 = 4;

/// Swizzled memory of a wave: element `n` of lane `l` lies at `base + (n * stride + l) * 4`.
#[derive(Clone, Copy)]
pub(super) struct Swizzle {
    /// Address of the first lane's first element.
    pub(super) base: u64,
    /// Lanes that alternate (INDEX_STRIDE): 8, 16, 32 or 64.
    pub(super) stride: u64,
}

impl Swizzle {
    /// Where byte `offset` of position `index` lies.
    pub(super) fn address(self, index: u64, offset: u64) -> u64 {
        let element = (offset / ELEMENT)
            .wrapping_mul(self.stride)
            .wrapping_add(index % self.stride);
        self.base
            .wrapping_add(element.wrapping_mul(ELEMENT))
            .wrapping_add(offset % ELEMENT)
    }
}

/// Bytes that one access may move: elements, or single bytes where a lane crosses an element's end.
fn piece(offset: &Addresses, mask: u64, bytes: usize) -> usize {
    let whole = bytes.min(ELEMENT as usize);
    let inside = |lane: &usize| offset[*lane] % ELEMENT + whole as u64 <= ELEMENT;
    if lanes_of(mask).all(|lane| inside(&lane)) {
        whole
    } else {
        1
    }
}

/// The lanes' bytes `at..at + piece`, as addresses.
fn addresses(place: impl Fn(usize, u64) -> u64, offset: &Addresses, at: usize) -> Addresses {
    by_lane(|l| place(l, offset[l].wrapping_add(at as u64)))
}

/// Loads the lanes in `mask` from their `offset`s; `place` maps lane and offset to an address.
pub(super) fn load(
    memory: &mut dyn Memory,
    place: impl Fn(usize, u64) -> u64,
    offset: &Addresses,
    mask: u64,
    data: &mut Data,
) -> Result<(), MemFault> {
    let step = piece(offset, mask, data.bytes());
    for at in (0..data.bytes()).step_by(step) {
        let mut part = Data::new(step);
        lanes::load(memory, &addresses(&place, offset, at), mask, &mut part)?;
        for lane in lanes_of(mask) {
            data.lane(lane)[at..at + step].copy_from_slice(part.lane(lane));
        }
    }
    Ok(())
}

/// Stores the lanes in `mask` at their `offset`s.
pub(super) fn store(
    memory: &mut dyn Memory,
    place: impl Fn(usize, u64) -> u64,
    offset: &Addresses,
    mask: u64,
    data: &mut Data,
) -> Result<(), MemFault> {
    let step = piece(offset, mask, data.bytes());
    for at in (0..data.bytes()).step_by(step) {
        let mut part = Data::new(step);
        for lane in 0..LANES {
            part.lane(lane).copy_from_slice(&data.lane(lane)[at..at + step]);
        }
        lanes::store(memory, &addresses(&place, offset, at), mask, &mut part)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dwords_of_lanes_alternate() {
        let s = Swizzle {
            base: 0x1000,
            stride: 64,
        };
        assert_eq!(s.address(0, 0), 0x1000);
        assert_eq!(s.address(1, 0), 0x1004);
        assert_eq!(s.address(63, 3), 0x10ff);
        assert_eq!(s.address(0, 4), 0x1100);
        assert_eq!(s.address(2, 9), 0x1000 + 512 + 8 + 1);
    }

    #[test]
    fn pieces_stay_inside_elements() {
        let at = |offset| [offset; LANES];
        assert_eq!(piece(&at(0), 1, 16), 4);
        assert_eq!(piece(&at(2), 1, 16), 1);
        assert_eq!(piece(&at(2), 1, 2), 2);
        assert_eq!(piece(&at(3), 1, 2), 1);
        assert_eq!(piece(&at(3), 1, 1), 1);
        assert_eq!(piece(&at(3), 0, 2), 2);
    }
}
