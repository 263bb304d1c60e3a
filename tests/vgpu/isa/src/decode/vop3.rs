// SPDX-License-Identifier: Apache-2.0 OR MIT
//! VOP3 (both layouts) and VOP3P.

use super::operand::{register, sgpr, vector_no_literal, vgpr};
use super::strict::{refuse, KIND, MODIFIER, OPSEL, OVERLAP, UNUSED};
use super::vop::{constant_bus, implied};
use super::{bit, bits, row, Decoded, Words};
use crate::inst::{Fields, Operand, Vop};
use crate::stop::Why;
use crate::table::{flags, Enc, Op, Ty};

/// First VOP3 number of the VOP2 instructions.
pub(crate) const VOP2: u32 = 0x100;
/// First VOP3 number of the VOP1 instructions.
pub(crate) const VOP1: u32 = 0x140;
/// First VOP3 number of its own instructions.
const OWN: u32 = 0x1c0;
/// First VOP3 number that means VOP3P.
const VOP3P: u32 = 0x380;

pub(super) fn decode(words: &mut Words<'_>) -> Decoded {
    let (w, x) = (words.first(), words.next()?);
    let code = bits(w, 25, 16);
    let op = match code {
        0..VOP2 => row(Enc::Vopc, code)?,
        VOP2..VOP1 => row(Enc::Vop2, code - VOP2)?,
        VOP1..OWN => row(Enc::Vop1, code - VOP1)?,
        OWN..VOP3P => row(Enc::Vop3, code)?,
        _ => return vop3p(row(Enc::Vop3p, code - VOP3P)?, w, x),
    };
    if op.has(flags::NO_E64) {
        return Err(Why::Owned(format!("{} has no long form", op.name)));
    }
    let mut vop = Vop::EMPTY;
    vop.dst = match op.dst {
        Ty::Mask => sgpr(bits(w, 7, 0), Ty::Mask)?,
        Ty::Sgpr => sgpr(bits(w, 7, 0), Ty::B32)?,
        ty => register(bits(w, 7, 0), ty, false)?,
    };
    sources(op, x, &mut vop, vector_no_literal)?;
    vop.neg = bits(x, 31, 29) as u8;
    if op.sdst == Ty::Mask {
        vop.sdst = sgpr(bits(w, 14, 8), Ty::Mask)?;
    } else {
        vop.abs = bits(w, 10, 8) as u8;
        vop.op_sel = bits(w, 14, 11) as u8;
    }
    for i in 0..3 {
        if (vop.neg | vop.abs) >> i & 1 != 0 && !op.src_ty(i).is_float() {
            return Err(refuse(MODIFIER, format_args!("source {i}")));
        }
    }
    // bit 2 belongs to a third source
    let opsel = match (op.has(flags::OPSEL), op.src_ty(2)) {
        (false, _) => 0,
        (true, Ty::No) => 0b1011,
        (true, _) => 0b1111,
    };
    if vop.op_sel & !opsel != 0 {
        return Err(refuse(OPSEL, op.name));
    }
    vop.clamp = bit(w, 15);
    vop.omod = bits(x, 28, 27) as u8;
    if vop.clamp && !op.has(flags::CLAMP) || vop.omod != 0 && !op.has(flags::OMOD) {
        return Err(refuse(MODIFIER, "clamp or omod"));
    }
    implied(op, &mut vop);
    constant_bus(op, &vop)?;
    Ok((op, Fields::Vop(vop)))
}

/// The three 9-bit source fields, of which those without operand must be 0.
fn sources(
    op: &Op,
    x: u32,
    vop: &mut Vop,
    check: impl Fn(u32, Ty) -> Result<Operand, Why>,
) -> Result<(), Why> {
    for (i, n) in [bits(x, 8, 0), bits(x, 17, 9), bits(x, 26, 18)]
        .into_iter()
        .enumerate()
    {
        match op.src_ty(i) {
            Ty::No if n != 0 => return Err(refuse(UNUSED, format_args!("src{i}"))),
            Ty::No => {}
            ty => vop.src[i] = check(n, ty)?,
        }
    }
    Ok(())
}

fn vop3p(op: &'static Op, w: u32, x: u32) -> Decoded {
    let mut vop = Vop::EMPTY;
    if op.has(flags::MAI) {
        mai(op, w, x, &mut vop)?;
        return Ok((op, Fields::Vop(vop)));
    }
    vop.dst = register(bits(w, 7, 0), op.dst, false)?;
    sources(op, x, &mut vop, vector_no_literal)?;
    vop.neg = bits(x, 31, 29) as u8;
    vop.op_sel = bits(w, 13, 11) as u8;
    vop.op_sel_hi = (bits(x, 28, 27) | bits(w, 14, 14) << 2) as u8;
    match op.has(flags::MIX) {
        true => vop.abs = bits(w, 10, 8) as u8,
        false => vop.neg_hi = bits(w, 10, 8) as u8,
    }
    vop.clamp = bit(w, 15);
    if op.src_ty(2) == Ty::No {
        // OP_SEL_HI of the missing source is set by the assembler and means nothing
        vop.op_sel_hi &= 0b011;
        if (vop.neg | vop.neg_hi | vop.op_sel) & 0b100 != 0 {
            return Err(refuse(UNUSED, "modifiers of src2"));
        }
    }
    constant_bus(op, &vop)?;
    Ok((op, Fields::Vop(vop)))
}

/// Matrix instructions and accumulator moves. Bit ACC_CD moves destination and third source to the accumulators, ACC the
/// first two sources.
fn mai(op: &Op, w: u32, x: u32, vop: &mut Vop) -> Result<(), Why> {
    let acc_cd = bit(w, 15);
    let acc = [bit(x, 27), bit(x, 28)];
    let mfma = op.src_ty(2) != Ty::No;
    vop.dst = register(bits(w, 7, 0), op.dst, mfma && acc_cd)?;
    if !mfma {
        // a plain move: the types say where the accumulator is
        if bits(w, 13, 8) != 0 || bits(x, 31, 29) != 0 {
            return Err(refuse(UNUSED, "modifiers"));
        }
        return sources(op, x, vop, vector_no_literal);
    }
    for (i, n) in [bits(x, 8, 0), bits(x, 17, 9)].into_iter().enumerate() {
        vgpr(n, op.src_ty(i))?;
        vop.src[i] = register(n & 0xff, op.src_ty(i), acc[i])?;
    }
    vop.src[2] = match bits(x, 26, 18) {
        n @ 256.. => register(n & 0xff, op.src_ty(2), acc_cd)?,
        n @ (128..=208 | 240..=248) => Operand(n as u16),
        n => return Err(refuse(KIND, format_args!("{n} as accumulator"))),
    };
    let dwords = op.dst.dwords() as u16;
    let apart = vop.src[2].0.abs_diff(vop.dst.0);
    if dwords > 4 && vop.src[2].is_vector() && (1..dwords).contains(&apart) {
        return Err(refuse(
            OVERLAP,
            format_args!("{} and {}", vop.src[2].0, vop.dst.0),
        ));
    }
    vop.cbsz = bits(w, 10, 8) as u8;
    vop.abid = bits(w, 14, 11) as u8;
    vop.blgp = bits(x, 31, 29) as u8;
    Ok(())
}
