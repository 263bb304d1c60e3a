// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operands of memory instructions.

use super::Operand;

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
