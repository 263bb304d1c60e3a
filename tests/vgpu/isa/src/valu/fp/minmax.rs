// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Minimum, maximum, median and comparison (source: CDNA2 ISA, V_MIN_F32, V_MAX_F32, V_MED3_F32).

use super::{Env, Float};
use std::cmp::Ordering;

/// The order of two numbers as integers: monotonous in the value, -0 just below +0. NaNs lie outside.
fn key<F: Float>(x: u64) -> i64 {
    let magnitude = (x & !F::SIGN) as i64;
    if F::is_negative(x) {
        -1 - magnitude
    } else {
        magnitude
    }
}

/// The lesser (`less`) or greater of two numbers. A NaN loses against a number, but in IEEE mode a signalling one
/// wins and is made quiet.
fn select<F: Float>(env: Env, less: bool, a: u64, b: u64) -> u64 {
    let (a, b) = (F::flush(a, env.denorm_in), F::flush(b, env.denorm_in));
    if env.ieee && (F::is_snan(a) || F::is_snan(b)) {
        return if F::is_snan(a) { a } else { b } | F::QUIET;
    }
    let pick = if F::is_nan(a) {
        b
    } else if F::is_nan(b) || (key::<F>(a) < key::<F>(b)) == less {
        a
    } else {
        b
    };
    F::flush(pick, env.denorm_out)
}

/// The lesser of two numbers; -0 is less than +0.
#[inline(never)]
pub fn min<F: Float>(env: Env, [a, b]: [u64; 2]) -> u64 {
    select::<F>(env, true, a, b)
}

/// The greater of two numbers; +0 is greater than -0.
#[inline(never)]
pub fn max<F: Float>(env: Env, [a, b]: [u64; 2]) -> u64 {
    select::<F>(env, false, a, b)
}

/// The least of three numbers.
#[inline(never)]
pub fn min3<F: Float>(env: Env, [a, b, c]: [u64; 3]) -> u64 {
    min::<F>(env, [min::<F>(env, [a, b]), c])
}

/// The greatest of three numbers.
#[inline(never)]
pub fn max3<F: Float>(env: Env, [a, b, c]: [u64; 3]) -> u64 {
    max::<F>(env, [max::<F>(env, [a, b]), c])
}

/// The middle one of three numbers; the least if there is a NaN among them.
#[inline(never)]
pub fn med3<F: Float>(env: Env, [a, b, c]: [u64; 3]) -> u64 {
    if [a, b, c].into_iter().any(F::is_nan) {
        return min3::<F>(env, [a, b, c]);
    }
    let greatest = [a, b, c]
        .into_iter()
        .max_by_key(|&x| key::<F>(F::flush(x, env.denorm_in)));
    // by value: the two that the greatest leaves over, in source order
    match greatest {
        Some(x) if x == a => max::<F>(env, [b, c]),
        Some(x) if x == b => max::<F>(env, [a, c]),
        _ => max::<F>(env, [a, b]),
    }
}

/// How `a` compares with `b`; `None` if either is a NaN.
#[inline(never)]
pub fn compare<F: Float>(env: Env, a: u64, b: u64) -> Option<Ordering> {
    let (a, b) = (F::flush(a, env.denorm_in), F::flush(b, env.denorm_in));
    if F::is_nan(a) || F::is_nan(b) {
        None
    } else if F::is_zero(a) && F::is_zero(b) {
        Some(Ordering::Equal)
    } else {
        Some(key::<F>(a).cmp(&key::<F>(b)))
    }
}
