// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Half precision.

use crate::inst::Vop;
use crate::mode::Round;
use crate::stop::Why;
use crate::valu::fp::{half, host, minmax, soft, Env, F16};
use crate::valu::lanes::shape::{f16s, f16s_half, f16s_half_in, f16s_half_soft, f16s_in, f16s_soft};
use crate::valu::lanes::{result, source};
use crate::valu::Exec;
use crate::wave::{Row, Wave};

/// What this file implements.
pub static OPS: &[(&str, Exec)] = &[
    ("v_add_f16", |w, v| f16s(w, v, |[a, b]| a + b, soft::add::<F16>)),
    ("v_sub_f16", |w, v| f16s(w, v, |[a, b]| a - b, soft::sub::<F16>)),
    ("v_subrev_f16", |w, v| {
        f16s(w, v, |[a, b]| b - a, soft::subrev::<F16>)
    }),
    ("v_mul_f16", |w, v| f16s(w, v, |[a, b]| a * b, soft::mul::<F16>)),
    ("v_fma_f16", |w, v| {
        f16s_half(w, v, |[a, b, c]| host::fma16(a, b, c), soft::fma::<F16>)
    }),
    ("v_fma_legacy_f16", |w, v| {
        f16s(w, v, |[a, b, c]| host::fma16(a, b, c), soft::fma::<F16>)
    }),
    ("v_mad_f16", |w, v| {
        let env = Env::half(w.mode).flushing();
        f16s_half_in(w, v, env, |[a, b, c]| product(a, b) + c, soft::mad::<F16>)
    }),
    ("v_mad_legacy_f16", mad),
    ("v_mac_f16", mad),
    ("v_madmk_f16", mad),
    ("v_madak_f16", mad),
    ("v_min_f16", |w, v| {
        f16s_soft(w, v, Env::half(w.mode), minmax::min::<F16>)
    }),
    ("v_max_f16", |w, v| {
        f16s_soft(w, v, Env::half(w.mode), minmax::max::<F16>)
    }),
    ("v_min3_f16", |w, v| {
        f16s_half_soft(w, v, Env::half(w.mode), minmax::min3::<F16>)
    }),
    ("v_max3_f16", |w, v| {
        f16s_half_soft(w, v, Env::half(w.mode), minmax::max3::<F16>)
    }),
    ("v_med3_f16", |w, v| {
        f16s_half_soft(w, v, Env::half(w.mode), minmax::med3::<F16>)
    }),
    ("v_floor_f16", |w, v| integral(w, v, Round::Down)),
    ("v_ceil_f16", |w, v| integral(w, v, Round::Up)),
    ("v_trunc_f16", |w, v| integral(w, v, Round::Zero)),
    ("v_rndne_f16", |w, v| integral(w, v, Round::NearestEven)),
    ("v_fract_f16", |w, v| {
        f16s_soft(w, v, Env::half(w.mode), soft::fract::<F16>)
    }),
    ("v_frexp_mant_f16", |w, v| {
        f16s_soft(w, v, Env::half(w.mode), soft::frexp_mant::<F16>)
    }),
    ("v_frexp_exp_i16_f16", frexp_exp),
    ("v_ldexp_f16", ldexp),
    ("v_pack_b32_f16", pack),
];

/// Multiply and add with two roundings and, like its single-precision sibling, without denormals.
fn mad(wave: &mut Wave, vop: &Vop) -> Result<(), Why> {
    let env = Env::half(wave.mode).flushing();
    f16s_in(wave, vop, env, |[a, b, c]| product(a, b) + c, soft::mad::<F16>)
}

/// The product in half precision, without denormals.
#[inline(always)]
fn product(a: f32, b: f32) -> f32 {
    let product = half::from_f32(a * b);
    let normal = product & 0x7c00 != 0;
    half::to_f32(if normal { product } else { product & 0x8000 })
}

fn integral(wave: &mut Wave, vop: &Vop, round: Round) -> Result<(), Why> {
    f16s_soft(wave, vop, Env::half(wave.mode), |e, [a]| {
        soft::to_integral::<F16>(e, round, a)
    })
}

fn frexp_exp(wave: &mut Wave, vop: &Vop) -> Result<(), Why> {
    let env = Env::half(wave.mode);
    let a = source::f16(wave, vop, 0)?;
    let out: Row = std::array::from_fn(|l| soft::frexp_exp::<F16>(env, u64::from(a[l] & 0xffff)) as u32);
    result::b16(wave, vop, &out)
}

fn ldexp(wave: &mut Wave, vop: &Vop) -> Result<(), Why> {
    let env = Env::half(wave.mode);
    let a = source::f16(wave, vop, 0)?;
    let by = source::b16(wave, vop, 1, false)?;
    let mut out: Row = std::array::from_fn(|l| {
        soft::ldexp::<F16>(env, u64::from(a[l] & 0xffff), i32::from(by[l] as i16)) as u32
    });
    result::finish::<F16>(env, vop, &mut out);
    result::b16(wave, vop, &out)
}

/// Two halves side by side; abs and neg change sign bits, the values may be anything.
fn pack(wave: &mut Wave, vop: &Vop) -> Result<(), Why> {
    let low = source::f16(wave, vop, 0)?;
    let high = source::f16(wave, vop, 1)?;
    let out: Row = std::array::from_fn(|l| (low[l] & 0xffff) | (high[l] << 16));
    result::b32(wave, vop, &out)
}
