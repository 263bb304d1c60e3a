// SPDX-License-Identifier: Apache-2.0 OR MIT
//! VOP1, VOP2 and VOPC with their SDWA and DPP forms.

use super::operand::{register, scalar, sgpr, vector};
use super::strict::{refuse, BUS, DPP64, MODIFIER, UNUSED};
use super::{bit, bits, reserved, row, Decoded, Words};
use crate::inst::{Dpp, Ext, Fields, Operand, Sdwa, Sel, Unused, Vop};
use crate::stop::Why;
use crate::table::{flags, Enc, Op, Ty};

/// SRC0 that announces an SDWA word.
const SDWA: u32 = 249;
/// SRC0 that announces a DPP word.
const DPP: u32 = 250;

pub(super) fn decode(words: &mut Words<'_>) -> Decoded {
    let w = words.first();
    let op = match w >> 25 {
        0x3f => row(Enc::Vop1, bits(w, 16, 9))?,
        0x3e => row(Enc::Vopc, bits(w, 24, 17))?,
        code => row(Enc::Vop2, code)?,
    };
    let mut vop = Vop::EMPTY;
    vop.dst = destination(op, bits(w, 24, 17))?;
    if op.sdst == Ty::Mask {
        vop.sdst = Operand::VCC;
    }
    // sources in order; VSRC1 is the second register field
    let second = op.src_ty(1);
    if second != Ty::No {
        vop.src[1] = register(bits(w, 16, 9), second, false)?;
    }
    match bits(w, 8, 0) {
        SDWA if op.has(flags::SDWA) => sdwa(op, words.next()?, &mut vop)?,
        DPP if op.has(flags::DPP) => dpp(op, words.next()?, &mut vop)?,
        n => match op.src_ty(0) {
            Ty::No => reserved(n, "src0")?,
            ty => vop.src[0] = vector(n, ty, words, &mut vop.literal)?,
        },
    }
    if op.enc == Enc::Vop1 && op.dst == Ty::No && bits(w, 24, 17) != 0 {
        return Err(refuse(UNUSED, "vdst"));
    }
    if op.flags & (flags::MK | flags::AK) != 0 {
        if words.used == 1 {
            vop.literal = words.next()?;
        }
        vop.src = match op.has(flags::MK) {
            true => [vop.src[0], Operand::LITERAL, vop.src[1]],
            false => [vop.src[0], vop.src[1], Operand::LITERAL],
        };
    }
    implied(op, &mut vop);
    constant_bus(op, &vop)?;
    Ok((op, Fields::Vop(vop)))
}

/// Refuses more than one scalar value: a register (pair) may be read repeatedly, a literal counts as one.
pub(super) fn constant_bus(op: &Op, vop: &Vop) -> Result<(), Why> {
    // v_div_fmas reads VCC without naming it
    let hidden = op.name.starts_with("v_div_fmas").then_some((Operand::VCC, 2));
    let named = vop
        .src
        .iter()
        .enumerate()
        .map(|(i, src)| (*src, op.src_ty(i).dwords()));
    let mut seen = hidden;
    for (src, dwords) in named.filter(|(src, _)| matches!(src.0, 0..=127 | 235..=238 | 251..=253 | 255)) {
        match seen {
            // half of VCC beside all of it, which compilers may do
            Some((other, _)) if src.0 & !1 == Operand::VCC.0 && other.0 & !1 == Operand::VCC.0 => {}
            Some(other) if other != (src, dwords) => {
                return Err(refuse(BUS, format_args!("{} and {}", other.0 .0, src.0)));
            }
            _ => seen = Some((src, dwords)),
        }
    }
    Ok(())
}

/// Fills in the third source that the encoding does not name.
pub(super) fn implied(op: &Op, vop: &mut Vop) {
    if op.src_ty(2) == Ty::Mask && vop.src[2] == Operand::NONE {
        vop.src[2] = Operand::VCC;
    }
    if op.has(flags::TIED) {
        vop.src[2] = vop.dst;
    }
}

fn destination(op: &Op, n: u32) -> Result<Operand, Why> {
    match op.dst {
        Ty::No => Ok(Operand::NONE),
        Ty::Mask => Ok(Operand::VCC),
        Ty::Sgpr => sgpr(n, Ty::B32),
        ty => register(n, ty, false),
    }
}

fn sdwa(op: &Op, w: u32, vop: &mut Vop) -> Result<(), Why> {
    let two = op.src_ty(1) != Ty::No;
    let mut ext = Sdwa {
        dst_sel: Sel::Dword,
        unused: Unused::Pad,
        sel: [sel(bits(w, 18, 16))?, Sel::Dword],
        sext: [false; 2],
    };
    vop.src[0] = sdwa_source(bits(w, 7, 0), bit(w, 23))?;
    modifiers(op, vop, &mut ext, 0, bits(w, 21, 19))?;
    if two {
        let Operand(vsrc1) = vop.src[1];
        vop.src[1] = sdwa_source(u32::from(vsrc1) & 0xff, bit(w, 31))?;
        ext.sel[1] = sel(bits(w, 26, 24))?;
        modifiers(op, vop, &mut ext, 1, bits(w, 29, 27))?;
    } else if bits(w, 31, 24) != 0 {
        return Err(refuse(UNUSED, "sdwa src1"));
    }
    if bit(w, 22) || two && bit(w, 30) {
        return Err(refuse(UNUSED, "sdwa"));
    }
    if op.enc == Enc::Vopc {
        if bit(w, 15) {
            vop.dst = sgpr(bits(w, 14, 8), Ty::Mask)?;
        } else if bits(w, 14, 8) != 0 {
            return Err(refuse(UNUSED, "sdst"));
        }
    } else {
        ext.dst_sel = sel(bits(w, 10, 8))?;
        ext.unused = match bits(w, 12, 11) {
            0 => Unused::Pad,
            1 => Unused::Sext,
            2 => Unused::Preserve,
            _ => return Err(Why::Borrowed("dst_unused 3 does not exist")),
        };
        vop.clamp = bit(w, 13);
        vop.omod = bits(w, 15, 14) as u8;
        if vop.clamp && !op.has(flags::CLAMP) || vop.omod != 0 && !(op.has(flags::OMOD) && op.dst.is_float())
        {
            return Err(refuse(MODIFIER, "clamp or omod"));
        }
    }
    vop.ext = Ext::Sdwa(ext);
    Ok(())
}

/// SEXT, NEG, ABS of source `i` in bits 0 to 2.
fn modifiers(op: &Op, vop: &mut Vop, ext: &mut Sdwa, i: usize, field: u32) -> Result<(), Why> {
    let [sext, neg, abs] = [0, 1, 2].map(|n| bit(field, n));
    let allowed = match op.src_ty(i).is_float() {
        true => !sext,
        false => !neg && !abs,
    };
    if !allowed {
        return Err(refuse(MODIFIER, format_args!("source {i}")));
    }
    ext.sext[i] = sext;
    vop.neg |= u8::from(neg) << i;
    vop.abs |= u8::from(abs) << i;
    Ok(())
}

fn sdwa_source(n: u32, is_scalar: bool) -> Result<Operand, Why> {
    match is_scalar {
        true if n == 255 => Err(Why::Borrowed("a literal is not allowed here")),
        true => scalar(n, Ty::B32, &mut Words { words: &[], used: 1 }, &mut 0),
        false => register(n, Ty::B32, false),
    }
}

fn sel(n: u32) -> Result<Sel, Why> {
    Ok(match n {
        0..=3 => Sel::Byte(n as u8),
        4 | 5 => Sel::Word(n as u8 - 4),
        6 => Sel::Dword,
        _ => return Err(Why::Borrowed("sdwa selector 7 does not exist")),
    })
}

fn dpp(op: &Op, w: u32, vop: &mut Vop) -> Result<(), Why> {
    let ctrl = bits(w, 16, 8);
    let known = matches!(
        ctrl,
        0..=0xff
            | 0x101..=0x10f
            | 0x111..=0x11f
            | 0x121..=0x12f
            | 0x130
            | 0x134
            | 0x138
            | 0x13c
            | 0x140..=0x143
            | 0x150..=0x15f
    );
    if !known {
        return Err(Why::Owned(format!("dpp_ctrl {ctrl:#x} does not exist")));
    }
    if bits(w, 18, 17) != 0 {
        return Err(refuse(UNUSED, "dpp"));
    }
    let wide = [op.dst, op.src_ty(0)].iter().any(|ty| ty.dwords() == 2);
    if wide && !matches!(ctrl, 0x150..=0x15f) {
        return Err(refuse(DPP64, op.name));
    }
    vop.src[0] = register(bits(w, 7, 0), op.src_ty(0), false)?;
    for (i, field) in [(0, bits(w, 21, 20)), (1, bits(w, 23, 22))] {
        if field != 0 && !op.src_ty(i).is_float() {
            return Err(refuse(MODIFIER, format_args!("source {i}")));
        }
        vop.neg |= (field as u8 & 1) << i;
        vop.abs |= (field as u8 >> 1) << i;
    }
    vop.ext = Ext::Dpp(Dpp {
        ctrl: ctrl as u16,
        row_mask: bits(w, 31, 28) as u8,
        bank_mask: bits(w, 27, 24) as u8,
        bound_ctrl: bit(w, 19),
    });
    Ok(())
}
