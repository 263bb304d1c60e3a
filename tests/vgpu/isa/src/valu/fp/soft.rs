// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Exact arithmetic on bit patterns, in any rounding mode. Each function rounds once.

use super::round::Exact;
use super::{Env, Float};
use crate::mode::Round;

/// `a + b`.
#[inline(never)]
pub fn add<F: Float>(env: Env, [a, b]: [u64; 2]) -> u64 {
    let (a, b) = (F::flush(a, env.denorm_in), F::flush(b, env.denorm_in));
    if let Some(nan) = env.nan::<F>(&[a, b]) {
        return nan;
    }
    match (F::is_inf(a), F::is_inf(b)) {
        (true, true) if a != b => F::NAN,
        (true, _) => a,
        (_, true) => b,
        _ => Exact::unpack::<F>(a)
            .plus(Exact::unpack::<F>(b), env.round)
            .round::<F>(env),
    }
}

/// `a - b`.
#[inline(never)]
pub fn sub<F: Float>(env: Env, [a, b]: [u64; 2]) -> u64 {
    // the sign of a NaN passes unchanged
    if F::is_nan(b) {
        return add::<F>(env, [a, b]);
    }
    add::<F>(env, [a, b ^ F::SIGN])
}

/// `b - a`.
#[inline(never)]
pub fn subrev<F: Float>(env: Env, [a, b]: [u64; 2]) -> u64 {
    env.nan::<F>(&[F::flush(a, env.denorm_in), b])
        .unwrap_or_else(|| sub::<F>(env, [b, a]))
}

/// `a * b`, but 0 times anything is +0 (the rule of DirectX 9).
#[inline(never)]
pub fn mul_legacy<F: Float>(env: Env, [a, b]: [u64; 2]) -> u64 {
    if F::is_zero(F::flush(a, env.denorm_in)) || F::is_zero(F::flush(b, env.denorm_in)) {
        0
    } else {
        mul::<F>(env, [a, b])
    }
}

/// `a * b + c` with the product of [`mul_legacy`] and two roundings.
#[inline(never)]
pub fn mad_legacy<F: Float>(env: Env, [a, b, c]: [u64; 3]) -> u64 {
    if F::is_zero(F::flush(a, env.denorm_in)) || F::is_zero(F::flush(b, env.denorm_in)) {
        add::<F>(env, [0, c])
    } else {
        mad::<F>(env, [a, b, c])
    }
}

/// `a * b`.
#[inline(never)]
pub fn mul<F: Float>(env: Env, [a, b]: [u64; 2]) -> u64 {
    let (a, b) = (F::flush(a, env.denorm_in), F::flush(b, env.denorm_in));
    if let Some(nan) = env.nan::<F>(&[a, b]) {
        return nan;
    }
    if F::is_inf(a) || F::is_inf(b) {
        if F::is_zero(a) || F::is_zero(b) {
            return F::NAN;
        }
        return F::INF | ((a ^ b) & F::SIGN);
    }
    Exact::unpack::<F>(a).times(Exact::unpack::<F>(b)).round::<F>(env)
}

/// `a * b + c` with one rounding.
#[inline(never)]
pub fn fma<F: Float>(env: Env, [a, b, c]: [u64; 3]) -> u64 {
    fma_scaled::<F>(env, a, b, c, 0)
}

/// `(a * b + c) * 2^scale` with one rounding.
#[inline(never)]
pub fn fma_scaled<F: Float>(env: Env, a: u64, b: u64, c: u64, scale: i32) -> u64 {
    let [a, b, c] = [a, b, c].map(|x| F::flush(x, env.denorm_in));
    if let Some(nan) = env.nan::<F>(&[a, b, c]) {
        return nan;
    }
    if F::is_inf(a) || F::is_inf(b) {
        let product = F::INF | ((a ^ b) & F::SIGN);
        let invalid = F::is_zero(a) || F::is_zero(b) || (F::is_inf(c) && c != product);
        return if invalid { F::NAN } else { product };
    }
    if F::is_inf(c) {
        return c;
    }
    let product = Exact::unpack::<F>(a).times(Exact::unpack::<F>(b));
    let sum = product.plus(Exact::unpack::<F>(c), env.round);
    sum.scaled(scale).round::<F>(env)
}

/// `a * b + c` with a rounding after each of the two operations.
#[inline(never)]
pub fn mad<F: Float>(env: Env, [a, b, c]: [u64; 3]) -> u64 {
    // of several NaNs the first in source order counts, as in an FMA
    let [x, y, z] = [a, b, c].map(|x| F::flush(x, env.denorm_in));
    if let Some(nan) = env.nan::<F>(&[x, y, z]) {
        return nan;
    }
    let product = mul::<F>(env, [a, b]);
    if F::is_nan(product) {
        return product;
    }
    add::<F>(env, [product, c])
}

/// `a * 2^by`.
#[inline(never)]
pub fn ldexp<F: Float>(env: Env, a: u64, by: i32) -> u64 {
    let a = F::flush(a, env.denorm_in);
    if let Some(nan) = env.nan::<F>(&[a]) {
        return nan;
    }
    if F::is_inf(a) {
        return a;
    }
    Exact::unpack::<F>(a).scaled(by).round::<F>(env)
}

/// `a` in another format. Denormal operands are kept if `denorm_in`; `env` is that of the result.
#[inline(never)]
pub fn convert<From: Float, To: Float>(env: Env, denorm_in: bool, a: u64) -> u64 {
    let a = From::flush(a, denorm_in);
    if From::is_nan(a) {
        let payload = (a & From::FRACTION) << (64 - From::FRAC) >> (64 - To::FRAC);
        let sign = if From::is_negative(a) { To::SIGN } else { 0 };
        // a payload that does not fit must not turn the NaN into an infinity
        let quiet = if env.ieee || payload == 0 { To::QUIET } else { 0 };
        return sign | To::INF | payload | quiet;
    }
    if From::is_inf(a) {
        let sign = if From::is_negative(a) { To::SIGN } else { 0 };
        return sign | To::INF;
    }
    Exact::unpack::<From>(a).round::<To>(env)
}

/// The nearest integer to `a` in rounding mode `round`, as a number of the same format; the sign of a zero is that of `a`.
#[inline(never)]
pub fn to_integral<F: Float>(env: Env, round: Round, a: u64) -> u64 {
    let a = F::flush(a, env.denorm_in);
    if let Some(nan) = env.nan::<F>(&[a]) {
        return nan;
    }
    if F::is_inf(a) {
        return a;
    }
    let exact = Exact::unpack::<F>(a);
    if exact.exponent >= 0 {
        return a;
    }
    let integer = exact.to_integer(round);
    let rounded = Exact {
        significand: integer.unsigned_abs(),
        exponent: 0,
        ..exact
    };
    rounded.round::<F>(env)
}

/// `x - floor(x)`, of infinity the NaN of its sign, at most the largest number below 1 (source: LLVM `llvm.amdgcn.fract`, which stands for
/// `min(x - floor(x), 1 - 2^-n)`).
#[inline(never)]
pub fn fract<F: Float>(env: Env, [a]: [u64; 1]) -> u64 {
    if F::is_inf(a) {
        return (F::NAN & !F::SIGN) | (a & F::SIGN);
    }
    let difference = sub::<F>(env, [a, to_integral::<F>(env, Round::Down, a)]);
    if !F::is_nan(difference) && difference >= F::ONE && !F::is_negative(difference) {
        F::ONE - 1
    } else {
        difference
    }
}

/// The fraction of `a` in ±[0.5, 1), or `a` itself if it is zero, infinite or NaN.
#[inline(never)]
pub fn frexp_mant<F: Float>(env: Env, [a]: [u64; 1]) -> u64 {
    let a = F::flush(a, env.denorm_in);
    if let Some(nan) = env.nan::<F>(&[a]) {
        return nan;
    }
    if F::is_inf(a) || F::is_zero(a) {
        return a;
    }
    let exact = Exact::unpack::<F>(a);
    exact.scaled(-1 - exact.magnitude()).round::<F>(env)
}

/// The exponent that goes with [`frexp_mant`]; 0 of zero, infinity and NaN.
#[inline(never)]
pub fn frexp_exp<F: Float>(env: Env, a: u64) -> i32 {
    let a = F::flush(a, env.denorm_in);
    if F::is_nan(a) || F::is_inf(a) || F::is_zero(a) {
        0
    } else {
        Exact::unpack::<F>(a).magnitude() + 1
    }
}
