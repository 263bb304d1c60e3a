// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The decoded instruction.

use crate::table::Op;

/// A source or destination by its hardware number (CDNA2 ISA "Scalar source operands"), 0 to 511, widened by the
/// accumulators.
///
/// | number | meaning |
/// |---|---|
/// | 0..=101 | s0.. |
/// | 102, 103 | FLAT_SCRATCH |
/// | 104, 105 | XNACK_MASK |
/// | 106, 107 | VCC |
/// | 108..=123 | ttmp0.. |
/// | 124 | M0 |
/// | 126, 127 | EXEC |
/// | 128..=192 | integers 0 to 64 |
/// | 193..=208 | integers -1 to -16 |
/// | 235..=238 | SHARED_BASE, SHARED_LIMIT, PRIVATE_BASE, PRIVATE_LIMIT |
/// | 240..=248 | 0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0, 1/(2*pi) |
/// | 251, 252, 253 | VCCZ, EXECZ, SCC |
/// | 255 | the literal dword that follows the instruction |
/// | 256..=511 | v0.. |
/// | 512..=767 | a0.. (not a hardware number: bit ACC is elsewhere in the encoding) |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operand(pub u16);

impl Operand {
    /// FLAT_SCRATCH, low half.
    pub const FLAT_SCRATCH: Self = Self(102);
    /// XNACK_MASK, low half.
    pub const XNACK_MASK: Self = Self(104);
    /// VCC, low half.
    pub const VCC: Self = Self(106);
    /// ttmp0.
    pub const TTMP0: Self = Self(108);
    /// M0.
    pub const M0: Self = Self(124);
    /// EXEC, low half.
    pub const EXEC: Self = Self(126);
    /// The integer 0.
    pub const ZERO: Self = Self(128);
    /// The literal.
    pub const LITERAL: Self = Self(255);
    /// v0.
    pub const V0: Self = Self(256);
    /// a0.
    pub const A0: Self = Self(512);
    /// No operand.
    pub const NONE: Self = Self(u16::MAX);

    /// VGPR `v`.
    pub const fn vgpr(v: u8) -> Self {
        Self(Self::V0.0 + v as u16)
    }

    /// Accumulator `v` if `acc`, otherwise VGPR `v`.
    pub const fn vector(v: u8, acc: bool) -> Self {
        Self(if acc { Self::A0.0 } else { Self::V0.0 } + v as u16)
    }

    /// Whether it is a VGPR or accumulator.
    pub const fn is_vector(self) -> bool {
        self.0 >= Self::V0.0 && self.0 < Self::A0.0 + 256
    }

    /// Whether it is an accumulator.
    pub const fn is_acc(self) -> bool {
        self.0 >= Self::A0.0 && self.0 < Self::A0.0 + 256
    }

    /// Whether it is an inline constant (integer or float).
    pub const fn is_inline(self) -> bool {
        matches!(self.0, 128..=208 | 240..=248)
    }
}

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

/// Operands of a scalar memory instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Smem {
    /// SGPRs loaded or stored; of atomics the data and the result.
    pub data: Operand,
    /// First of the two (four with a buffer descriptor) SGPRs of the base address.
    pub base: Operand,
    /// SGPR whose value is added, or [`Operand::NONE`].
    pub soffset: Operand,
    /// Signed 21-bit byte offset, if there is one.
    pub offset: Option<i32>,
    /// Globally coherent; of atomics: return the old value.
    pub glc: bool,
    /// Bit NV: non-volatile.
    pub nv: bool,
}

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
    /// VOP3P, bit i: negate the high half of source i. In mad_mix instructions: absolute value.
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

/// Operands of an LDS or global wave sync instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ds {
    /// Destination, or [`Operand::NONE`].
    pub dst: Operand,
    /// Address, or [`Operand::NONE`].
    pub addr: Operand,
    /// Data, or [`Operand::NONE`].
    pub data: [Operand; 2],
    /// OFFSET0 and OFFSET1; together a 16-bit offset of instructions with one address.
    pub offset: [u8; 2],
}

/// Which addresses a flat memory instruction can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Segment {
    /// Any, by apertures.
    Flat,
    /// Scratch memory of the lane.
    Scratch,
    /// Global memory.
    Global,
}

impl Segment {
    /// Prefix of the mnemonics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::Scratch => "scratch",
            Self::Global => "global",
        }
    }
}

/// Operands of a flat memory instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flat {
    /// Which kind.
    pub segment: Segment,
    /// Destination, or [`Operand::NONE`].
    pub dst: Operand,
    /// Address (64 bits, or 32 with `saddr` and in scratch), or [`Operand::NONE`].
    pub addr: Operand,
    /// Data, or [`Operand::NONE`].
    pub data: Operand,
    /// Scalar base, or [`Operand::NONE`].
    pub saddr: Operand,
    /// Signed 13-bit byte offset (FLAT: unsigned 12).
    pub offset: i32,
    /// Globally coherent; of atomics: return the old value.
    pub glc: bool,
    /// System-level coherent.
    pub slc: bool,
    /// System coherence level.
    pub scc: bool,
    /// To LDS.
    pub lds: bool,
}

/// Operands of an untyped or typed buffer instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Data: destination of loads, source of stores.
    pub data: Operand,
    /// Index and/or offset VGPRs.
    pub vaddr: Operand,
    /// First of the four SGPRs of the descriptor.
    pub srsrc: Operand,
    /// Scalar offset: SGPR, M0 or inline integer.
    pub soffset: Operand,
    /// Unsigned 12-bit byte offset.
    pub offset: u16,
    /// `vaddr` holds an offset.
    pub offen: bool,
    /// `vaddr` holds an index.
    pub idxen: bool,
    /// Globally coherent; of atomics: return the old value.
    pub glc: bool,
    /// System-level coherent.
    pub slc: bool,
    /// System coherence level.
    pub scc: bool,
    /// To LDS.
    pub lds: bool,
    /// MTBUF instead of MUBUF.
    pub typed: bool,
    /// MTBUF: data format (3:0) and number format (6:4).
    pub format: u8,
}

impl Buffer {
    /// No operands, no modifiers.
    pub const EMPTY: Self = Self {
        data: Operand::NONE,
        vaddr: Operand::NONE,
        srsrc: Operand::NONE,
        soffset: Operand::NONE,
        offset: 0,
        offen: false,
        idxen: false,
        glc: false,
        slc: false,
        scc: false,
        lds: false,
        typed: false,
        format: 0,
    };
}
