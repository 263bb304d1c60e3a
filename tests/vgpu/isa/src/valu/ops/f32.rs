// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Single precision.

use crate::inst::Vop;
use crate::mode::Round;
use crate::stop::Why;
use crate::valu::fp::{host, minmax, soft, Env, F32};
use crate::valu::lanes::shape::{f32s, f32s_in, f32s_soft};
use crate::valu::lanes::{result, source};
use crate::valu::Exec;
use crate::wave::{Row, Wave};

/// What this file implements.
pub static OPS: &[(&str, Exec)] = &[
    ("v_add_f32", |w, v| f32s(w, v, |[a, b]| a + b, soft::add::<F32>)),
    ("v_sub_f32", |w, v| f32s(w, v, |[a, b]| a - b, soft::sub::<F32>)),
    ("v_subrev_f32", |w, v| {
        f32s(w, v, |[a, b]| b - a, soft::subrev::<F32>)
    }),
    ("v_mul_f32", |w, v| f32s(w, v, |[a, b]| a * b, soft::mul::<F32>)),
    ("v_mul_legacy_f32", |w, v| {
        f32s_soft(w, v, Env::single(w.mode), soft::mul_legacy::<F32>)
    }),
    ("v_fma_f32", fma),
    ("v_fmac_f32", fma),
    ("v_mad_f32", mad),
    ("v_mac_f32", mad),
    ("v_madmk_f32", mad),
    ("v_madak_f32", mad),
    ("v_mad_legacy_f32", |w, v| {
        f32s_soft(w, v, Env::single(w.mode).flushing(), soft::mad_legacy::<F32>)
    }),
    ("v_min_f32", |w, v| {
        f32s(w, v, |[a, b]| lesser(a, b), minmax::min::<F32>)
    }),
    ("v_max_f32", |w, v| {
        f32s(w, v, |[a, b]| greater(a, b), minmax::max::<F32>)
    }),
    ("v_min3_f32", |w, v| {
        f32s_soft(w, v, Env::single(w.mode), minmax::min3::<F32>)
    }),
    ("v_max3_f32", |w, v| {
        f32s_soft(w, v, Env::single(w.mode), minmax::max3::<F32>)
    }),
    ("v_med3_f32", |w, v| {
        f32s_soft(w, v, Env::single(w.mode), minmax::med3::<F32>)
    }),
    ("v_floor_f32", |w, v| {
        f32s(
            w,
            v,
            |[a]| a.floor(),
            |e, [a]| soft::to_integral::<F32>(e, Round::Down, a),
        )
    }),
    ("v_ceil_f32", |w, v| {
        f32s(
            w,
            v,
            |[a]| a.ceil(),
            |e, [a]| soft::to_integral::<F32>(e, Round::Up, a),
        )
    }),
    ("v_trunc_f32", |w, v| {
        f32s(
            w,
            v,
            |[a]| a.trunc(),
            |e, [a]| soft::to_integral::<F32>(e, Round::Zero, a),
        )
    }),
    ("v_rndne_f32", |w, v| {
        f32s(
            w,
            v,
            |[a]| a.round_ties_even(),
            |e, [a]| soft::to_integral::<F32>(e, Round::NearestEven, a),
        )
    }),
    ("v_fract_f32", |w, v| {
        f32s(w, v, |[a]| fract(a), soft::fract::<F32>)
    }),
    ("v_frexp_mant_f32", |w, v| {
        f32s_soft(w, v, Env::single(w.mode), soft::frexp_mant::<F32>)
    }),
    ("v_frexp_exp_i32_f32", frexp_exp),
    ("v_ldexp_f32", ldexp),
];

fn fma(wave: &mut Wave, vop: &Vop) -> Result<(), Why> {
    f32s(
        wave,
        vop,
        |[a, b, c]| host::fma32(a, b, c),
        |e, [a, b, c]| soft::fma::<F32>(e, [a, b, c]),
    )
}

/// Multiply and add with two roundings. This unit does not know denormals, whatever MODE says (source: LLVM
/// AMDGPU, SITargetLowering::isFMADLegal).
fn mad(wave: &mut Wave, vop: &Vop) -> Result<(), Why> {
    let env = Env::single(wave.mode).flushing();
    let flushed = |x: f32| {
        if x.abs() < f32::MIN_POSITIVE {
            0.0f32.copysign(x)
        } else {
            x
        }
    };
    f32s_in(wave, vop, env, |[a, b, c]| flushed(a * b) + c, soft::mad::<F32>)
}

/// The lesser number where neither is NaN; otherwise NaN, so that the exact function decides.
#[inline(always)]
fn lesser(a: f32, b: f32) -> f32 {
    let zeros = f32::from_bits(a.to_bits() | b.to_bits());
    if a < b {
        a
    } else if a > b {
        b
    } else if a == b {
        zeros
    } else {
        f32::NAN
    }
}

/// The greater number where neither is NaN; otherwise NaN.
#[inline(always)]
fn greater(a: f32, b: f32) -> f32 {
    let zeros = f32::from_bits(a.to_bits() & b.to_bits());
    if a > b {
        a
    } else if a < b {
        b
    } else if a == b {
        zeros
    } else {
        f32::NAN
    }
}

#[inline(always)]
fn fract(a: f32) -> f32 {
    const BELOW_ONE: f32 = 1.0 - f32::EPSILON / 2.0;
    let fraction = a - a.floor();
    if fraction >= 1.0 {
        BELOW_ONE
    } else {
        fraction
    }
}

fn frexp_exp(wave: &mut Wave, vop: &Vop) -> Result<(), Why> {
    let env = Env::single(wave.mode);
    let a = source::f32(wave, vop, 0)?;
    let out = a.map(|x| soft::frexp_exp::<F32>(env, u64::from(x)) as u32);
    result::b32(wave, vop, &out)
}

fn ldexp(wave: &mut Wave, vop: &Vop) -> Result<(), Why> {
    let env = Env::single(wave.mode);
    let a = source::f32(wave, vop, 0)?;
    let by = source::b32(wave, vop, 1)?;
    let out: Row = std::array::from_fn(|l| soft::ldexp::<F32>(env, u64::from(a[l]), by[l] as i32) as u32);
    result::f32(wave, vop, env, out)
}
