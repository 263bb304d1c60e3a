// SPDX-License-Identifier: Apache-2.0 OR MIT
//! 16-bit integers. With the clamp modifier sums and differences saturate.

use super::int32::median;
use crate::valu::lanes::shape::{i16s, i16s_half, u16s, u16s_half};
use crate::valu::Exec;

/// What this file implements.
pub static OPS: &[(&str, Exec)] = &[
    ("v_add_u16", |w, v| match v.clamp {
        false => u16s(w, v, |[a, b]| a.wrapping_add(b)),
        true => u16s(w, v, |[a, b]| a.saturating_add(b)),
    }),
    ("v_sub_u16", |w, v| match v.clamp {
        false => u16s(w, v, |[a, b]| a.wrapping_sub(b)),
        true => u16s(w, v, |[a, b]| a.saturating_sub(b)),
    }),
    ("v_subrev_u16", |w, v| match v.clamp {
        false => u16s(w, v, |[a, b]| b.wrapping_sub(a)),
        true => u16s(w, v, |[a, b]| b.saturating_sub(a)),
    }),
    ("v_add_i16", |w, v| match v.clamp {
        false => i16s_half(w, v, |[a, b]| a.wrapping_add(b)),
        true => i16s_half(w, v, |[a, b]| a.saturating_add(b)),
    }),
    ("v_sub_i16", |w, v| match v.clamp {
        false => i16s_half(w, v, |[a, b]| a.wrapping_sub(b)),
        true => i16s_half(w, v, |[a, b]| a.saturating_sub(b)),
    }),
    ("v_mul_lo_u16", |w, v| u16s(w, v, |[a, b]| a.wrapping_mul(b))),
    ("v_mad_u16", |w, v| u16s_half(w, v, |s| mad_u16(s, v.clamp))),
    ("v_mad_i16", |w, v| i16s_half(w, v, |s| mad_i16(s, v.clamp))),
    ("v_mad_legacy_u16", |w, v| u16s(w, v, |s| mad_u16(s, v.clamp))),
    ("v_mad_legacy_i16", |w, v| i16s(w, v, |s| mad_i16(s, v.clamp))),
    ("v_lshlrev_b16", |w, v| u16s(w, v, |[a, b]| b << (a & 15))),
    ("v_lshrrev_b16", |w, v| u16s(w, v, |[a, b]| b >> (a & 15))),
    ("v_ashrrev_i16", |w, v| i16s(w, v, |[a, b]| b >> (a & 15))),
    ("v_min_i16", |w, v| i16s(w, v, |[a, b]| a.min(b))),
    ("v_max_i16", |w, v| i16s(w, v, |[a, b]| a.max(b))),
    ("v_min_u16", |w, v| u16s(w, v, |[a, b]| a.min(b))),
    ("v_max_u16", |w, v| u16s(w, v, |[a, b]| a.max(b))),
    ("v_min3_i16", |w, v| i16s_half(w, v, |[a, b, c]| a.min(b).min(c))),
    ("v_max3_i16", |w, v| i16s_half(w, v, |[a, b, c]| a.max(b).max(c))),
    ("v_med3_i16", |w, v| i16s_half(w, v, |[a, b, c]| median(a, b, c))),
    ("v_min3_u16", |w, v| u16s_half(w, v, |[a, b, c]| a.min(b).min(c))),
    ("v_max3_u16", |w, v| u16s_half(w, v, |[a, b, c]| a.max(b).max(c))),
    ("v_med3_u16", |w, v| u16s_half(w, v, |[a, b, c]| median(a, b, c))),
];

/// `a * b + c`, of which the low half or the nearest 16-bit number is taken.
pub(super) fn mad_u16([a, b, c]: [u16; 3], saturate: bool) -> u16 {
    let wide = u32::from(a) * u32::from(b) + u32::from(c);
    if saturate {
        wide.min(0xffff) as u16
    } else {
        wide as u16
    }
}

/// The same, signed.
pub(super) fn mad_i16([a, b, c]: [i16; 3], saturate: bool) -> i16 {
    let wide = i32::from(a) * i32::from(b) + i32::from(c);
    if saturate {
        wide.clamp(-0x8000, 0x7fff) as i16
    } else {
        wide as i16
    }
}
