// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The steps of a division (CDNA2 ISA, V_DIV_SCALE, V_DIV_FMAS, V_DIV_FIXUP).

use super::float::{fma, operand, result, round, Format};
use super::vector::{In, Model, Width};
use rustc_apfloat::ieee::{Double, Half, Quad, Single};
use rustc_apfloat::{Float, FloatConvert, Round, Status, StatusAnd};

/// Biased exponents as the ISA document counts them; denormals have 0.
fn exponent<F: Format>(x: F) -> i32 {
    let (exp, frac) = F::WIDTH.fields();
    ((x.to_bits() >> frac) & ((1 << exp) - 1)) as i32
}

/// What differs between the widths: exponent difference that may overflow, tiny exponent, power of two of the scaling.
struct Limits {
    large: i32,
    tiny: i32,
    by: i32,
}
const SINGLE: Limits = Limits {
    large: 96,
    tiny: 23,
    by: 64,
};
const DOUBLE: Limits = Limits {
    large: 768,
    tiny: 53,
    by: 128,
};

/// Source 0 is source 1 (the denominator) or source 2 (the numerator).
fn scale<F: Format>(x: &In, l: &Limits) -> (u128, bool) {
    let [s, d, n] = x.src.map(|b| operand::<F>(b, x.mode));
    let nearest = Round::NearestTiesToEven;
    let scaled = |by| s.scalbn_r(by, round::<F>(x.mode));
    let one = F::from_u128(1).value;
    let denormal = |a: F| a.div_r(d, nearest).value.is_denormal();
    let (value, flag) = if d.is_zero() || n.is_zero() {
        (F::NAN, false)
    } else if exponent(n) - exponent(d) >= l.large {
        (if s == d { scaled(l.by) } else { s }, true)
    } else if d.is_denormal() {
        (scaled(l.by), false)
    } else if denormal(one) && denormal(n) {
        // the document says up, which would overflow: the reciprocal of a denominator this large needs the opposite
        (if s == d { scaled(-l.by) } else { s }, true)
    } else if denormal(one) {
        (scaled(-l.by), false)
    } else if denormal(n) {
        (if s == n { scaled(l.by) } else { s }, true)
    } else if exponent(n) <= l.tiny {
        (scaled(l.by), false)
    } else {
        (s, false)
    };
    // what is not scaled passes as it is
    let untouched = value == s && s.is_denormal() && x.omod == 0 && !x.clamp;
    (if untouched { s.to_bits() } else { result(value, x) }, flag)
}

/// Where VCC is set the sum is scaled: up if source 2 is 2 or more in magnitude, otherwise down. Quadruple precision has room
/// for the product and for any exponent, so that there is one rounding.
fn fmas<F: Format + FloatConvert<Quad>>(x: &In, by: i32) -> u128
where
    Quad: FloatConvert<F>,
{
    let src = x.src.map(|b| operand::<F>(b, x.mode));
    let r = round::<F>(x.mode);
    let two = F::from_u128(2).value;
    let by = match (x.vcc, src[2].is_nan() || src[2].abs() >= two) {
        (false, _) => 0,
        (true, true) => by,
        (true, false) => -by,
    };
    let mut lossless = false;
    let [a, b, c] = src.map(|s| s.convert(&mut lossless).value);
    // rounded to odd, so that the second rounding is right
    let sum: StatusAnd<Quad> = a.mul_add_r(b, c, Round::TowardZero);
    let odd = u128::from(sum.status.contains(Status::INEXACT));
    let wide = Quad::from_bits(sum.value.to_bits() | odd).scalbn(by);
    let value = if by == 0 || sum.value.is_zero() {
        fma(src, r)
    } else {
        wide.convert_r(r, &mut lossless).value
    };
    result(value, x)
}

/// Source 0 is the quotient so far, 1 the denominator, 2 the numerator.
fn fixup<F: Format>(x: &In) -> u128 {
    let [q, d, n] = x.src.map(|b| operand::<F>(b, x.mode));
    let negative = d.is_negative() != n.is_negative();
    let signed = |v: F| if negative { -v.abs() } else { v.abs() };
    let r = round::<F>(x.mode);
    let (exp, frac) = F::WIDTH.fields();
    let lowest = 2 - (1 << (exp - 1)) - frac as i32;
    let wide = F::WIDTH != Width::Half;
    let value = if n.is_nan() {
        n
    } else if d.is_nan() {
        d
    } else if d.is_zero() && n.is_zero() || d.is_infinite() && n.is_infinite() {
        F::NAN
    } else if d.is_zero() || n.is_infinite() {
        signed(F::INFINITY)
    } else if d.is_infinite() || n.is_zero() {
        signed(F::ZERO)
    } else if wide && exponent(n) - exponent(d) < lowest - 1 {
        signed(F::SMALLEST).scalbn_r(-2, r)
    } else if wide && q.is_nan() {
        signed(F::largest()).scalbn_r(1, r)
    } else {
        signed(q)
    };
    result(value, x)
}

pub(crate) fn model(name: &str) -> Option<Model> {
    Some(match name {
        "v_div_scale_f32" => Model::Flagged(Width::Single, |x| scale::<Single>(x, &SINGLE)),
        "v_div_scale_f64" => Model::Flagged(Width::Double, |x| scale::<Double>(x, &DOUBLE)),
        "v_div_fmas_f32" => Model::Float(Width::Single, |x| fmas::<Single>(x, 64)),
        "v_div_fmas_f64" => Model::Float(Width::Double, |x| fmas::<Double>(x, 128)),
        "v_div_fixup_f16" | "v_div_fixup_legacy_f16" => Model::Float(Width::Half, fixup::<Half>),
        "v_div_fixup_f32" => Model::Float(Width::Single, fixup::<Single>),
        "v_div_fixup_f64" => Model::Float(Width::Double, fixup::<Double>),
        _ => return None,
    })
}
