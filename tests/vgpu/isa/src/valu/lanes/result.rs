// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Rows to registers.

use super::{sdwa, source};
use crate::inst::{Ext, Operand, Vop};
use crate::operand::merge;
use crate::stop::Why;
use crate::valu::fp::host::Row64;
use crate::valu::fp::{soft, Env, Float};
use crate::wave::{Row, Wave};

/// Writes `row` to the destination.
#[inline(never)]
pub fn b32(wave: &mut Wave, vop: &Vop, row: &Row) -> Result<(), Why> {
    match &vop.ext {
        Ext::None => wave.write32(vop.dst, row),
        Ext::Sdwa(s) => {
            let row = sdwa::insert(wave.vgpr(vop.dst, 0)?, row, s.dst_sel, s.unused);
            wave.write32(vop.dst, &row)
        }
        Ext::Dpp(_) => {
            let write = source::active(wave, vop)?;
            merge(wave.vgpr_mut(vop.dst, 0)?, row, write);
            Ok(())
        }
    }
}

/// Writes the low halves of `row`, zero-extended: what most 16-bit instructions do (source: LLVM
/// GCNSubtarget::zeroesHigh16BitsOfDest).
#[inline(never)]
pub fn b16(wave: &mut Wave, vop: &Vop, row: &Row) -> Result<(), Why> {
    b32(wave, vop, &row.map(|x| x & 0xffff))
}

/// Writes the low halves of `row` to the half of the destination that op_sel names and keeps the other one: what 16-bit
/// instructions do that exist in VOP3 only.
#[inline(never)]
pub fn half(wave: &mut Wave, vop: &Vop, row: &Row) -> Result<(), Why> {
    into_half(wave, vop, row, vop.op_sel & 8 != 0)
}

/// Writes the low halves of `row` to one half of the destination and keeps the other one.
#[inline(never)]
pub fn into_half(wave: &mut Wave, vop: &Vop, row: &Row, high: bool) -> Result<(), Why> {
    let old = source::old(wave, vop)?;
    let row: Row = std::array::from_fn(|l| {
        if high {
            (old[l] & 0xffff) | (row[l] << 16)
        } else {
            (old[l] & 0xffff_0000) | (row[l] & 0xffff)
        }
    });
    b32(wave, vop, &row)
}

/// Writes `row` to the destination pair.
#[inline(never)]
pub fn b64(wave: &mut Wave, vop: &Vop, row: &Row64) -> Result<(), Why> {
    match &vop.ext {
        Ext::None => wave.write64(vop.dst, row),
        Ext::Sdwa(_) => Err(Why::Borrowed("SDWA does not exist for 64-bit results")),
        Ext::Dpp(_) => {
            let write = source::active(wave, vop)?;
            wave.vgpr_index(vop.dst, 2)?;
            let lo = row.map(|x| x as u32);
            let hi = row.map(|x| (x >> 32) as u32);
            merge(wave.vgpr_mut(vop.dst, 0)?, &lo, write);
            merge(wave.vgpr_mut(vop.dst, 1)?, &hi, write);
            Ok(())
        }
    }
}

/// Writes a lane mask to a scalar pair; lanes that the instruction does not write become 0.
#[inline(never)]
pub fn mask(wave: &mut Wave, vop: &Vop, dst: Operand, mask: u64) -> Result<(), Why> {
    let write = source::active(wave, vop)?;
    wave.write_mask(dst, mask & write)
}

/// Applies the output modifiers to one result.
///
/// Omod does nothing in IEEE mode or where denormal results are kept; otherwise it flushes them and turns -0 into +0. Clamp
/// comes after it (source: CDNA2 ISA "Output modifiers").
#[inline(never)]
pub fn modified<F: Float>(env: Env, omod: u8, clamp: bool, x: u64) -> u64 {
    let mut x = x;
    if omod != 0 && !env.ieee && !env.denorm_out {
        let by = match omod {
            1 => 1,
            2 => 2,
            _ => -1,
        };
        x = soft::ldexp::<F>(env.flushing(), x, by);
        if F::is_zero(x) {
            x = 0;
        }
    }
    if !clamp {
        return x;
    }
    if F::is_nan(x) {
        if env.dx10_clamp {
            0
        } else {
            x
        }
    } else if F::is_negative(x) {
        0
    } else {
        x.min(F::ONE)
    }
}

/// Applies the output modifiers to 16- or 32-bit results.
#[inline(always)]
pub fn finish<F: Float>(env: Env, vop: &Vop, row: &mut Row) {
    if vop.omod != 0 || vop.clamp {
        for x in row {
            *x = modified::<F>(env, vop.omod, vop.clamp, u64::from(*x)) as u32;
        }
    }
}

/// Writes single-precision results.
#[inline(never)]
pub fn f32(wave: &mut Wave, vop: &Vop, env: Env, mut row: Row) -> Result<(), Why> {
    finish::<crate::valu::fp::F32>(env, vop, &mut row);
    b32(wave, vop, &row)
}

/// Writes double-precision results.
#[inline(never)]
pub fn f64(wave: &mut Wave, vop: &Vop, env: Env, mut row: Row64) -> Result<(), Why> {
    if vop.omod != 0 || vop.clamp {
        row = row.map(|x| modified::<crate::valu::fp::F64>(env, vop.omod, vop.clamp, x));
    }
    b64(wave, vop, &row)
}
