// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The division instructions in the sequences that compilers emit (source: LLVM AMDGPU, lowering of fdiv): the result must be the
//! correctly rounded quotient for all operands.

use super::harness::{Case, DST};
use super::number::{edges, number};
use crate::inst::Operand;
use crate::valu::fp::{divide, soft, trans, Env, Float, F32, F64};
use crate::wave::LANES;
use proptest::prelude::*;

const E: Env = Env::NEAREST;

fn div32(n: u64, d: u64) -> u64 {
    let fma = |a, b, c| soft::fma::<F32>(E, [a, b, c]);
    let neg = |x: u64| x ^ F32::SIGN;
    let (ds, _) = divide::scale::<F32>(E, d, d, n);
    let (ns, flag) = divide::scale::<F32>(E, n, d, n);
    let r0 = u64::from(trans::single(E, ds as u32, trans::rcp));
    let e = fma(neg(ds), r0, F32::ONE);
    let r = fma(e, r0, r0);
    let q0 = soft::mul::<F32>(E, [ns, r]);
    let e1 = fma(neg(ds), q0, ns);
    let q1 = fma(e1, r, q0);
    let e2 = fma(neg(ds), q1, ns);
    divide::fixup::<F32>(E, divide::fmas::<F32>(E, e2, r, q1, flag), d, n)
}

fn div64(n: u64, d: u64) -> u64 {
    let fma = |a, b, c| soft::fma::<F64>(E, [a, b, c]);
    let neg = |x: u64| x ^ F64::SIGN;
    let (ds, _) = divide::scale::<F64>(E, d, d, n);
    let (ns, flag) = divide::scale::<F64>(E, n, d, n);
    let r = trans::double(E, ds, trans::rcp);
    let e0 = fma(neg(ds), r, F64::ONE);
    let r1 = fma(r, e0, r);
    let e1 = fma(neg(ds), r1, F64::ONE);
    let r2 = fma(r1, e1, r1);
    let q = soft::mul::<F64>(E, [ns, r2]);
    let e2 = fma(neg(ds), q, ns);
    divide::fixup::<F64>(E, divide::fmas::<F64>(E, e2, r2, q, flag), d, n)
}

fn same<F: Float>(ours: u64, host: u64, n: u64, d: u64) {
    if F::is_nan(host) {
        assert!(F::is_nan(ours), "{n:#x} / {d:#x} = {ours:#x}");
    } else {
        assert_eq!(ours, host, "{n:#x} / {d:#x}");
    }
}

fn host32(n: u64, d: u64) -> u64 {
    u64::from((f32::from_bits(n as u32) / f32::from_bits(d as u32)).to_bits())
}

fn host64(n: u64, d: u64) -> u64 {
    (f64::from_bits(n) / f64::from_bits(d)).to_bits()
}

#[test]
fn edge_quotients() {
    for &n in &edges::<F32>() {
        for &d in &edges::<F32>() {
            same::<F32>(div32(n, d), host32(n, d), n, d);
        }
    }
    for &n in &edges::<F64>() {
        for &d in &edges::<F64>() {
            same::<F64>(div64(n, d), host64(n, d), n, d);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn quotients(n in number::<F32>(), d in number::<F32>(), wn in number::<F64>(), wd in number::<F64>()) {
        same::<F32>(div32(n, d), host32(n, d), n, d);
        same::<F64>(div64(wn, wd), host64(wn, wd), wn, wd);
    }
}

/// The documented special cases of `v_div_fixup`.
#[test]
fn fixups() {
    let inf = u64::from(f32::INFINITY.to_bits());
    let one = F32::ONE;
    let fixup = |q, d, n| divide::fixup::<F32>(E, q, d, n);
    assert_eq!(fixup(one, 0, 0), 0xffc0_0000);
    assert_eq!(fixup(one, inf, inf | F32::SIGN), 0xffc0_0000);
    assert_eq!(fixup(one, F32::SIGN, one), inf | F32::SIGN);
    assert_eq!(fixup(one, one, inf), inf);
    assert_eq!(fixup(one, inf, one | F32::SIGN), F32::SIGN);
    assert_eq!(fixup(one, one, F32::SIGN), F32::SIGN);
    // the numerator's NaN comes first
    assert_eq!(fixup(one, 0x7f80_0001, 0x7f80_0002), 0x7fc0_0002);
    assert_eq!(fixup(one, 0x7f80_0001, one), 0x7fc0_0001);
    // sign of the operands, not of the quotient
    assert_eq!(fixup(one | F32::SIGN, one, one), one);
    // far below the smallest denormal; a NaN quotient means overflow
    assert_eq!(fixup(one, F32::MAX, 1), 0);
    assert_eq!(fixup(F32::NAN, one, one), inf);
}

/// As instructions: which operand is which, where the flag goes and comes from.
#[test]
fn instructions() {
    let row = |x: f32| [x.to_bits(); LANES];
    let large = f32::from_bits(0x7e00_0000);
    let small = f32::from_bits(0x0100_0000);
    // source 0 is the denominator: scaled up, and the flag set
    let wave = Case::new("v_div_scale_f32")
        .src(0, row(small))
        .src(1, row(small))
        .src(2, row(large))
        .run();
    assert_eq!(wave.vgprs[usize::from(DST)], row(small * 2f32.powi(64)));
    assert_eq!(wave.sgpr64(super::harness::MASK_OUT.0), Ok(u64::MAX));
    // source 0 is the numerator: as it is
    let case = Case::new("v_div_scale_f32")
        .src(0, row(large))
        .src(1, row(small))
        .src(2, row(large));
    assert_eq!(case.row(), row(large));
    // the flag is in VCC, per lane
    let case = Case::new("v_div_fmas_f32")
        .src(0, row(1.5))
        .src(1, row(2.0))
        .src(2, row(4.0));
    let out = case.on(|w| w.vcc = 0xf0).row();
    assert_eq!(f32::from_bits(out[0]), 7.0);
    assert_eq!(f32::from_bits(out[4]), 7.0 * 2f32.powi(64));
    let case = Case::new("v_div_fmas_f32")
        .src(0, row(1.5))
        .src(1, row(2.0))
        .src(2, row(1.0));
    assert_eq!(
        f32::from_bits(case.on(|w| w.vcc = 1).row()[0]),
        4.0 * 2f32.powi(-64)
    );
    let case = Case::new("v_div_scale_f64").with(|v| v.sdst = Operand::VCC);
    let wave = case
        .src64(0, [F64::MAX; LANES])
        .src64(1, [F64::ONE; LANES])
        .src64(2, [F64::MAX; LANES])
        .run();
    assert_eq!(wave.vcc, u64::MAX);
}
