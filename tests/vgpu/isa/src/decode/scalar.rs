// SPDX-License-Identifier: Apache-2.0 OR MIT
//! SOP1, SOP2, SOPK, SOPC, SOPP.

use super::operand::{scalar, sgpr};
use super::strict::{refuse, IMMEDIATE, UNUSED};
use super::{bits, row, Decoded, Words};
use crate::inst::{Fields, Operand, Scalar};
use crate::stop::Why;
use crate::table::{Enc, Op, Ty};

pub(super) fn decode(words: &mut Words<'_>) -> Decoded {
    let w = words.first();
    match w >> 23 {
        0b101111101 => sop1(w, words),
        0b101111110 => sopc(w, words),
        0b101111111 => sopp(w),
        _ if w >> 28 == 0b1011 => sopk(w, words),
        _ => sop2(w, words),
    }
}

/// The destination field, which must be 0 without destination.
fn dst(n: u32, op: &Op) -> Result<Operand, Why> {
    match op.dst {
        Ty::No if n != 0 => Err(refuse(UNUSED, "sdst")),
        Ty::No => Ok(Operand::NONE),
        ty => sgpr(n, ty),
    }
}

fn sop1(w: u32, words: &mut Words<'_>) -> Decoded {
    let op = row(Enc::Sop1, bits(w, 15, 8))?;
    let mut literal = 0;
    let src = match op.src_ty(0) {
        Ty::No if bits(w, 7, 0) != 0 => return Err(refuse(UNUSED, "ssrc0")),
        Ty::No => Operand::NONE,
        ty => scalar(bits(w, 7, 0), ty, words, &mut literal)?,
    };
    let dst = dst(bits(w, 22, 16), op)?;
    Ok((
        op,
        Fields::Scalar(Scalar {
            dst,
            src: [src, Operand::NONE],
            literal,
            imm: 0,
        }),
    ))
}

fn sop2(w: u32, words: &mut Words<'_>) -> Decoded {
    let op = row(Enc::Sop2, bits(w, 29, 23))?;
    let mut literal = 0;
    let src = [
        scalar(bits(w, 7, 0), op.src_ty(0), words, &mut literal)?,
        scalar(bits(w, 15, 8), op.src_ty(1), words, &mut literal)?,
    ];
    let dst = dst(bits(w, 22, 16), op)?;
    Ok((
        op,
        Fields::Scalar(Scalar {
            dst,
            src,
            literal,
            imm: 0,
        }),
    ))
}

fn sopc(w: u32, words: &mut Words<'_>) -> Decoded {
    let op = row(Enc::Sopc, bits(w, 22, 16))?;
    let mut literal = 0;
    let first = scalar(bits(w, 7, 0), op.src_ty(0), words, &mut literal)?;
    let (second, imm) = match op.src_ty(1) {
        Ty::No if bits(w, 15, 12) != 0 => return Err(refuse(IMMEDIATE, "gpr_idx")),
        Ty::No => (Operand::NONE, bits(w, 15, 8) as u16),
        ty => (scalar(bits(w, 15, 8), ty, words, &mut literal)?, 0),
    };
    Ok((
        op,
        Fields::Scalar(Scalar {
            dst: Operand::NONE,
            src: [first, second],
            literal,
            imm,
        }),
    ))
}

fn sopk(w: u32, words: &mut Words<'_>) -> Decoded {
    let op = row(Enc::Sopk, bits(w, 27, 23))?;
    let n = bits(w, 22, 16);
    let mut fields = Scalar {
        dst: Operand::NONE,
        src: [Operand::NONE; 2],
        literal: 0,
        imm: bits(w, 15, 0) as u16,
    };
    match (op.dst, op.src_ty(0), op.src.is_empty()) {
        // a source without register: the literal. Other assemblers set the register field
        (Ty::No, Ty::No, false) if n != 0 && n != 127 => return Err(refuse(UNUSED, "sdst")),
        (Ty::No, Ty::No, false) => fields.literal = words.next()?,
        (Ty::No, ty, _) => fields.src[0] = sgpr(n, ty)?,
        (ty, ..) => fields.dst = sgpr(n, ty)?,
    }
    Ok((op, Fields::Scalar(fields)))
}

fn sopp(w: u32) -> Decoded {
    let op = row(Enc::Sopp, bits(w, 22, 16))?;
    let imm = bits(w, 15, 0) as u16;
    if op.src.is_empty() && imm != 0 {
        return Err(refuse(UNUSED, "simm16"));
    }
    if op.name == "s_set_gpr_idx_mode" && imm > 0xf {
        return Err(refuse(IMMEDIATE, "gpr_idx"));
    }
    Ok((
        op,
        Fields::Scalar(Scalar {
            dst: Operand::NONE,
            src: [Operand::NONE; 2],
            literal: 0,
            imm,
        }),
    ))
}
