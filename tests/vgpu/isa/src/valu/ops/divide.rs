// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Steps of division.

use crate::inst::Vop;
use crate::stop::Why;
use crate::valu::fp::{divide, host, soft, Env, F16, F32, F64};
use crate::valu::lanes::shape::{f16s_half_soft, f16s_soft, f32s_soft, f64s_soft};
use crate::valu::lanes::source::bit;
use crate::valu::lanes::{result, source};
use crate::valu::Exec;
use crate::wave::{Wave, LANES};

/// What this file implements.
pub static OPS: &[(&str, Exec)] = &[
    ("v_div_scale_f32", scale32),
    ("v_div_scale_f64", scale64),
    ("v_div_fmas_f32", fmas32),
    ("v_div_fmas_f64", fmas64),
    ("v_div_fixup_f32", |w, v| {
        f32s_soft(w, v, Env::single(w.mode), |e, [q, d, n]| {
            divide::fixup::<F32>(e, q, d, n)
        })
    }),
    ("v_div_fixup_f64", |w, v| {
        f64s_soft(w, v, |e, [q, d, n]| divide::fixup::<F64>(e, q, d, n))
    }),
    ("v_div_fixup_f16", |w, v| {
        f16s_half_soft(w, v, Env::half(w.mode), |e, [q, d, n]| {
            divide::fixup::<F16>(e, q, d, n)
        })
    }),
    ("v_div_fixup_legacy_f16", |w, v| {
        f16s_soft(w, v, Env::half(w.mode), |e, [q, d, n]| {
            divide::fixup::<F16>(e, q, d, n)
        })
    }),
];

fn scale32(wave: &mut Wave, vop: &Vop) -> Result<(), Why> {
    let env = Env::single(wave.mode);
    let mut buffers = [[0; LANES]; 3];
    let [x, d, n] = source::all(&mut buffers, |i, b| source::f32_in(wave, vop, i, b))?;
    let mut out = [0; LANES];
    let mut flags = 0;
    for (l, out) in out.iter_mut().enumerate() {
        let (value, flag) = divide::scale::<F32>(env, x[l].into(), d[l].into(), n[l].into());
        *out = value as u32;
        flags |= u64::from(flag) << l;
    }
    result::f32(wave, vop, env, out)?;
    result::mask(wave, vop, vop.sdst, flags)
}

fn scale64(wave: &mut Wave, vop: &Vop) -> Result<(), Why> {
    let env = Env::double(wave.mode);
    let mut buffers = [[0; LANES]; 3];
    let [x, d, n] = source::all(&mut buffers, |i, b| source::f64_in(wave, vop, i, b))?;
    let mut out = [0; LANES];
    let mut flags = 0;
    for (l, out) in out.iter_mut().enumerate() {
        let (value, flag) = divide::scale::<F64>(env, x[l], d[l], n[l]);
        *out = value;
        flags |= u64::from(flag) << l;
    }
    result::f64(wave, vop, env, out)?;
    result::mask(wave, vop, vop.sdst, flags)
}

/// An FMA, and in the few lanes whose flag is set one with scaling. The flags are in VCC, whatever the encoding.
fn fmas32(wave: &mut Wave, vop: &Vop) -> Result<(), Why> {
    let env = Env::single(wave.mode);
    let flags = wave.vcc;
    let mut buffers = [[0; LANES]; 3];
    let src = source::all(&mut buffers, |i, b| source::f32_in(wave, vop, i, b))?;
    let mut out = host::rows(env, src, |[a, b, c]| host::fma32(a, b, c), soft::fma::<F32>);
    for l in (0..LANES).filter(|&l| bit(flags, l)) {
        let [a, b, c] = src.map(|row| u64::from(row[l]));
        out[l] = divide::fmas::<F32>(env, a, b, c, true) as u32;
    }
    result::f32(wave, vop, env, out)
}

fn fmas64(wave: &mut Wave, vop: &Vop) -> Result<(), Why> {
    let env = Env::double(wave.mode);
    let flags = wave.vcc;
    let mut buffers = [[0; LANES]; 3];
    let src = source::all(&mut buffers, |i, b| source::f64_in(wave, vop, i, b))?;
    let mut out = host::rows(env, src, |[a, b, c]| a.mul_add(b, c), soft::fma::<F64>);
    for l in (0..LANES).filter(|&l| bit(flags, l)) {
        let [a, b, c] = src.map(|row| row[l]);
        out[l] = divide::fmas::<F64>(env, a, b, c, true);
    }
    result::f64(wave, vop, env, out)
}
