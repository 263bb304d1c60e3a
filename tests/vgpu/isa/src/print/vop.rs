// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Vector arithmetic.

use super::{operand, List};
use crate::inst::{Dpp, Ext, Inst, Operand, Sdwa, Sel, Unused, Vop};
use crate::table::{flags, Enc, Ty};
use std::fmt::{self, Formatter};

impl Inst {
    pub(super) fn vop(&self, f: &mut Formatter<'_>, v: &Vop) -> fmt::Result {
        let op = self.op;
        let short = matches!(op.enc, Enc::Vop1 | Enc::Vop2 | Enc::Vopc);
        let single = op.has(flags::NO_E64) && !op.has(flags::TIED);
        let suffix = match v.ext {
            Ext::Sdwa(_) => "_sdwa",
            Ext::Dpp(_) => "_dpp",
            Ext::None if !short || single => "",
            Ext::None if self.long => "_e64",
            Ext::None => "_e32",
        };
        write!(f, "{}{suffix}", op.name)?;
        let mut list = List::new();
        match op.dst {
            Ty::No => {}
            ty => list.item(operand::source(v.dst, ty, 0)),
        }
        if op.sdst != Ty::No {
            list.item(operand::sgpr(v.sdst, 2));
        }
        for (i, ty) in op.src.iter().enumerate() {
            if *ty != Ty::No {
                list.item(self.vop_source(v, i, *ty));
            }
        }
        write!(f, "{list}")?;
        match v.ext {
            Ext::Sdwa(s) => self.sdwa(f, v, s),
            Ext::Dpp(d) => dpp(f, d),
            Ext::None => self.vop_modifiers(f, v),
        }
    }

    fn vop_source(&self, v: &Vop, i: usize, ty: Ty) -> String {
        let text = match v.src[i] {
            Operand::LITERAL if i > 0 && self.op.flags & (flags::MK | flags::AK) != 0 => {
                format!("{:#x}", v.literal)
            }
            src => operand::source(src, ty, v.literal),
        };
        if self.op.has(flags::PACKED) {
            return text;
        }
        let sext = matches!(v.ext, Ext::Sdwa(s) if i < 2 && s.sext[i]);
        let (abs, neg) = (v.abs >> i & 1 != 0, v.neg >> i & 1 != 0);
        match (abs, neg) {
            (true, true) => format!("-|{text}|"),
            (true, false) => format!("|{text}|"),
            // the minus of a constant would be part of it
            (false, true) if v.src[i].is_inline() => format!("neg({text})"),
            (false, true) => format!("-{text}"),
            _ if sext => format!("sext({text})"),
            _ => text,
        }
    }

    fn vop_modifiers(&self, f: &mut Formatter<'_>, v: &Vop) -> fmt::Result {
        let op = self.op;
        let sources = op.src.len();
        if op.enc == Enc::Vop3p {
            bit_list(f, "op_sel", v.op_sel, sources, 0)?;
            let default = if op.has(flags::PACKED) {
                (1 << sources) - 1
            } else {
                0
            };
            bit_list(f, "op_sel_hi", v.op_sel_hi, sources, default)?;
            if op.has(flags::PACKED) {
                bit_list(f, "neg_lo", v.neg, sources, 0)?;
                bit_list(f, "neg_hi", v.neg_hi, sources, 0)?;
            }
        } else if v.op_sel != 0 {
            // the destination's bit comes last
            let dst = v.op_sel >> 3 << sources;
            bit_list(f, "op_sel", v.op_sel & ((1 << sources) - 1) | dst, sources + 1, 0)?;
        }
        for (name, value) in [("cbsz", v.cbsz), ("abid", v.abid), ("blgp", v.blgp)] {
            if value != 0 {
                write!(f, " {name}:{value}")?;
            }
        }
        clamp_omod(f, v)
    }

    fn sdwa(&self, f: &mut Formatter<'_>, v: &Vop, s: Sdwa) -> fmt::Result {
        clamp_omod(f, v)?;
        if self.op.enc != Enc::Vopc {
            let unused = match s.unused {
                Unused::Pad => "UNUSED_PAD",
                Unused::Sext => "UNUSED_SEXT",
                Unused::Preserve => "UNUSED_PRESERVE",
            };
            write!(f, " dst_sel:{} dst_unused:{unused}", sel(s.dst_sel))?;
        }
        write!(f, " src0_sel:{}", sel(s.sel[0]))?;
        if self.op.src_ty(1) != Ty::No {
            write!(f, " src1_sel:{}", sel(s.sel[1]))?;
        }
        Ok(())
    }
}

fn clamp_omod(f: &mut Formatter<'_>, v: &Vop) -> fmt::Result {
    if v.clamp {
        f.write_str(" clamp")?;
    }
    f.write_str(["", " mul:2", " mul:4", " div:2"][usize::from(v.omod & 3)])
}

fn bit_list(f: &mut Formatter<'_>, name: &str, value: u8, count: usize, default: u8) -> fmt::Result {
    if value == default {
        return Ok(());
    }
    let bits: Vec<&str> = (0..count)
        .map(|i| if value >> i & 1 != 0 { "1" } else { "0" })
        .collect();
    write!(f, " {name}:[{}]", bits.join(","))
}

fn sel(sel: Sel) -> String {
    match sel {
        Sel::Byte(n) => format!("BYTE_{n}"),
        Sel::Word(n) => format!("WORD_{n}"),
        Sel::Dword => "DWORD".to_owned(),
    }
}

fn dpp(f: &mut Formatter<'_>, d: Dpp) -> fmt::Result {
    let n = d.ctrl & 0xf;
    match d.ctrl {
        0..=0xff => {
            let [a, b, c, e] = [0, 2, 4, 6].map(|shift| d.ctrl >> shift & 3);
            write!(f, " quad_perm:[{a},{b},{c},{e}]")?;
        }
        0x101..=0x10f => write!(f, " row_shl:{n}")?,
        0x111..=0x11f => write!(f, " row_shr:{n}")?,
        0x121..=0x12f => write!(f, " row_ror:{n}")?,
        0x130 => f.write_str(" wave_shl:1")?,
        0x134 => f.write_str(" wave_rol:1")?,
        0x138 => f.write_str(" wave_shr:1")?,
        0x13c => f.write_str(" wave_ror:1")?,
        0x140 => f.write_str(" row_mirror")?,
        0x141 => f.write_str(" row_half_mirror")?,
        0x142 => f.write_str(" row_bcast:15")?,
        0x143 => f.write_str(" row_bcast:31")?,
        _ => write!(f, " row_newbcast:{n}")?,
    }
    write!(f, " row_mask:{:#x} bank_mask:{:#x}", d.row_mask, d.bank_mask)?;
    if d.bound_ctrl {
        f.write_str(" bound_ctrl:1")?;
    }
    Ok(())
}
