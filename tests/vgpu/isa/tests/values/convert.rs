// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Conversions (CDNA2 ISA "VOP1 instructions", V_CVT_*).

use super::float::{operand, result, round, saturate, Format};
use super::vector::{In, Model, Width};
use rustc_apfloat::ieee::{Double, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

fn from_integer<F: Format>(x: &In, n: i128) -> u128 {
    let number = F::from_i128_r(n, round::<F>(x.mode)).value;
    result(saturate(number, &[], x.mode), x)
}

fn convert<A: Format + FloatConvert<B>, B: Format>(x: &In, r: Round) -> u128 {
    let a = operand::<A>(x.src[0], x.mode);
    let mut lossless = false;
    let b: B = a.convert_r(r, &mut lossless).value;
    let b = if a.is_finite() {
        saturate(b, &[], x.mode)
    } else {
        b
    };
    result(b, x)
}

/// The nearest integer in `low..=high` in rounding `r`; 0 for NaN.
fn integer<F: Format>(x: &In, r: Round, low: i128, high: i128) -> u128 {
    let a = operand::<F>(x.src[0], x.mode);
    let mut exact = false;
    let n = match () {
        () if a.is_nan() => 0,
        () if a.is_infinite() => {
            if a.is_negative() {
                low
            } else {
                high
            }
        }
        () => a.to_i128_r(100, r, &mut exact).value.clamp(low, high),
    };
    n as u128
}

/// Source `i` as a host number, for steps that are exact there.
fn host<F: Format + FloatConvert<Double>>(x: &In, i: usize) -> f64 {
    let mut lossless = false;
    let wide: Double = operand::<F>(x.src[i], x.mode).convert(&mut lossless).value;
    f64::from_bits(wide.to_bits() as u64)
}

/// -1..1 or 0..1 to all 16 bits; NaN gives 0.
fn normalised(x: f64, signed: bool, r: Round) -> u128 {
    let (low, high) = if signed {
        (-32767.0, 32767.0)
    } else {
        (0.0, 65535.0)
    };
    let scaled = x * high;
    let rounded = match r {
        Round::TowardPositive => scaled.ceil(),
        Round::TowardNegative => scaled.floor(),
        Round::TowardZero => scaled.trunc(),
        _ => scaled.round_ties_even(),
    };
    if x.is_nan() {
        0
    } else {
        u128::from(rounded.clamp(low, high) as i32 as u16)
    }
}

fn pair(low: u128, high: u128) -> u128 {
    low | high << 16
}

/// Both sources normalised, to nearest even.
fn normals<F: Format + FloatConvert<Double>>(x: &In, signed: bool) -> u128 {
    let one = |i| normalised(host::<F>(x, i), signed, Round::NearestTiesToEven);
    pair(one(0), one(1))
}

/// The largest integer not above source 0 plus `half`; NaNs are not documented.
fn floor(x: &In, got: u128, half: f64) -> bool {
    let a = host::<Single>(x, 0);
    a.is_nan() || (a + half).floor() as i32 == got as u32 as i32
}

fn byte(x: &In, into: u128) -> u128 {
    let byte = integer::<Single>(x, round::<Single>(x.mode), 0, 255);
    let shift = 8 * (x.src[1] % 4);
    into & !(0xff << shift) | byte << shift
}

const SIGNED: (i128, i128) = (i32::MIN as i128, i32::MAX as i128);

pub(crate) fn model(name: &str) -> Option<Model> {
    Some(match name {
        "v_cvt_f32_i32" => Model::Float(Width::Single, |x| from_integer::<Single>(x, x.int[0])),
        "v_cvt_f32_u32" => Model::Float(Width::Single, |x| from_integer::<Single>(x, x.int[0])),
        "v_cvt_f64_i32" => Model::Float(Width::Double, |x| from_integer::<Double>(x, x.int[0])),
        "v_cvt_f64_u32" => Model::Float(Width::Double, |x| from_integer::<Double>(x, x.int[0])),
        "v_cvt_f16_i16" => Model::Float(Width::Half, |x| {
            from_integer::<Half>(x, i128::from(x.src[0] as i16))
        }),
        "v_cvt_f16_u16" => Model::Float(Width::Half, |x| {
            from_integer::<Half>(x, i128::from(x.src[0] as u16))
        }),
        "v_cvt_f32_ubyte0" => Model::Float(Width::Single, |x| from_integer::<Single>(x, x.int[0] & 0xff)),
        "v_cvt_f32_ubyte1" => {
            Model::Float(Width::Single, |x| from_integer::<Single>(x, x.int[0] >> 8 & 0xff))
        }
        "v_cvt_f32_ubyte2" => Model::Float(Width::Single, |x| {
            from_integer::<Single>(x, x.int[0] >> 16 & 0xff)
        }),
        "v_cvt_f32_ubyte3" => Model::Float(Width::Single, |x| {
            from_integer::<Single>(x, x.int[0] >> 24 & 0xff)
        }),
        // a signed nibble in sixteenths
        "v_cvt_off_f32_i4" => Model::Float(Width::Single, |x| {
            let n = (x.int[0] & 15) - if x.int[0] & 8 != 0 { 16 } else { 0 };
            result(Single::from_i128(n).value.scalbn(-4), x)
        }),
        "v_cvt_f32_f16" => Model::Float(Width::Single, |x| {
            convert::<Half, Single>(x, round::<Single>(x.mode))
        }),
        "v_cvt_f16_f32" => Model::Float(Width::Half, |x| convert::<Single, Half>(x, round::<Half>(x.mode))),
        "v_cvt_f64_f32" => Model::Float(Width::Double, |x| {
            convert::<Single, Double>(x, round::<Double>(x.mode))
        }),
        "v_cvt_f32_f64" => Model::Float(Width::Single, |x| {
            convert::<Double, Single>(x, round::<Single>(x.mode))
        }),
        "v_cvt_i32_f32" => {
            Model::Bits(|x| integer::<Single>(x, Round::TowardZero, SIGNED.0, SIGNED.1) & 0xffff_ffff)
        }
        "v_cvt_u32_f32" => Model::Bits(|x| integer::<Single>(x, Round::TowardZero, 0, 0xffff_ffff)),
        "v_cvt_i32_f64" => {
            Model::Bits(|x| integer::<Double>(x, Round::TowardZero, SIGNED.0, SIGNED.1) & 0xffff_ffff)
        }
        "v_cvt_u32_f64" => Model::Bits(|x| integer::<Double>(x, Round::TowardZero, 0, 0xffff_ffff)),
        "v_cvt_i16_f16" => Model::Bits(|x| integer::<Half>(x, Round::TowardZero, -0x8000, 0x7fff) & 0xffff),
        "v_cvt_u16_f16" => Model::Bits(|x| integer::<Half>(x, Round::TowardZero, 0, 0xffff)),
        "v_cvt_rpi_i32_f32" => Model::Judge(|x, got| floor(x, got, 0.5)),
        "v_cvt_flr_i32_f32" => Model::Judge(|x, got| floor(x, got, 0.0)),
        "v_cvt_norm_i16_f16" => Model::Bits(|x| normalised(host::<Half>(x, 0), true, round::<Half>(x.mode))),
        "v_cvt_norm_u16_f16" => Model::Bits(|x| normalised(host::<Half>(x, 0), false, round::<Half>(x.mode))),
        "v_cvt_pknorm_i16_f32" => Model::Bits(|x| normals::<Single>(x, true)),
        "v_cvt_pknorm_u16_f32" => Model::Bits(|x| normals::<Single>(x, false)),
        "v_cvt_pknorm_i16_f16" => Model::Bits(|x| normals::<Half>(x, true)),
        "v_cvt_pknorm_u16_f16" => Model::Bits(|x| normals::<Half>(x, false)),
        "v_cvt_pkrtz_f16_f32" => Model::Floats(Width::Half, |x| {
            let one = |i: usize| {
                // output modifiers round the same way
                let mut one = In {
                    mode: x.mode | 0xc,
                    ..*x
                };
                one.src[0] = x.src[i];
                convert::<Single, Half>(&one, Round::TowardZero)
            };
            pair(one(0), one(1))
        }),
        "v_cvt_pk_u8_f32" => Model::Bits(|x| byte(x, x.src[2])),
        "v_cvt_pkaccum_u8_f32" => Model::Bits(|x| byte(x, x.old)),
        _ => return None,
    })
}
