// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One run of an instruction: its text, and its operands as the registers hold them.

use vgpu_isa::table::{flags, Enc, Op, Ty};
use vgpu_isa::Wave;

/// The encoding of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Form {
    Short,
    Long,
    Dpp,
    Sdwa,
}

/// One run of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) op: &'static Op,
    pub(super) form: Form,
    pub(super) exec: u64,
    pub(super) mode: u32,
    /// Bit i: absolute value, sign of source i. Packed: signs of the low and the high halves.
    pub(super) abs: u8,
    pub(super) neg: u8,
    pub(super) op_sel: u8,
    pub(super) op_sel_hi: u8,
    pub(super) omod: u8,
    pub(super) clamp: bool,
    /// SDWA: which of [`SELS`] sources 0 and 1 are; bit i: source i is sign-extended.
    pub(super) sel: [u8; 2],
    pub(super) sext: u8,
}

/// Parts of a dword: name, first bit, bits.
pub(super) const SELS: [(&str, u32, u32); 7] = [
    ("BYTE_0", 0, 8),
    ("BYTE_1", 8, 8),
    ("BYTE_2", 16, 8),
    ("BYTE_3", 24, 8),
    ("WORD_0", 0, 16),
    ("WORD_1", 16, 16),
    ("DWORD", 0, 32),
];

/// The part of a source that a run takes.
fn part(x: u128, sel: u8, sext: bool) -> u128 {
    let (_, from, bits) = SELS[usize::from(sel)];
    let part = (x as u32) << (32 - from - bits);
    u128::from(if sext {
        (part as i32 >> (32 - bits)) as u32
    } else {
        part >> (32 - bits)
    })
}

pub(super) const SRC: [usize; 3] = [16, 20, 24];
pub(super) const DST: usize = 32;
/// How SDWA names the whole destination.
pub(super) const DWORD: &str = " dst_sel:DWORD dst_unused:UNUSED_PAD";
/// The literal of the instructions that have one.
const LITERAL: u32 = 0x4049_0fdb;

fn registers(first: usize, ty: Ty) -> String {
    match ty.dwords() {
        1 => format!("v{first}"),
        n => format!("v[{first}:{}]", first + n - 1),
    }
}

fn list(bits: u8, count: usize) -> String {
    let bits: Vec<String> = (0..count).map(|i| (bits >> i & 1).to_string()).collect();
    format!("[{}]", bits.join(","))
}

/// Whether the halves of the operands can be selected and negated.
pub(super) fn packed_floats(op: &Op) -> bool {
    op.has(flags::PACKED) && op.src_ty(0) == op.src_ty(1) && matches!(op.src_ty(0), Ty::F16x2 | Ty::F32x2)
}

pub(super) fn packed_selects(op: &Op) -> bool {
    op.has(flags::PACKED)
        && matches!(
            op.src_ty(0),
            Ty::F16x2 | Ty::F32x2 | Ty::B32x2 | Ty::I16x2 | Ty::U16x2
        )
        && !op.name.contains("dot")
}

impl Run {
    pub(super) fn text(&self) -> String {
        let op = self.op;
        let short = self.form != Form::Long;
        let mut operands = Vec::new();
        let (out, carry) = if short {
            ("vcc", "vcc")
        } else {
            ("s[42:43]", "s[40:41]")
        };
        if op.dst == Ty::Mask {
            operands.push(out.to_owned());
        } else {
            operands.push(registers(DST, op.dst));
        }
        if op.sdst == Ty::Mask {
            operands.push(out.to_owned());
        }
        for (i, ty) in op.src.iter().enumerate() {
            let literal = op.has(flags::MK) && i == 1 || op.has(flags::AK) && i == 2;
            operands.push(match ty {
                Ty::Mask => carry.to_owned(),
                _ if literal && *ty == Ty::F16 => format!("{:#x}", LITERAL & 0xffff),
                _ if literal => format!("{LITERAL:#x}"),
                _ => {
                    let mut text = registers(SRC[i], *ty);
                    if !op.has(flags::PACKED) {
                        if self.abs >> i & 1 == 1 {
                            text = format!("|{text}|");
                        }
                        if self.neg >> i & 1 == 1 {
                            text = format!("-{text}");
                        }
                        if self.sext >> i & 1 == 1 {
                            text = format!("sext({text})");
                        }
                    }
                    text
                }
            });
        }
        let suffix = match (op.enc, self.form) {
            (Enc::Vop3 | Enc::Vop3p, _) => "",
            // without a long form there is no suffix
            (_, Form::Short) if op.has(flags::NO_E64) => "",
            (_, Form::Short) => "_e32",
            (_, Form::Long) => "_e64",
            (_, Form::Dpp) => "_dpp",
            (_, Form::Sdwa) => "_sdwa",
        };
        let mut text = format!("{}{suffix} {}", op.name, operands.join(", "));
        let count = op.src.len();
        if op.has(flags::OPSEL) && self.op_sel != 0 {
            text += &format!(
                " op_sel:{}",
                list(self.op_sel, count).replace(']', &format!(",{}]", self.op_sel >> 3))
            );
        }
        if packed_selects(op) || op.has(flags::MIX) {
            text += &format!(" op_sel:{}", list(self.op_sel, count));
            text += &format!(" op_sel_hi:{}", list(self.op_sel_hi, count));
        }
        if packed_floats(op) && op.name != "v_pk_mov_b32" {
            text += &format!(
                " neg_lo:{} neg_hi:{}",
                list(self.neg, count),
                list(self.abs, count)
            );
        }
        if self.clamp {
            text += " clamp";
        }
        text += ["", " mul:2", " mul:4", " div:2"][usize::from(self.omod)];
        match self.form {
            Form::Dpp if op.src_ty(0).dwords() == 2 || op.dst.dwords() == 2 => {
                text += " row_newbcast:3 row_mask:0xf bank_mask:0xf"
            }
            Form::Dpp => text += " quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf",
            Form::Sdwa => {
                if op.dst != Ty::Mask {
                    text += DWORD;
                }
                for (i, sel) in self.sel.iter().enumerate().take(count) {
                    text += &format!(" src{i}_sel:{}", SELS[usize::from(*sel)].0);
                }
            }
            _ => {}
        }
        text
    }

    /// What source `i` of `lane` is, from the registers.
    pub(super) fn source(&self, wave: &Wave, i: usize, lane: usize) -> u128 {
        let op = self.op;
        let ty = op.src_ty(i);
        if ty == Ty::No && !(op.has(flags::TIED) && i == 2) {
            return 0;
        }
        if op.has(flags::MK) && i == 1 || op.has(flags::AK) && i == 2 {
            return (LITERAL & ty.literal_mask()).into();
        }
        let (first, ty) = if op.has(flags::TIED) && i == 2 {
            (DST, op.dst)
        } else {
            (SRC[i], ty)
        };
        let lane = match self.form {
            Form::Dpp if i == 0 && (ty.dwords() == 2 || op.dst.dwords() == 2) => lane / 16 * 16 + 3,
            Form::Dpp if i == 0 => lane ^ 1,
            _ => lane,
        };
        let mut x = read(wave, first, ty.dwords(), lane);
        if self.form == Form::Sdwa && i < 2 {
            x = part(x, self.sel[i], self.sext >> i & 1 == 1);
        }
        let bits = match ty {
            Ty::B16 | Ty::I16 | Ty::U16 | Ty::F16 => 16,
            _ => 32 * ty.dwords() as u32,
        };
        if bits == 16 {
            x >>= if op.has(flags::OPSEL) {
                16 * (self.op_sel >> i & 1)
            } else {
                0
            };
            x &= 0xffff;
        }
        if ty.is_float() && !op.has(flags::MIX) && !op.has(flags::PACKED) {
            let sign = 1 << (bits - 1);
            if self.abs >> i & 1 == 1 {
                x &= !sign;
            }
            if self.neg >> i & 1 == 1 {
                x ^= sign;
            }
        }
        x
    }
}

/// Up to four registers of a lane.
pub(super) fn read(wave: &Wave, first: usize, dwords: usize, lane: usize) -> u128 {
    (0..dwords.min(4))
        .map(|d| u128::from(wave.vgprs[first + d][lane]) << (32 * d))
        .sum()
}
