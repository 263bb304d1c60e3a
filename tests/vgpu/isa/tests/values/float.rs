// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Floating-point arithmetic by LLVM's APFloat, and what MODE and the output modifiers make of it.

use super::vector::{In, Model, Width};
use rustc_apfloat::ieee::{Double, Half, Single};
use rustc_apfloat::{Category, Float, Round};

/// A format, by APFloat and by the fields of MODE.
pub(crate) trait Format: Float {
    const WIDTH: Width;
    /// Lowest bits of FP_ROUND and FP_DENORM.
    const ROUND: u32;
    const DENORM: u32;
}
impl Format for Half {
    const WIDTH: Width = Width::Half;
    const ROUND: u32 = 2;
    const DENORM: u32 = 6;
}
impl Format for Single {
    const WIDTH: Width = Width::Single;
    const ROUND: u32 = 0;
    const DENORM: u32 = 4;
}
impl Format for Double {
    const WIDTH: Width = Width::Double;
    const ROUND: u32 = 2;
    const DENORM: u32 = 6;
}

pub(crate) fn round<F: Format>(mode: u32) -> Round {
    [
        Round::NearestTiesToEven,
        Round::TowardPositive,
        Round::TowardNegative,
        Round::TowardZero,
    ][(mode >> F::ROUND & 3) as usize]
}

/// `x`, a denormal being a zero unless `keep`.
pub(crate) fn flush<F: Format>(x: F, keep: bool) -> F {
    if x.is_denormal() && !keep {
        F::ZERO.copy_sign(x)
    } else {
        x
    }
}

/// Operand `bits`.
pub(crate) fn operand<F: Format>(bits: u128, mode: u32) -> F {
    flush(F::from_bits(bits), mode >> F::DENORM & 1 != 0)
}

/// The result `x`: denormals, overflow, output modifiers.
pub(crate) fn result<F: Format>(x: F, input: &In) -> u128 {
    let keep = input.mode >> (F::DENORM + 1) & 1 != 0;
    let mut x = flush(x, keep);
    let by = [0, 1, 2, -1][usize::from(input.omod)];
    if by != 0 && !keep && input.mode & 0x200 == 0 {
        x = flush(x.scalbn_r(by, round::<F>(input.mode)), false);
        if x.is_zero() {
            x = F::ZERO;
        }
    }
    if input.clamp {
        let dx10 = input.mode & 0x100 != 0;
        let one = F::from_u128(1).value;
        x = match x.category() {
            Category::NaN if !dx10 => x,
            Category::NaN => F::ZERO,
            _ if x.is_negative() => F::ZERO,
            _ if x > one => one,
            _ => x,
        };
    }
    x.to_bits()
}

/// FP16_OVFL: overflow of finite numbers gives the largest one.
pub(crate) fn saturate<F: Format>(x: F, operands: &[F], mode: u32) -> F {
    let finite = operands.iter().all(|o| o.is_finite());
    if F::WIDTH == Width::Half && mode >> 23 & 1 != 0 && x.is_infinite() && finite {
        F::largest().copy_sign(x)
    } else {
        x
    }
}

pub(crate) type Arithmetic<F> = fn([F; 3], Round) -> F;

pub(crate) fn arithmetic<F: Format>(input: &In, f: Arithmetic<F>) -> u128 {
    let src = input.src.map(|x| operand::<F>(x, input.mode));
    result(saturate(f(src, round::<F>(input.mode)), &src, input.mode), input)
}

/// The same without denormals, whatever MODE says.
fn flushed<F: Format>(input: &In, f: Arithmetic<F>) -> u128 {
    let input = In {
        mode: input.mode & !0xf0,
        ..*input
    };
    arithmetic(&input, f)
}

/// A product and then a sum, each with its rounding, overflow and flushing.
fn unfused<F: Format>(input: &In) -> u128 {
    let input = In {
        mode: input.mode & !0xf0,
        ..*input
    };
    let [a, b, c] = input.src.map(|x| operand::<F>(x, input.mode));
    let r = round::<F>(input.mode);
    let product = saturate(a.mul_r(b, r).value, &[a, b], input.mode);
    let sum = flush(product, false).add_r(c, r).value;
    result(saturate(sum, &[a, b, c], input.mode), &input)
}

pub(crate) fn add<F: Format>([a, b, _]: [F; 3], r: Round) -> F {
    a.add_r(b, r).value
}
fn sub<F: Format>([a, b, _]: [F; 3], r: Round) -> F {
    a.sub_r(b, r).value
}
fn subrev<F: Format>([a, b, _]: [F; 3], r: Round) -> F {
    b.sub_r(a, r).value
}
pub(crate) fn mul<F: Format>([a, b, _]: [F; 3], r: Round) -> F {
    a.mul_r(b, r).value
}
pub(crate) fn fma<F: Format>([a, b, c]: [F; 3], r: Round) -> F {
    a.mul_add_r(b, c, r).value
}
fn mul_legacy<F: Format>([a, b, _]: [F; 3], r: Round) -> F {
    if a.is_zero() || b.is_zero() {
        F::ZERO
    } else {
        a.mul_r(b, r).value
    }
}
fn mad_legacy<F: Format>([a, b, c]: [F; 3], r: Round) -> F {
    flush(mul_legacy([a, b, c], r), false).add_r(c, r).value
}
fn floor<F: Format>([a, ..]: [F; 3], _: Round) -> F {
    a.round_to_integral(Round::TowardNegative).value
}
fn ceil<F: Format>([a, ..]: [F; 3], _: Round) -> F {
    a.round_to_integral(Round::TowardPositive).value
}
fn trunc<F: Format>([a, ..]: [F; 3], _: Round) -> F {
    a.round_to_integral(Round::TowardZero).value
}
fn rndne<F: Format>([a, ..]: [F; 3], _: Round) -> F {
    a.round_to_integral(Round::NearestTiesToEven).value
}
/// Less than 1 even where rounding would give it.
fn fract<F: Format>([a, b, c]: [F; 3], r: Round) -> F {
    if a.is_infinite() {
        return F::NAN;
    }
    let fraction = a.sub_r(floor([a, b, c], r), r).value;
    let one = F::from_u128(1).value;
    if fraction >= one {
        one.next_down().value
    } else {
        fraction
    }
}
fn mantissa<F: Format>([a, ..]: [F; 3], _: Round) -> F {
    if a.is_finite_non_zero() {
        a.scalbn(-1 - a.ilogb())
    } else {
        a
    }
}
/// An operand in IEEE mode: a signalling NaN wins, quiet; otherwise a number beats NaNs; zeros are ordered by sign.
fn least<F: Format>(a: F, b: F, ieee: bool, greatest: bool) -> F {
    let quiet = |x: F| F::from_bits(x.to_bits() | 1 << (F::WIDTH.fields().1 - 1));
    match (a.is_nan(), b.is_nan()) {
        _ if ieee && a.is_signaling() => quiet(a),
        _ if ieee && b.is_signaling() => quiet(b),
        (true, true) => a,
        (true, false) => b,
        (false, true) => a,
        _ => {
            let a_is_less = a < b || a == b && a.is_negative();
            if a_is_less != greatest {
                a
            } else {
                b
            }
        }
    }
}

/// The lesser (or with `true` the greater) of two numbers.
type Pick<'a, F> = &'a dyn Fn(F, F, bool) -> F;

fn extreme<F: Format>(input: &In, f: fn([F; 3], Pick<'_, F>) -> F) -> u128 {
    let ieee = input.mode & 0x200 != 0;
    let src = input.src.map(|x| operand::<F>(x, input.mode));
    result(f(src, &|a, b, greatest| least(a, b, ieee, greatest)), input)
}

pub(crate) fn min<F: Format>(x: &In) -> u128 {
    extreme::<F>(x, |[a, b, _], pick| pick(a, b, false))
}
pub(crate) fn max<F: Format>(x: &In) -> u128 {
    extreme::<F>(x, |[a, b, _], pick| pick(a, b, true))
}
fn min3<F: Format>(x: &In) -> u128 {
    extreme::<F>(x, |[a, b, c], pick| pick(pick(a, b, false), c, false))
}
fn max3<F: Format>(x: &In) -> u128 {
    extreme::<F>(x, |[a, b, c], pick| pick(pick(a, b, true), c, true))
}
/// With a NaN the least of the others, otherwise the middle one.
fn med3<F: Format>(x: &In) -> u128 {
    extreme::<F>(x, |src, pick| {
        let [a, b, c] = src;
        if src.iter().any(|s| s.is_nan()) {
            return pick(pick(a, b, false), c, false);
        }
        let mut sorted = src;
        sorted.sort_by(|a, b| {
            let sign = |x: &F| !x.is_negative();
            a.partial_cmp(b).unwrap().then(sign(a).cmp(&sign(b)))
        });
        sorted[1]
    })
}

/// Scaled by a power of two, which is source 1.
fn scaled<F: Format>(x: &In, by: i128) -> u128 {
    let a = operand::<F>(x.src[0], x.mode);
    let by = by.clamp(-20000, 20000) as i32;
    result(saturate(a.scalbn_r(by, round::<F>(x.mode)), &[a], x.mode), x)
}

/// The exponent of a number in 0.5..1 times a power of two; 0 for zeros, infinities and NaNs.
fn exponent<F: Format>(x: &In) -> i32 {
    let a = operand::<F>(x.src[0], x.mode);
    if a.is_finite_non_zero() {
        a.ilogb() + 1
    } else {
        0
    }
}

/// The rows of the three formats.
fn formats(name: &str) -> Option<Model> {
    macro_rules! each {
        ($($suffix:literal $format:ident)*) => {$(
            if let Some(op) = name.strip_suffix($suffix) {
                let width = <$format as Format>::WIDTH;
                let model: fn(&In) -> u128 = match op {
                    "v_add" => |x| arithmetic::<$format>(x, add),
                    "v_sub" => |x| arithmetic::<$format>(x, sub),
                    "v_subrev" => |x| arithmetic::<$format>(x, subrev),
                    "v_mul" => |x| arithmetic::<$format>(x, mul),
                    "v_fma" | "v_fmac" | "v_fma_legacy" => |x| arithmetic::<$format>(x, fma),
                    "v_mad" | "v_mac" | "v_madmk" | "v_madak" => unfused::<$format>,
                    "v_mad_legacy" if width == Width::Half => unfused::<$format>,
                    "v_mad_legacy" => |x| flushed::<$format>(x, mad_legacy),
                    "v_mul_legacy" => |x| arithmetic::<$format>(x, mul_legacy),
                    "v_floor" => |x| arithmetic::<$format>(x, floor),
                    "v_ceil" => |x| arithmetic::<$format>(x, ceil),
                    "v_trunc" => |x| arithmetic::<$format>(x, trunc),
                    "v_rndne" => |x| arithmetic::<$format>(x, rndne),
                    "v_fract" => |x| arithmetic::<$format>(x, fract),
                    "v_frexp_mant" => |x| arithmetic::<$format>(x, mantissa),
                    "v_min" => min::<$format>,
                    "v_max" => max::<$format>,
                    "v_min3" => min3::<$format>,
                    "v_max3" => max3::<$format>,
                    "v_med3" => med3::<$format>,
                    _ => return None,
                };
                return Some(Model::Float(width, model));
            }
        )*};
    }
    each!("_f16" Half "_f32" Single "_f64" Double);
    None
}

pub(crate) fn model(name: &str) -> Option<Model> {
    Some(match name {
        "v_ldexp_f16" => Model::Float(Width::Half, |x| scaled::<Half>(x, i128::from(x.src[1] as i16))),
        "v_ldexp_f32" => Model::Float(Width::Single, |x| scaled::<Single>(x, x.int[1])),
        "v_ldexp_f64" => Model::Float(Width::Double, |x| scaled::<Double>(x, x.int[1])),
        "v_frexp_exp_i16_f16" => Model::Bits(|x| (exponent::<Half>(x) as u16).into()),
        "v_frexp_exp_i32_f32" => Model::Bits(|x| (exponent::<Single>(x) as u32).into()),
        "v_frexp_exp_i32_f64" => Model::Bits(|x| (exponent::<Double>(x) as u32).into()),
        _ => return formats(name),
    })
}
