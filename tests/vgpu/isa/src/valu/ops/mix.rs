// SPDX-License-Identifier: Apache-2.0 OR MIT
//! FMA with sources of mixed precision: op_sel_hi says whether a source is half precision, op_sel which half of the register
//! it is. Such a source is converted to single precision; so is the arithmetic, whose result the `lo` and `hi` forms round
//! once more (source: CDNA2 ISA, V_FMA_MIX_F32).

use super::convert::{narrow, widen};
use crate::inst::Vop;
use crate::stop::Why;
use crate::valu::fp::{host, soft, Env, F16, F32};
use crate::valu::lanes::{result, source};
use crate::valu::Exec;
use crate::wave::{Row, Wave};

/// What this file implements.
pub static OPS: &[(&str, Exec)] = &[
    ("v_fma_mix_f32", |w, v| {
        let out = fma(w, v)?;
        result::f32(w, v, Env::single(w.mode), out)
    }),
    ("v_fma_mixlo_f16", |w, v| to_half(w, v, false)),
    ("v_fma_mixhi_f16", |w, v| to_half(w, v, true)),
];

/// Source `i` in single precision.
fn operand(wave: &Wave, vop: &Vop, i: usize) -> Result<Row, Why> {
    let bit = |mask: u8| (mask >> i) & 1 != 0;
    let is_half = bit(vop.op_sel_hi);
    let row = source::packed(wave, vop, i, is_half)?;
    let to = Env::single(wave.mode);
    let keep = Env::half(wave.mode).denorm_in;
    let shift = if bit(vop.op_sel) { 16 } else { 0 };
    Ok(row.map(|x| {
        let x = if is_half { widen(to, keep, x >> shift) } else { x };
        let x = if bit(vop.abs) { x & 0x7fff_ffff } else { x };
        if bit(vop.neg) {
            x ^ 0x8000_0000
        } else {
            x
        }
    }))
}

fn fma(wave: &Wave, vop: &Vop) -> Result<Row, Why> {
    let [a, b, c] = [
        operand(wave, vop, 0)?,
        operand(wave, vop, 1)?,
        operand(wave, vop, 2)?,
    ];
    let env = Env::single(wave.mode);
    Ok(host::rows(
        env,
        [&a, &b, &c],
        |[a, b, c]| host::fma32(a, b, c),
        soft::fma::<F32>,
    ))
}

/// Rounds to one half of the destination and keeps the other.
fn to_half(wave: &mut Wave, vop: &Vop, high: bool) -> Result<(), Why> {
    let env = Env::half(wave.mode);
    let mut out = fma(wave, vop)?.map(|x| narrow(env, true, x));
    result::finish::<F16>(env, vop, &mut out);
    result::into_half(wave, vop, &out, high)
}
