// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The exact arithmetic against APFloat, in all rounding modes.

use super::number::{ap, ap_round, bits, number, round, Twin};
use crate::mode::Round;
use crate::valu::fp::{convert, minmax, soft, Env, Float, F16, F32, F64};
use proptest::prelude::*;
use rustc_apfloat::Float as Ap;
use rustc_apfloat::FloatConvert;

/// Numbers must agree in all bits. A NaN must be the first of the operands, or the NaN of an invalid operation.
fn agree<F: Twin>(ours: u64, theirs: F::Ap, operands: &[u64], what: &str) -> Result<(), TestCaseError> {
    let expected = if theirs.is_nan() {
        operands
            .iter()
            .copied()
            .find(|&x| F::is_nan(x))
            .map_or(F::NAN, |x| x | F::QUIET)
    } else {
        bits::<F>(theirs)
    };
    prop_assert_eq!(
        ours,
        expected,
        "{} {:x?}: {:#x} instead of {:#x}",
        what,
        operands,
        ours,
        expected
    );
    Ok(())
}

fn arithmetic<F: Twin>(round: Round, a: u64, b: u64, c: u64) -> Result<(), TestCaseError> {
    let env = Env::NEAREST.rounding(round);
    let (x, y, z, r) = (ap::<F>(a), ap::<F>(b), ap::<F>(c), ap_round(round));
    agree::<F>(soft::add::<F>(env, [a, b]), x.add_r(y, r).value, &[a, b], "add")?;
    agree::<F>(soft::sub::<F>(env, [a, b]), x.sub_r(y, r).value, &[a, b], "sub")?;
    agree::<F>(
        soft::subrev::<F>(env, [a, b]),
        y.sub_r(x, r).value,
        &[a, b],
        "subrev",
    )?;
    agree::<F>(soft::mul::<F>(env, [a, b]), x.mul_r(y, r).value, &[a, b], "mul")?;
    agree::<F>(
        soft::fma::<F>(env, [a, b, c]),
        x.mul_add_r(y, z, r).value,
        &[a, b, c],
        "fma",
    )?;
    let product = x.mul_r(y, r).value;
    if !product.is_nan() {
        agree::<F>(
            soft::mad::<F>(env, [a, b, c]),
            product.add_r(z, r).value,
            &[a, b, c],
            "mad",
        )?;
    }
    agree::<F>(
        soft::to_integral::<F>(env, round, a),
        x.round_to_integral(r).value,
        &[a],
        "to_integral",
    )?;
    for by in [
        -3000,
        -1100,
        -60,
        -25,
        -10,
        -1,
        0,
        1,
        7,
        40,
        2200,
        i32::MIN,
        i32::MAX,
    ] {
        let theirs = x.scalbn_r(by.clamp(-20000, 20000), r);
        agree::<F>(soft::ldexp::<F>(env, a, by), theirs, &[a], "ldexp")?;
    }
    let order = minmax::compare::<F>(env, a, b);
    prop_assert_eq!(order, x.partial_cmp(&y));
    Ok(())
}

fn integers<F: Twin>(round: Round, a: u64) -> Result<(), TestCaseError> {
    let env = Env::NEAREST.rounding(round);
    let mut exact = false;
    let theirs = ap::<F>(a).to_i128_r(32, ap_round(round), &mut exact).value;
    let expected = (!F::is_nan(a)).then_some(theirs as i64);
    let ours = convert::to_integer::<F>(env, round, a, i64::from(i32::MIN), i64::from(i32::MAX));
    prop_assert_eq!(ours, expected, "{:#x}", a);
    let integer = a as i64;
    let theirs = F::Ap::from_i128_r(i128::from(integer), ap_round(round)).value;
    prop_assert_eq!(convert::from_integer::<F>(env, integer), bits::<F>(theirs));
    Ok(())
}

fn converted<From: Twin, To: Twin>(round: Round, a: u64) -> Result<(), TestCaseError>
where
    From::Ap: FloatConvert<To::Ap>,
{
    let env = Env::NEAREST.rounding(round);
    let mut exact = false;
    let theirs: To::Ap = ap::<From>(a).convert_r(ap_round(round), &mut exact).value;
    // APFloat moves the payload as this does
    prop_assert_eq!(
        soft::convert::<From, To>(env, true, a),
        bits::<To>(theirs),
        "{:#x}",
        a
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn half(r in round(), a in number::<F16>(), b in number::<F16>(), c in number::<F16>()) {
        arithmetic::<F16>(r, a, b, c)?;
        integers::<F16>(r, a)?;
        converted::<F16, F32>(r, a)?;
        converted::<F16, F64>(r, a)?;
    }

    #[test]
    fn single(r in round(), a in number::<F32>(), b in number::<F32>(), c in number::<F32>()) {
        arithmetic::<F32>(r, a, b, c)?;
        integers::<F32>(r, a)?;
        converted::<F32, F16>(r, a)?;
        converted::<F32, F64>(r, a)?;
    }

    #[test]
    fn double(r in round(), a in number::<F64>(), b in number::<F64>(), c in number::<F64>()) {
        arithmetic::<F64>(r, a, b, c)?;
        integers::<F64>(r, a)?;
        converted::<F64, F16>(r, a)?;
        converted::<F64, F32>(r, a)?;
    }

    /// Flushing is what it is around an operation that knows denormals.
    #[test]
    fn flushing(r in round(), a in number::<F32>(), b in number::<F32>(), c in number::<F32>(), i: bool, o: bool) {
        let env = Env { denorm_in: i, denorm_out: o, ..Env::NEAREST.rounding(r) };
        let plain = Env::NEAREST.rounding(r);
        let [x, y, z] = [a, b, c].map(|v| F32::flush(v, i));
        prop_assert_eq!(soft::add::<F32>(env, [a, b]), F32::flush(soft::add::<F32>(plain, [x, y]), o));
        prop_assert_eq!(soft::mul::<F32>(env, [a, b]), F32::flush(soft::mul::<F32>(plain, [x, y]), o));
        prop_assert_eq!(soft::fma::<F32>(env, [a, b, c]), F32::flush(soft::fma::<F32>(plain, [x, y, z]), o));
    }
}

/// Overflow gives infinity or the largest number by rounding mode and sign, with FP16_OVFL always the latter; infinite
/// operands stay infinite.
#[test]
fn overflow() {
    let cases = [
        (Round::NearestEven, 0x7c00, 0xfc00),
        (Round::Up, 0x7c00, 0xfbff),
        (Round::Down, 0x7bff, 0xfc00),
        (Round::Zero, 0x7bff, 0xfbff),
    ];
    for (round, positive, negative) in cases {
        let env = Env::NEAREST.rounding(round);
        assert_eq!(soft::add::<F16>(env, [0x7bff, 0x7bff]), positive);
        assert_eq!(soft::add::<F16>(env, [0xfbff, 0xfbff]), negative);
        let saturating = Env {
            saturate: true,
            ..env
        };
        assert_eq!(soft::add::<F16>(saturating, [0x7bff, 0x7bff]), 0x7bff);
        assert_eq!(soft::mul::<F16>(saturating, [0x7bff, 0xfbff]), 0xfbff);
        assert_eq!(soft::add::<F16>(saturating, [0x7c00, 0x3c00]), 0x7c00);
    }
}

/// Without IEEE mode signalling NaNs pass as they are.
#[test]
fn signalling_nans() {
    let quiet = Env::NEAREST;
    let loud = Env { ieee: false, ..quiet };
    assert_eq!(soft::add::<F32>(quiet, [0x7f80_0001, 0x3f80_0000]), 0x7fc0_0001);
    assert_eq!(soft::add::<F32>(loud, [0x7f80_0001, 0x3f80_0000]), 0x7f80_0001);
    // the first operand that is a NaN wins
    assert_eq!(
        soft::fma::<F32>(quiet, [0x3f80_0000, 0xffc0_0002, 0x7fc0_0003]),
        0xffc0_0002
    );
    // infinity times zero plus a NaN is that NaN
    assert_eq!(
        soft::fma::<F32>(quiet, [0x7f80_0000, 0, 0x7fc0_0003]),
        0x7fc0_0003
    );
}
