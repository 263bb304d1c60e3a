// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Double precision.

use crate::inst::Vop;
use crate::mode::Round;
use crate::stop::Why;
use crate::valu::fp::{minmax, soft, trig_preop, Env, Float, F64};
use crate::valu::lanes::shape::{f64s, f64s_soft};
use crate::valu::lanes::{result, source};
use crate::valu::Exec;
use crate::wave::{Row, Wave};

/// What this file implements.
pub static OPS: &[(&str, Exec)] = &[
    ("v_add_f64", |w, v| f64s(w, v, |[a, b]| a + b, soft::add::<F64>)),
    ("v_mul_f64", |w, v| f64s(w, v, |[a, b]| a * b, soft::mul::<F64>)),
    ("v_fma_f64", fma),
    ("v_fmac_f64", fma),
    ("v_min_f64", |w, v| f64s_soft(w, v, minmax::min::<F64>)),
    ("v_max_f64", |w, v| f64s_soft(w, v, minmax::max::<F64>)),
    ("v_floor_f64", |w, v| {
        f64s(
            w,
            v,
            |[a]| a.floor(),
            |e, [a]| soft::to_integral::<F64>(e, Round::Down, a),
        )
    }),
    ("v_ceil_f64", |w, v| {
        f64s(
            w,
            v,
            |[a]| a.ceil(),
            |e, [a]| soft::to_integral::<F64>(e, Round::Up, a),
        )
    }),
    ("v_trunc_f64", |w, v| {
        f64s(
            w,
            v,
            |[a]| a.trunc(),
            |e, [a]| soft::to_integral::<F64>(e, Round::Zero, a),
        )
    }),
    ("v_rndne_f64", |w, v| {
        f64s(
            w,
            v,
            |[a]| a.round_ties_even(),
            |e, [a]| soft::to_integral::<F64>(e, Round::NearestEven, a),
        )
    }),
    ("v_fract_f64", |w, v| {
        f64s(w, v, |[a]| fract(a), soft::fract::<F64>)
    }),
    ("v_frexp_mant_f64", |w, v| {
        f64s_soft(w, v, soft::frexp_mant::<F64>)
    }),
    ("v_frexp_exp_i32_f64", frexp_exp),
    ("v_ldexp_f64", |w, v| {
        let env = Env::double(w.mode);
        with_integer(w, v, env, |a, by| soft::ldexp::<F64>(env, a, by as i32))
    }),
    ("v_trig_preop_f64", |w, v| {
        let env = Env::double(w.mode);
        with_integer(w, v, env, |a, segment| {
            F64::flush(trig_preop::trig_preop(a, segment), env.denorm_out)
        })
    }),
];

/// The host's `fma` rounds once, in hardware or not.
fn fma(wave: &mut Wave, vop: &Vop) -> Result<(), Why> {
    f64s(wave, vop, |[a, b, c]| a.mul_add(b, c), soft::fma::<F64>)
}

#[inline(always)]
fn fract(a: f64) -> f64 {
    const BELOW_ONE: f64 = 1.0 - f64::EPSILON / 2.0;
    let fraction = a - a.floor();
    if fraction >= 1.0 {
        BELOW_ONE
    } else {
        fraction
    }
}

fn frexp_exp(wave: &mut Wave, vop: &Vop) -> Result<(), Why> {
    let env = Env::double(wave.mode);
    let a = source::f64(wave, vop, 0)?;
    let out: Row = std::array::from_fn(|l| soft::frexp_exp::<F64>(env, a[l]) as u32);
    result::b32(wave, vop, &out)
}

/// A number and a 32-bit integer.
fn with_integer(wave: &mut Wave, vop: &Vop, env: Env, f: impl Fn(u64, u32) -> u64) -> Result<(), Why> {
    let a = source::f64(wave, vop, 0)?;
    let b = source::b32(wave, vop, 1)?;
    let out = std::array::from_fn(|l| f(a[l], b[l]));
    result::f64(wave, vop, env, out)
}
