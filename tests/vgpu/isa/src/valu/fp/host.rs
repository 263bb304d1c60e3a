// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Rows of numbers on the host's FPU.
//!
//! The host computes what is common: to nearest even. Denormal flushing is done around it. A lane that comes out as NaN, and every
//! lane in another rounding mode, is computed again by the exact function, which knows the rules for NaNs. The loops
//! have no branches, so that the compiler can vectorise them.

use super::{half, Env};
use crate::mode::Round;
use crate::wave::{Row, LANES};

/// A double-precision or 64-bit integer register pair.
pub type Row64 = [u64; LANES];

#[inline(always)]
fn flush32(x: u32, keep: bool) -> u32 {
    if !keep && x & 0x7f80_0000 == 0 {
        x & 0x8000_0000
    } else {
        x
    }
}

#[inline(always)]
fn flush64(x: u64, keep: bool) -> u64 {
    if !keep && x & 0x7ff0_0000_0000_0000 == 0 {
        x & (1 << 63)
    } else {
        x
    }
}

#[inline(always)]
fn flush16(x: u32, keep: bool) -> u32 {
    if !keep && x & 0x7c00 == 0 {
        x & 0x8000
    } else {
        x
    }
}

/// Single precision: `host` on all lanes, `soft` where that does not do.
#[inline(always)]
pub fn rows32<const N: usize>(
    env: Env,
    src: [&Row; N],
    host: impl Fn([f32; N]) -> f32,
    soft: impl Fn(Env, [u64; N]) -> u64,
) -> Row {
    let exact = |l: usize| soft(env, std::array::from_fn(|i| u64::from(src[i][l]))) as u32;
    if env.round != Round::NearestEven {
        return std::array::from_fn(exact);
    }
    let mut out = [0; LANES];
    if env.denorm_in && env.denorm_out {
        for (l, out) in out.iter_mut().enumerate() {
            *out = host(std::array::from_fn(|i| f32::from_bits(src[i][l]))).to_bits();
        }
    } else {
        for (l, out) in out.iter_mut().enumerate() {
            let args = std::array::from_fn(|i| f32::from_bits(flush32(src[i][l], env.denorm_in)));
            *out = flush32(host(args).to_bits(), env.denorm_out);
        }
    }
    let nan = |x: u32| x & 0x7fff_ffff > 0x7f80_0000;
    if out.iter().fold(false, |any, &x| any | nan(x)) {
        for (l, out) in out.iter_mut().enumerate() {
            if nan(*out) {
                *out = exact(l);
            }
        }
    }
    out
}

/// Double precision: `host` on all lanes, `soft` where that does not do.
#[inline(always)]
pub fn rows64<const N: usize>(
    env: Env,
    src: [&Row64; N],
    host: impl Fn([f64; N]) -> f64,
    soft: impl Fn(Env, [u64; N]) -> u64,
) -> Row64 {
    let exact = |l: usize| soft(env, std::array::from_fn(|i| src[i][l]));
    if env.round != Round::NearestEven {
        return std::array::from_fn(exact);
    }
    let mut out = [0; LANES];
    if env.denorm_in && env.denorm_out {
        for (l, out) in out.iter_mut().enumerate() {
            *out = host(std::array::from_fn(|i| f64::from_bits(src[i][l]))).to_bits();
        }
    } else {
        for (l, out) in out.iter_mut().enumerate() {
            let args = std::array::from_fn(|i| f64::from_bits(flush64(src[i][l], env.denorm_in)));
            *out = flush64(host(args).to_bits(), env.denorm_out);
        }
    }
    let nan = |x: u64| x & !(1 << 63) > 0x7ff0_0000_0000_0000;
    if out.iter().fold(false, |any, &x| any | nan(x)) {
        for (l, out) in out.iter_mut().enumerate() {
            if nan(*out) {
                *out = exact(l);
            }
        }
    }
    out
}

/// Half precision, in the low halves. `host` computes in single precision such that rounding its result once more to half
/// precision is right: with results that are exact, or rounded to odd, or of one addition.
#[inline(always)]
pub fn rows16<const N: usize>(
    env: Env,
    src: [&Row; N],
    host: impl Fn([f32; N]) -> f32,
    soft: impl Fn(Env, [u64; N]) -> u64,
) -> Row {
    let exact = |l: usize| soft(env, std::array::from_fn(|i| u64::from(src[i][l] & 0xffff))) as u32;
    if env.round != Round::NearestEven {
        return std::array::from_fn(exact);
    }
    let mut out = [0; LANES];
    for (l, out) in out.iter_mut().enumerate() {
        let args = std::array::from_fn(|i| half::to_f32(flush16(src[i][l], env.denorm_in)));
        *out = flush16(half::from_f32(host(args)), env.denorm_out);
    }
    // with FP16_OVFL infinities need a second look, too
    let limit = if env.saturate { 0x7bff } else { 0x7c00 };
    let redo = |x: u32| x & 0x7fff > limit;
    if out.iter().fold(false, |any, &x| any | redo(x)) {
        for (l, out) in out.iter_mut().enumerate() {
            if redo(*out) {
                *out = exact(l);
            }
        }
    }
    out
}

/// `a * b + c` with one rounding, for finite or infinite results; NaN where [`super::soft::fma`] is.
///
/// In double precision the product is exact and the error of the sum is known exactly (Knuth's TwoSum: no overflow or
/// underflow can happen with operands of single-precision range). Rounding that sum to odd leaves a value of 53 bits
/// whose rounding to at most 24 bits equals that of the exact sum (Boldo and Melquiond, "Emulation of FMA and correctly
/// rounded sums", 2008).
#[inline(always)]
pub fn fma32(a: f32, b: f32, c: f32) -> f32 {
    let product = f64::from(a) * f64::from(b);
    let c = f64::from(c);
    let sum = product + c;
    let part = sum - product;
    let error = (product - (sum - part)) + (c - part);
    let bits = sum.to_bits();
    // of an infinite or NaN sum the error is NaN, which is not greater than 0
    let inexact = u64::from(error.abs() > 0.0);
    let even = !bits & 1;
    let away = (error.to_bits() ^ bits) >> 63;
    let step = 1u64.wrapping_sub(away << 1);
    f64::from_bits(bits.wrapping_add(step & (inexact & even).wrapping_neg())) as f32
}

/// `a * b + c` of half-precision values, rounded to odd in single precision; NaN where the FMA is. As [`fma32`], one size
/// smaller: the product has 22 bits, and the result 24, two more than the 11 + 1 that rounding to odd needs.
#[inline(always)]
pub fn fma16(a: f32, b: f32, c: f32) -> f32 {
    let product = a * b;
    let sum = product + c;
    let part = sum - product;
    let error = (product - (sum - part)) + (c - part);
    let bits = sum.to_bits();
    let inexact = u32::from(error.abs() > 0.0);
    let even = !bits & 1;
    let away = (error.to_bits() ^ bits) >> 31;
    let step = 1u32.wrapping_sub(away << 1);
    f32::from_bits(bits.wrapping_add(step & (inexact & even).wrapping_neg()))
}
