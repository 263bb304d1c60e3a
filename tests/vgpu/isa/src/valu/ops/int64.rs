// SPDX-License-Identifier: Apache-2.0 OR MIT
//! 64-bit products of 32-bit integers, with carry out.

use crate::inst::Vop;
use crate::stop::Why;
use crate::valu::lanes::{result, source};
use crate::valu::Exec;
use crate::wave::{Wave, LANES};

/// What this file implements.
pub static OPS: &[(&str, Exec)] = &[
    ("v_mad_u64_u32", |w, v| {
        mad(w, v, |a, b, c| {
            let wide = u128::from(a) * u128::from(b) + u128::from(c);
            let value = if v.clamp {
                wide.min(u128::from(u64::MAX))
            } else {
                wide
            };
            (value as u64, wide >> 64 != 0)
        })
    }),
    // bit 64 of the signed sum is the carry (source: RDNA3 ISA, V_MAD_I64_I32)
    ("v_mad_i64_i32", |w, v| {
        mad(w, v, |a, b, c| {
            let wide = i128::from(a as i32) * i128::from(b as i32) + i128::from(c as i64);
            let value = if v.clamp {
                wide.clamp(i128::from(i64::MIN), i128::from(i64::MAX))
            } else {
                wide
            };
            (value as u64, (wide >> 64) & 1 != 0)
        })
    }),
];

fn mad(wave: &mut Wave, vop: &Vop, f: impl Fn(u32, u32, u64) -> (u64, bool)) -> Result<(), Why> {
    let a = source::b32(wave, vop, 0)?;
    let b = source::b32(wave, vop, 1)?;
    let c = source::b64(wave, vop, 2, false)?;
    let mut out = [0; LANES];
    let mut carry = 0;
    for (l, out) in out.iter_mut().enumerate() {
        let (value, over) = f(a[l], b[l], c[l]);
        *out = value;
        carry |= u64::from(over) << l;
    }
    result::b64(wave, vop, &out)?;
    result::mask(wave, vop, vop.sdst, carry)
}
