// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lane exchanges through the crossbar of LDS.

use crate::inst::Operand;
use crate::stop::Why;
use crate::wave::{by_lane, Row, Wave};

/// Each lane takes `data` of the lane that `from` names, or 0.
pub(super) fn fetch(
    wave: &mut Wave,
    dst: Operand,
    data: &Row,
    from: impl Fn(usize) -> Option<usize>,
) -> Result<(), Why> {
    let row: Row = by_lane(|lane| from(lane).and_then(|l| data.get(l)).copied().unwrap_or(0));
    wave.write32(dst, &row)
}

/// The lane that `lane` reads under swizzle `pattern` (CDNA2 ISA "DS_SWIZZLE_B32").
pub(super) fn swizzle(pattern: u16, lane: usize) -> usize {
    let [and, or, xor] = [0, 5, 10].map(|shift| usize::from(pattern >> shift & 0x1f));
    let half = lane & 0x20;
    let within = match pattern {
        // butterfly order of an FFT
        0xe000.. => {
            let reversed = (lane as u8 & 0x1f).reverse_bits() >> 3;
            usize::from(reversed) >> and.count_ones() | lane & and
        }
        // rotation by bits 9:5, to the left if bit 10 is set, of the lane bits that the mask leaves out
        0xc000.. => {
            let turned = if xor & 1 != 0 {
                lane.wrapping_sub(or)
            } else {
                lane.wrapping_add(or)
            };
            lane & and | turned & !and
        }
        0x8000.. => lane & 0x1c | usize::from(pattern >> (lane % 4 * 2) & 3),
        _ => (lane & and | or) ^ xor,
    };
    within & 0x1f | half
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swizzle_patterns() {
        // quad permutation 3, 2, 1, 0
        assert_eq!([0, 1, 2, 3, 37].map(|l| swizzle(0x801b, l)), [3, 2, 1, 0, 38]);
        // swap neighbours, reverse 32, broadcast lane 5 of 8
        assert_eq!([0, 1, 40].map(|l| swizzle(1 << 10 | 0x1f, l)), [1, 0, 41]);
        assert_eq!([0, 31, 32].map(|l| swizzle(0x1f << 10 | 0x1f, l)), [31, 0, 63]);
        assert_eq!([0, 9, 63].map(|l| swizzle(5 << 5 | 0x18, l)), [5, 13, 61]);
        // rotation within 32
        assert_eq!([0, 31, 32].map(|l| swizzle(0xc000 | 1 << 5, l)), [1, 0, 33]);
        assert_eq!([0, 31, 32].map(|l| swizzle(0xc400 | 1 << 5, l)), [31, 30, 63]);
        // bit reversal
        assert_eq!([1, 2, 33].map(|l| swizzle(0xe000, l)), [16, 8, 48]);
    }
}
