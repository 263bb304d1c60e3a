// SPDX-License-Identifier: Apache-2.0 OR MIT
//! SOP2: two scalar sources (CDNA2 ISA "SOP2 instructions").

use super::fork::fork;
use super::{binary32, binary64, nz32, nz64, shift64, shift64_signed, Exec, Flow};
use crate::inst::Scalar;
use crate::stop::Why;
use crate::table::flags::NONE;
use crate::table::{Enc, Kind, Op, Ty, Ty::*};
use crate::wave::{status, Wave};

const fn row(code: u16, name: &'static str, dst: Ty, src: &'static [Ty], exec: Exec) -> Op {
    Op {
        name,
        enc: Enc::Sop2,
        code,
        dst,
        sdst: No,
        src,
        flags: NONE,
        kind: Kind::Salu(exec),
    }
}

/// All of them.
pub static SOP2: &[Op] = &[
    row(0, "s_add_u32", U32, &[U32, U32], |w, s| {
        binary32(w, s, |a, b| flagged(a.overflowing_add(b)))
    }),
    row(1, "s_sub_u32", U32, &[U32, U32], |w, s| {
        binary32(w, s, |a, b| flagged(a.overflowing_sub(b)))
    }),
    row(2, "s_add_i32", I32, &[I32, I32], |w, s| {
        binary32(w, s, |a, b| signed(a, b, i32::overflowing_add))
    }),
    row(3, "s_sub_i32", I32, &[I32, I32], |w, s| {
        binary32(w, s, |a, b| signed(a, b, i32::overflowing_sub))
    }),
    row(4, "s_addc_u32", U32, &[U32, U32], addc),
    row(5, "s_subb_u32", U32, &[U32, U32], subb),
    row(6, "s_min_i32", I32, &[I32, I32], |w, s| {
        binary32(w, s, |a, b| pick(a, b, (a as i32) < (b as i32)))
    }),
    row(7, "s_min_u32", U32, &[U32, U32], |w, s| {
        binary32(w, s, |a, b| pick(a, b, a < b))
    }),
    row(8, "s_max_i32", I32, &[I32, I32], |w, s| {
        binary32(w, s, |a, b| pick(a, b, (a as i32) > (b as i32)))
    }),
    row(9, "s_max_u32", U32, &[U32, U32], |w, s| {
        binary32(w, s, |a, b| pick(a, b, a > b))
    }),
    row(10, "s_cselect_b32", B32, &[B32, B32], |w, s| {
        let scc = w.scc;
        binary32(w, s, |a, b| (if scc { a } else { b }, None))
    }),
    row(11, "s_cselect_b64", B64, &[B64, B64], |w, s| {
        let scc = w.scc;
        binary64(w, s, |a, b| (if scc { a } else { b }, None))
    }),
    row(12, "s_and_b32", B32, &[B32, B32], |w, s| {
        binary32(w, s, |a, b| nz32(a & b))
    }),
    row(13, "s_and_b64", B64, &[B64, B64], |w, s| {
        binary64(w, s, |a, b| nz64(a & b))
    }),
    row(14, "s_or_b32", B32, &[B32, B32], |w, s| {
        binary32(w, s, |a, b| nz32(a | b))
    }),
    row(15, "s_or_b64", B64, &[B64, B64], |w, s| {
        binary64(w, s, |a, b| nz64(a | b))
    }),
    row(16, "s_xor_b32", B32, &[B32, B32], |w, s| {
        binary32(w, s, |a, b| nz32(a ^ b))
    }),
    row(17, "s_xor_b64", B64, &[B64, B64], |w, s| {
        binary64(w, s, |a, b| nz64(a ^ b))
    }),
    row(18, "s_andn2_b32", B32, &[B32, B32], |w, s| {
        binary32(w, s, |a, b| nz32(a & !b))
    }),
    row(19, "s_andn2_b64", B64, &[B64, B64], |w, s| {
        binary64(w, s, |a, b| nz64(a & !b))
    }),
    row(20, "s_orn2_b32", B32, &[B32, B32], |w, s| {
        binary32(w, s, |a, b| nz32(a | !b))
    }),
    row(21, "s_orn2_b64", B64, &[B64, B64], |w, s| {
        binary64(w, s, |a, b| nz64(a | !b))
    }),
    row(22, "s_nand_b32", B32, &[B32, B32], |w, s| {
        binary32(w, s, |a, b| nz32(!(a & b)))
    }),
    row(23, "s_nand_b64", B64, &[B64, B64], |w, s| {
        binary64(w, s, |a, b| nz64(!(a & b)))
    }),
    row(24, "s_nor_b32", B32, &[B32, B32], |w, s| {
        binary32(w, s, |a, b| nz32(!(a | b)))
    }),
    row(25, "s_nor_b64", B64, &[B64, B64], |w, s| {
        binary64(w, s, |a, b| nz64(!(a | b)))
    }),
    row(26, "s_xnor_b32", B32, &[B32, B32], |w, s| {
        binary32(w, s, |a, b| nz32(!(a ^ b)))
    }),
    row(27, "s_xnor_b64", B64, &[B64, B64], |w, s| {
        binary64(w, s, |a, b| nz64(!(a ^ b)))
    }),
    row(28, "s_lshl_b32", B32, &[B32, U32], |w, s| {
        binary32(w, s, |a, b| nz32(a << (b & 31)))
    }),
    row(29, "s_lshl_b64", B64, &[B64, U32], |w, s| {
        shift64(w, s, |a, b| nz64(a << (b & 63)))
    }),
    row(30, "s_lshr_b32", B32, &[B32, U32], |w, s| {
        binary32(w, s, |a, b| nz32(a >> (b & 31)))
    }),
    row(31, "s_lshr_b64", B64, &[B64, U32], |w, s| {
        shift64(w, s, |a, b| nz64(a >> (b & 63)))
    }),
    row(32, "s_ashr_i32", I32, &[I32, U32], |w, s| {
        binary32(w, s, |a, b| nz32((a as i32 >> (b & 31)) as u32))
    }),
    row(33, "s_ashr_i64", I64, &[I64, U32], |w, s| {
        shift64_signed(w, s, |a, b| nz64((a >> (b & 63)) as u64))
    }),
    row(34, "s_bfm_b32", B32, &[U32, U32], |w, s| {
        binary32(w, s, |a, b| (((1u32 << (a & 31)) - 1) << (b & 31), None))
    }),
    row(35, "s_bfm_b64", B64, &[U32, U32], |w, s| {
        // the first source is 32 bits wide as well
        let a = w.scalar32(s.src[0], s.literal)? & 63;
        let b = w.scalar32(s.src[1], s.literal)? & 63;
        w.set_sgpr64(s.dst.0, ((1u64 << a) - 1) << b)?;
        Ok(Flow::Next)
    }),
    row(36, "s_mul_i32", I32, &[I32, I32], |w, s| {
        binary32(w, s, |a, b| (a.wrapping_mul(b), None))
    }),
    row(37, "s_bfe_u32", U32, &[U32, U32], |w, s| {
        binary32(w, s, |a, b| nz32(bfe(a.into(), b & 31, b >> 16 & 0x7f) as u32))
    }),
    row(38, "s_bfe_i32", I32, &[I32, U32], |w, s| {
        binary32(w, s, |a, b| {
            nz32(bfe_signed(i64::from(a as i32), b & 31, b >> 16 & 0x7f) as u32)
        })
    }),
    row(39, "s_bfe_u64", U64, &[U64, U32], |w, s| {
        shift64(w, s, |a, b| nz64(bfe(a, b & 63, b >> 16 & 0x7f)))
    }),
    row(40, "s_bfe_i64", I64, &[I64, U32], |w, s| {
        shift64_signed(w, s, |a, b| nz64(bfe_signed(a, b & 63, b >> 16 & 0x7f)))
    }),
    row(41, "s_cbranch_g_fork", No, &[B64, B64], |w, s| {
        let pass = w.scalar64(s.src[0], s.literal)?;
        fork(w, pass, w.scalar64(s.src[1], s.literal)?)
    }),
    row(42, "s_absdiff_i32", I32, &[I32, I32], |w, s| {
        binary32(w, s, |a, b| {
            nz32((a as i32).wrapping_sub(b as i32).wrapping_abs() as u32)
        })
    }),
    row(43, "s_rfe_restore_b64", No, &[B64, B32], |w, s| {
        w.status_bits &= !status::PRIV;
        Ok(Flow::Jump(w.scalar64(s.src[0], s.literal)?))
    }),
    row(44, "s_mul_hi_u32", U32, &[U32, U32], |w, s| {
        binary32(w, s, |a, b| (((u64::from(a) * u64::from(b)) >> 32) as u32, None))
    }),
    row(45, "s_mul_hi_i32", I32, &[I32, I32], |w, s| {
        binary32(w, s, |a, b| {
            (((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32, None)
        })
    }),
    row(46, "s_lshl1_add_u32", U32, &[U32, U32], |w, s| {
        binary32(w, s, |a, b| shift_add(a, b, 1))
    }),
    row(47, "s_lshl2_add_u32", U32, &[U32, U32], |w, s| {
        binary32(w, s, |a, b| shift_add(a, b, 2))
    }),
    row(48, "s_lshl3_add_u32", U32, &[U32, U32], |w, s| {
        binary32(w, s, |a, b| shift_add(a, b, 3))
    }),
    row(49, "s_lshl4_add_u32", U32, &[U32, U32], |w, s| {
        binary32(w, s, |a, b| shift_add(a, b, 4))
    }),
    row(50, "s_pack_ll_b32_b16", B32, &[B32, B32], |w, s| {
        binary32(w, s, |a, b| (a & 0xffff | b << 16, None))
    }),
    row(51, "s_pack_lh_b32_b16", B32, &[B32, B32], |w, s| {
        binary32(w, s, |a, b| (a & 0xffff | b & 0xffff_0000, None))
    }),
    row(52, "s_pack_hh_b32_b16", B32, &[B32, B32], |w, s| {
        binary32(w, s, |a, b| (a >> 16 | b & 0xffff_0000, None))
    }),
];

/// SCC is the carry or borrow.
fn flagged((value, flag): (u32, bool)) -> (u32, Option<bool>) {
    (value, Some(flag))
}

/// SCC is the signed overflow.
fn signed(a: u32, b: u32, f: impl Fn(i32, i32) -> (i32, bool)) -> (u32, Option<bool>) {
    let (value, overflow) = f(a as i32, b as i32);
    (value as u32, Some(overflow))
}

/// SCC tells that the first source was taken.
fn pick(a: u32, b: u32, first: bool) -> (u32, Option<bool>) {
    (if first { a } else { b }, Some(first))
}

fn addc(w: &mut Wave, s: &Scalar) -> Result<Flow, Why> {
    let carry = u64::from(w.scc);
    binary32(w, s, |a, b| {
        let sum = u64::from(a) + u64::from(b) + carry;
        (sum as u32, Some(sum >> 32 != 0))
    })
}

fn subb(w: &mut Wave, s: &Scalar) -> Result<Flow, Why> {
    let borrow = u64::from(w.scc);
    binary32(w, s, |a, b| {
        let take = u64::from(b) + borrow;
        (a.wrapping_sub(take as u32), Some(take > u64::from(a)))
    })
}

/// `width` bits of `value` from `offset` on; bits above the source's own are 0.
fn bfe(value: u64, offset: u32, width: u32) -> u64 {
    let mask = if width >= 64 {
        u64::MAX
    } else {
        (1u64 << width) - 1
    };
    value >> offset & mask
}

/// The same, with the field's top bit extended; bits above the source's own are its sign.
fn bfe_signed(value: i64, offset: u32, width: u32) -> u64 {
    let field = value >> offset;
    match width {
        0 => 0,
        1..=63 => (field << (64 - width) >> (64 - width)) as u64,
        _ => field as u64,
    }
}

fn shift_add(a: u32, b: u32, n: u32) -> (u32, Option<bool>) {
    let sum = (u64::from(a) << n) + u64::from(b);
    (sum as u32, Some(sum >> 32 != 0))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{run32, run64};

    #[test]
    fn carries_and_overflow() {
        assert_eq!(run32("s_add_u32", u32::MAX, 1, false), (0, true));
        assert_eq!(run32("s_add_u32", 1, 2, true), (3, false));
        assert_eq!(run32("s_sub_u32", 1, 2, false), (u32::MAX, true));
        assert_eq!(
            run32("s_add_i32", i32::MAX as u32, 1, false),
            (i32::MIN as u32, true)
        );
        assert_eq!(run32("s_add_i32", u32::MAX, 1, true), (0, false));
        assert_eq!(
            run32("s_sub_i32", i32::MIN as u32, 1, false),
            (i32::MAX as u32, true)
        );
        assert_eq!(run32("s_addc_u32", u32::MAX, 0, true), (0, true));
        assert_eq!(run32("s_addc_u32", u32::MAX, u32::MAX, true), (u32::MAX, true));
        assert_eq!(run32("s_addc_u32", 1, 1, false), (2, false));
        assert_eq!(run32("s_subb_u32", 0, 0, true), (u32::MAX, true));
        assert_eq!(run32("s_subb_u32", 5, u32::MAX, true), (5, true));
        assert_eq!(run32("s_subb_u32", 5, 3, true), (1, false));
    }

    #[test]
    fn minima_tell_which_was_taken() {
        assert_eq!(run32("s_min_i32", u32::MAX, 0, false), (u32::MAX, true));
        assert_eq!(run32("s_min_u32", u32::MAX, 0, true), (0, false));
        assert_eq!(run32("s_max_i32", u32::MAX, 0, true), (0, false));
        assert_eq!(run32("s_max_u32", u32::MAX, 0, false), (u32::MAX, true));
        assert_eq!(run32("s_max_u32", 7, 7, true), (7, false));
    }

    #[test]
    fn select() {
        assert_eq!(run32("s_cselect_b32", 1, 2, true), (1, true));
        assert_eq!(run32("s_cselect_b32", 1, 2, false), (2, false));
        assert_eq!(run64("s_cselect_b64", 1 << 40, 2, true), (1 << 40, true));
    }

    #[test]
    fn logic() {
        let (a, b) = (0xff00_ff00_0f0f_0f0f_u64, 0x0ff0_0ff0_00ff_00ff_u64);
        type Logic = fn(u64, u64) -> u64;
        let cases: [(&str, Logic); 8] = [
            ("and", |a, b| a & b),
            ("or", |a, b| a | b),
            ("xor", |a, b| a ^ b),
            ("andn2", |a, b| a & !b),
            ("orn2", |a, b| a | !b),
            ("nand", |a, b| !(a & b)),
            ("nor", |a, b| !(a | b)),
            ("xnor", |a, b| !(a ^ b)),
        ];
        for (name, f) in cases {
            for (a, b) in [(a, b), (b, a), (a, a), (0, u64::MAX), (0, 0)] {
                let want = f(a, b);
                assert_eq!(
                    run64(&format!("s_{name}_b64"), a, b, false),
                    (want, want != 0),
                    "{name}"
                );
                let want = f(a, b) as u32;
                let got = run32(&format!("s_{name}_b32"), a as u32, b as u32, true);
                assert_eq!(got, (want, want != 0), "{name}");
            }
        }
    }

    #[test]
    fn shifts_take_the_low_bits_of_the_amount() {
        assert_eq!(run32("s_lshl_b32", 3, 33, false), (6, true));
        assert_eq!(run32("s_lshl_b32", 0x8000_0000, 1, true), (0, false));
        assert_eq!(run32("s_lshr_b32", 0x8000_0000, 31, false), (1, true));
        assert_eq!(run32("s_ashr_i32", 0x8000_0000, 31, false), (u32::MAX, true));
        assert_eq!(run64("s_lshl_b64", 3, 65, false), (6, true));
        assert_eq!(run64("s_lshr_b64", 1 << 63, 63, false), (1, true));
        assert_eq!(run64("s_ashr_i64", 1 << 63, 63, false), (u64::MAX, true));
        assert_eq!(run64("s_ashr_i64", 1, 1, true), (0, false));
    }

    #[test]
    fn bit_fields() {
        assert_eq!(run32("s_bfm_b32", 4, 8, true), (0xf00, true));
        assert_eq!(run32("s_bfm_b32", 32, 0, false), (0, false));
        assert_eq!(run64("s_bfm_b64", 40, 8, false).0, ((1 << 40) - 1) << 8);
        assert_eq!(
            run32("s_bfe_u32", 0xabcd_1234, 16 << 16 | 8, false),
            (0xcd12, true)
        );
        assert_eq!(run32("s_bfe_u32", 0xabcd_1234, 0, true), (0, false));
        assert_eq!(
            run32("s_bfe_u32", 0xabcd_1234, 0x7f << 16 | 28, false),
            (0xa, true)
        );
        assert_eq!(
            run32("s_bfe_i32", 0xabcd_1234, 8 << 16 | 16, false),
            (0xffff_ffcd, true)
        );
        assert_eq!(
            run32("s_bfe_i32", 0xabcd_1234, 0x7f << 16 | 28, false),
            (0xffff_fffa, true)
        );
        assert_eq!(
            run64("s_bfe_u64", 0x1234_5678_9abc_def0, 32 << 16 | 16, false),
            (0x5678_9abc, true)
        );
        assert_eq!(
            run64("s_bfe_i64", 0x1234_5678_9abc_def0, 16 << 16 | 16, false).0,
            0xffff_ffff_ffff_9abc
        );
        assert_eq!(run64("s_bfe_i64", u64::MAX, 0, true), (0, false));
    }

    #[test]
    fn products() {
        assert_eq!(run32("s_mul_i32", u32::MAX, 3, true), ((-3i32) as u32, true));
        assert_eq!(
            run32("s_mul_hi_u32", u32::MAX, u32::MAX, false),
            (u32::MAX - 1, false)
        );
        assert_eq!(run32("s_mul_hi_i32", u32::MAX, 3, false), (u32::MAX, false));
        assert_eq!(run32("s_absdiff_i32", 3, 5, false), (2, true));
        assert_eq!(run32("s_absdiff_i32", 5, 5, true), (0, false));
        assert_eq!(
            run32("s_absdiff_i32", i32::MIN as u32, 0, false),
            (i32::MIN as u32, true)
        );
        assert_eq!(run32("s_lshl1_add_u32", 0x8000_0000, 1, false), (1, true));
        assert_eq!(run32("s_lshl4_add_u32", 2, 1, true), (33, false));
    }

    #[test]
    fn packs() {
        assert_eq!(
            run32("s_pack_ll_b32_b16", 0xaaaa_1111, 0xbbbb_2222, true),
            (0x2222_1111, true)
        );
        assert_eq!(
            run32("s_pack_lh_b32_b16", 0xaaaa_1111, 0xbbbb_2222, false),
            (0xbbbb_1111, false)
        );
        assert_eq!(
            run32("s_pack_hh_b32_b16", 0xaaaa_1111, 0xbbbb_2222, false),
            (0xbbbb_aaaa, false)
        );
    }
}
