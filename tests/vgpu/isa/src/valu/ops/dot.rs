// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Dot products with accumulation. Integer ones are exact and wrap, or saturate with the clamp modifier.

use super::convert::widen;
use super::int32::{saturate_i32, saturate_u32};
use crate::inst::Vop;
use crate::stop::Why;
use crate::valu::fp::{host, soft, Env, F32};
use crate::valu::lanes::shape::u32s;
use crate::valu::lanes::{result, source};
use crate::valu::Exec;
use crate::wave::{Row, Wave};

/// What this file implements.
pub static OPS: &[(&str, Exec)] = &[
    ("v_dot2_f32_f16", |w, v| dot2_f32(w, v, [v.op_sel, v.op_sel_hi])),
    ("v_dot2c_f32_f16", |w, v| dot2_f32(w, v, STRAIGHT)),
    ("v_dot2_i32_i16", |w, v| dot2_i32(w, v, [v.op_sel, v.op_sel_hi])),
    ("v_dot2c_i32_i16", |w, v| dot2_i32(w, v, STRAIGHT)),
    ("v_dot2_u32_u16", |w, v| {
        let halves = [v.op_sel, v.op_sel_hi];
        u32s(w, v, |[a, b, c]| {
            let products = halves.map(|h| u64::from(pick(a, h, 0)) * u64::from(pick(b, h, 1)));
            unsigned(products.into_iter().sum(), c, v.clamp)
        })
    }),
    ("v_dot4_i32_i8", |w, v| signed_parts::<8>(w, v)),
    ("v_dot4c_i32_i8", |w, v| signed_parts::<8>(w, v)),
    ("v_dot4_u32_u8", |w, v| unsigned_parts::<8>(w, v)),
    ("v_dot8_i32_i4", |w, v| signed_parts::<4>(w, v)),
    ("v_dot8c_i32_i4", |w, v| signed_parts::<4>(w, v)),
    ("v_dot8_u32_u4", |w, v| unsigned_parts::<4>(w, v)),
];

/// For each of the two products, bit i: source i gives its high half.
type Halves = [u8; 2];
const STRAIGHT: Halves = [0, 0b11];

#[inline(always)]
fn pick(x: u32, select: u8, i: usize) -> u16 {
    (x >> (16 * ((select >> i) & 1))) as u16
}

fn signed(sum: i64, c: u32, saturate: bool) -> u32 {
    let sum = sum + i64::from(c as i32);
    if saturate {
        saturate_i32(sum) as u32
    } else {
        sum as u32
    }
}

fn unsigned(sum: u64, c: u32, saturate: bool) -> u32 {
    let sum = sum + u64::from(c);
    if saturate {
        saturate_u32(sum)
    } else {
        sum as u32
    }
}

fn dot2_i32(wave: &mut Wave, vop: &Vop, halves: Halves) -> Result<(), Why> {
    u32s(wave, vop, |[a, b, c]| {
        let half = |x: u32, h: u8, i: usize| i64::from(pick(x, h, i) as i16);
        let products = halves.map(|h| half(a, h, 0) * half(b, h, 1));
        signed(products.into_iter().sum(), c, vop.clamp)
    })
}

/// Products of the signed parts of `BITS` bits.
fn signed_parts<const BITS: u32>(wave: &mut Wave, vop: &Vop) -> Result<(), Why> {
    u32s(wave, vop, |[a, b, c]| {
        let part = |x: u32, at: u32| i64::from((x << (32 - BITS - at)) as i32 >> (32 - BITS));
        let sum = (0..32 / BITS)
            .map(|i| part(a, i * BITS) * part(b, i * BITS))
            .sum();
        signed(sum, c, vop.clamp)
    })
}

/// Products of the unsigned parts of `BITS` bits.
fn unsigned_parts<const BITS: u32>(wave: &mut Wave, vop: &Vop) -> Result<(), Why> {
    u32s(wave, vop, |[a, b, c]| {
        let part = |x: u32, at: u32| u64::from((x >> at) & ((1 << BITS) - 1));
        let sum = (0..32 / BITS)
            .map(|i| part(a, i * BITS) * part(b, i * BITS))
            .sum();
        unsigned(sum, c, vop.clamp)
    })
}

/// The two products are added one after the other, each with one rounding, the low one first. Single-precision denormals are taken
/// as zeros, whatever MODE says (source: LLVM AMDGPU, SITargetLowering::performFMACombine). The order is not documented.
fn dot2_f32(wave: &mut Wave, vop: &Vop, halves: Halves) -> Result<(), Why> {
    let env = Env::single(wave.mode).flushing();
    let (a, b) = (
        source::packed(wave, vop, 0, true)?,
        source::packed(wave, vop, 1, true)?,
    );
    let c = source::b32(wave, vop, 2)?;
    let flip_c = u32::from((vop.neg >> 2) & 1) << 31;
    let neg = [vop.neg, vop.neg_hi];
    let number = |row: &Row, which: usize, i: usize| -> Row {
        let flip = u16::from((neg[which] >> i) & 1) << 15;
        row.map(|x| widen(env, true, u32::from(pick(x, halves[which], i) ^ flip)))
    };
    let mut sum = c.map(|x| x ^ flip_c);
    for which in 0..2 {
        let (a, b) = (number(&a, which, 0), number(&b, which, 1));
        sum = host::rows(
            env,
            [&a, &b, &sum],
            |[a, b, c]| host::fma32(a, b, c),
            soft::fma::<F32>,
        );
    }
    result::f32(wave, vop, env, sum)
}
