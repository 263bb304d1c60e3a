// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Transcendental functions. The `legacy` and `iflag` forms differ from the others in last bits and exception flags only.

use crate::inst::Vop;
use crate::stop::Why;
use crate::valu::fp::trans::{self, Function};
use crate::valu::fp::Env;
use crate::valu::lanes::shape::{f16s_soft, f32s_soft, f64s_soft};
use crate::valu::Exec;
use crate::wave::Wave;

/// What this file implements.
pub static OPS: &[(&str, Exec)] = &[
    ("v_rcp_f32", |w, v| single(w, v, trans::rcp)),
    ("v_rcp_iflag_f32", |w, v| single(w, v, trans::rcp)),
    ("v_rsq_f32", |w, v| single(w, v, trans::rsq)),
    ("v_sqrt_f32", |w, v| single(w, v, trans::sqrt)),
    ("v_exp_f32", |w, v| single(w, v, trans::exp2)),
    ("v_exp_legacy_f32", |w, v| single(w, v, trans::exp2)),
    ("v_log_f32", |w, v| single(w, v, trans::log2)),
    ("v_log_legacy_f32", |w, v| single(w, v, trans::log2)),
    ("v_sin_f32", |w, v| single(w, v, trans::sin)),
    ("v_cos_f32", |w, v| single(w, v, trans::cos)),
    ("v_rcp_f64", |w, v| double(w, v, trans::rcp)),
    ("v_rsq_f64", |w, v| double(w, v, trans::rsq)),
    ("v_sqrt_f64", |w, v| double(w, v, trans::sqrt)),
    ("v_rcp_f16", |w, v| half(w, v, trans::rcp)),
    ("v_rsq_f16", |w, v| half(w, v, trans::rsq)),
    ("v_sqrt_f16", |w, v| half(w, v, trans::sqrt)),
    ("v_exp_f16", |w, v| half(w, v, trans::exp2)),
    ("v_log_f16", |w, v| half(w, v, trans::log2)),
    ("v_sin_f16", |w, v| half(w, v, trans::sin)),
    ("v_cos_f16", |w, v| half(w, v, trans::cos)),
];

fn single(wave: &mut Wave, vop: &Vop, f: Function) -> Result<(), Why> {
    f32s_soft(wave, vop, Env::single(wave.mode), |e, [x]| {
        u64::from(trans::single(e, x as u32, f))
    })
}

fn double(wave: &mut Wave, vop: &Vop, f: Function) -> Result<(), Why> {
    f64s_soft(wave, vop, |e, [x]| trans::double(e, x, f))
}

fn half(wave: &mut Wave, vop: &Vop, f: Function) -> Result<(), Why> {
    f16s_soft(wave, vop, Env::half(wave.mode), |e, [x]| {
        u64::from(trans::half(e, x as u32, f))
    })
}
