// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operands by number.

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
