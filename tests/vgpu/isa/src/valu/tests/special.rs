// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Floating-point instructions by name: which operand is which, what MODE changes, output modifiers.

use super::harness::{one, one64, Case, DST, HIP_MODE};
use super::number::{ap, ap_round, bits, edges, number, Twin, ROUNDS};
use crate::mode::{Mode, Round};
use crate::valu::fp::{F16, F32, F64};
use crate::wave::LANES;
use proptest::prelude::*;
use rustc_apfloat::Float as Ap;

fn f(name: &'static str, src: &[f32]) -> f32 {
    f32::from_bits(one(name, &src.iter().map(|x| x.to_bits()).collect::<Vec<_>>()))
}

fn d(name: &'static str, src: &[f64]) -> f64 {
    f64::from_bits(one64(name, &src.iter().map(|x| x.to_bits()).collect::<Vec<_>>()))
}

#[test]
fn operands() {
    for (name, expected) in [
        ("v_add_f32", 9.0),
        ("v_sub_f32", 5.0),
        ("v_subrev_f32", -5.0),
        ("v_mul_f32", 14.0),
        ("v_mul_legacy_f32", 14.0),
        ("v_min_f32", 2.0),
        ("v_max_f32", 7.0),
        ("v_fma_f32", 25.0),
        ("v_fmac_f32", 25.0),
        ("v_mad_f32", 25.0),
        ("v_mac_f32", 25.0),
        ("v_madmk_f32", 25.0),
        ("v_madak_f32", 25.0),
        ("v_mad_legacy_f32", 25.0),
    ] {
        assert_eq!(f(name, &[7.0, 2.0, 11.0]), expected, "{name}");
    }
    for (name, expected) in [
        ("v_add_f64", 9.0),
        ("v_mul_f64", 14.0),
        ("v_min_f64", 2.0),
        ("v_max_f64", 7.0),
        ("v_fma_f64", 25.0),
        ("v_fmac_f64", 25.0),
    ] {
        assert_eq!(d(name, &[7.0, 2.0, 11.0]), expected, "{name}");
    }
    // half precision: 2, 3 and 4 are 0x4000, 0x4200, 0x4400
    for (name, expected) in [
        ("v_add_f16", 0x4500),
        ("v_sub_f16", 0xbc00),
        ("v_subrev_f16", 0x3c00),
        ("v_mul_f16", 0x4600),
        ("v_min_f16", 0x4000),
        ("v_max_f16", 0x4200),
        ("v_fma_f16", 0x4900),
        ("v_fma_legacy_f16", 0x4900),
        ("v_mad_f16", 0x4900),
        ("v_mad_legacy_f16", 0x4900),
        ("v_mac_f16", 0x4900),
        ("v_madmk_f16", 0x4900),
        ("v_madak_f16", 0x4900),
    ] {
        assert_eq!(one(name, &[0x4000, 0x4200, 0x4400]), expected, "{name}");
    }
}

#[test]
fn integral() {
    for (x, floor, ceil, trunc, even) in [
        (2.5, 2.0, 3.0, 2.0, 2.0),
        (-2.5, -3.0, -2.0, -2.0, -2.0),
        (3.5, 3.0, 4.0, 3.0, 4.0),
        (-0.25, -1.0, -0.0, -0.0, -0.0),
        (8388608.5, 8388608.0, 8388608.0, 8388608.0, 8388608.0),
        (
            f32::INFINITY,
            f32::INFINITY,
            f32::INFINITY,
            f32::INFINITY,
            f32::INFINITY,
        ),
    ] {
        for (suffix, expected) in [
            ("floor", floor),
            ("ceil", ceil),
            ("trunc", trunc),
            ("rndne", even),
        ] {
            let name = |ty: &str| -> &'static str { format!("v_{suffix}_{ty}").leak() };
            assert_eq!(f(name("f32"), &[x]).to_bits(), expected.to_bits(), "{suffix} {x}");
            assert_eq!(
                d(name("f64"), &[f64::from(x)]).to_bits(),
                f64::from(expected).to_bits(),
                "{suffix} {x}"
            );
        }
    }
    // 1.5 in half precision
    for (name, expected) in [
        ("v_floor_f16", 0x3c00),
        ("v_ceil_f16", 0x4000),
        ("v_trunc_f16", 0x3c00),
        ("v_rndne_f16", 0x4000),
        ("v_fract_f16", 0x3800),
    ] {
        assert_eq!(one(name, &[0x3e00]), expected, "{name}");
    }
}

#[test]
fn fractions() {
    assert_eq!(f("v_fract_f32", &[2.75]), 0.75);
    assert_eq!(f("v_fract_f32", &[-2.75]), 0.25);
    assert_eq!(f("v_fract_f32", &[-1e-10]).to_bits(), 0x3f7f_ffff);
    assert_eq!(d("v_fract_f64", &[-1e-30]).to_bits(), 0x3fef_ffff_ffff_ffff);
    assert!(f("v_fract_f32", &[f32::INFINITY]).is_nan());
    for (x, mantissa, exponent) in [
        (8.0, 0.5, 4),
        (-3.0, -0.75, 2),
        (f32::from_bits(1), 0.5, -148),
        (0.0, 0.0, 0),
        (-0.0, -0.0, 0),
    ] {
        assert_eq!(
            f("v_frexp_mant_f32", &[x]).to_bits(),
            f32::to_bits(mantissa),
            "{x}"
        );
        assert_eq!(one("v_frexp_exp_i32_f32", &[x.to_bits()]) as i32, exponent, "{x}");
        assert_eq!(d("v_frexp_mant_f64", &[f64::from(x)]), f64::from(mantissa), "{x}");
        let case = Case::new("v_frexp_exp_i32_f64").src64(0, [f64::from(x).to_bits(); LANES]);
        assert_eq!(case.row()[0] as i32, exponent, "{x}");
    }
    for x in [f32::INFINITY, f32::NEG_INFINITY] {
        assert_eq!(f("v_frexp_mant_f32", &[x]), x);
        assert_eq!(one("v_frexp_exp_i32_f32", &[x.to_bits()]), 0);
    }
    // half precision: 3 is 0x4200, 0.75 0x3a00; the smallest denormal is 2^-24
    assert_eq!(one("v_frexp_mant_f16", &[0x4200]), 0x3a00);
    assert_eq!(one("v_frexp_exp_i16_f16", &[0x4200]), 2);
    assert_eq!(one("v_frexp_exp_i16_f16", &[1]), 0xffff - 22);
}

#[test]
fn powers() {
    assert_eq!(f32::from_bits(one("v_ldexp_f32", &[3f32.to_bits(), 4])), 48.0);
    assert_eq!(one("v_ldexp_f32", &[1f32.to_bits(), -149i32 as u32]), 1);
    assert_eq!(
        f32::from_bits(one("v_ldexp_f32", &[1f32.to_bits(), 500])),
        f32::INFINITY
    );
    let case = Case::new("v_ldexp_f64")
        .src64(0, [3f64.to_bits(); LANES])
        .src(1, [-3i32 as u32; LANES]);
    assert_eq!(f64::from_bits(case.row64()[0]), 0.375);
    // the exponent has 16 bits
    assert_eq!(one("v_ldexp_f16", &[0x3c00, 0xabcd_0001]), 0x4000);
    assert_eq!(one("v_ldexp_f16", &[0x3c00, 0xffff]), 0x3800);
}

#[test]
fn legacy_zeros() {
    assert_eq!(f("v_mul_legacy_f32", &[0.0, f32::INFINITY]), 0.0);
    assert_eq!(f("v_mul_legacy_f32", &[f32::NAN, -0.0]).to_bits(), 0);
    assert_eq!(f("v_mad_legacy_f32", &[f32::INFINITY, 0.0, 3.0]), 3.0);
    assert!(f("v_mul_f32", &[0.0, f32::INFINITY]).is_nan());
}

/// The unfused instructions round twice and have no denormals in any mode.
#[test]
fn multiply_then_add() {
    let (a, c) = (1.0 + f32::EPSILON, -(1.0 + 2.0 * f32::EPSILON));
    assert_eq!(f("v_mad_f32", &[a, a, c]), 0.0);
    assert_eq!(f("v_fma_f32", &[a, a, c]), f32::EPSILON * f32::EPSILON);
    let denormal = f32::from_bits(0x0040_0000);
    assert_eq!(f("v_mad_f32", &[1.0, denormal, 0.0]).to_bits(), 0);
    assert_eq!(f("v_mac_f32", &[0.5, f32::MIN_POSITIVE, 0.0]).to_bits(), 0);
    assert_eq!(f("v_fma_f32", &[1.0, denormal, 0.0]), denormal);
    assert_eq!(one("v_mad_f16", &[0x3c00, 0x0200, 0]), 0);
    assert_eq!(one("v_fma_f16", &[0x3c00, 0x0200, 0]), 0x0200);
}

#[test]
fn cube() {
    // x, y, z; face, s, t, twice the major axis
    for (xyz, face, s, t, major) in [
        ([3.0, 1.0, 2.0], 0.0, -2.0, -1.0, 6.0),
        ([-3.0, 1.0, 2.0], 1.0, 2.0, -1.0, -6.0),
        ([1.0, 3.0, 2.0], 2.0, 1.0, 2.0, 6.0),
        ([1.0, -3.0, 2.0], 3.0, 1.0, -2.0, -6.0),
        ([1.0, 2.0, 3.0], 4.0, 1.0, -2.0, 6.0),
        ([1.0, 2.0, -3.0], 5.0, -1.0, -2.0, -6.0),
        ([1.0, 1.0, 1.0], 4.0, 1.0, -1.0, 2.0),
    ] {
        assert_eq!(f("v_cubeid_f32", &xyz), face, "{xyz:?}");
        assert_eq!(f("v_cubesc_f32", &xyz), s, "{xyz:?}");
        assert_eq!(f("v_cubetc_f32", &xyz), t, "{xyz:?}");
        assert_eq!(f("v_cubema_f32", &xyz), major, "{xyz:?}");
    }
}

#[test]
fn source_modifiers() {
    let run = |abs, neg, x: f32, y: f32| {
        let case = Case::new("v_add_f32")
            .src(0, [x.to_bits(); LANES])
            .src(1, [y.to_bits(); LANES]);
        f32::from_bits(case.with(|v| (v.abs, v.neg) = (abs, neg)).row()[0])
    };
    assert_eq!(run(0, 1, 3.0, 5.0), 2.0);
    assert_eq!(run(0, 2, 3.0, 5.0), -2.0);
    assert_eq!(run(1, 0, -3.0, 5.0), 8.0);
    // abs before neg
    assert_eq!(run(1, 1, -3.0, 5.0), 2.0);
    let case = Case::new("v_mul_f64")
        .src64(0, [(-2f64).to_bits(); LANES])
        .src64(1, [3f64.to_bits(); LANES]);
    assert_eq!(
        f64::from_bits(case.with(|v| (v.abs, v.neg) = (1, 2)).row64()[0]),
        -6.0
    );
    let case = Case::new("v_add_f16")
        .src(0, [0xbc00; LANES])
        .src(1, [0x4000; LANES]);
    assert_eq!(case.with(|v| (v.abs, v.neg) = (1, 2)).row()[0], 0xbc00);
    // integers have neither
    let case = Case::new("v_add_u32").src(0, [1; LANES]).src(1, [2; LANES]);
    assert_eq!(case.with(|v| (v.abs, v.neg) = (3, 3)).row()[0], 3);
}

#[test]
fn output_modifiers() {
    let run = |mode: u32, omod, clamp, x: f32| {
        let case = Case::new("v_add_f32")
            .src(0, [x.to_bits(); LANES])
            .src(1, [0x8000_0000; LANES]);
        f32::from_bits(
            case.on(|w| w.mode = Mode(mode))
                .with(|v| (v.omod, v.clamp) = (omod, clamp))
                .row()[0],
        )
    };
    // denormals off, no IEEE mode: the multiplier works
    assert_eq!(run(0, 1, false, 3.0), 6.0);
    assert_eq!(run(0, 2, false, 3.0), 12.0);
    assert_eq!(run(0, 3, false, 3.0), 1.5);
    assert_eq!(run(0, 1, false, -0.0).to_bits(), 0);
    assert_eq!(run(0, 3, false, f32::MIN_POSITIVE), 0.0);
    // IEEE mode or denormals: it does not
    assert_eq!(run(0x200, 1, false, 3.0), 3.0);
    assert_eq!(run(0x30, 1, false, 3.0), 3.0);
    for (x, expected) in [
        (3.0, 1.0),
        (0.25, 0.25),
        (-1.0, 0.0),
        (f32::INFINITY, 1.0),
        (f32::NEG_INFINITY, 0.0),
    ] {
        assert_eq!(run(HIP_MODE.0, 0, true, x), expected, "{x}");
    }
    assert_eq!(run(HIP_MODE.0, 0, true, -0.0).to_bits(), 0);
    assert_eq!(run(HIP_MODE.0, 0, true, f32::NAN).to_bits(), 0);
    assert!(run(HIP_MODE.0 & !0x100, 0, true, f32::NAN).is_nan());
    // first the multiplier, then the clamp
    assert_eq!(run(0, 2, true, 0.2), 0.8);
    assert_eq!(run(0, 2, true, 0.5), 1.0);
    let case = Case::new("v_add_f64")
        .src64(0, [5f64.to_bits(); LANES])
        .with(|v| v.clamp = true);
    assert_eq!(f64::from_bits(case.row64()[0]), 1.0);
    let case = Case::new("v_mul_f16")
        .src(0, [0x4000; LANES])
        .src(1, [0x4000; LANES])
        .with(|v| v.clamp = true);
    assert_eq!(case.row()[0], 0x3c00);
}

/// Instructions of each width obey their own rounding field.
#[test]
fn rounding_fields() {
    let tiny = [f32::MIN_POSITIVE.to_bits(); LANES];
    for (i, round) in ROUNDS.into_iter().enumerate() {
        let up = u32::from(round == Round::Up);
        let case = Case::new("v_add_f32")
            .src(0, [1f32.to_bits(); LANES])
            .src(1, tiny);
        let out = case.on(|w| w.mode = Mode(HIP_MODE.0 | i as u32)).row();
        assert_eq!(out[0], 1f32.to_bits() + up, "{round:?}");
        let case = Case::new("v_add_f16").src(0, [0x3c00; LANES]).src(1, [1; LANES]);
        let out = case.on(|w| w.mode = Mode(HIP_MODE.0 | (i as u32) << 2)).row();
        assert_eq!(out[0], 0x3c00 + up, "{round:?}");
        let case = Case::new("v_add_f64")
            .src64(0, [1f64.to_bits(); LANES])
            .src64(1, [1; LANES]);
        let out = case.on(|w| w.mode = Mode(HIP_MODE.0 | (i as u32) << 2)).row64();
        assert_eq!(out[0], 1f64.to_bits() + u64::from(up), "{round:?}");
    }
}

/// Half-precision overflow with FP16_OVFL.
#[test]
fn half_overflow() {
    for (mode, expected) in [(HIP_MODE.0, 0x7c00), (HIP_MODE.0 | 1 << 23, 0x7bff)] {
        for (name, src) in [
            ("v_add_f16", [0x7bff, 0x7bff]),
            ("v_mul_f16", [0x7bff, 0x4000]),
            ("v_cvt_f16_f32", [0x4800_0000, 0]),
        ] {
            let case = Case::new(name).src(0, [src[0]; LANES]).src(1, [src[1]; LANES]);
            assert_eq!(case.on(|w| w.mode = Mode(mode)).row()[0], expected, "{name}");
        }
    }
}

fn twin<F: Twin>(
    add: &'static str,
    mul: &'static str,
    fma: &'static str,
    src: [u64; 3],
) -> Result<(), TestCaseError> {
    let [x, y, z] = src.map(ap::<F>);
    let r = ap_round(Round::NearestEven);
    for (name, theirs) in [
        (add, x.add_r(y, r).value),
        (mul, x.mul_r(y, r).value),
        (fma, x.mul_add_r(y, z, r).value),
    ] {
        let ours = if F::BITS == 64 {
            one64(name, &src)
        } else {
            u64::from(one(name, &src.map(|x| x as u32)))
        };
        if theirs.is_nan() {
            prop_assert!(F::is_nan(ours), "{} {:x?}", name, src);
        } else {
            prop_assert_eq!(ours, bits::<F>(theirs), "{} {:x?}", name, src);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn against_apfloat(h: [u16; 3], s in prop::array::uniform3(number::<F32>()), d in prop::array::uniform3(number::<F64>())) {
        twin::<F16>("v_add_f16", "v_mul_f16", "v_fma_f16", h.map(u64::from))?;
        twin::<F32>("v_add_f32", "v_mul_f32", "v_fma_f32", s)?;
        twin::<F64>("v_add_f64", "v_mul_f64", "v_fma_f64", d)?;
    }
}

/// Lanes that EXEC leaves out keep what they had.
#[test]
fn inactive_lanes() {
    for name in [
        "v_add_f32",
        "v_mov_b32",
        "v_rcp_f32",
        "v_cvt_f16_f32",
        "v_pk_add_f16",
        "v_mad_u16",
    ] {
        let case = Case::new(name).src(0, [1f32.to_bits(); LANES]).on(|w| {
            w.exec = 0xaaaa_aaaa_5555_5555;
            w.vgprs[usize::from(DST)] = [0xdead_beef; LANES];
        });
        for (l, x) in case.row().iter().enumerate() {
            let active = 0xaaaa_aaaa_5555_5555u64 >> l & 1 == 1;
            assert_eq!(*x == 0xdead_beef, !active, "{name} lane {l}");
        }
    }
}

/// Results do not depend on what other lanes hold: NaNs among numbers.
#[test]
fn mixed_rows() {
    let list = edges::<F32>();
    let a = std::array::from_fn(|l| list[l % list.len()] as u32);
    let b = std::array::from_fn(|l| list[(l * 7) % list.len()] as u32);
    let out = Case::new("v_add_f32").src(0, a).src(1, b).row();
    for l in 0..LANES {
        assert_eq!(out[l], one("v_add_f32", &[a[l], b[l]]));
    }
}
