// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Conversion instructions: tables of edge cases, and APFloat.

use super::harness::{one, Case, DST, HIP_MODE};
use super::number::{ap, ap_round, bits, number, ROUNDS};
use crate::mode::{Mode, Round};
use crate::valu::fp::{F16, F32, F64};
use crate::wave::LANES;
use proptest::prelude::*;
use rustc_apfloat::{Float as Ap, FloatConvert};

/// HIP's mode with another rounding of all widths.
fn mode(round: Round) -> Mode {
    let bits = match round {
        Round::NearestEven => 0,
        Round::Up => 1,
        Round::Down => 2,
        Round::Zero => 3,
    };
    Mode(HIP_MODE.0 | bits | bits << 2)
}

fn f32_to(name: &'static str, x: f32) -> u32 {
    one(name, &[x.to_bits()])
}

fn f64_to(name: &'static str, x: f64) -> u32 {
    Case::new(name).src64(0, [x.to_bits(); LANES]).row()[0]
}

#[test]
fn to_integers() {
    for (x, signed, unsigned) in [
        (0.0, 0, 0),
        (-0.9, 0, 0),
        (1.9, 1, 1),
        (-1.9, -1, 0),
        (2147483520.0, 2147483520, 2147483520),
        (2147483648.0, i32::MAX, 2147483648),
        (4294967040.0, i32::MAX, 4294967040),
        (4294967296.0, i32::MAX, u32::MAX),
        (-2147483648.0, i32::MIN, 0),
        (-1e30, i32::MIN, 0),
        (f32::INFINITY, i32::MAX, u32::MAX),
        (f32::NEG_INFINITY, i32::MIN, 0),
        (f32::NAN, 0, 0),
    ] {
        assert_eq!(f32_to("v_cvt_i32_f32", x) as i32, signed, "{x}");
        assert_eq!(f32_to("v_cvt_u32_f32", x), unsigned, "{x}");
        assert_eq!(f64_to("v_cvt_i32_f64", f64::from(x)) as i32, signed, "{x}");
        assert_eq!(f64_to("v_cvt_u32_f64", f64::from(x)), unsigned, "{x}");
    }
    assert_eq!(f64_to("v_cvt_i32_f64", 2147483647.9) as i32, i32::MAX);
    for (x, nearest, floor) in [
        (0.5, 1, 0),
        (-0.5, 0, -1),
        (1.499_999_9, 1, 1),
        // adding a half in single precision would round up to 1
        (0.499_999_97, 0, 0),
        (-1.5, -1, -2),
        (8388609.0, 8388609, 8388609),
        (f32::INFINITY, i32::MAX, i32::MAX),
        (f32::NEG_INFINITY, i32::MIN, i32::MIN),
        (f32::NAN, i32::MAX, i32::MAX),
        (-f32::NAN, i32::MIN, i32::MIN),
    ] {
        assert_eq!(f32_to("v_cvt_rpi_i32_f32", x) as i32, nearest, "{x}");
        assert_eq!(f32_to("v_cvt_flr_i32_f32", x) as i32, floor, "{x}");
    }
    // half precision: 65504, -1.5, infinity, NaN, 0.99
    for (x, signed, unsigned) in [
        (0x7bff, 0x7fff, 65504),
        (0xbe00, 0xffff, 0),
        (0x7c00, 0x7fff, 0xffff),
        (0x7e00, 0, 0),
        (0x3bec, 0, 0),
        (0xfc00, 0x8000, 0),
    ] {
        assert_eq!(one("v_cvt_i16_f16", &[x]), signed, "{x:#x}");
        assert_eq!(one("v_cvt_u16_f16", &[x]), unsigned, "{x:#x}");
    }
}

#[test]
fn to_normalised() {
    let pack = |name, a: f32, b: f32| one(name, &[a.to_bits(), b.to_bits()]);
    assert_eq!(pack("v_cvt_pknorm_i16_f32", 1.0, -1.0), 0x8001_7fff);
    assert_eq!(pack("v_cvt_pknorm_i16_f32", 0.5, -2.0), 0x8001_4000);
    assert_eq!(pack("v_cvt_pknorm_i16_f32", f32::NAN, f32::INFINITY), 0x7fff_0000);
    assert_eq!(pack("v_cvt_pknorm_u16_f32", 1.0, 0.5), 0x8000_ffff);
    assert_eq!(pack("v_cvt_pknorm_u16_f32", -1.0, 3.0), 0xffff_0000);
    // 0x3c00 is 1, 0x3800 0.5
    assert_eq!(one("v_cvt_pknorm_i16_f16", &[0x3c00, 0xbc00]), 0x8001_7fff);
    assert_eq!(one("v_cvt_pknorm_u16_f16", &[0x3c00, 0x3800]), 0x8000_ffff);
    assert_eq!(one("v_cvt_norm_i16_f16", &[0xbc00]), 0x8001);
    assert_eq!(one("v_cvt_norm_u16_f16", &[0x3c00]), 0xffff);
    assert_eq!(one("v_cvt_norm_u16_f16", &[0xfe00]), 0);
    for (round, expected) in ROUNDS.into_iter().zip([0x4000, 0x4000, 0x3fff, 0x3fff]) {
        let case = Case::new("v_cvt_norm_i16_f16").src(0, [0x3800; LANES]);
        assert_eq!(case.on(|w| w.mode = mode(round)).row()[0], expected, "{round:?}");
    }
}

#[test]
fn to_bytes() {
    let byte = |x: f32, index, old| one("v_cvt_pk_u8_f32", &[x.to_bits(), index, old]);
    assert_eq!(byte(200.0, 0, 0x1122_3344), 0x1122_33c8);
    assert_eq!(byte(1.5, 3, 0x1122_3344), 0x0222_3344);
    assert_eq!(byte(300.0, 2, 0), 0x00ff_0000);
    assert_eq!(byte(-5.0, 1, !0), 0xffff_00ff);
    assert_eq!(byte(f32::NAN, 5, !0), 0xffff_00ff);
    let case = Case::new("v_cvt_pkaccum_u8_f32")
        .src(0, [7f32.to_bits(); LANES])
        .src(1, [1; LANES]);
    assert_eq!(
        case.on(|w| w.vgprs[usize::from(DST)] = [0xaabb_ccdd; LANES])
            .row()[0],
        0xaabb_07dd
    );
    for i in 0..4u32 {
        let name = [
            "v_cvt_f32_ubyte0",
            "v_cvt_f32_ubyte1",
            "v_cvt_f32_ubyte2",
            "v_cvt_f32_ubyte3",
        ][i as usize];
        assert_eq!(
            f32::from_bits(one(name, &[0xff80_0103])),
            [3.0, 1.0, 128.0, 255.0][i as usize]
        );
    }
    for (nibble, expected) in [
        (0, 0.0),
        (1, 0.0625),
        (7, 0.4375),
        (8, -0.5),
        (15, -0.0625),
        (0x18, -0.5),
    ] {
        assert_eq!(f32::from_bits(one("v_cvt_off_f32_i4", &[nibble])), expected);
    }
}

#[test]
fn rounded_to_zero() {
    let pack = |a: f32, b: f32| one("v_cvt_pkrtz_f16_f32", &[a.to_bits(), b.to_bits()]);
    assert_eq!(pack(1.0, -2.0), 0xc000_3c00);
    // beyond the largest number: not infinity
    assert_eq!(pack(1e6, f32::NEG_INFINITY), 0xfc00_7bff);
    assert_eq!(pack(1.0009, -1.0009), 0xbc00_3c00);
    assert_eq!(pack(5.9e-8, 6e-8), 0x0001_0000);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn against_apfloat(x: u32, s in number::<F32>(), d in number::<F64>(), h in number::<F16>()) {
        for round in ROUNDS {
            let run = |name| Case::new(name).src(0, [x; LANES]).on(|w| w.mode = mode(round));
            let r = ap_round(round);
            let from = |x: i128| bits::<F32>(<rustc_apfloat::ieee::Single as Ap>::from_i128_r(x, r).value) as u32;
            prop_assert_eq!(run("v_cvt_f32_u32").row()[0], from(i128::from(x)));
            prop_assert_eq!(run("v_cvt_f32_i32").row()[0], from(i128::from(x as i32)));
            let half = |x: i128| bits::<F16>(<rustc_apfloat::ieee::Half as Ap>::from_i128_r(x, r).value) as u32;
            prop_assert_eq!(run("v_cvt_f16_u16").row()[0], half(i128::from(x & 0xffff)));
            prop_assert_eq!(run("v_cvt_f16_i16").row()[0], half(i128::from(x as i16)));
            prop_assert_eq!(run("v_cvt_f64_u32").row64()[0], f64::from(x).to_bits());
            prop_assert_eq!(run("v_cvt_f64_i32").row64()[0], f64::from(x as i32).to_bits());
            let mut lost = false;
            let wide = Case::new("v_cvt_f64_f32").src(0, [s as u32; LANES]).on(|w| w.mode = mode(round)).row64()[0];
            let theirs: rustc_apfloat::ieee::Double = ap::<F32>(s).convert_r(r, &mut lost).value;
            prop_assert_eq!(wide, bits::<F64>(theirs));
            let narrow = Case::new("v_cvt_f32_f64").src64(0, [d; LANES]).on(|w| w.mode = mode(round)).row()[0];
            let theirs: rustc_apfloat::ieee::Single = ap::<F64>(d).convert_r(r, &mut lost).value;
            prop_assert_eq!(u64::from(narrow), bits::<F32>(theirs));
            let narrow = Case::new("v_cvt_f16_f32").src(0, [s as u32; LANES]).on(|w| w.mode = mode(round)).row()[0];
            let theirs: rustc_apfloat::ieee::Half = ap::<F32>(s).convert_r(r, &mut lost).value;
            prop_assert_eq!(u64::from(narrow), bits::<F16>(theirs));
            let wide = Case::new("v_cvt_f32_f16").src(0, [h as u32 | 0xabc0_0000; LANES]).on(|w| w.mode = mode(round)).row()[0];
            let theirs: rustc_apfloat::ieee::Single = ap::<F16>(h).convert_r(r, &mut lost).value;
            prop_assert_eq!(u64::from(wide), bits::<F32>(theirs));
        }
    }
}

/// Denormals of each width follow the mode of that width.
#[test]
fn denormals() {
    // single flushed, half and double kept; the other way round
    let (single_off, wide_off) = (Mode(0xc0 | 0x300), Mode(0x30 | 0x300));
    let run = |name, x: u32, mode| Case::new(name).src(0, [x; LANES]).on(|w| w.mode = mode);
    assert_eq!(run("v_cvt_f64_f32", 1, single_off).row64()[0], 0);
    assert_eq!(
        run("v_cvt_f64_f32", 1, wide_off).row64()[0],
        2f64.powi(-149).to_bits()
    );
    assert_eq!(run("v_cvt_f32_f16", 0x8001, wide_off).row()[0], 0x8000_0000);
    assert_eq!(
        run("v_cvt_f32_f16", 0x0001, single_off).row()[0],
        2f32.powi(-24).to_bits()
    );
    let tiny = 2f32.powi(-20).to_bits();
    assert_eq!(run("v_cvt_f16_f32", tiny, single_off).row()[0], 0x10);
    assert_eq!(run("v_cvt_f16_f32", tiny, wide_off).row()[0], 0);
    let case = Case::new("v_cvt_f32_f64").src64(0, [2f64.powi(-130).to_bits(); LANES]);
    assert_eq!(case.on(|w| w.mode = single_off).row()[0], 0);
}
