// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks of operand fields.

use super::strict::{refuse, ABSENT, FIXED, KIND, UNALIGNED};
use super::Words;
use crate::inst::Operand;
use crate::stop::Why;
use crate::table::Ty;

/// A field that names scalar registers (0 to 127), for a value of type `ty`.
pub(super) fn sgpr(n: u32, ty: Ty) -> Result<Operand, Why> {
    let op = Operand(n as u16);
    let dwords = ty.dwords() as u32;
    let (first, end) = match n {
        0..=101 => (0, 102),
        102..=107 => (n & !1, (n & !1) + 2),
        108..=123 => (108, 124),
        124 => (124, 125),
        126 | 127 => (126, 128),
        125 => return Err(refuse(ABSENT, "null")),
        _ => return Err(refuse(KIND, format_args!("{n} is not a scalar register"))),
    };
    // groups of four and more are aligned to 4
    if (n - first) % dwords.clamp(1, 4).next_power_of_two() != 0 {
        return Err(refuse(
            UNALIGNED,
            format_args!("scalar register {n} for {dwords} dwords"),
        ));
    }
    if n + dwords > end {
        return match n + dwords {
            // what lies beyond s101 on other generations
            ..=106 => Err(refuse(
                ABSENT,
                format_args!("scalar register {n} for {dwords} dwords"),
            )),
            _ => Err(Why::Owned(format!(
                "scalar registers {n}.. do not hold {dwords} dwords"
            ))),
        };
    }
    Ok(op)
}

/// A scalar source: register, constant, or the literal, which is fetched.
pub(super) fn scalar(n: u32, ty: Ty, words: &mut Words<'_>, literal: &mut u32) -> Result<Operand, Why> {
    let op = Operand(n as u16);
    match n {
        0..=127 => sgpr(n, ty),
        _ if matches!(ty, Ty::Reg32 | Ty::Reg64) => {
            Err(refuse(KIND, "constant instead of a scalar register"))
        }
        128..=208 | 235..=238 | 240..=248 | 251..=253 => Ok(op),
        239 | 254 => Err(refuse(ABSENT, n)),
        255 => {
            // two operands may both be the literal
            if words.used == 1 {
                *literal = words.next()?;
            }
            Ok(op)
        }
        _ => Err(Why::Owned(format!("operand {n} does not exist"))),
    }
}

/// A vector source of a short encoding: everything, with a literal.
pub(super) fn vector(n: u32, ty: Ty, words: &mut Words<'_>, literal: &mut u32) -> Result<Operand, Why> {
    match (n, ty) {
        (_, Ty::Vgpr | Ty::Acc) | (256.., _) => vgpr(n, ty),
        _ => scalar(n, ty, words, literal),
    }
}

/// A vector source of a long encoding: everything but a literal.
pub(super) fn vector_no_literal(n: u32, ty: Ty) -> Result<Operand, Why> {
    if n == 255 && !matches!(ty, Ty::Vgpr | Ty::Acc) {
        return Err(Why::Borrowed("a literal is not allowed here"));
    }
    match (n, ty) {
        (256.., Ty::Sgpr | Ty::Mask) => Err(refuse(KIND, "vector register instead of a scalar one")),
        (128.., Ty::Mask) => Err(refuse(KIND, "constant instead of a scalar register")),
        // wide sources are vectors only
        (..=255, ty) if ty.dwords() > 2 => Err(refuse(KIND, format_args!("{n} instead of vector registers"))),
        (126, Ty::Mask) => Err(refuse(FIXED, "exec as selector or carry")),
        _ => vector(n, ty, &mut Words { words: &[], used: 1 }, &mut 0),
    }
}

/// A source that must be a vector register, 256 to 511.
pub(super) fn vgpr(n: u32, ty: Ty) -> Result<Operand, Why> {
    if n < 256 {
        return Err(refuse(KIND, format_args!("{n} instead of a vector register")));
    }
    register(n - 256, ty, matches!(ty, Ty::Acc))
}

/// A field that names vector registers or accumulators (0 to 255), for a value of type `ty`.
pub(super) fn register(n: u32, ty: Ty, acc: bool) -> Result<Operand, Why> {
    let dwords = ty.dwords() as u32;
    if n + dwords > 256 {
        return Err(Why::Owned(format!(
            "vector registers {n}.. do not hold {dwords} dwords"
        )));
    }
    if dwords > 1 && n % 2 != 0 {
        return Err(refuse(
            UNALIGNED,
            format_args!("vector register {n} for {dwords} dwords"),
        ));
    }
    Ok(Operand::vector(n as u8, acc || matches!(ty, Ty::Acc)))
}
