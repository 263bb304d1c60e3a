// SPDX-License-Identifier: Apache-2.0 OR MIT
//! 32-bit integers. With the clamp modifier sums, differences and products saturate.

use crate::inst::Vop;
use crate::stop::Why;
use crate::valu::lanes::shape::{i32s, u32s};
use crate::valu::lanes::{result, source};
use crate::valu::Exec;
use crate::wave::{Row, Wave};

/// What this file implements.
pub static OPS: &[(&str, Exec)] = &[
    ("v_add_u32", |w, v| match v.clamp {
        false => u32s(w, v, |[a, b]| a.wrapping_add(b)),
        true => u32s(w, v, |[a, b]| a.saturating_add(b)),
    }),
    ("v_sub_u32", |w, v| match v.clamp {
        false => u32s(w, v, |[a, b]| a.wrapping_sub(b)),
        true => u32s(w, v, |[a, b]| a.saturating_sub(b)),
    }),
    ("v_subrev_u32", |w, v| match v.clamp {
        false => u32s(w, v, |[a, b]| b.wrapping_sub(a)),
        true => u32s(w, v, |[a, b]| b.saturating_sub(a)),
    }),
    ("v_add_i32", |w, v| match v.clamp {
        false => u32s(w, v, |[a, b]| a.wrapping_add(b)),
        true => i32s(w, v, |[a, b]| a.saturating_add(b)),
    }),
    ("v_sub_i32", |w, v| match v.clamp {
        false => u32s(w, v, |[a, b]| a.wrapping_sub(b)),
        true => i32s(w, v, |[a, b]| a.saturating_sub(b)),
    }),
    ("v_add3_u32", |w, v| {
        u32s(w, v, |[a, b, c]| a.wrapping_add(b).wrapping_add(c))
    }),
    ("v_mul_lo_u32", |w, v| u32s(w, v, |[a, b]| a.wrapping_mul(b))),
    ("v_mul_hi_u32", |w, v| {
        u32s(w, v, |[a, b]| ((u64::from(a) * u64::from(b)) >> 32) as u32)
    }),
    ("v_mul_hi_i32", |w, v| {
        i32s(w, v, |[a, b]| ((i64::from(a) * i64::from(b)) >> 32) as i32)
    }),
    ("v_mul_u32_u24", |w, v| match v.clamp {
        false => u32s(w, v, |[a, b]| product_u24(a, b) as u32),
        true => u32s(w, v, |[a, b]| saturate_u32(product_u24(a, b))),
    }),
    ("v_mul_hi_u32_u24", |w, v| {
        u32s(w, v, |[a, b]| (product_u24(a, b) >> 32) as u32)
    }),
    ("v_mul_i32_i24", |w, v| match v.clamp {
        false => u32s(w, v, |[a, b]| product_i24(a, b) as u32),
        true => i32s(w, v, |[a, b]| saturate_i32(product_i24(a as u32, b as u32))),
    }),
    ("v_mul_hi_i32_i24", |w, v| {
        u32s(w, v, |[a, b]| (product_i24(a, b) >> 32) as u32)
    }),
    ("v_mad_u32_u24", |w, v| match v.clamp {
        false => u32s(w, v, |[a, b, c]| (product_u24(a, b) as u32).wrapping_add(c)),
        true => u32s(w, v, |[a, b, c]| saturate_u32(product_u24(a, b) + u64::from(c))),
    }),
    ("v_mad_i32_i24", |w, v| match v.clamp {
        false => u32s(w, v, |[a, b, c]| (product_i24(a, b) as u32).wrapping_add(c)),
        true => u32s(w, v, |[a, b, c]| {
            saturate_i32(product_i24(a, b) + i64::from(c as i32)) as u32
        }),
    }),
    ("v_mad_u32_u16", mad_u32_u16),
    ("v_mad_i32_i16", mad_i32_i16),
    ("v_min_i32", |w, v| i32s(w, v, |[a, b]| a.min(b))),
    ("v_max_i32", |w, v| i32s(w, v, |[a, b]| a.max(b))),
    ("v_min_u32", |w, v| u32s(w, v, |[a, b]| a.min(b))),
    ("v_max_u32", |w, v| u32s(w, v, |[a, b]| a.max(b))),
    ("v_min3_i32", |w, v| i32s(w, v, |[a, b, c]| a.min(b).min(c))),
    ("v_max3_i32", |w, v| i32s(w, v, |[a, b, c]| a.max(b).max(c))),
    ("v_med3_i32", |w, v| i32s(w, v, |[a, b, c]| median(a, b, c))),
    ("v_min3_u32", |w, v| u32s(w, v, |[a, b, c]| a.min(b).min(c))),
    ("v_max3_u32", |w, v| u32s(w, v, |[a, b, c]| a.max(b).max(c))),
    ("v_med3_u32", |w, v| u32s(w, v, |[a, b, c]| median(a, b, c))),
];

/// The middle one.
pub(super) fn median<T: Ord + Copy>(a: T, b: T, c: T) -> T {
    a.min(b).max(a.max(b).min(c))
}

/// The product of the low 24 bits.
fn product_u24(a: u32, b: u32) -> u64 {
    u64::from(a & 0xff_ffff) * u64::from(b & 0xff_ffff)
}

/// The product of the low 24 bits, signed.
fn product_i24(a: u32, b: u32) -> i64 {
    let extend = |x: u32| i64::from((x << 8) as i32 >> 8);
    extend(a) * extend(b)
}

/// The nearest 32-bit number.
pub(super) fn saturate_u32(x: u64) -> u32 {
    u32::try_from(x).unwrap_or(u32::MAX)
}

/// The nearest signed 32-bit number.
pub(super) fn saturate_i32(x: i64) -> i32 {
    x.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

/// `a * b + c` with 16-bit factors, in the wider type.
fn mad_wide(wave: &mut Wave, vop: &Vop, f: impl Fn(u16, u16, u32) -> u32) -> Result<(), Why> {
    let a = source::b16(wave, vop, 0, false)?;
    let b = source::b16(wave, vop, 1, false)?;
    let c = source::b32(wave, vop, 2)?;
    let out: Row = std::array::from_fn(|l| f(a[l] as u16, b[l] as u16, c[l]));
    result::b32(wave, vop, &out)
}

fn mad_u32_u16(wave: &mut Wave, vop: &Vop) -> Result<(), Why> {
    mad_wide(wave, vop, |a, b, c| {
        let product = u32::from(a) * u32::from(b);
        match vop.clamp {
            false => product.wrapping_add(c),
            true => product.saturating_add(c),
        }
    })
}

fn mad_i32_i16(wave: &mut Wave, vop: &Vop) -> Result<(), Why> {
    mad_wide(wave, vop, |a, b, c| {
        let product = i32::from(a as i16) * i32::from(b as i16);
        match vop.clamp {
            false => product.wrapping_add(c as i32) as u32,
            true => product.saturating_add(c as i32) as u32,
        }
    })
}
