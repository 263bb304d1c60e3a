// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Registers and constants.

use crate::inst::Operand;
use crate::table::Ty;

/// A group of `dwords` scalar registers.
pub(super) fn sgpr(op: Operand, dwords: usize) -> String {
    let n = usize::from(op.0);
    match n {
        0..=101 => group("s", n, dwords),
        108..=123 => group("ttmp", n - 108, dwords),
        124 => "m0".to_owned(),
        _ => {
            let base = match n {
                102 | 103 => "flat_scratch",
                104 | 105 => "xnack_mask",
                106 | 107 => "vcc",
                126 | 127 => "exec",
                _ => return format!("?{n}"),
            };
            match (dwords, n & 1) {
                (1, 0) => format!("{base}_lo"),
                (1, _) => format!("{base}_hi"),
                _ => base.to_owned(),
            }
        }
    }
}

/// A group of `dwords` vector registers or accumulators.
pub(super) fn vector(op: Operand, dwords: usize) -> String {
    let n = usize::from(op.0);
    let prefix = if op.is_acc() { "a" } else { "v" };
    group(prefix, n % 256, dwords)
}

fn group(prefix: &str, first: usize, dwords: usize) -> String {
    match dwords {
        1 => format!("{prefix}{first}"),
        _ => format!("{prefix}[{first}:{}]", first + dwords - 1),
    }
}

/// A source: register, constant or literal.
pub(super) fn source(op: Operand, ty: Ty, literal: u32) -> String {
    let name = match op.0 {
        0..=127 => return sgpr(op, ty.dwords()),
        256.. => return vector(op, ty.dwords()),
        255 => return constant(ty, literal),
        n @ 128..=192 => return (n - 128).to_string(),
        n @ 193..=208 => return format!("-{}", n - 192),
        235 => "src_shared_base",
        236 => "src_shared_limit",
        237 => "src_private_base",
        238 => "src_private_limit",
        // LLVM shows half-precision bits
        n @ 240..=248 if matches!(ty, Ty::I16 | Ty::U16 | Ty::B16) => {
            let bits = [
                0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118,
            ];
            return format!("{:#x}", bits[usize::from(n - 240)]);
        }
        240 => "0.5",
        241 => "-0.5",
        242 => "1.0",
        243 => "-1.0",
        244 => "2.0",
        245 => "-2.0",
        246 => "4.0",
        247 => "-4.0",
        248 if ty.dwords() == 2 => "0.15915494309189532",
        248 => "0.15915494",
        251 => "src_vccz",
        252 => "src_execz",
        253 => "src_scc",
        n => return format!("?{n}"),
    };
    name.to_owned()
}

/// A literal; what could have been an inline constant looks like one.
pub(super) fn constant(ty: Ty, literal: u32) -> String {
    match literal as i32 {
        value @ 0..=64 => value.to_string(),
        value @ -16..0 if ty.dwords() == 1 => value.to_string(),
        _ => format!("{:#x}", literal & ty.literal_mask()),
    }
}
