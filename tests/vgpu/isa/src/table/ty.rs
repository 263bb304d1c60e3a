// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operand types.

/// What an operand holds, per lane for vector operands. `F16x2` is two half floats in one dword, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Ty {
    /// There is no such operand.
    No,
    B16,
    I16,
    U16,
    F16,
    B32,
    I32,
    U32,
    F32,
    B64,
    I64,
    U64,
    F64,
    B96,
    B128,
    B256,
    B512,
    I16x2,
    U16x2,
    F16x2,
    Bf16x2,
    I8x4,
    U8x4,
    I4x8,
    U4x8,
    F16x4,
    Bf16x4,
    B32x2,
    F32x2,
    F32x4,
    F32x16,
    F32x32,
    I32x4,
    I32x16,
    I32x32,
    F64x4,
    /// A bit per lane in a pair of scalar registers: compare result, carry, selector. VCC in the short encodings.
    Mask,
    /// A scalar register or constant in a vector instruction: `v_readlane_b32` and its like.
    Sgpr,
    /// A scalar register, never a constant.
    Reg32,
    /// A pair of scalar registers, never a constant.
    Reg64,
    /// A VGPR, never a scalar or constant.
    Vgpr,
    /// An accumulator, never anything else.
    Acc,
}

impl Ty {
    /// Registers that it takes.
    pub const fn dwords(self) -> usize {
        match self {
            Self::No => 0,
            Self::B64 | Self::I64 | Self::U64 | Self::F64 | Self::Mask | Self::Reg64 => 2,
            Self::F16x4 | Self::Bf16x4 | Self::B32x2 | Self::F32x2 => 2,
            Self::B96 => 3,
            Self::B128 | Self::F32x4 | Self::I32x4 => 4,
            Self::B256 | Self::F64x4 => 8,
            Self::B512 | Self::F32x16 | Self::I32x16 => 16,
            Self::F32x32 | Self::I32x32 => 32,
            _ => 1,
        }
    }

    /// Whether a source of this type takes the modifiers abs and neg (in SDWA: not sext).
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::F32 | Self::F64)
    }

    /// The bits of a literal that count.
    pub const fn literal_mask(self) -> u32 {
        match self {
            Self::B16 | Self::I16 | Self::U16 | Self::F16 => 0xffff,
            _ => u32::MAX,
        }
    }

    /// Whether a literal dword is the high half of the operand.
    pub const fn is_double(self) -> bool {
        matches!(self, Self::F64)
    }
}
