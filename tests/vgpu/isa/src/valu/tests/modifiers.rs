// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Packed floats, mixed precision and dot products: selectors, signs, rounding.

use super::harness::{one, Case, DST, HIP_MODE};
use super::number::number;
use crate::inst::Operand;
use crate::mode::{Mode, Round};
use crate::valu::fp::{soft, Env, Float, F16, F32};
use crate::wave::LANES;
use proptest::prelude::*;

const E: Env = Env::NEAREST;

fn same<F: Float>(ours: u64, expected: u64) -> Result<(), TestCaseError> {
    if F::is_nan(expected) {
        prop_assert!(F::is_nan(ours), "{:#x} is not a NaN", ours);
    } else {
        prop_assert_eq!(ours, expected);
    }
    Ok(())
}

fn halves() -> impl Strategy<Value = [u32; 3]> {
    let dword = (number::<F16>(), number::<F16>()).prop_map(|(lo, hi)| lo as u32 | (hi as u32) << 16);
    prop::array::uniform3(dword)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn packed_halves(src in halves(), sel in 0..8u8, sel_hi in 0..8u8, neg in 0..8u8, neg_hi in 0..8u8) {
        let pick = |i: usize, sel: u8, neg: u8| {
            let half = src[i] >> (16 * (sel >> i & 1)) & 0xffff;
            u64::from(half ^ u32::from(neg >> i & 1) << 15)
        };
        let table: [(&'static str, fn([u64; 3]) -> u64); 6] = [
            ("v_pk_fma_f16", |s| soft::fma::<F16>(E, s)),
            ("v_pk_add_f16", |[a, b, _]| soft::add::<F16>(E, [a, b])),
            ("v_pk_mul_f16", |[a, b, _]| soft::mul::<F16>(E, [a, b])),
            ("v_pk_min_f16", |[a, b, _]| crate::valu::fp::minmax::min::<F16>(E, [a, b])),
            ("v_pk_max_f16", |[a, b, _]| crate::valu::fp::minmax::max::<F16>(E, [a, b])),
            ("v_pk_fmac_f16", |s| soft::fma::<F16>(E, s)),
        ];
        for (name, model) in table {
            // the VOP2 instruction has no selectors
            let (sel, sel_hi, neg, neg_hi) = if name == "v_pk_fmac_f16" { (0, 7, 0, 0) } else { (sel, sel_hi, neg, neg_hi) };
            let mut case = Case::new(name).with(|v| {
                (v.op_sel, v.op_sel_hi, v.neg, v.neg_hi) = (sel, sel_hi, neg, neg_hi);
            });
            for (i, x) in src.iter().enumerate() {
                case = case.src(i, [*x; LANES]);
            }
            let out = case.row()[0];
            same::<F16>(u64::from(out & 0xffff), model([0, 1, 2].map(|i| pick(i, sel, neg))))?;
            same::<F16>(u64::from(out >> 16), model([0, 1, 2].map(|i| pick(i, sel_hi, neg_hi))))?;
        }
    }

    #[test]
    fn packed_singles(
        src in prop::array::uniform6(number::<F32>()), sel in 0..8u8, sel_hi in 0..8u8, neg in 0..8u8, neg_hi in 0..8u8,
    ) {
        let pick = |i: usize, sel: u8, neg: u8| src[2 * i + usize::from(sel >> i & 1)] ^ u64::from(neg >> i & 1) << 31;
        let table: [(&'static str, fn([u64; 3]) -> u64); 3] = [
            ("v_pk_fma_f32", |s| soft::fma::<F32>(E, s)),
            ("v_pk_add_f32", |[a, b, _]| soft::add::<F32>(E, [a, b])),
            ("v_pk_mul_f32", |[a, b, _]| soft::mul::<F32>(E, [a, b])),
        ];
        let run = |name| {
            let mut case = Case::new(name).with(|v| {
                (v.op_sel, v.op_sel_hi, v.neg, v.neg_hi) = (sel, sel_hi, neg, neg_hi);
            });
            for i in 0..3 {
                case = case.src64(i, [src[2 * i] | src[2 * i + 1] << 32; LANES]);
            }
            case.row64()[0]
        };
        for (name, model) in table {
            let out = run(name);
            same::<F32>(out & 0xffff_ffff, model([0, 1, 2].map(|i| pick(i, sel, neg))))?;
            same::<F32>(out >> 32, model([0, 1, 2].map(|i| pick(i, sel_hi, neg_hi))))?;
        }
        // the low dword from source 0, the high one from source 1, by op_sel alone
        prop_assert_eq!(run("v_pk_mov_b32"), pick(0, sel, 0) | pick(1, sel, 0) << 32);
    }

    #[test]
    fn mixed(
        singles in prop::array::uniform3(number::<F32>()), half in prop::array::uniform3(number::<F16>()),
        is_half in 0..8u8, high in 0..8u8, neg in 0..8u8, abs in 0..8u8,
    ) {
        let mut case = Case::new("v_fma_mix_f32").with(|v| {
            (v.op_sel, v.op_sel_hi, v.neg, v.abs) = (high, is_half, neg, abs);
        });
        let mut values = [0; 3];
        for i in 0..3 {
            let on = |mask: u8| mask >> i & 1 == 1;
            let (register, value) = if on(is_half) {
                let register = if on(high) { half[i] << 16 | 0x5555 } else { half[i] | 0x5555_0000 };
                (register, soft::convert::<F16, F32>(E, true, half[i]))
            } else {
                (singles[i], singles[i])
            };
            let value = if on(abs) { value & !F32::SIGN } else { value };
            values[i] = if on(neg) { value ^ F32::SIGN } else { value };
            case = case.src(i, [register as u32; LANES]);
        }
        let expected = soft::fma::<F32>(E, values);
        same::<F32>(u64::from(case.row()[0]), expected)?;
    }
}

/// The half-precision results go to one half; the other stays.
#[test]
fn mixed_to_half() {
    for (name, expected) in [("v_fma_mixlo_f16", 0xabcd_4700), ("v_fma_mixhi_f16", 0x4700_1234)] {
        let case = Case::new(name)
            .src(0, [2f32.to_bits(); LANES])
            .src(1, [3f32.to_bits(); LANES])
            .src(2, [1f32.to_bits(); LANES]);
        let case = case.with(|v| v.op_sel_hi = 0);
        assert_eq!(
            case.on(|w| w.vgprs[usize::from(DST)] = [0xabcd_1234; LANES])
                .row()[0],
            expected,
            "{name}"
        );
    }
    let case = Case::new("v_fma_mixlo_f16")
        .src(0, [2f32.to_bits(); LANES])
        .src(1, [3f32.to_bits(); LANES]);
    assert_eq!(case.with(|v| (v.op_sel_hi, v.clamp) = (0, true)).row()[0], 0x3c00);
}

/// Inline constants: half precision in the low half of packed halves, single precision in the low dword of packed singles.
#[test]
fn constants() {
    let one_ = Operand(242);
    let case = Case::new("v_pk_add_f16").src(0, [0x4000_4000; LANES]);
    let low_twice = case.with(|v| (v.src[1], v.op_sel_hi) = (one_, 0b01)).row()[0];
    assert_eq!(low_twice, 0x4200_4200);
    let case = Case::new("v_pk_mul_f32").src64(0, [0x4000_0000_4040_0000; LANES]);
    let out = case
        .with(|v| (v.src[1], v.op_sel_hi) = (Operand(244), 0b01))
        .row64()[0];
    assert_eq!(out, 0x4080_0000_40c0_0000);
    // integers are sign-extended over both halves
    let case = Case::new("v_pk_add_u16")
        .src(0, [0x0001_0001; LANES])
        .with(|v| v.src[1] = Operand(193));
    assert_eq!(case.row()[0], 0);
    // scalar registers
    let case = Case::new("v_pk_fma_f32")
        .src64(0, [0x4000_0000_4040_0000; LANES])
        .src64(2, [0; LANES]);
    let case = case
        .with(|v| v.src[1] = Operand(2))
        .on(|w| (w.sgprs[2], w.sgprs[3]) = (0x3f80_0000, 0x4000_0000));
    assert_eq!(case.row64()[0], 0x4080_0000_4040_0000);
    // the 16-bit value of 1.0 where half precision is expected
    let case = Case::new("v_add_f16")
        .src(0, [0x3c00; LANES])
        .with(|v| v.src[1] = one_);
    assert_eq!(case.row()[0], 0x4000);
    let case = Case::new("v_add_f64")
        .src64(0, [1f64.to_bits(); LANES])
        .with(|v| v.src[1] = one_);
    assert_eq!(f64::from_bits(case.row64()[0]), 2.0);
    let case = Case::new("v_mad_f32")
        .src(0, [3f32.to_bits(); LANES])
        .src(2, [1f32.to_bits(); LANES]);
    let case = case.with(|v| (v.src[1], v.literal) = (Operand::LITERAL, 100f32.to_bits()));
    assert_eq!(f32::from_bits(case.row()[0]), 301.0);
}

#[test]
fn float_dot_products() {
    // 1 * 3 + 2 * 4 + 0.5
    let src = [0x4000_3c00, 0x4400_4200, 0.5f32.to_bits()];
    assert_eq!(f32::from_bits(one("v_dot2_f32_f16", &src)), 11.5);
    assert_eq!(f32::from_bits(one("v_dot2c_f32_f16", &src)), 11.5);
    let case = |f: &dyn Fn(&mut crate::inst::Vop)| {
        let mut case = Case::new("v_dot2_f32_f16").with(|v| f(v));
        for (i, x) in src.iter().enumerate() {
            case = case.src(i, [*x; LANES]);
        }
        f32::from_bits(case.row()[0])
    };
    // low halves twice; high product negated; sum clamped
    assert_eq!(case(&|v| v.op_sel_hi = 0), 6.5);
    assert_eq!(case(&|v| v.neg_hi = 1), -4.5);
    assert_eq!(case(&|v| v.neg = 4), 10.5);
    assert_eq!(case(&|v| v.clamp = true), 1.0);
    // single-precision denormals are zeros, half-precision ones are not
    assert_eq!(one("v_dot2_f32_f16", &[0, 0, 1]), 0);
    assert_eq!(
        f32::from_bits(one("v_dot2_f32_f16", &[1, 0x3c00, 0])),
        2f32.powi(-24)
    );
    for (i, round) in super::number::ROUNDS.into_iter().enumerate() {
        let case = Case::new("v_dot2_f32_f16")
            .src(0, [1; LANES])
            .src(1, [1; LANES])
            .src(2, [1f32.to_bits(); LANES]);
        let out = case.on(|w| w.mode = Mode(HIP_MODE.0 | i as u32)).row()[0];
        assert_eq!(out, 1f32.to_bits() + u32::from(round == Round::Up));
    }
}

#[test]
fn moves_between_lanes() {
    let lanes = std::array::from_fn(|l| 1000 + l as u32);
    let case = || {
        Case::new("v_readfirstlane_b32")
            .src(0, lanes)
            .with(|v| v.dst = Operand(5))
    };
    assert_eq!(case().run().sgprs[5], 1000);
    assert_eq!(case().on(|w| w.exec = 0xff00).run().sgprs[5], 1008);
    assert_eq!(case().on(|w| w.exec = 0).run().sgprs[5], 1000);
    let case = Case::new("v_readlane_b32")
        .src(0, lanes)
        .with(|v| (v.dst, v.src[1]) = (Operand(5), Operand(128 + 37)));
    assert_eq!(case.on(|w| w.exec = 0).run().sgprs[5], 1037);
    let case = Case::new("v_readlane_b32")
        .src(0, lanes)
        .with(|v| (v.dst, v.src[1]) = (Operand::VCC, Operand::M0));
    // six bits of the lane count
    assert_eq!(case.on(|w| w.m0 = 64 + 3).run().vcc, 1003);
    let case =
        Case::new("v_writelane_b32").with(|v| (v.src[0], v.src[1]) = (Operand(128 + 5), Operand(128 + 9)));
    let out = case.on(|w| w.exec = 0).row();
    assert_eq!(out, std::array::from_fn(|l| if l == 9 { 5 } else { 0 }));
    let case = Case::new("v_swap_b32").src(0, lanes).on(|w| {
        w.exec = 0xf;
        w.vgprs[usize::from(DST)] = [1; LANES];
    });
    let wave = case.run();
    assert_eq!(wave.vgprs[usize::from(DST)][..6], [1000, 1001, 1002, 1003, 1, 1]);
    assert_eq!(wave.vgprs[16][..6], [1, 1, 1, 1, 1004, 1005]);
    let acc = Case::new("v_accvgpr_write_b32").with(|v| (v.dst, v.src[0]) = (Operand(512 + 3), Operand(193)));
    assert_eq!(acc.run().vgprs[256 + 3], [u32::MAX; LANES]);
}
