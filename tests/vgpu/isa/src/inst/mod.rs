// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The decoded instruction.

mod memory;
mod operand;
mod vop;

use crate::table::Op;
pub use memory::{Buffer, Ds, Flat, Segment, Smem};
pub use operand::Operand;
pub use vop::{Dpp, Ext, Sdwa, Sel, Unused, Vop};

/// One decoded instruction.
#[derive(Clone, Debug)]
pub struct Inst {
    /// Its row in the tables.
    pub op: &'static Op,
    /// Length in dwords, 1 to 3.
    pub words: u8,
    /// Whether it is the long (VOP3) form of a VOP1, VOP2 or VOPC instruction.
    pub long: bool,
    /// Its operands.
    pub fields: Fields,
    /// What it does.
    pub exec: Exec,
}

/// The function behind an instruction, found by its mnemonic when it is decoded.
#[derive(Clone, Copy, Debug)]
pub enum Exec {
    /// There is none: executing it is an error.
    Missing,
    /// Vector arithmetic.
    Valu(crate::valu::Exec),
    /// Scalar arithmetic and control flow.
    Salu(crate::salu::Exec),
    /// Memory: the row's kind says what.
    Memory,
}

/// The operands, by encoding.
#[derive(Clone, Debug, PartialEq)]
pub enum Fields {
    /// SOP1, SOP2, SOPC, SOPK, SOPP.
    Scalar(Scalar),
    /// SMEM.
    Smem(Smem),
    /// VOP1, VOP2, VOPC, VOP3, VOP3P and their SDWA and DPP forms.
    Vop(Vop),
    /// DS.
    Ds(Ds),
    /// FLAT, GLOBAL, SCRATCH.
    Flat(Flat),
    /// MUBUF, MTBUF.
    Buffer(Buffer),
}

/// Operands of a scalar instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// Destination, or [`Operand::NONE`].
    pub dst: Operand,
    /// Sources, unused ones [`Operand::NONE`].
    pub src: [Operand; 2],
    /// The literal dword if a source is one (or of `s_setreg_imm32_b32`).
    pub literal: u32,
    /// SIMM16 of SOPK and SOPP.
    pub imm: u16,
}
