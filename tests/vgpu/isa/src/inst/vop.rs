// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operands of vector arithmetic.

use super::Operand;

/// Operands of a vector ALU instruction, the same for all its encodings.
///
/// Implied operands are filled in: the VCC of e32 carries, selects and compares, the constant of `v_fmamk_f32`, the
/// destination as third source of `v_fmac_f32` and its like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vop {
    /// Destination: VGPR, accumulator, or SGPR (compares, `v_readlane_b32`, `v_readfirstlane_b32`).
    pub dst: Operand,
    /// Second destination: carry out or `v_div_scale` flag, an SGPR pair, or [`Operand::NONE`].
    pub sdst: Operand,
    /// Sources, unused ones [`Operand::NONE`].
    pub src: [Operand; 3],
    /// The literal dword if a source is one.
    pub literal: u32,
    /// Bit i: absolute value of source i.
    pub abs: u8,
    /// Bit i: negate source i, after abs. VOP3P: of the low half.
    pub neg: u8,
    /// VOP3P, bit i: negate the high half of source i.
    pub neg_hi: u8,
    /// Bit i: high half of source i; bit 3: write the high half of the destination. VOP3P: what feeds the low half.
    pub op_sel: u8,
    /// VOP3P, bit i: the high half of source i feeds the high half of the operation.
    pub op_sel_hi: u8,
    /// Output modifier: 0 none, 1 times 2, 2 times 4, 3 divided by 2.
    pub omod: u8,
    /// Clamp the result: floats to 0..1, integers saturate.
    pub clamp: bool,
    /// SDWA or DPP.
    pub ext: Ext,
    /// MFMA: broadcast of blocks of A (CBSZ).
    pub cbsz: u8,
    /// MFMA: which block of A is broadcast (ABID).
    pub abid: u8,
    /// MFMA: lane permutation of B (BLGP); of f64 forms: negation of A, B, C.
    pub blgp: u8,
}

impl Vop {
    /// No operands, no modifiers.
    pub const EMPTY: Self = Self {
        dst: Operand::NONE,
        sdst: Operand::NONE,
        src: [Operand::NONE; 3],
        literal: 0,
        abs: 0,
        neg: 0,
        neg_hi: 0,
        op_sel: 0,
        op_sel_hi: 0,
        omod: 0,
        clamp: false,
        ext: Ext::None,
        cbsz: 0,
        abid: 0,
        blgp: 0,
    };
}

/// The extension word of VOP1, VOP2 and VOPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ext {
    /// There is none.
    None,
    /// Sub-dword addressing.
    Sdwa(Sdwa),
    /// Data-parallel primitives: lanes of source 0 are moved.
    Dpp(Dpp),
}

/// Which part of a dword (SDWA *_SEL).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sel {
    /// A byte, 0 to 3.
    Byte(u8),
    /// A half, 0 or 1.
    Word(u8),
    /// All of it.
    Dword,
}

/// What happens to the bits of the destination that SDWA does not write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unused {
    /// They become 0.
    Pad,
    /// They become the sign of the result.
    Sext,
    /// They stay.
    Preserve,
}

/// Sub-dword addressing. Abs, neg, omod and clamp are in [`Vop`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sdwa {
    /// Where the result goes.
    pub dst_sel: Sel,
    /// What happens to the rest.
    pub unused: Unused,
    /// Parts of sources 0 and 1.
    pub sel: [Sel; 2],
    /// Whether the parts are sign-extended.
    pub sext: [bool; 2],
}

/// Data-parallel primitives. Abs and neg are in [`Vop`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dpp {
    /// DPP_CTRL, 9 bits (CDNA2 ISA "DPP").
    pub ctrl: u16,
    /// Bit i: row (16 lanes) i is written.
    pub row_mask: u8,
    /// Bit i: bank (4 lanes) i of each row is written.
    pub bank_mask: u8,
    /// Lanes whose source does not exist read 0 (otherwise they are not written).
    pub bound_ctrl: bool,
}
