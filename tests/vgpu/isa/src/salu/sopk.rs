// SPDX-License-Identifier: Apache-2.0 OR MIT
//! SOPK: a 16-bit immediate (CDNA2 ISA "SOPK instructions").
//!
//! The register field is a source in compares and `s_setreg_b32`; the decoder puts it in `src[0]` there.

use super::fork::fork;
use super::{branch_target, hwreg, Exec, Flow};
use crate::inst::Scalar;
use crate::stop::Why;
use crate::table::flags::{Flags, NONE, UNSIGNED};
use crate::table::{Enc, Kind, Op, Ty, Ty::*};
use crate::wave::Wave;

const fn row(code: u16, name: &'static str, dst: Ty, src: &'static [Ty], flags: Flags, exec: Exec) -> Op {
    Op {
        name,
        enc: Enc::Sopk,
        code,
        dst,
        sdst: No,
        src,
        flags,
        kind: Kind::Salu(exec),
    }
}

/// All of them.
pub static SOPK: &[Op] = &[
    row(0, "s_movk_i32", I32, &[], NONE, |w, s| {
        w.set_sgpr(s.dst.0, signed(s)).map(|()| Flow::Next)
    }),
    row(1, "s_cmovk_i32", I32, &[], NONE, |w, s| {
        if w.scc {
            w.set_sgpr(s.dst.0, signed(s))?;
        }
        Ok(Flow::Next)
    }),
    row(2, "s_cmpk_eq_i32", No, &[I32], NONE, |w, s| {
        compare(w, s, |a, b| a == b)
    }),
    row(3, "s_cmpk_lg_i32", No, &[I32], NONE, |w, s| {
        compare(w, s, |a, b| a != b)
    }),
    row(4, "s_cmpk_gt_i32", No, &[I32], NONE, |w, s| {
        compare(w, s, |a, b| a > b)
    }),
    row(5, "s_cmpk_ge_i32", No, &[I32], NONE, |w, s| {
        compare(w, s, |a, b| a >= b)
    }),
    row(6, "s_cmpk_lt_i32", No, &[I32], NONE, |w, s| {
        compare(w, s, |a, b| a < b)
    }),
    row(7, "s_cmpk_le_i32", No, &[I32], NONE, |w, s| {
        compare(w, s, |a, b| a <= b)
    }),
    row(8, "s_cmpk_eq_u32", No, &[U32], UNSIGNED, |w, s| {
        compare_unsigned(w, s, |a, b| a == b)
    }),
    row(9, "s_cmpk_lg_u32", No, &[U32], UNSIGNED, |w, s| {
        compare_unsigned(w, s, |a, b| a != b)
    }),
    row(10, "s_cmpk_gt_u32", No, &[U32], UNSIGNED, |w, s| {
        compare_unsigned(w, s, |a, b| a > b)
    }),
    row(11, "s_cmpk_ge_u32", No, &[U32], UNSIGNED, |w, s| {
        compare_unsigned(w, s, |a, b| a >= b)
    }),
    row(12, "s_cmpk_lt_u32", No, &[U32], UNSIGNED, |w, s| {
        compare_unsigned(w, s, |a, b| a < b)
    }),
    row(13, "s_cmpk_le_u32", No, &[U32], UNSIGNED, |w, s| {
        compare_unsigned(w, s, |a, b| a <= b)
    }),
    row(14, "s_addk_i32", I32, &[], NONE, |w, s| {
        let (value, overflow) = (w.sgpr(s.dst.0)? as i32).overflowing_add(signed(s) as i32);
        w.set_sgpr(s.dst.0, value as u32)?;
        w.scc = overflow;
        Ok(Flow::Next)
    }),
    row(15, "s_mulk_i32", I32, &[], NONE, |w, s| {
        let value = w.sgpr(s.dst.0)?.wrapping_mul(signed(s));
        w.set_sgpr(s.dst.0, value).map(|()| Flow::Next)
    }),
    row(16, "s_cbranch_i_fork", No, &[B64], NONE, |w, s| {
        let pass = w.scalar64(s.src[0], s.literal)?;
        fork(w, pass, branch_target(w, s.imm))
    }),
    row(17, "s_getreg_b32", B32, &[], NONE, |w, s| {
        let value = hwreg::get(w, s.imm)?;
        w.set_sgpr(s.dst.0, value).map(|()| Flow::Next)
    }),
    row(18, "s_setreg_b32", No, &[B32], NONE, |w, s| {
        let value = w.scalar32(s.src[0], s.literal)?;
        hwreg::set(w, s.imm, value).map(|()| Flow::Next)
    }),
    // a literal follows instead of the register
    row(20, "s_setreg_imm32_b32", No, &[No], NONE, |w, s| {
        hwreg::set(w, s.imm, s.literal).map(|()| Flow::Next)
    }),
    row(21, "s_call_b64", B64, &[], NONE, |w, s| {
        let target = branch_target(w, s.imm);
        w.set_sgpr64(s.dst.0, w.pc)?;
        Ok(Flow::Jump(target))
    }),
];

/// The immediate, sign-extended.
fn signed(s: &Scalar) -> u32 {
    i32::from(s.imm as i16) as u32
}

fn compare(w: &mut Wave, s: &Scalar, f: impl Fn(i32, i32) -> bool) -> Result<Flow, Why> {
    w.scc = f(w.scalar32(s.src[0], s.literal)? as i32, signed(s) as i32);
    Ok(Flow::Next)
}

fn compare_unsigned(w: &mut Wave, s: &Scalar, f: impl Fn(u32, u32) -> bool) -> Result<Flow, Why> {
    w.scc = f(w.scalar32(s.src[0], s.literal)?, s.imm.into());
    Ok(Flow::Next)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{exec, operands, wave};
    use super::*;

    fn run(name: &str, reg: u32, imm: u16, scc: bool) -> (u32, bool) {
        let mut w = wave([reg, 0, 0, 0, reg, 0, 0, 0]);
        w.scc = scc;
        assert_eq!(exec(name, &mut w, Scalar { imm, ..operands() }), Ok(Flow::Next));
        (w.sgprs[4], w.scc)
    }

    #[test]
    fn moves_and_sums() {
        assert_eq!(run("s_movk_i32", 0, 0xffff, true), (u32::MAX, true));
        assert_eq!(run("s_cmovk_i32", 7, 1, false), (7, false));
        assert_eq!(run("s_cmovk_i32", 7, 1, true), (1, true));
        assert_eq!(run("s_addk_i32", 7, 0xffff, true), (6, false));
        assert_eq!(run("s_addk_i32", i32::MAX as u32, 1, false), (1 << 31, true));
        assert_eq!(run("s_mulk_i32", 7, 0xfffe, true), ((-14i32) as u32, true));
    }

    #[test]
    fn compares_extend_by_type() {
        assert!(run("s_cmpk_eq_i32", u32::MAX, 0xffff, false).1);
        assert!(!run("s_cmpk_eq_u32", u32::MAX, 0xffff, true).1);
        assert!(run("s_cmpk_eq_u32", 0xffff, 0xffff, false).1);
        assert!(run("s_cmpk_lg_i32", 1, 2, false).1);
        assert!(run("s_cmpk_gt_i32", 0, 0xffff, false).1);
        assert!(!run("s_cmpk_gt_u32", 0, 0xffff, true).1);
        assert!(run("s_cmpk_ge_i32", 0, 0, false).1);
        assert!(run("s_cmpk_lt_i32", u32::MAX, 0, false).1);
        assert!(!run("s_cmpk_lt_u32", u32::MAX, 0, true).1);
        assert!(run("s_cmpk_le_i32", 5, 5, false).1);
        assert!(run("s_cmpk_lg_u32", 5, 4, false).1);
        assert!(run("s_cmpk_ge_u32", 5, 5, false).1);
        assert!(run("s_cmpk_le_u32", 5, 5, false).1);
    }

    #[test]
    fn call_links_to_the_next_instruction() {
        let mut w = wave([0; 8]);
        let s = Scalar {
            imm: 0xfffe,
            ..operands()
        };
        assert_eq!(exec("s_call_b64", &mut w, s), Ok(Flow::Jump(0x0ffc)));
        assert_eq!(w.sgpr64(4), Ok(0x1004));
    }
}
