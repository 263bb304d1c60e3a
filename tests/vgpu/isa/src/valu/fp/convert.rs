// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Between numbers and integers.

use super::round::Exact;
use super::{Env, Float, F32};
use crate::mode::Round;

/// An integer as a number, rounded.
#[inline(never)]
pub fn from_integer<F: Float>(env: Env, x: i64) -> u64 {
    let exact = Exact {
        negative: x < 0,
        significand: u128::from(x.unsigned_abs()),
        exponent: 0,
    };
    exact.round::<F>(env)
}

/// A number as the nearest integer in rounding mode `round`, saturated to `min..=max`; `None` for NaN.
#[inline(never)]
pub fn to_integer<F: Float>(env: Env, round: Round, x: u64, min: i64, max: i64) -> Option<i64> {
    let x = F::flush(x, env.denorm_in);
    if F::is_nan(x) {
        return None;
    }
    if F::is_inf(x) {
        return Some(if F::is_negative(x) { min } else { max });
    }
    let integer = Exact::unpack::<F>(x).to_integer(round);
    Some(integer.clamp(i128::from(min), i128::from(max)) as i64)
}

/// `x * scale` as the nearest integer in rounding mode `round`, saturated to `min..=scale`; 0 for NaN: the conversion to
/// normalised integers.
#[inline(never)]
pub fn to_normalised<F: Float>(env: Env, round: Round, x: u64, scale: u16, min: i64) -> u16 {
    let x = F::flush(x, env.denorm_in);
    let max = i64::from(scale);
    let integer = if F::is_nan(x) {
        0
    } else if F::is_inf(x) {
        if F::is_negative(x) {
            min
        } else {
            max
        }
    } else {
        let factor = Exact {
            negative: false,
            significand: u128::from(scale),
            exponent: 0,
        };
        let integer = Exact::unpack::<F>(x).times(factor).to_integer(round);
        integer.clamp(i128::from(min), i128::from(max)) as i64
    };
    integer as u16
}

/// `floor(x + 0.5)` (`nearest`) or `floor(x)` as a saturated integer. A NaN gives the limit of its sign (source: CLRX
/// GcnInstrsVop1.md, V_CVT_RPI_I32_F32, V_CVT_FLR_I32_F32).
pub fn f32_to_i32_floor(env: Env, nearest: bool, x: u32) -> i32 {
    let x = f32::from_bits(F32::flush(u64::from(x), env.denorm_in) as u32);
    if x.is_nan() {
        return if x.is_sign_negative() { i32::MIN } else { i32::MAX };
    }
    // exact in double precision, but for numbers so small that it does not matter
    let bias = if nearest { 0.5 } else { 0.0 };
    (f64::from(x) + bias).floor() as i32
}
