// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instructions in LLVM's assembler syntax.

mod immediate;
mod memory;
mod operand;
mod vop;

use crate::inst::{Buffer, Fields, Flat, Inst, Scalar};
use crate::table::{Enc, Ty};
use std::fmt::{self, Display, Formatter};

impl Display for Inst {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.fields {
            Fields::Scalar(s) => {
                f.write_str(self.op.name)?;
                self.scalar(f, s)
            }
            Fields::Vop(v) => self.vop(f, v),
            Fields::Smem(s) => self.smem(f, s),
            Fields::Ds(d) => self.ds(f, d),
            Fields::Flat(x) => {
                write!(f, "{}_{}", x.segment.name(), self.op.name)?;
                self.flat(f, x)
            }
            Fields::Buffer(b) => {
                let prefix = if b.typed { "tbuffer" } else { "buffer" };
                write!(f, "{prefix}_{}", self.op.name)?;
                self.buffer(f, b)
            }
        }
    }
}

impl Inst {
    /// The mnemonic with its prefix, without the suffix of the encoding.
    pub fn mnemonic(&self) -> String {
        match &self.fields {
            Fields::Flat(Flat { segment, .. }) => format!("{}_{}", segment.name(), self.op.name),
            Fields::Buffer(Buffer { typed: true, .. }) => format!("tbuffer_{}", self.op.name),
            Fields::Buffer(_) => format!("buffer_{}", self.op.name),
            _ => self.op.name.to_owned(),
        }
    }

    fn scalar(&self, f: &mut Formatter<'_>, s: &Scalar) -> fmt::Result {
        let mut list = List::new();
        if self.op.dst != Ty::No {
            list.item(operand::sgpr(s.dst, self.op.dst.dwords()));
        }
        match self.op.enc {
            Enc::Sopk => immediate::sopk(self.op, s, &mut list),
            Enc::Sopp => immediate::sopp(self.op, s, &mut list),
            _ => {
                for (i, src) in s.src.iter().enumerate() {
                    match self.op.src_ty(i) {
                        Ty::No if i == 1 && self.op.src.len() == 2 => list.item(immediate::gpr_idx(s.imm)),
                        Ty::No => {}
                        ty => list.item(operand::source(*src, ty, s.literal)),
                    }
                }
            }
        }
        write!(f, "{list}")
    }
}

/// Operands, separated by commas.
struct List(String);

impl List {
    fn new() -> Self {
        Self(String::new())
    }

    fn item(&mut self, text: impl Display) {
        self.0 += if self.0.is_empty() { " " } else { ", " };
        self.0 += &text.to_string();
    }
}

impl Display for List {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
