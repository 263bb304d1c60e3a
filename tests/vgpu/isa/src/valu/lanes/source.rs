// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operands as rows.

use super::{dpp, sdwa};
use crate::inst::{Ext, Vop};
use crate::operand::{Value, Value64};
use crate::stop::Why;
use crate::valu::fp::host::Row64;
use crate::wave::{Row, Wave, LANES};
use std::ops::Deref;

/// A row of a source operand: a register as it is, or a changed copy.
#[derive(Debug)]
pub enum Lanes<'a, T = u32> {
    /// A register.
    Register(&'a [T; LANES]),
    /// A uniform or modified value.
    Copy([T; LANES]),
}

impl<T> Deref for Lanes<'_, T> {
    type Target = [T; LANES];

    #[inline(always)]
    fn deref(&self) -> &[T; LANES] {
        match self {
            Self::Register(row) => row,
            Self::Copy(row) => row,
        }
    }
}

impl<T: Copy> Lanes<'_, T> {
    /// `f` of all lanes.
    #[inline(always)]
    pub fn map<U>(&self, f: impl Fn(T) -> U) -> [U; LANES] {
        std::array::from_fn(|l| f(self[l]))
    }
}

/// Applies SDWA and DPP to source `i`.
#[inline(always)]
fn extended<'a>(wave: &Wave, vop: &Vop, i: usize, value: Value<'a>) -> Result<Lanes<'a>, Why> {
    let plain = match value {
        Value::Uniform(x) => Lanes::Copy([x; LANES]),
        Value::Row(row) => Lanes::Register(row),
    };
    match (&vop.ext, i) {
        (Ext::None, _) => Ok(plain),
        (Ext::Sdwa(s), 0 | 1) => Ok(Lanes::Copy(sdwa::extract(&plain, s.sel[i], s.sext[i]))),
        (Ext::Dpp(d), 0) => Ok(Lanes::Copy(dpp::plan(d, wave.exec)?.gather(&plain))),
        _ => Ok(plain),
    }
}

/// Source `i`, 32 bits, without abs and neg.
#[inline(always)]
pub fn b32<'a>(wave: &'a Wave, vop: &Vop, i: usize) -> Result<Lanes<'a>, Why> {
    extended(wave, vop, i, wave.src32(vop.src[i], vop.literal)?)
}

/// Source `i`, 16 bits in the low half (the high half is anything), without abs and neg. `float` selects the kind of inline
/// constants.
#[inline(always)]
pub fn b16<'a>(wave: &'a Wave, vop: &Vop, i: usize, float: bool) -> Result<Lanes<'a>, Why> {
    let row = extended(wave, vop, i, wave.src16(vop.src[i], vop.literal, float)?)?;
    Ok(if (vop.op_sel >> i) & 1 != 0 {
        Lanes::Copy(row.map(|x| x >> 16))
    } else {
        row
    })
}

/// Source `i`, 64 bits, without abs and neg. `float` selects the kind of literals.
#[inline(always)]
pub fn b64<'a>(wave: &'a Wave, vop: &Vop, i: usize, float: bool) -> Result<Lanes<'a, u64>, Why> {
    let row: Row64 = match wave.src64(vop.src[i], vop.literal, float)? {
        Value64::Uniform(x) => [x; LANES],
        Value64::Rows(lo, hi) => std::array::from_fn(|l| u64::from(lo[l]) | (u64::from(hi[l]) << 32)),
    };
    Ok(Lanes::Copy(match (&vop.ext, i) {
        (Ext::Dpp(d), 0) => dpp::plan(d, wave.exec)?.gather(&row),
        (Ext::Sdwa(_), _) => return Err(Why::Borrowed("SDWA does not exist for 64-bit operands")),
        _ => row,
    }))
}

/// Dword `plus` of source `i`, which is wider than 64 bits: registers, or an integer constant whose sign fills it.
pub fn dword<'a>(wave: &'a Wave, vop: &Vop, i: usize, plus: usize) -> Result<Lanes<'a>, Why> {
    let op = vop.src[i];
    if op.is_vector() {
        return Ok(Lanes::Register(wave.vgpr(op, plus)?));
    }
    let value = if op.0 < 128 {
        wave.sgpr(op.0 + plus as u16)?
    } else {
        let qword = wave.scalar64(op, vop.literal)?;
        (qword >> (32 * plus.min(1))) as u32
    };
    Ok(Lanes::Copy([value; LANES]))
}

/// Source `i` of a packed instruction, both halves; inline floats of half-precision instructions (`float`) are in the low
/// half.
#[inline(always)]
pub fn packed<'a>(wave: &'a Wave, vop: &Vop, i: usize, float: bool) -> Result<Lanes<'a>, Why> {
    extended(wave, vop, i, wave.src16(vop.src[i], vop.literal, float)?)
}

/// Source `i` of a packed 32-bit instruction, both dwords; inline constants are in the low one.
#[inline(always)]
pub fn pair<'a>(wave: &'a Wave, vop: &Vop, i: usize) -> Result<Lanes<'a, u64>, Why> {
    let op = vop.src[i];
    if !op.is_vector() && op.0 >= 128 {
        let value = u64::from(wave.scalar32(op, vop.literal)?);
        return Ok(Lanes::Copy([value; LANES]));
    }
    b64(wave, vop, i, false)
}

/// Whether source `i` has abs and neg.
#[inline(always)]
fn modifiers(vop: &Vop, i: usize) -> (bool, bool) {
    ((vop.abs >> i) & 1 != 0, (vop.neg >> i) & 1 != 0)
}

/// Applies abs and neg of source `i`, whose sign is bit `sign`.
#[inline(always)]
pub fn signed<'a>(vop: &Vop, i: usize, sign: u32, row: Lanes<'a>) -> Lanes<'a> {
    match modifiers(vop, i) {
        (false, false) => row,
        (abs, neg) => {
            let clear = if abs { !sign } else { !0 };
            let flip = if neg { sign } else { 0 };
            Lanes::Copy(row.map(|x| (x & clear) ^ flip))
        }
    }
}

/// Source `i`, single precision.
#[inline(always)]
pub fn f32<'a>(wave: &'a Wave, vop: &Vop, i: usize) -> Result<Lanes<'a>, Why> {
    Ok(signed(vop, i, 1 << 31, b32(wave, vop, i)?))
}

/// Source `i`, half precision in the low half (the high half is anything).
#[inline(always)]
pub fn f16<'a>(wave: &'a Wave, vop: &Vop, i: usize) -> Result<Lanes<'a>, Why> {
    Ok(signed(vop, i, 1 << 15, b16(wave, vop, i, true)?))
}

/// Source `i`, double precision.
#[inline(always)]
pub fn f64<'a>(wave: &'a Wave, vop: &Vop, i: usize) -> Result<Lanes<'a, u64>, Why> {
    let row = b64(wave, vop, i, true)?;
    let (abs, neg) = modifiers(vop, i);
    let sign = 1u64 << 63;
    Ok(match (abs, neg) {
        (false, false) => row,
        _ => {
            let clear = if abs { !sign } else { !0 };
            let flip = if neg { sign } else { 0 };
            Lanes::Copy(row.map(|x| (x & clear) ^ flip))
        }
    })
}

/// Source `i` as a lane mask: the carry-in or condition.
#[inline(always)]
pub fn mask(wave: &Wave, vop: &Vop, i: usize) -> Result<u64, Why> {
    wave.scalar64(vop.src[i], vop.literal)
}

/// The lanes that the instruction writes.
#[inline(always)]
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
