// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Moves: between lanes and registers, selects.

use crate::inst::Vop;
use crate::stop::Why;
use crate::valu::lanes::shape::u32s;
use crate::valu::lanes::source::bit;
use crate::valu::lanes::{result, source};
use crate::valu::Exec;
use crate::wave::{Row, Wave, LANES};

/// What this file implements.
pub static OPS: &[(&str, Exec)] = &[
    ("v_nop", |_, _| Ok(())),
    // clears the exception state of the arithmetic units, which raise none here
    ("v_clrexcp", |_, _| Ok(())),
    ("v_mov_b32", |w, v| u32s(w, v, |[a]| a)),
    ("v_accvgpr_mov_b32", |w, v| u32s(w, v, |[a]| a)),
    ("v_accvgpr_read_b32", |w, v| u32s(w, v, |[a]| a)),
    ("v_accvgpr_write_b32", |w, v| u32s(w, v, |[a]| a)),
    ("v_swap_b32", swap),
    ("v_cndmask_b32", cndmask),
    ("v_readfirstlane_b32", readfirstlane),
    ("v_readlane_b32", readlane),
    ("v_writelane_b32", writelane),
];

/// Exchanges two registers.
fn swap(wave: &mut Wave, vop: &Vop) -> Result<(), Why> {
    let a = *wave.vgpr(vop.dst, 0)?;
    let b = *wave.vgpr(vop.src[0], 0)?;
    wave.write32(vop.dst, &b)?;
    wave.write32(vop.src[0], &a)
}

/// Source 1 where the bit of the mask is set, otherwise source 0. Abs and neg change the sign bit, the value may be anything.
fn cndmask(wave: &mut Wave, vop: &Vop) -> Result<(), Why> {
    let mut buffers = [[0; LANES]; 2];
    let [a, b] = source::all(&mut buffers, |i, b| source::f32_in(wave, vop, i, b))?;
    let mask = source::mask(wave, vop, 2)?;
    let out: Row = std::array::from_fn(|l| if bit(mask, l) { b[l] } else { a[l] });
    result::b32(wave, vop, &out)
}

/// `lane` of source 0, which may also be uniform.
fn one_lane(wave: &Wave, vop: &Vop, lane: u32) -> Result<u32, Why> {
    Ok(wave.src32(vop.src[0], vop.literal)?.lane(lane as usize % LANES))
}

/// The first active lane, or lane 0 if none is.
fn readfirstlane(wave: &mut Wave, vop: &Vop) -> Result<(), Why> {
    let value = one_lane(wave, vop, wave.exec.trailing_zeros())?;
    wave.set_sgpr(vop.dst.0, value)
}

/// The lane that source 1 names, active or not.
fn readlane(wave: &mut Wave, vop: &Vop) -> Result<(), Why> {
    let lane = wave.scalar32(vop.src[1], vop.literal)?;
    let value = one_lane(wave, vop, lane)?;
    wave.set_sgpr(vop.dst.0, value)
}

/// Sets the lane that source 1 names, active or not.
fn writelane(wave: &mut Wave, vop: &Vop) -> Result<(), Why> {
    let value = wave.scalar32(vop.src[0], vop.literal)?;
    let lane = wave.scalar32(vop.src[1], vop.literal)?;
    wave.vgpr_mut(vop.dst, 0)?[lane as usize % LANES] = value;
    Ok(())
}
