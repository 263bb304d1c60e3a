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

/// A number as its register holds it, with what a row of such needs around the host's arithmetic.
pub trait Bits: Copy + Default + Into<u64> {
    /// The host's type.
    type Number;
    /// The number with these bits.
    fn number(self) -> Self::Number;
    /// The bits of a number.
    fn of(number: Self::Number) -> Self;
    /// The low bits.
    fn low(bits: u64) -> Self;
    /// A denormal becomes a zero of its sign.
    fn flush(self) -> Self;
    /// Whether it is a NaN.
    fn is_nan(self) -> bool;
}

impl Bits for u32 {
    type Number = f32;

    #[inline(always)]
    fn number(self) -> f32 {
        f32::from_bits(self)
    }

    #[inline(always)]
    fn of(number: f32) -> Self {
        number.to_bits()
    }

    #[inline(always)]
    fn low(bits: u64) -> Self {
        bits as u32
    }

    #[inline(always)]
    fn flush(self) -> Self {
        if self & 0x7f80_0000 == 0 {
            self & 0x8000_0000
        } else {
            self
        }
    }

    #[inline(always)]
    fn is_nan(self) -> bool {
        self & 0x7fff_ffff > 0x7f80_0000
    }
}

impl Bits for u64 {
    type Number = f64;

    #[inline(always)]
    fn number(self) -> f64 {
        f64::from_bits(self)
    }

    #[inline(always)]
    fn of(number: f64) -> Self {
        number.to_bits()
    }

    #[inline(always)]
    fn low(bits: u64) -> Self {
        bits
    }

    #[inline(always)]
    fn flush(self) -> Self {
        if self & 0x7ff0_0000_0000_0000 == 0 {
            self & (1 << 63)
        } else {
            self
        }
    }

    #[inline(always)]
    fn is_nan(self) -> bool {
        self & !(1 << 63) > 0x7ff0_0000_0000_0000
    }
}

/// Replaces denormals by zeros.
#[inline(never)]
fn flush<T: Bits>(row: &mut [T; LANES]) {
    for x in row {
        *x = x.flush();
    }
}

/// A bit for each lane.
#[inline(always)]
fn mask(lane: impl Fn(usize) -> bool) -> u64 {
    (0..LANES).fold(0, |mask, l| mask | (u64::from(lane(l)) << l))
}

/// The lanes that are NaN.
#[inline(never)]
fn nans<T: Bits>(row: &[T; LANES]) -> u64 {
    if row.iter().fold(false, |any, x| any | x.is_nan()) {
        mask(|l| row[l].is_nan())
    } else {
        0
    }
}

/// The lanes whose magnitude is above `limit`.
#[inline(never)]
fn above16(row: &Row, limit: u32) -> u64 {
    let above = |x: u32| x & 0x7fff > limit;
    if row.iter().fold(false, |any, &x| any | above(x)) {
        mask(|l| above(row[l]))
    } else {
        0
    }
}

/// The numbers of the bits that are set.
fn lanes(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (lane < LANES).then_some(lane)
    })
}

/// Single or double precision: `host` on all lanes, `soft` where that does not do.
#[inline(always)]
pub fn rows<T: Bits, const N: usize>(
    env: Env,
    src: [&[T; LANES]; N],
    host: impl Fn([T::Number; N]) -> T::Number,
    soft: impl Fn(Env, [u64; N]) -> u64,
) -> [T; LANES] {
    let mut buffers;
    let mut args = src;
    if !env.denorm_in {
        buffers = src.map(|row| *row);
        buffers.iter_mut().for_each(flush);
        args = buffers.each_ref();
    }
    let mut out = [T::default(); LANES];
    let mut redo = u64::MAX;
    if env.round == Round::NearestEven {
        for (l, out) in out.iter_mut().enumerate() {
            *out = T::of(host(args.map(|row| row[l].number())));
        }
        if !env.denorm_out {
            flush(&mut out);
        }
        redo = nans(&out);
    }
    for l in lanes(redo) {
        out[l] = T::low(soft(env, src.map(|row| row[l].into())));
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
    let mut out = [0; LANES];
    let mut redo = u64::MAX;
    if env.round == Round::NearestEven {
        let wide = src.map(|row| widened(row, env.denorm_in));
        for (l, out) in out.iter_mut().enumerate() {
            *out = host(std::array::from_fn(|i| wide[i][l])).to_bits();
        }
        narrow(&mut out, env.denorm_out);
        // with FP16_OVFL infinities need a second look, too
        redo = above16(&out, if env.saturate { 0x7bff } else { 0x7c00 });
    }
    for l in lanes(redo) {
        out[l] = soft(env, src.map(|row| u64::from(row[l] & 0xffff))) as u32;
    }
    out
}

#[inline(always)]
fn flush16(x: u32, keep: bool) -> u32 {
    if !keep && x & 0x7c00 == 0 {
        x & 0x8000
    } else {
        x
    }
}

/// Half to single precision.
#[inline(never)]
fn widened(row: &Row, denorm_in: bool) -> [f32; LANES] {
    row.map(|x| half::to_f32(flush16(x, denorm_in)))
}

/// Single (as bits) to half precision.
#[inline(never)]
fn narrow(row: &mut Row, denorm_out: bool) {
    for x in row {
        *x = flush16(half::from_f32(f32::from_bits(*x)), denorm_out);
    }
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
