// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Packed arithmetic, mixed precision, dot products of halves (CDNA2 ISA "VOP3P instructions").

use super::float::{add, arithmetic, fma, max, min, mul, operand, result, round, saturate};
use super::vector::{In, Model, Width, I};
use rustc_apfloat::ieee::{Half, Single};
use rustc_apfloat::{Float, FloatConvert};

/// The halves (of `bits`) of source `i` that feed the low and the high result, with their signs.
pub(crate) fn select(x: u128, bits: u32, i: usize, [low, high, neg, neg_hi]: [u8; 4], name: &str) -> u128 {
    let part = |sel: u8, neg: u8| {
        let part = x >> (bits * u32::from(sel >> i & 1)) & ((1 << bits) - 1);
        part ^ u128::from(neg >> i & 1) << (bits - 1)
    };
    // the move takes a dword of each source, by op_sel alone
    let high = if name == "v_pk_mov_b32" { low } else { high };
    part(low, neg) | part(high, neg_hi) << bits
}

/// Sources of mixed precision as single precision: a half where op_sel_hi says so, the one that op_sel names.
pub(crate) fn mixed(src: [u128; 3], [sel, is_half, abs, neg]: [u8; 4], mode: u32) -> [u128; 3] {
    std::array::from_fn(|i| {
        let on = |bits: u8| bits >> i & 1 == 1;
        let mut lossless = false;
        let mut x = src[i];
        if on(is_half) {
            let half = operand::<Half>(x >> (16 * u32::from(on(sel))) & 0xffff, mode);
            let single: Single = half.convert(&mut lossless).value;
            x = single.to_bits();
        }
        if on(abs) {
            x &= 0x7fff_ffff;
        }
        if on(neg) {
            x ^= 0x8000_0000;
        }
        x
    })
}

/// The single-precision sum as half precision.
fn mixed_to_half(x: &In) -> u128 {
    let single = Single::from_bits(arithmetic::<Single>(x, fma));
    let mut lossless = false;
    let half: Half = single.convert_r(round::<Half>(x.mode), &mut lossless).value;
    result(
        if single.is_finite() {
            saturate(half, &[], x.mode)
        } else {
            half
        },
        x,
    )
}

/// `f` of the low and the high parts.
fn both(x: &In, bits: u32, f: fn(&In) -> u128) -> u128 {
    let part = |high: u32| {
        let src = x.src.map(|s| s >> (bits * high) & ((1 << bits) - 1));
        let int = src.map(|s| s as I);
        f(&In {
            src,
            int,
            old: 0,
            ..*x
        })
    };
    part(0) | part(1) << bits
}

/// 16-bit integers; the exact result wraps or saturates.
fn integers(x: &In, signed: bool, f: fn(I, I, I) -> I) -> u128 {
    let part = |shift: u32| {
        let [a, b, c] = x.src.map(|s| {
            let s = s >> shift;
            if signed {
                I::from(s as i16)
            } else {
                I::from(s as u16)
            }
        });
        let exact = f(a, b, c);
        let (low, high) = if signed { (-0x8000, 0x7fff) } else { (0, 0xffff) };
        (if x.clamp { exact.clamp(low, high) } else { exact }) as u16
    };
    u128::from(part(0)) | u128::from(part(16)) << 16
}

/// The sum of two products of halves and a single: near the exact one, as the order of rounding is not documented.
fn dot(x: &In, got: u128) -> bool {
    let half = |i: usize, high: u32| {
        let mut lossless = false;
        let single: Single = Half::from_bits(x.src[i] >> (16 * high) & 0xffff)
            .convert(&mut lossless)
            .value;
        f64::from(f32::from_bits(single.to_bits() as u32))
    };
    let c = f64::from(f32::from_bits(x.src[2] as u32));
    let terms = [half(0, 0) * half(1, 0), half(0, 1) * half(1, 1), c];
    let mut sum: f64 = terms.iter().sum();
    let got = f64::from(f32::from_bits(got as u32));
    let scale = match x.omod {
        0 => 1.0,
        _ if x.mode & 0x220 != 0 => 1.0,
        n => [2.0, 4.0, 0.5][usize::from(n) - 1],
    };
    sum *= scale;
    if x.clamp {
        sum = if sum.is_nan() && x.mode & 0x100 != 0 {
            0.0
        } else {
            sum.clamp(0.0, 1.0)
        };
    }
    let most = terms.iter().fold(0f64, |m, t| m.max(t.abs())) * scale;
    // a number this large may overflow on the way and meet an infinity
    let huge = terms
        .iter()
        .any(|t| t.is_finite() && t.abs() >= f64::from(f32::MAX));
    if sum.is_nan() || got.is_nan() {
        return huge || sum.is_nan() && got.is_nan();
    }
    if got.is_infinite() {
        return sum.signum() == got.signum() && sum.abs() >= f64::from(f32::MAX);
    }
    sum as f32 == got as f32
        || (sum - got).abs() <= most * f64::from(f32::EPSILON) * 2.0 + f64::from(f32::MIN_POSITIVE)
}

pub(crate) fn model(name: &str) -> Option<Model> {
    let single: Model = Model::Floats(Width::Single, |x| both(x, 32, |x| arithmetic::<Single>(x, add)));
    Some(match name {
        "v_pk_mad_i16" => Model::Bits(|x| integers(x, true, |a, b, c| a * b + c)),
        "v_pk_mad_u16" => Model::Bits(|x| integers(x, false, |a, b, c| a * b + c)),
        "v_pk_mul_lo_u16" => Model::Bits(|x| integers(x, false, |a, b, _| a * b)),
        "v_pk_add_i16" => Model::Bits(|x| integers(x, true, |a, b, _| a + b)),
        "v_pk_add_u16" => Model::Bits(|x| integers(x, false, |a, b, _| a + b)),
        "v_pk_sub_i16" => Model::Bits(|x| integers(x, true, |a, b, _| a - b)),
        "v_pk_sub_u16" => Model::Bits(|x| integers(x, false, |a, b, _| a - b)),
        "v_pk_min_i16" => Model::Bits(|x| integers(x, true, |a, b, _| a.min(b))),
        "v_pk_min_u16" => Model::Bits(|x| integers(x, false, |a, b, _| a.min(b))),
        "v_pk_max_i16" => Model::Bits(|x| integers(x, true, |a, b, _| a.max(b))),
        "v_pk_max_u16" => Model::Bits(|x| integers(x, false, |a, b, _| a.max(b))),
        "v_pk_lshlrev_b16" => Model::Bits(|x| integers(x, false, |a, b, _| b * (1 << (a % 16)))),
        "v_pk_lshrrev_b16" => Model::Bits(|x| integers(x, false, |a, b, _| b / (1 << (a % 16)))),
        "v_pk_ashrrev_i16" => {
            Model::Bits(|x| integers(x, true, |a, b, _| b.div_euclid(1 << a.rem_euclid(16))))
        }
        "v_pk_fma_f16" | "v_pk_fmac_f16" => {
            Model::Floats(Width::Half, |x| both(x, 16, |x| arithmetic::<Half>(x, fma)))
        }
        "v_pk_add_f16" => Model::Floats(Width::Half, |x| both(x, 16, |x| arithmetic::<Half>(x, add))),
        "v_pk_mul_f16" => Model::Floats(Width::Half, |x| both(x, 16, |x| arithmetic::<Half>(x, mul))),
        "v_pk_min_f16" => Model::Floats(Width::Half, |x| both(x, 16, min::<Half>)),
        "v_pk_max_f16" => Model::Floats(Width::Half, |x| both(x, 16, max::<Half>)),
        "v_pk_add_f32" => single,
        "v_pk_mul_f32" => Model::Floats(Width::Single, |x| both(x, 32, |x| arithmetic::<Single>(x, mul))),
        "v_pk_fma_f32" => Model::Floats(Width::Single, |x| both(x, 32, |x| arithmetic::<Single>(x, fma))),
        "v_pk_mov_b32" => Model::Bits(|x| x.src[0] & 0xffff_ffff | x.src[1] >> 32 << 32),
        "v_fma_mix_f32" => Model::Float(Width::Single, |x| arithmetic::<Single>(x, fma)),
        "v_fma_mixlo_f16" | "v_fma_mixhi_f16" => Model::Float(Width::Half, mixed_to_half),
        "v_dot2_f32_f16" | "v_dot2c_f32_f16" => Model::Judge(dot),
        _ => return None,
    })
}
