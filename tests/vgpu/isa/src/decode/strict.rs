// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reasons to refuse what LLVM's disassembler prints all the same.

use crate::stop::Why;

/// All reasons, for tests.
pub const REASONS: [&str; 11] = [
    UNALIGNED, ABSENT, OPSEL, MODIFIER, DPP64, FIXED, KIND, UNUSED, BUS, IMMEDIATE, OVERLAP,
];

/// A register group does not start at a multiple of its size (vector: of 2).
pub const UNALIGNED: &str = "misaligned register group";
/// The operand exists on other generations only.
pub const ABSENT: &str = "operand does not exist on gfx90a";
/// OP_SEL on an instruction that has none.
pub const OPSEL: &str = "op_sel is not allowed here";
/// Abs, neg, sext, clamp or omod on an operand or instruction that has none.
pub const MODIFIER: &str = "modifier is not allowed here";
/// Double precision moves lanes with row_newbcast only.
pub const DPP64: &str = "64-bit operands allow row_newbcast only";
/// A register that the instruction cannot use.
pub const FIXED: &str = "register is not allowed here";
/// A vector register, scalar register or constant where another kind is needed.
pub const KIND: &str = "operand of the wrong kind";
/// A field that the instruction does not use is not 0.
pub const UNUSED: &str = "unused field is not 0";
/// More than one scalar register or literal in a vector instruction.
pub const BUS: &str = "constant bus carries one value only";
/// An immediate that means nothing.
pub const IMMEDIATE: &str = "immediate out of range";
/// Destination and source share some registers only.
pub const OVERLAP: &str = "operands overlap in part";

/// `reason` with details.
pub(super) fn refuse(reason: &'static str, what: impl std::fmt::Display) -> Why {
    Why::Owned(format!("{reason}: {what}"))
}
