// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Packed 32-bit instructions: two results from two dwords of each source, which op_sel and op_sel_hi choose.

use crate::inst::Vop;
use crate::stop::Why;
use crate::valu::fp::{host, soft, Env, F32};
use crate::valu::lanes::{result, source};
use crate::valu::Exec;
use crate::wave::{Row, Wave, LANES};

/// What this file implements.
pub static OPS: &[(&str, Exec)] = &[
    ("v_pk_fma_f32", |w, v| {
        f32s(w, v, |[a, b, c]| host::fma32(a, b, c), soft::fma::<F32>)
    }),
    ("v_pk_mul_f32", |w, v| {
        f32s(w, v, |[a, b]| a * b, soft::mul::<F32>)
    }),
    ("v_pk_add_f32", |w, v| {
        f32s(w, v, |[a, b]| a + b, soft::add::<F32>)
    }),
    ("v_pk_mov_b32", mov),
];

/// The dword of a pair that bit `i` of `select` names.
#[inline(always)]
fn pick(x: u64, select: u8, i: usize) -> u32 {
    (x >> (32 * ((select >> i) & 1))) as u32
}

/// Single precision.
#[inline(always)]
fn f32s<const N: usize>(
    wave: &mut Wave,
    vop: &Vop,
    fpu: impl Fn([f32; N]) -> f32,
    soft: impl Fn(Env, [u64; N]) -> u64,
) -> Result<(), Why> {
    let env = Env::single(wave.mode);
    let mut buffers = [[0; LANES]; N];
    let src = source::all(&mut buffers, |i, b| source::pair_in(wave, vop, i, b))?;
    let half = |select: u8, neg: u8| {
        let rows: [Row; N] = std::array::from_fn(|i| {
            let flip = u32::from((neg >> i) & 1) << 31;
            std::array::from_fn(|l| pick(src[i][l], select, i) ^ flip)
        });
        let mut out = host::rows(env, rows.each_ref(), &fpu, &soft);
        result::finish::<F32>(env, vop, &mut out);
        out
    };
    let low = half(vop.op_sel, vop.neg);
    let high = half(vop.op_sel_hi, vop.neg_hi);
    let out = std::array::from_fn(|l| u64::from(low[l]) | (u64::from(high[l]) << 32));
    result::b64(wave, vop, &out)
}

/// The low dword from source 0 and the high one from source 1, each from where op_sel says (source: LLVM
/// SIInstrInfo::copyPhysReg).
fn mov(wave: &mut Wave, vop: &Vop) -> Result<(), Why> {
    let mut buffers = [[0; LANES]; 2];
    let [a, b] = source::all(&mut buffers, |i, b| source::pair_in(wave, vop, i, b))?;
    let select = vop.op_sel;
    let out =
        std::array::from_fn(|l| u64::from(pick(a[l], select, 0)) | (u64::from(pick(b[l], select, 1)) << 32));
    result::b64(wave, vop, &out)
}
