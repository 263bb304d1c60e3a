// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Packed 16-bit instructions: two results from two halves of each source, which op_sel and op_sel_hi choose.

use super::int16::{mad_i16, mad_u16};
use crate::inst::Vop;
use crate::stop::Why;
use crate::valu::fp::{host, minmax, soft, Env, F16};
use crate::valu::lanes::{result, source};
use crate::valu::Exec;
use crate::wave::{Row, Wave, LANES};

/// What this file implements.
pub static OPS: &[(&str, Exec)] = &[
    ("v_pk_mad_i16", |w, v| i16s(w, v, |s| mad_i16(s, v.clamp))),
    ("v_pk_mad_u16", |w, v| u16s(w, v, |s| mad_u16(s, v.clamp))),
    ("v_pk_mul_lo_u16", |w, v| u16s(w, v, |[a, b]| a.wrapping_mul(b))),
    ("v_pk_add_i16", |w, v| match v.clamp {
        false => i16s(w, v, |[a, b]| a.wrapping_add(b)),
        true => i16s(w, v, |[a, b]| a.saturating_add(b)),
    }),
    ("v_pk_sub_i16", |w, v| match v.clamp {
        false => i16s(w, v, |[a, b]| a.wrapping_sub(b)),
        true => i16s(w, v, |[a, b]| a.saturating_sub(b)),
    }),
    ("v_pk_add_u16", |w, v| match v.clamp {
        false => u16s(w, v, |[a, b]| a.wrapping_add(b)),
        true => u16s(w, v, |[a, b]| a.saturating_add(b)),
    }),
    ("v_pk_sub_u16", |w, v| match v.clamp {
        false => u16s(w, v, |[a, b]| a.wrapping_sub(b)),
        true => u16s(w, v, |[a, b]| a.saturating_sub(b)),
    }),
    ("v_pk_lshlrev_b16", |w, v| u16s(w, v, |[a, b]| b << (a & 15))),
    ("v_pk_lshrrev_b16", |w, v| u16s(w, v, |[a, b]| b >> (a & 15))),
    ("v_pk_ashrrev_i16", |w, v| i16s(w, v, |[a, b]| b >> (a & 15))),
    ("v_pk_min_i16", |w, v| i16s(w, v, |[a, b]| a.min(b))),
    ("v_pk_max_i16", |w, v| i16s(w, v, |[a, b]| a.max(b))),
    ("v_pk_min_u16", |w, v| u16s(w, v, |[a, b]| a.min(b))),
    ("v_pk_max_u16", |w, v| u16s(w, v, |[a, b]| a.max(b))),
    ("v_pk_fma_f16", |w, v| {
        f16s(
            w,
            v,
            halves(v),
            |[a, b, c]| host::fma16(a, b, c),
            soft::fma::<F16>,
        )
    }),
    // the VOP2 form has no selectors: low with low, high with high
    ("v_pk_fmac_f16", |w, v| {
        f16s(w, v, STRAIGHT, |[a, b, c]| host::fma16(a, b, c), soft::fma::<F16>)
    }),
    ("v_pk_add_f16", |w, v| {
        f16s(w, v, halves(v), |[a, b]| a + b, soft::add::<F16>)
    }),
    ("v_pk_mul_f16", |w, v| {
        f16s(w, v, halves(v), |[a, b]| a * b, soft::mul::<F16>)
    }),
    ("v_pk_min_f16", |w, v| {
        f16s(w, v, halves(v), |_: [f32; 2]| f32::NAN, minmax::min::<F16>)
    }),
    ("v_pk_max_f16", |w, v| {
        f16s(w, v, halves(v), |_: [f32; 2]| f32::NAN, minmax::max::<F16>)
    }),
];

/// For each of the two results, bit i: source i gives its high half.
type Halves = [u8; 2];
const STRAIGHT: Halves = [0, 0b111];

fn halves(vop: &Vop) -> Halves {
    [vop.op_sel, vop.op_sel_hi]
}

#[inline(always)]
fn pick(x: u32, select: u8, i: usize) -> u32 {
    (x >> (16 * ((select >> i) & 1))) & 0xffff
}

/// Integers.
#[inline(always)]
fn u16s<const N: usize>(wave: &mut Wave, vop: &Vop, f: impl Fn([u16; N]) -> u16) -> Result<(), Why> {
    let mut buffers = [[0; LANES]; N];
    let src = source::all(&mut buffers, |i, b| source::packed_in(wave, vop, i, false, b))?;
    let half =
        |l: usize, select: u8| u32::from(f(std::array::from_fn(|i| pick(src[i][l], select, i) as u16)));
    let out: Row = std::array::from_fn(|l| half(l, vop.op_sel) | (half(l, vop.op_sel_hi) << 16));
    result::b32(wave, vop, &out)
}

/// Signed integers.
#[inline(always)]
fn i16s<const N: usize>(wave: &mut Wave, vop: &Vop, f: impl Fn([i16; N]) -> i16) -> Result<(), Why> {
    u16s(wave, vop, |s: [u16; N]| f(s.map(|x| x as i16)) as u16)
}

/// The half of source `i` that feeds result `which`, negated where the instruction says so.
#[inline(always)]
fn operand(row: &Row, vop: &Vop, halves: Halves, which: usize, i: usize) -> Row {
    let neg = [vop.neg, vop.neg_hi][which];
    let flip = u32::from((neg >> i) & 1) << 15;
    row.map(|x| pick(x, halves[which], i) ^ flip)
}

/// Half precision.
#[inline(always)]
fn f16s<const N: usize>(
    wave: &mut Wave,
    vop: &Vop,
    halves: Halves,
    fpu: impl Fn([f32; N]) -> f32,
    soft: impl Fn(Env, [u64; N]) -> u64,
) -> Result<(), Why> {
    let env = Env::half(wave.mode);
    let mut buffers = [[0; LANES]; N];
    let src = source::all(&mut buffers, |i, b| source::packed_in(wave, vop, i, true, b))?;
    let half = |which: usize| {
        let rows: [Row; N] = std::array::from_fn(|i| operand(src[i], vop, halves, which, i));
        let mut out = host::rows16(env, rows.each_ref(), &fpu, &soft);
        result::finish::<F16>(env, vop, &mut out);
        out
    };
    let (low, high) = (half(0), half(1));
    let out: Row = std::array::from_fn(|l| low[l] | (high[l] << 16));
    result::b32(wave, vop, &out)
}
