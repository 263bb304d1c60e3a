// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums of absolute differences and averages of bytes.

use super::int32::saturate_u32;
use crate::inst::Vop;
use crate::stop::Why;
use crate::valu::lanes::shape::u32s;
use crate::valu::lanes::{result, source};
use crate::valu::Exec;
use crate::wave::{Row, Wave, LANES};

/// What this file implements.
pub static OPS: &[(&str, Exec)] = &[
    ("v_sad_u8", |w, v| {
        u32s(w, v, |[a, b, c]| add(c, bytes(a, b, false), v.clamp))
    }),
    ("v_sad_hi_u8", |w, v| {
        u32s(w, v, |[a, b, c]| add(c, bytes(a, b, false) << 16, v.clamp))
    }),
    ("v_msad_u8", |w, v| {
        u32s(w, v, |[a, b, c]| add(c, bytes(a, b, true), v.clamp))
    }),
    ("v_sad_u16", |w, v| {
        u32s(w, v, |[a, b, c]| add(c, halves(a, b), v.clamp))
    }),
    ("v_sad_u32", |w, v| {
        u32s(w, v, |[a, b, c]| add(c, a.abs_diff(b), v.clamp))
    }),
    ("v_qsad_pk_u16_u8", |w, v| quad16(w, v, false)),
    ("v_mqsad_pk_u16_u8", |w, v| quad16(w, v, true)),
    ("v_mqsad_u32_u8", quad32),
    ("v_lerp_u8", |w, v| u32s(w, v, |[a, b, c]| lerp(a, b, c))),
];

fn add(a: u32, b: u32, saturate: bool) -> u32 {
    if saturate {
        saturate_u32(u64::from(a) + u64::from(b))
    } else {
        a.wrapping_add(b)
    }
}

/// The sum of the differences of the bytes; `masked` leaves out those that are 0 in the reference `b`.
fn bytes(a: u32, b: u32, masked: bool) -> u32 {
    let pairs = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
    pairs
        .filter(|&(_, b)| !masked || b != 0)
        .map(|(a, b)| u32::from(a.abs_diff(b)))
        .sum()
}

fn halves(a: u32, b: u32) -> u32 {
    u32::from((a as u16).abs_diff(b as u16)) + u32::from(((a >> 16) as u16).abs_diff((b >> 16) as u16))
}

/// The average of each byte, rounded up where the lowest bit of the byte of `round` is set.
fn lerp(a: u32, b: u32, round: u32) -> u32 {
    let ([a, b], round) = ([a, b].map(u32::to_le_bytes), round.to_le_bytes());
    let average = |i: usize| ((u16::from(a[i]) + u16::from(b[i]) + u16::from(round[i] & 1)) >> 1) as u8;
    u32::from_le_bytes(std::array::from_fn(average))
}

/// Four sums, of the four bytes that begin at bytes 0 to 3 of source 0, added to 16-bit numbers.
fn quad16(wave: &mut Wave, vop: &Vop, masked: bool) -> Result<(), Why> {
    let a = source::b64(wave, vop, 0, false)?;
    let b = source::b32(wave, vop, 1)?;
    let c = source::b64(wave, vop, 2, false)?;
    let out = std::array::from_fn(|l| {
        (0..4).fold(0, |out, i| {
            let sum = bytes((a[l] >> (8 * i)) as u32, b[l], masked) + ((c[l] >> (16 * i)) & 0xffff) as u32;
            let sum = if vop.clamp { sum.min(0xffff) } else { sum & 0xffff };
            out | (u64::from(sum) << (16 * i))
        })
    });
    result::b64(wave, vop, &out)
}

/// The same, masked, added to 32-bit numbers.
fn quad32(wave: &mut Wave, vop: &Vop) -> Result<(), Why> {
    let a = source::b64(wave, vop, 0, false)?;
    let b = source::b32(wave, vop, 1)?;
    let mut out: [Row; 4] = [[0; LANES]; 4];
    for (i, out) in out.iter_mut().enumerate() {
        let c = source::dword(wave, vop, 2, i)?;
        *out = std::array::from_fn(|l| add(c[l], bytes((a[l] >> (8 * i)) as u32, b[l], true), vop.clamp));
    }
    wave.vgpr_index(vop.dst, 4)?;
    for (i, out) in out.iter().enumerate() {
        wave.write32_at(vop.dst, i, out)?;
    }
    Ok(())
}
