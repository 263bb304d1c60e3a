// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The three instructions that turn an approximate reciprocal into a correctly rounded quotient (source: CDNA2 ISA and RDNA3
//! ISA, V_DIV_SCALE, V_DIV_FMAS, V_DIV_FIXUP).

use super::round::Exact;
use super::{soft, Env, Float};

/// What differs between the two widths.
pub trait Divide: Float {
    /// Exponent difference from which on the quotient may overflow.
    const LARGE: i32;
    /// Biased exponent up to which the numerator is tiny.
    const TINY: i32;
    /// Power of two of the scaling.
    const SCALE: i32;

    /// The quotient to nearest even, with denormals.
    fn quotient(a: u64, b: u64) -> u64;
}

impl Divide for super::F32 {
    const LARGE: i32 = 96;
    const TINY: i32 = 23;
    const SCALE: i32 = 64;

    fn quotient(a: u64, b: u64) -> u64 {
        u64::from((f32::from_bits(a as u32) / f32::from_bits(b as u32)).to_bits())
    }
}

impl Divide for super::F64 {
    const LARGE: i32 = 768;
    const TINY: i32 = 53;
    const SCALE: i32 = 128;

    fn quotient(a: u64, b: u64) -> u64 {
        (f64::from_bits(a) / f64::from_bits(b)).to_bits()
    }
}

/// The exponent field.
fn exponent<F: Float>(x: u64) -> i32 {
    ((x & F::INF) >> F::FRAC) as i32
}

/// Scales `x`, which is the denominator or the numerator, so that the steps between neither over- nor underflow. The flag
/// says that [`fmas`] must undo it.
#[inline(never)]
pub fn scale<F: Divide>(env: Env, x: u64, denominator: u64, numerator: u64) -> (u64, bool) {
    let [x, d, n] = [x, denominator, numerator].map(|v| F::flush(v, env.denorm_in));
    let times = |by: i32| soft::ldexp::<F>(env, x, by);
    if F::is_zero(d) || F::is_zero(n) {
        return (F::NAN, false);
    }
    let ratio = exponent::<F>(n) - exponent::<F>(d);
    // comparing values, so that a NaN is never equal
    let is = |v: u64| x == v && !F::is_nan(x);
    let only = |what: u64, by: i32| if is(what) { times(by) } else { x };
    if ratio >= F::LARGE {
        return (only(d, F::SCALE), true);
    }
    if F::is_denormal(d) {
        return (times(F::SCALE), false);
    }
    let reciprocal_denormal = F::is_denormal(F::quotient(F::ONE, d));
    let quotient_denormal = F::is_denormal(F::quotient(n, d));
    match (reciprocal_denormal, quotient_denormal) {
        (true, true) => (only(d, -F::SCALE), true),
        (true, false) => (times(-F::SCALE), false),
        (false, true) => (only(n, F::SCALE), true),
        (false, false) if exponent::<F>(n) <= F::TINY => (times(F::SCALE), false),
        (false, false) => (x, false),
    }
}

/// `a * b + c`, scaled back if `flag`: up where `c` is 2 or more in magnitude, otherwise down. One rounding.
#[inline(never)]
pub fn fmas<F: Divide>(env: Env, a: u64, b: u64, c: u64, flag: bool) -> u64 {
    let by = match flag {
        false => 0,
        true if exponent::<F>(c) > F::BIAS => F::SCALE,
        true => -F::SCALE,
    };
    soft::fma_scaled::<F>(env, a, b, c, by)
}

/// The quotient with its special cases: `quotient` is what the steps before computed of `numerator / denominator`.
#[inline(never)]
pub fn fixup<F: Float>(env: Env, quotient: u64, denominator: u64, numerator: u64) -> u64 {
    let [q, d, n] = [quotient, denominator, numerator].map(|v| F::flush(v, env.denorm_in));
    let sign = (d ^ n) & F::SIGN;
    if let Some(nan) = env.nan::<F>(&[n, d]) {
        return nan;
    }
    let (zero_d, zero_n, inf_d, inf_n) = (F::is_zero(d), F::is_zero(n), F::is_inf(d), F::is_inf(n));
    if (zero_d && zero_n) || (inf_d && inf_n) {
        return F::NAN;
    }
    if zero_d || inf_n {
        return sign | F::INF;
    }
    if inf_d || zero_n {
        return sign;
    }
    // half-precision quotients are computed in single precision and need no help with their range
    let wide = F::BITS > 16;
    let extreme = |exponent: i32| {
        let exact = Exact {
            negative: sign != 0,
            significand: 1,
            exponent,
        };
        exact.round::<F>(env)
    };
    if wide && exponent::<F>(n) - exponent::<F>(d) < F::LAST - 1 {
        return extreme(2 * F::LAST);
    }
    if wide && F::is_nan(q) {
        return extreme(2 * F::BIAS);
    }
    F::flush(sign | (q & !F::SIGN), env.denorm_out)
}
