// SPDX-License-Identifier: Apache-2.0 OR MIT
//! SOP1: one scalar source (CDNA2 ISA "SOP1 instructions").

use super::fork::join;
use super::{narrow, nz32, nz64, unary32, unary64, Exec, Flow};
use crate::inst::Scalar;
use crate::stop::Why;
use crate::table::flags::NONE;
use crate::table::{Enc, Kind, Op, Ty, Ty::*};
use crate::wave::{status, Wave};

const fn row(code: u16, name: &'static str, dst: Ty, src: &'static [Ty], exec: Exec) -> Op {
    Op {
        name,
        enc: Enc::Sop1,
        code,
        dst,
        sdst: No,
        src,
        flags: NONE,
        kind: Kind::Salu(exec),
    }
}

/// All of them.
pub static SOP1: &[Op] = &[
    row(0, "s_mov_b32", B32, &[B32], |w, s| unary32(w, s, |a| (a, None))),
    row(1, "s_mov_b64", B64, &[B64], |w, s| unary64(w, s, |a| (a, None))),
    row(2, "s_cmov_b32", B32, &[B32], |w, s| {
        if w.scc {
            unary32(w, s, |a| (a, None))
        } else {
            Ok(Flow::Next)
        }
    }),
    row(3, "s_cmov_b64", B64, &[B64], |w, s| {
        if w.scc {
            unary64(w, s, |a| (a, None))
        } else {
            Ok(Flow::Next)
        }
    }),
    row(4, "s_not_b32", B32, &[B32], |w, s| unary32(w, s, |a| nz32(!a))),
    row(5, "s_not_b64", B64, &[B64], |w, s| unary64(w, s, |a| nz64(!a))),
    row(6, "s_wqm_b32", B32, &[B32], |w, s| {
        unary32(w, s, |a| nz32(whole_quads(a.into()) as u32))
    }),
    row(7, "s_wqm_b64", B64, &[B64], |w, s| {
        unary64(w, s, |a| nz64(whole_quads(a)))
    }),
    row(8, "s_brev_b32", B32, &[B32], |w, s| {
        unary32(w, s, |a| (a.reverse_bits(), None))
    }),
    row(9, "s_brev_b64", B64, &[B64], |w, s| {
        unary64(w, s, |a| (a.reverse_bits(), None))
    }),
    row(10, "s_bcnt0_i32_b32", I32, &[B32], |w, s| {
        unary32(w, s, |a| nz32(a.count_zeros()))
    }),
    row(11, "s_bcnt0_i32_b64", I32, &[B64], |w, s| {
        narrow(w, s, |a| nz32(a.count_zeros()))
    }),
    row(12, "s_bcnt1_i32_b32", I32, &[B32], |w, s| {
        unary32(w, s, |a| nz32(a.count_ones()))
    }),
    row(13, "s_bcnt1_i32_b64", I32, &[B64], |w, s| {
        narrow(w, s, |a| nz32(a.count_ones()))
    }),
    row(14, "s_ff0_i32_b32", I32, &[B32], |w, s| {
        unary32(w, s, |a| (below(a.trailing_ones(), 32), None))
    }),
    row(15, "s_ff0_i32_b64", I32, &[B64], |w, s| {
        narrow(w, s, |a| (below(a.trailing_ones(), 64), None))
    }),
    row(16, "s_ff1_i32_b32", I32, &[B32], |w, s| {
        unary32(w, s, |a| (below(a.trailing_zeros(), 32), None))
    }),
    row(17, "s_ff1_i32_b64", I32, &[B64], |w, s| {
        narrow(w, s, |a| (below(a.trailing_zeros(), 64), None))
    }),
    row(18, "s_flbit_i32_b32", I32, &[B32], |w, s| {
        unary32(w, s, |a| (below(a.leading_zeros(), 32), None))
    }),
    row(19, "s_flbit_i32_b64", I32, &[B64], |w, s| {
        narrow(w, s, |a| (below(a.leading_zeros(), 64), None))
    }),
    row(20, "s_flbit_i32", I32, &[I32], |w, s| {
        unary32(w, s, |a| {
            (below((a ^ (a as i32 >> 31) as u32).leading_zeros(), 32), None)
        })
    }),
    row(21, "s_flbit_i32_i64", I32, &[I64], |w, s| {
        let a = w.scalar64_signed(s.src[0], s.literal)?;
        w.set_sgpr(s.dst.0, below((a ^ a >> 63).leading_zeros(), 64))
            .map(|()| Flow::Next)
    }),
    row(22, "s_sext_i32_i8", I32, &[B32], |w, s| {
        unary32(w, s, |a| (i32::from(a as i8) as u32, None))
    }),
    row(23, "s_sext_i32_i16", I32, &[B32], |w, s| {
        unary32(w, s, |a| (i32::from(a as i16) as u32, None))
    }),
    row(24, "s_bitset0_b32", B32, &[U32], |w, s| bitset32(w, s, false)),
    row(25, "s_bitset0_b64", B64, &[U32], |w, s| bitset64(w, s, false)),
    row(26, "s_bitset1_b32", B32, &[U32], |w, s| bitset32(w, s, true)),
    row(27, "s_bitset1_b64", B64, &[U32], |w, s| bitset64(w, s, true)),
    row(28, "s_getpc_b64", B64, &[], |w, s| {
        w.set_sgpr64(s.dst.0, w.pc).map(|()| Flow::Next)
    }),
    row(29, "s_setpc_b64", No, &[Reg64], |w, s| {
        Ok(Flow::Jump(w.scalar64(s.src[0], s.literal)?))
    }),
    row(30, "s_swappc_b64", B64, &[B64], |w, s| {
        let target = w.scalar64(s.src[0], s.literal)?;
        w.set_sgpr64(s.dst.0, w.pc)?;
        Ok(Flow::Jump(target))
    }),
    row(31, "s_rfe_b64", No, &[Reg64], |w, s| {
        w.status_bits &= !status::PRIV;
        Ok(Flow::Jump(w.scalar64(s.src[0], s.literal)?))
    }),
    row(32, "s_and_saveexec_b64", B64, &[B64], |w, s| {
        save_exec(w, s, |a, exec| a & exec)
    }),
    row(33, "s_or_saveexec_b64", B64, &[B64], |w, s| {
        save_exec(w, s, |a, exec| a | exec)
    }),
    row(34, "s_xor_saveexec_b64", B64, &[B64], |w, s| {
        save_exec(w, s, |a, exec| a ^ exec)
    }),
    row(35, "s_andn2_saveexec_b64", B64, &[B64], |w, s| {
        save_exec(w, s, |a, exec| a & !exec)
    }),
    row(36, "s_orn2_saveexec_b64", B64, &[B64], |w, s| {
        save_exec(w, s, |a, exec| a | !exec)
    }),
    row(37, "s_nand_saveexec_b64", B64, &[B64], |w, s| {
        save_exec(w, s, |a, exec| !(a & exec))
    }),
    row(38, "s_nor_saveexec_b64", B64, &[B64], |w, s| {
        save_exec(w, s, |a, exec| !(a | exec))
    }),
    row(39, "s_xnor_saveexec_b64", B64, &[B64], |w, s| {
        save_exec(w, s, |a, exec| !(a ^ exec))
    }),
    row(40, "s_quadmask_b32", B32, &[B32], |w, s| {
        unary32(w, s, |a| nz32(quad_mask(a.into()) as u32))
    }),
    row(41, "s_quadmask_b64", B64, &[B64], |w, s| {
        unary64(w, s, |a| nz64(quad_mask(a)))
    }),
    row(42, "s_movrels_b32", B32, &[Reg32], |w, s| movrels(w, s, 1)),
    row(43, "s_movrels_b64", B64, &[Reg64], |w, s| movrels(w, s, 2)),
    row(44, "s_movreld_b32", B32, &[B32], |w, s| {
        let value = w.scalar32(s.src[0], s.literal)?;
        movreld(w, s, &[value])
    }),
    row(45, "s_movreld_b64", B64, &[B64], |w, s| {
        let value = w.scalar64(s.src[0], s.literal)?;
        movreld(w, s, &[value as u32, (value >> 32) as u32])
    }),
    row(46, "s_cbranch_join", No, &[Reg32], |w, s| {
        let before = w.scalar32(s.src[0], s.literal)?;
        join(w, before)
    }),
    row(48, "s_abs_i32", I32, &[I32], |w, s| {
        unary32(w, s, |a| nz32((a as i32).wrapping_abs() as u32))
    }),
    row(50, "s_set_gpr_idx_idx", No, &[U32], |w, s| {
        w.m0 = w.m0 & !0xff | w.scalar32(s.src[0], s.literal)? & 0xff;
        Ok(Flow::Next)
    }),
    row(51, "s_andn1_saveexec_b64", B64, &[B64], |w, s| {
        save_exec(w, s, |a, exec| !a & exec)
    }),
    row(52, "s_orn1_saveexec_b64", B64, &[B64], |w, s| {
        save_exec(w, s, |a, exec| !a | exec)
    }),
    row(53, "s_andn1_wrexec_b64", B64, &[B64], |w, s| {
        write_exec(w, s, |a, exec| !a & exec)
    }),
    row(54, "s_andn2_wrexec_b64", B64, &[B64], |w, s| {
        write_exec(w, s, |a, exec| a & !exec)
    }),
    row(55, "s_bitreplicate_b64_b32", B64, &[B32], |w, s| {
        let a = w.scalar32(s.src[0], s.literal)?;
        w.set_sgpr64(s.dst.0, double_bits(a)).map(|()| Flow::Next)
    }),
];

/// A bit number, or -1 if there is no such bit.
fn below(bit: u32, width: u32) -> u32 {
    if bit < width {
        bit
    } else {
        u32::MAX
    }
}

/// Sets all four bits of each quad of which any is set.
fn whole_quads(a: u64) -> u64 {
    let any = (a | a >> 1 | a >> 2 | a >> 3) & 0x1111_1111_1111_1111;
    any * 0xf
}

/// One bit per quad: whether any of its four bits is set.
fn quad_mask(a: u64) -> u64 {
    (0..16).fold(0, |mask, quad| {
        mask | u64::from(a >> (quad * 4) & 0xf != 0) << quad
    })
}

/// Each bit twice.
fn double_bits(a: u32) -> u64 {
    (0..32).fold(0, |out, bit| out | (u64::from(a >> bit & 1) * 3) << (bit * 2))
}

fn bitset32(w: &mut Wave, s: &Scalar, on: bool) -> Result<Flow, Why> {
    let bit = 1 << (w.scalar32(s.src[0], s.literal)? & 31);
    let old = w.sgpr(s.dst.0)?;
    w.set_sgpr(s.dst.0, if on { old | bit } else { old & !bit })?;
    Ok(Flow::Next)
}

fn bitset64(w: &mut Wave, s: &Scalar, on: bool) -> Result<Flow, Why> {
    let bit = 1 << (w.scalar32(s.src[0], s.literal)? & 63);
    let old = w.sgpr64(s.dst.0)?;
    w.set_sgpr64(s.dst.0, if on { old | bit } else { old & !bit })?;
    Ok(Flow::Next)
}

/// The destination gets the old EXEC.
fn save_exec(w: &mut Wave, s: &Scalar, f: impl Fn(u64, u64) -> u64) -> Result<Flow, Why> {
    let exec = w.exec;
    let new = f(w.scalar64(s.src[0], s.literal)?, exec);
    w.set_sgpr64(s.dst.0, exec)?;
    w.exec = new;
    w.scc = new != 0;
    Ok(Flow::Next)
}

/// The destination gets the new EXEC.
fn write_exec(w: &mut Wave, s: &Scalar, f: impl Fn(u64, u64) -> u64) -> Result<Flow, Why> {
    let new = f(w.scalar64(s.src[0], s.literal)?, w.exec);
    w.set_sgpr64(s.dst.0, new)?;
    w.exec = new;
    w.scc = new != 0;
    Ok(Flow::Next)
}

/// Scalar registers that relative addressing reaches: s0 to s101, FLAT_SCRATCH, XNACK_MASK, VCC and the rest of the
/// allocation, which nothing else can name.
const FILE: u16 = 112;
/// First register of that rest.
const PADDING: u16 = 108;

/// The register M0 after SGPR `n`, checked to be one (of `count`).
fn relative(w: &Wave, n: u16, count: u16) -> Result<u16, Why> {
    let index = u32::from(n).checked_add(w.m0).and_then(|i| u16::try_from(i).ok());
    match index {
        Some(i) if n < 102 && i.saturating_add(count) <= FILE => Ok(i),
        _ => Err(Why::Owned(format!(
            "s{n} plus M0 {:#x} is outside the scalar registers",
            w.m0
        ))),
    }
}

fn movrels(w: &mut Wave, s: &Scalar, count: u16) -> Result<Flow, Why> {
    let from = relative(w, s.src[0].0, count)?;
    // read all before writing any: the groups may overlap
    let values = [0, 1].map(|i| match from + i {
        PADDING.. => Ok(0),
        n => w.sgpr(n),
    });
    for (i, value) in values.into_iter().enumerate().take(count.into()) {
        w.set_sgpr(s.dst.0 + i as u16, value?)?;
    }
    Ok(Flow::Next)
}

fn movreld(w: &mut Wave, s: &Scalar, values: &[u32]) -> Result<Flow, Why> {
    let to = relative(w, s.dst.0, values.len() as u16)?;
    for (n, value) in (to..PADDING).zip(values) {
        w.set_sgpr(n, *value)?;
    }
    Ok(Flow::Next)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{exec, operands, run32, run64, wave};
    use super::*;
    use crate::inst::Operand;

    #[test]
    fn moves() {
        assert_eq!(run32("s_mov_b32", 5, 0, true), (5, true));
        assert_eq!(run64("s_mov_b64", 1 << 40, 0, false), (1 << 40, false));
        assert_eq!(run32("s_cmov_b32", 5, 0, false), (0, false));
        assert_eq!(run32("s_cmov_b32", 5, 0, true), (5, true));
        assert_eq!(run64("s_cmov_b64", 1 << 40, 0, true), (1 << 40, true));
        assert_eq!(run64("s_cmov_b64", 1 << 40, 0, false), (0, false));
    }

    #[test]
    fn bit_counts() {
        assert_eq!(run32("s_not_b32", u32::MAX, 0, true), (0, false));
        assert_eq!(run64("s_not_b64", 1, 0, false), (!1, true));
        assert_eq!(run32("s_brev_b32", 1, 0, true), (1 << 31, true));
        assert_eq!(run64("s_brev_b64", 1, 0, false), (1 << 63, false));
        assert_eq!(run32("s_bcnt0_i32_b32", u32::MAX, 0, true), (0, false));
        assert_eq!(run32("s_bcnt0_i32_b64", 0, 0, false), (32, true).map_first(64));
        assert_eq!(run32("s_bcnt1_i32_b32", 7, 0, false), (3, true));
        assert_eq!(run64("s_bcnt1_i32_b64", u64::MAX, 0, false), (64, true));
        assert_eq!(run32("s_ff0_i32_b32", 7, 0, true), (3, true));
        assert_eq!(run32("s_ff0_i32_b32", u32::MAX, 0, false), (u32::MAX, false));
        assert_eq!(run32("s_ff1_i32_b32", 8, 0, true), (3, true));
        assert_eq!(run32("s_ff1_i32_b32", 0, 0, false), (u32::MAX, false));
        assert_eq!(run64("s_ff1_i32_b64", 1 << 40, 0, false), (40, false));
        assert_eq!(run64("s_ff0_i32_b64", (1 << 40) - 1, 0, false), (40, false));
        assert_eq!(run32("s_flbit_i32_b32", 1, 0, true), (31, true));
        assert_eq!(run32("s_flbit_i32_b32", 0, 0, false), (u32::MAX, false));
        assert_eq!(run64("s_flbit_i32_b64", 1, 0, false), (63, false));
        assert_eq!(run32("s_flbit_i32", 0xffff_0000, 0, false), (16, false));
        assert_eq!(run32("s_flbit_i32", u32::MAX, 0, false), (u32::MAX, false));
        assert_eq!(run64("s_flbit_i32_i64", 0xff, 0, false), (56, false));
    }

    trait MapFirst {
        fn map_first(self, value: u32) -> Self;
    }

    impl MapFirst for (u32, bool) {
        fn map_first(self, value: u32) -> Self {
            (value, self.1)
        }
    }

    #[test]
    fn extensions_and_quads() {
        assert_eq!(run32("s_sext_i32_i8", 0x180, 0, true), (0xffff_ff80, true));
        assert_eq!(run32("s_sext_i32_i16", 0x1_7fff, 0, false), (0x7fff, false));
        assert_eq!(run32("s_abs_i32", u32::MAX, 0, false), (1, true));
        assert_eq!(run32("s_abs_i32", 0, 0, true), (0, false));
        assert_eq!(run32("s_abs_i32", 0x8000_0000, 0, false), (0x8000_0000, true));
        assert_eq!(run32("s_wqm_b32", 0x0100_0020, 0, false), (0x0f00_00f0, true));
        assert_eq!(run64("s_wqm_b64", 1 << 63, 0, false), (0xf << 60, true));
        assert_eq!(run32("s_quadmask_b32", 0x0100_0020, 0, false), (0b100_0010, true));
        assert_eq!(run64("s_quadmask_b64", 1 << 63, 0, false), (1 << 15, true));
        assert_eq!(
            run64("s_bitreplicate_b64_b32", 0x8000_0005, 0, true),
            (3 << 62 | 0x33, true)
        );
    }

    #[test]
    fn bit_set_keeps_the_rest() {
        let mut w = wave([33, 0, 0, 0, 0xf0, 0xf, 0, 0]);
        exec("s_bitset1_b32", &mut w, operands()).unwrap();
        assert_eq!(w.sgprs[4], 0xf2);
        exec("s_bitset1_b64", &mut w, operands()).unwrap();
        assert_eq!(w.sgprs[5], 0xf);
        exec("s_bitset0_b64", &mut w, operands()).unwrap();
        assert_eq!((w.sgprs[4], w.sgprs[5]), (0xf2, 0xd));
        exec("s_bitset0_b32", &mut w, operands()).unwrap();
        assert_eq!(w.sgprs[4], 0xf0);
    }

    #[test]
    fn exec_is_saved_and_combined() {
        let (a, e) = (0xff00_u64, 0x0ff0_u64);
        let cases = [
            ("s_and_saveexec_b64", a & e),
            ("s_or_saveexec_b64", a | e),
            ("s_xor_saveexec_b64", a ^ e),
            ("s_andn2_saveexec_b64", a & !e),
            ("s_orn2_saveexec_b64", a | !e),
            ("s_nand_saveexec_b64", !(a & e)),
            ("s_nor_saveexec_b64", !(a | e)),
            ("s_xnor_saveexec_b64", !(a ^ e)),
            ("s_andn1_saveexec_b64", !a & e),
            ("s_orn1_saveexec_b64", !a | e),
        ];
        for (name, want) in cases {
            let mut w = wave([a as u32, 0, 0, 0, 0, 0, 0, 0]);
            w.exec = e;
            exec(name, &mut w, operands()).unwrap();
            assert_eq!(
                (w.exec, w.sgpr64(4).unwrap(), w.scc),
                (want, e, want != 0),
                "{name}"
            );
        }
        for (name, want) in [("s_andn1_wrexec_b64", !a & e), ("s_andn2_wrexec_b64", a & !e)] {
            let mut w = wave([a as u32, 0, 0, 0, 0, 0, 0, 0]);
            w.exec = e;
            exec(name, &mut w, operands()).unwrap();
            assert_eq!(
                (w.exec, w.sgpr64(4).unwrap(), w.scc),
                (want, want, true),
                "{name}"
            );
        }
        let mut w = wave([0; 8]);
        exec("s_and_saveexec_b64", &mut w, operands()).unwrap();
        assert_eq!((w.exec, w.scc), (0, false));
    }

    #[test]
    fn exec_may_be_its_own_destination() {
        let mut w = wave([0xf, 0, 0, 0, 0, 0, 0, 0]);
        w.exec = 0x3c;
        let s = Scalar {
            dst: Operand(0),
            ..operands()
        };
        exec("s_and_saveexec_b64", &mut w, s).unwrap();
        assert_eq!((w.sgpr64(0).unwrap(), w.exec), (0x3c, 0xc));
    }

    #[test]
    fn jumps() {
        let mut w = wave([0x2000, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(exec("s_getpc_b64", &mut w, operands()), Ok(Flow::Next));
        assert_eq!(w.sgpr64(4), Ok(0x1004));
        assert_eq!(exec("s_setpc_b64", &mut w, operands()), Ok(Flow::Jump(0x2000)));
        w.sgprs[4] = 0;
        assert_eq!(exec("s_swappc_b64", &mut w, operands()), Ok(Flow::Jump(0x2000)));
        assert_eq!(w.sgpr64(4), Ok(0x1004));
        w.m0 = 0xffff_ffff;
        w.sgprs[0] = 0x2012;
        assert_eq!(exec("s_set_gpr_idx_idx", &mut w, operands()), Ok(Flow::Next));
        assert_eq!(w.m0, 0xffff_ff12);
        w.sgprs[0] = 0x2000;
        w.status_bits |= status::PRIV;
        assert_eq!(
            exec("s_rfe_restore_b64", &mut w, operands()),
            Ok(Flow::Jump(0x2000))
        );
        assert_eq!(w.status_bits & status::PRIV, 0);
        w.status_bits |= status::PRIV;
        assert_eq!(exec("s_rfe_b64", &mut w, operands()), Ok(Flow::Jump(0x2000)));
        assert_eq!(w.status_bits & status::PRIV, 0);
    }

    #[test]
    fn relative_moves_stay_inside() {
        let mut w = wave([1, 2, 3, 4, 5, 6, 7, 8]);
        w.m0 = 2;
        exec("s_movrels_b32", &mut w, operands()).unwrap();
        assert_eq!(w.sgprs[4], 3);
        exec("s_movreld_b64", &mut w, operands()).unwrap();
        assert_eq!(w.sgpr64(6), Ok(2 << 32 | 1));
        w.vcc = 9 << 32 | 8;
        w.m0 = 106;
        exec("s_movrels_b64", &mut w, operands()).unwrap();
        assert_eq!(w.sgpr64(4), Ok(9 << 32 | 8), "VCC is part of the file");
        w.m0 = 108;
        exec("s_movrels_b32", &mut w, operands()).unwrap();
        assert_eq!(w.sgprs[4], 0);
        w.m0 = u32::MAX;
        assert!(exec("s_movrels_b32", &mut w, operands()).is_err());
        w.m0 = 107;
        assert!(exec("s_movreld_b64", &mut w, operands()).is_err());
    }
}
