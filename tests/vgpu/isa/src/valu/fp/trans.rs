// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The transcendental unit.
//!
//! Accuracy: the hardware is documented to 1 ulp in single precision (CDNA2 ISA), half precision likewise, and to about 2^29 ulp
//! for `v_rcp_f64`, `v_rsq_f64` and `v_sqrt_f64`. Here reciprocals and square roots are rounded correctly; the others are
//! computed in double precision by the host's mathematical library (below 1 ulp there) and rounded once, which is correct but for
//! rare ties. Software that needs more refines the result in either case, and must not depend on the hardware's last bit.
//!
//! Denormals: in single precision all of these take and give zeros for denormals, whatever MODE says (source: LLVM
//! AMDGPU, lowering of fdiv, sqrt, log2 and exp2: "does not handle denormals"). The other widths follow MODE.

use super::{soft, Env, Float, F16, F32, F64};

/// A function of one number, in double precision. Infinities and invalid operands follow IEEE 754.
pub type Function = fn(f64) -> f64;

/// Applies `function` in single precision.
pub fn single(env: Env, x: u32, function: Function) -> u32 {
    let x = F32::flush(u64::from(x), false) as u32;
    match special::<F32>(env, u64::from(x)) {
        Some(nan) => nan as u32,
        None => {
            let result = function(f64::from(f32::from_bits(x))) as f32;
            F32::flush(defined::<F32>(u64::from(result.to_bits())), false) as u32
        }
    }
}

/// Applies `function` in double precision.
pub fn double(env: Env, x: u64, function: Function) -> u64 {
    let x = F64::flush(x, env.denorm_in);
    special::<F64>(env, x).unwrap_or_else(|| {
        let result = function(f64::from_bits(x)).to_bits();
        F64::flush(defined::<F64>(result), env.denorm_out)
    })
}

/// Applies `function` in half precision.
pub fn half(env: Env, x: u32, function: Function) -> u32 {
    let x = F16::flush(u64::from(x & 0xffff), env.denorm_in);
    let result = special::<F16>(env, x).unwrap_or_else(|| {
        let result = function(f64::from(super::half::to_f32(x as u32)));
        if result.is_nan() {
            F16::NAN
        } else {
            soft::convert::<F64, F16>(env, true, result.to_bits())
        }
    });
    result as u32
}

/// The result for a NaN operand.
fn special<F: Float>(env: Env, x: u64) -> Option<u64> {
    env.nan::<F>(&[x])
}

/// The NaN of an invalid operation, whatever the host makes of it.
fn defined<F: Float>(x: u64) -> u64 {
    if F::is_nan(x) {
        F::NAN
    } else {
        x
    }
}

/// `1 / x`. In double precision the quotient of a single-precision operand has more than twice its bits plus two: rounding it again
/// is harmless.
pub fn rcp(x: f64) -> f64 {
    1.0 / x
}

/// `1 / sqrt(x)`; of -0 minus infinity.
pub fn rsq(x: f64) -> f64 {
    1.0 / x.sqrt()
}

/// Square root; of -0 itself.
pub fn sqrt(x: f64) -> f64 {
    x.sqrt()
}

/// `2^x`.
pub fn exp2(x: f64) -> f64 {
    x.exp2()
}

/// Logarithm to base 2; of zeros minus infinity.
pub fn log2(x: f64) -> f64 {
    if x == 0.0 {
        f64::NEG_INFINITY
    } else {
        x.log2()
    }
}

/// Operands of sine and cosine are valid up to this magnitude (CDNA2 ISA, V_SIN_F32).
const RANGE: f64 = 256.0;

/// Sine of `x` turns; 0 outside ±256.
pub fn sin(x: f64) -> f64 {
    if x.is_infinite() {
        return f64::NAN;
    }
    if x.abs() > RANGE {
        return 0.0;
    }
    if x == 0.0 {
        return x;
    }
    match quarter(x) {
        (0, angle) => angle.sin(),
        (1, angle) => angle.cos(),
        (2, angle) => -angle.sin(),
        (_, angle) => -angle.cos(),
    }
}

/// Cosine of `x` turns; 1 outside ±256.
pub fn cos(x: f64) -> f64 {
    if x.is_infinite() {
        return f64::NAN;
    }
    if x.abs() > RANGE {
        return 1.0;
    }
    match quarter(x) {
        (0, angle) => angle.cos(),
        (1, angle) => -angle.sin(),
        (2, angle) => -angle.cos(),
        (_, angle) => angle.sin(),
    }
}

/// Splits `x` turns into quarters (modulo 4) and a rest of at most an eighth of a turn, in radians. The rest is exact before
/// the multiplication, so that multiples of a quarter give exact results.
fn quarter(x: f64) -> (i32, f64) {
    let quarters = (x * 4.0).round_ties_even();
    let rest = x - quarters * 0.25;
    (quarters as i32 & 3, rest * std::f64::consts::TAU)
}
