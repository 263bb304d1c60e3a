// SPDX-License-Identifier: Apache-2.0 OR MIT
//! SOPC: compares that set SCC (CDNA2 ISA "SOPC instructions").

use super::{src32, Exec, Flow};
use crate::inst::Scalar;
use crate::mode::Mode;
use crate::stop::Why;
use crate::table::flags::NONE;
use crate::table::{Enc, Kind, Op, Ty, Ty::*};
use crate::wave::Wave;

const fn row(code: u16, name: &'static str, src: &'static [Ty], exec: Exec) -> Op {
    Op {
        name,
        enc: Enc::Sopc,
        code,
        dst: No,
        sdst: No,
        src,
        flags: NONE,
        kind: Kind::Salu(exec),
    }
}

/// All of them.
pub static SOPC: &[Op] = &[
    row(0, "s_cmp_eq_i32", &[I32, I32], |w, s| {
        compare(w, s, |a, b| a == b)
    }),
    row(1, "s_cmp_lg_i32", &[I32, I32], |w, s| {
        compare(w, s, |a, b| a != b)
    }),
    row(2, "s_cmp_gt_i32", &[I32, I32], |w, s| {
        compare(w, s, |a, b| a as i32 > b as i32)
    }),
    row(3, "s_cmp_ge_i32", &[I32, I32], |w, s| {
        compare(w, s, |a, b| a as i32 >= b as i32)
    }),
    row(4, "s_cmp_lt_i32", &[I32, I32], |w, s| {
        compare(w, s, |a, b| (a as i32) < b as i32)
    }),
    row(5, "s_cmp_le_i32", &[I32, I32], |w, s| {
        compare(w, s, |a, b| a as i32 <= b as i32)
    }),
    row(6, "s_cmp_eq_u32", &[U32, U32], |w, s| {
        compare(w, s, |a, b| a == b)
    }),
    row(7, "s_cmp_lg_u32", &[U32, U32], |w, s| {
        compare(w, s, |a, b| a != b)
    }),
    row(8, "s_cmp_gt_u32", &[U32, U32], |w, s| compare(w, s, |a, b| a > b)),
    row(9, "s_cmp_ge_u32", &[U32, U32], |w, s| {
        compare(w, s, |a, b| a >= b)
    }),
    row(10, "s_cmp_lt_u32", &[U32, U32], |w, s| {
        compare(w, s, |a, b| a < b)
    }),
    row(11, "s_cmp_le_u32", &[U32, U32], |w, s| {
        compare(w, s, |a, b| a <= b)
    }),
    row(12, "s_bitcmp0_b32", &[B32, U32], |w, s| {
        compare(w, s, |a, b| a >> (b & 31) & 1 == 0)
    }),
    row(13, "s_bitcmp1_b32", &[B32, U32], |w, s| {
        compare(w, s, |a, b| a >> (b & 31) & 1 == 1)
    }),
    row(14, "s_bitcmp0_b64", &[B64, U32], |w, s| bit64(w, s, false)),
    row(15, "s_bitcmp1_b64", &[B64, U32], |w, s| bit64(w, s, true)),
    row(16, "s_setvskip", &[B32, U32], |w, s| {
        let [a, b] = src32(w, s)?;
        let on = a >> (b & 31) & 1 != 0;
        w.mode.0 = if on {
            w.mode.0 | Mode::VSKIP
        } else {
            w.mode.0 & !Mode::VSKIP
        };
        Ok(Flow::Next)
    }),
    // the second source is the number itself, not what it refers to: which operands are relative
    row(17, "s_set_gpr_idx_on", &[U32, No], |w, s| {
        let index = w.scalar32(s.src[0], s.literal)? & 0xff;
        w.m0 = w.m0 & 0xffff_0f00 | u32::from(s.imm & 0xf) << 12 | index;
        w.mode.0 |= Mode::GPR_IDX_EN;
        Ok(Flow::Next)
    }),
    row(18, "s_cmp_eq_u64", &[U64, U64], |w, s| {
        compare64(w, s, |a, b| a == b)
    }),
    row(19, "s_cmp_lg_u64", &[U64, U64], |w, s| {
        compare64(w, s, |a, b| a != b)
    }),
];

fn compare(w: &mut Wave, s: &Scalar, f: impl Fn(u32, u32) -> bool) -> Result<Flow, Why> {
    let [a, b] = src32(w, s)?;
    w.scc = f(a, b);
    Ok(Flow::Next)
}

fn compare64(w: &mut Wave, s: &Scalar, f: impl Fn(u64, u64) -> bool) -> Result<Flow, Why> {
    w.scc = f(w.scalar64(s.src[0], s.literal)?, w.scalar64(s.src[1], s.literal)?);
    Ok(Flow::Next)
}

fn bit64(w: &mut Wave, s: &Scalar, on: bool) -> Result<Flow, Why> {
    let bit = w.scalar32(s.src[1], s.literal)? & 63;
    w.scc = (w.scalar64(s.src[0], s.literal)? >> bit & 1 != 0) == on;
    Ok(Flow::Next)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{exec, operands, run32, run64, wave};
    use super::*;
    use std::cmp::Ordering;

    #[test]
    fn compares() {
        let holds = |name: &str, order: Ordering| match name {
            "eq" => order.is_eq(),
            "lg" => order.is_ne(),
            "gt" => order.is_gt(),
            "ge" => order.is_ge(),
            "lt" => order.is_lt(),
            _ => order.is_le(),
        };
        for name in ["eq", "lg", "gt", "ge", "lt", "le"] {
            for (a, b) in [
                (0, 0),
                (1, 2),
                (2, 1),
                (u32::MAX, 1),
                (1, u32::MAX),
                (1 << 31, (1 << 31) - 1),
            ] {
                let signed = holds(name, (a as i32).cmp(&(b as i32)));
                let unsigned = holds(name, a.cmp(&b));
                assert_eq!(
                    run32(&format!("s_cmp_{name}_i32"), a, b, !signed).1,
                    signed,
                    "{name} {a} {b}"
                );
                assert_eq!(
                    run32(&format!("s_cmp_{name}_u32"), a, b, !unsigned).1,
                    unsigned,
                    "{name} {a} {b}"
                );
            }
        }
        assert!(run64("s_cmp_eq_u64", 1 << 32, 1 << 32, false).1);
        assert!(run64("s_cmp_lg_u64", 1 << 32, 0, false).1);
    }

    #[test]
    fn bits() {
        assert!(run32("s_bitcmp1_b32", 2, 33, false).1);
        assert!(!run32("s_bitcmp0_b32", 2, 1, true).1);
        assert!(run64("s_bitcmp1_b64", 1 << 40, 104, false).1);
        assert!(run64("s_bitcmp0_b64", 1 << 40, 41, false).1);
    }

    #[test]
    fn modes() {
        let mut w = wave([4, 0, 2, 0, 0, 0, 0, 0]);
        exec("s_setvskip", &mut w, operands()).unwrap();
        assert_eq!(w.mode.0, Mode::VSKIP);
        w.sgprs[2] = 1;
        exec("s_setvskip", &mut w, operands()).unwrap();
        assert_eq!(w.mode.0, 0);
        w.m0 = u32::MAX;
        exec("s_set_gpr_idx_on", &mut w, Scalar { imm: 9, ..operands() }).unwrap();
        assert!(w.mode.gpr_idx_en());
        assert_eq!(w.m0, 0xffff_9f04);
    }
}
