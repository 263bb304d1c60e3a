// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operands as rows.
//!
//! The readers named `*_in` give the register itself where the instruction takes it as it is, and otherwise fill a buffer
//! that the caller provides; the others give a copy. They are not inlined: there are hundreds of callers.

use super::{dpp, sdwa};
use crate::inst::{Ext, Vop};
use crate::operand::{Value, Value64};
use crate::stop::Why;
use crate::valu::fp::host::Row64;
use crate::wave::{Row, Wave, LANES};

/// What a lane holds.
pub trait Lane: Copy + 'static {
    /// A row of zeros.
    const ZEROS: &'static [Self; LANES];
}

impl Lane for u32 {
    const ZEROS: &'static Row = &[0; LANES];
}

impl Lane for u64 {
    const ZEROS: &'static Row64 = &[0; LANES];
}

/// Reads `N` sources with `read`, which gets the number of the source and its buffer.
#[inline(always)]
pub fn all<'a, const N: usize, T: Lane>(
    buffers: &'a mut [[T; LANES]; N],
    read: impl Fn(usize, &'a mut [T; LANES]) -> Result<&'a [T; LANES], Why>,
) -> Result<[&'a [T; LANES]; N], Why> {
    let mut rows = [T::ZEROS; N];
    for (i, (row, buffer)) in rows.iter_mut().zip(buffers).enumerate() {
        *row = read(i, buffer)?;
    }
    Ok(rows)
}

/// Applies SDWA and DPP to source `i`.
#[inline(always)]
fn extended<'a>(
    wave: &Wave,
    vop: &Vop,
    i: usize,
    value: Value<'a>,
    buffer: &'a mut Row,
) -> Result<&'a Row, Why> {
    match (&vop.ext, i) {
        (Ext::Sdwa(s), 0 | 1) => *buffer = sdwa::extract(&value.row(), s.sel[i], s.sext[i]),
        (Ext::Dpp(d), 0) => *buffer = dpp::plan(d, wave.exec)?.gather(&value.row()),
        _ => match value {
            Value::Row(row) => return Ok(row),
            Value::Uniform(x) => *buffer = [x; LANES],
        },
    }
    Ok(buffer)
}

/// Source `i`, 32 bits, without abs and neg.
#[inline(never)]
pub fn b32_in<'a>(wave: &'a Wave, vop: &Vop, i: usize, buffer: &'a mut Row) -> Result<&'a Row, Why> {
    extended(wave, vop, i, wave.src32(vop.src[i], vop.literal)?, buffer)
}

/// Source `i`, 16 bits in the low half (the high half is anything), without abs and neg. `float` selects the kind of inline
/// constants.
#[inline(never)]
pub fn b16_in<'a>(
    wave: &'a Wave,
    vop: &Vop,
    i: usize,
    float: bool,
    buffer: &'a mut Row,
) -> Result<&'a Row, Why> {
    let value = wave.src16(vop.src[i], vop.literal, float)?;
    if (vop.op_sel >> i) & 1 == 0 {
        return extended(wave, vop, i, value, buffer);
    }
    *buffer = extended(wave, vop, i, value, buffer)?.map(|x| x >> 16);
    Ok(buffer)
}

/// Source `i`, 64 bits, without abs and neg. `float` selects the kind of literals.
#[inline(never)]
pub fn b64_in<'a>(
    wave: &Wave,
    vop: &Vop,
    i: usize,
    float: bool,
    buffer: &'a mut Row64,
) -> Result<&'a Row64, Why> {
    match wave.src64(vop.src[i], vop.literal, float)? {
        Value64::Uniform(x) => *buffer = [x; LANES],
        Value64::Rows(lo, hi) => {
            for (out, (lo, hi)) in buffer.iter_mut().zip(lo.iter().zip(hi)) {
                *out = u64::from(*lo) | (u64::from(*hi) << 32);
            }
        }
    }
    match (&vop.ext, i) {
        (Ext::Dpp(d), 0) => *buffer = dpp::plan(d, wave.exec)?.gather(buffer),
        (Ext::Sdwa(_), _) => return Err(Why::Borrowed("SDWA does not exist for 64-bit operands")),
        _ => {}
    }
    Ok(buffer)
}

/// Source `i` of a packed instruction, both halves; inline floats of half-precision instructions (`float`) are in the low
/// half.
#[inline(never)]
pub fn packed_in<'a>(
    wave: &'a Wave,
    vop: &Vop,
    i: usize,
    float: bool,
    buffer: &'a mut Row,
) -> Result<&'a Row, Why> {
    extended(wave, vop, i, wave.src16(vop.src[i], vop.literal, float)?, buffer)
}

/// Whether source `i` has abs and neg.
#[inline(always)]
fn modifiers(vop: &Vop, i: usize) -> (bool, bool) {
    ((vop.abs >> i) & 1 != 0, (vop.neg >> i) & 1 != 0)
}

/// What abs and neg of source `i`, whose sign is bit `sign`, do to it.
#[inline(always)]
fn signed(vop: &Vop, i: usize, sign: u32) -> Option<impl Fn(u32) -> u32> {
    let (abs, neg) = modifiers(vop, i);
    let clear = if abs { !sign } else { !0 };
    let flip = if neg { sign } else { 0 };
    (abs || neg).then_some(move |x| (x & clear) ^ flip)
}

/// Source `i`, single precision (or anything that has its sign in bit 31).
#[inline(never)]
pub fn f32_in<'a>(wave: &'a Wave, vop: &Vop, i: usize, buffer: &'a mut Row) -> Result<&'a Row, Why> {
    match signed(vop, i, 1 << 31) {
        None => b32_in(wave, vop, i, buffer),
        Some(f) => {
            *buffer = b32_in(wave, vop, i, buffer)?.map(f);
            Ok(buffer)
        }
    }
}

/// Source `i`, half precision in the low half (the high half is anything).
#[inline(never)]
pub fn f16_in<'a>(wave: &'a Wave, vop: &Vop, i: usize, buffer: &'a mut Row) -> Result<&'a Row, Why> {
    match signed(vop, i, 1 << 15) {
        None => b16_in(wave, vop, i, true, buffer),
        Some(f) => {
            *buffer = b16_in(wave, vop, i, true, buffer)?.map(f);
            Ok(buffer)
        }
    }
}

/// Source `i`, double precision.
#[inline(never)]
pub fn f64_in<'a>(wave: &Wave, vop: &Vop, i: usize, buffer: &'a mut Row64) -> Result<&'a Row64, Why> {
    b64_in(wave, vop, i, true, buffer)?;
    let (abs, neg) = modifiers(vop, i);
    if abs || neg {
        let sign = 1u64 << 63;
        let clear = if abs { !sign } else { !0 };
        let flip = if neg { sign } else { 0 };
        for x in buffer.iter_mut() {
            *x = (*x & clear) ^ flip;
        }
    }
    Ok(buffer)
}

/// A copy of what [`b32_in`] gives.
pub fn b32(wave: &Wave, vop: &Vop, i: usize) -> Result<Row, Why> {
    b32_in(wave, vop, i, &mut [0; LANES]).copied()
}

/// A copy of what [`b16_in`] gives.
pub fn b16(wave: &Wave, vop: &Vop, i: usize, float: bool) -> Result<Row, Why> {
    b16_in(wave, vop, i, float, &mut [0; LANES]).copied()
}

/// A copy of what [`b64_in`] gives.
pub fn b64(wave: &Wave, vop: &Vop, i: usize, float: bool) -> Result<Row64, Why> {
    b64_in(wave, vop, i, float, &mut [0; LANES]).copied()
}

/// A copy of what [`packed_in`] gives.
pub fn packed(wave: &Wave, vop: &Vop, i: usize, float: bool) -> Result<Row, Why> {
    packed_in(wave, vop, i, float, &mut [0; LANES]).copied()
}

/// A copy of what [`f32_in`] gives.
pub fn f32(wave: &Wave, vop: &Vop, i: usize) -> Result<Row, Why> {
    f32_in(wave, vop, i, &mut [0; LANES]).copied()
}

/// A copy of what [`f16_in`] gives.
pub fn f16(wave: &Wave, vop: &Vop, i: usize) -> Result<Row, Why> {
    f16_in(wave, vop, i, &mut [0; LANES]).copied()
}

/// A copy of what [`f64_in`] gives.
pub fn f64(wave: &Wave, vop: &Vop, i: usize) -> Result<Row64, Why> {
    f64_in(wave, vop, i, &mut [0; LANES]).copied()
}

/// Dword `plus` of source `i`, which is wider than 64 bits: registers, or an integer constant whose sign fills it.
pub fn dword(wave: &Wave, vop: &Vop, i: usize, plus: usize) -> Result<Row, Why> {
    let op = vop.src[i];
    if op.is_vector() {
        return wave.vgpr(op, plus).copied();
    }
    let value = if op.0 < 128 {
        wave.sgpr(op.0 + plus as u16)?
    } else {
        let qword = wave.scalar64(op, vop.literal)?;
        (qword >> (32 * plus.min(1))) as u32
    };
    Ok([value; LANES])
}

/// Source `i` of a packed 32-bit instruction, both dwords; inline constants are in the low one.
#[inline(never)]
pub fn pair_in<'a>(wave: &Wave, vop: &Vop, i: usize, buffer: &'a mut Row64) -> Result<&'a Row64, Why> {
    let op = vop.src[i];
    if !op.is_vector() && op.0 >= 128 {
        *buffer = [u64::from(wave.scalar32(op, vop.literal)?); LANES];
        return Ok(buffer);
    }
    b64_in(wave, vop, i, false, buffer)
}

/// Source `i` as a lane mask: the carry-in or condition.
#[inline(always)]
pub fn mask(wave: &Wave, vop: &Vop, i: usize) -> Result<u64, Why> {
    wave.scalar64(vop.src[i], vop.literal)
}

/// The lanes that the instruction writes.
#[inline]
pub fn active(wave: &Wave, vop: &Vop) -> Result<u64, Why> {
    match &vop.ext {
        Ext::Dpp(d) => Ok(dpp::plan(d, wave.exec)?.write),
        _ => Ok(wave.exec),
    }
}

/// Bit `lane` of `mask`.
#[inline(always)]
pub fn bit(mask: u64, lane: usize) -> bool {
    (mask >> (lane % LANES)) & 1 != 0
}

/// The row of a register as the instruction finds it, for results that keep part of it.
#[inline(always)]
pub fn old<'a>(wave: &'a Wave, vop: &Vop) -> Result<&'a Row, Why> {
    wave.vgpr(vop.dst, 0)
}
