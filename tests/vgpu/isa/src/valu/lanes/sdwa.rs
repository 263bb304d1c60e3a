// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sub-dword addressing: bytes and halves of registers (source: CDNA2 ISA "Sub-Dword Addressing").

use crate::inst::{Sel, Unused};
use crate::wave::Row;

/// Shift and width in bits of a part.
fn part(sel: Sel) -> (u32, u32) {
    match sel {
        Sel::Byte(n) => (u32::from(n & 3) * 8, 8),
        Sel::Word(n) => (u32::from(n & 1) * 16, 16),
        Sel::Dword => (0, 32),
    }
}

/// The part `sel` of each lane, zero- or sign-extended.
pub fn extract(row: &Row, sel: Sel, sext: bool) -> Row {
    let (shift, width) = part(sel);
    let up = 32 - width;
    row.map(|x| {
        let top = (x >> shift) << up;
        if sext {
            ((top as i32) >> up) as u32
        } else {
            top >> up
        }
    })
}

/// `old` with the part `sel` of each lane replaced by the low bits of `new`, and the rest as `unused` says.
pub fn insert(old: &Row, new: &Row, sel: Sel, unused: Unused) -> Row {
    let (shift, width) = part(sel);
    let mask = u32::MAX >> (32 - width) << shift;
    std::array::from_fn(|lane| {
        let bits = (new[lane] << shift) & mask;
        let rest = match unused {
            Unused::Pad => 0,
            // the sign fills what lies above; below are zeros
            Unused::Sext => {
                let sign = (new[lane] >> (width - 1)) & 1;
                sign.wrapping_neg() & !mask & (u32::MAX << shift)
            }
            Unused::Preserve => old[lane] & !mask,
        };
        bits | rest
    })
}
