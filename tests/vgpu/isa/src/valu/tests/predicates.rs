// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares, classes and selects.

use super::harness::{Case, Random, DST, MASK_IN};
use super::number::{ap, edges, number, Twin};
use crate::inst::{Ext, Operand, Sdwa, Sel, Unused};
use crate::mode::Mode;
use crate::valu::fp::{F16, F32, F64};
use crate::wave::{Row, LANES};
use proptest::collection::vec;
use proptest::prelude::*;
use std::cmp::Ordering;

/// The mask result of a compare of 16, 32 or 64 bits.
fn compare(name: &'static str, a: [u64; LANES], b: [u64; LANES]) -> u64 {
    let case = Case::new(name).with(|v| v.dst = super::harness::MASK_OUT);
    if name.ends_with("64") {
        case.src64(0, a).src64(1, b).mask()
    } else {
        case.src(0, a.map(|x| x as u32))
            .src(1, b.map(|x| x as u32))
            .mask()
    }
}

#[test]
fn integers() {
    let mut random = Random(3);
    let orders: [(&str, fn(Ordering) -> bool); 8] = [
        ("f", |_| false),
        ("lt", Ordering::is_lt),
        ("eq", Ordering::is_eq),
        ("le", Ordering::is_le),
        ("gt", Ordering::is_gt),
        ("ne", Ordering::is_ne),
        ("ge", Ordering::is_ge),
        ("t", |_| true),
    ];
    for (predicate, test) in orders {
        for (ty, bits, signed) in [
            ("i16", 16, true),
            ("u16", 16, false),
            ("i32", 32, true),
            ("u32", 32, false),
            ("i64", 64, true),
            ("u64", 64, false),
        ] {
            let name: &'static str = format!("v_cmp_{predicate}_{ty}").leak();
            let (a, mut b) = (random.row64(), random.row64());
            // some equal ones
            for l in (0..LANES).step_by(5) {
                b[l] = a[l];
            }
            let mask = compare(name, a, b);
            for l in 0..LANES {
                let cut = |x: u64| {
                    let x = i128::from(x) << (128 - bits);
                    if signed {
                        x >> (128 - bits)
                    } else {
                        (x as u128 >> (128 - bits)) as i128
                    }
                };
                assert_eq!(
                    mask >> l & 1 == 1,
                    test(cut(a[l]).cmp(&cut(b[l]))),
                    "{name} {:#x} {:#x}",
                    a[l],
                    b[l]
                );
            }
        }
    }
}

const FLOAT_PREDICATES: [(&str, fn(Option<Ordering>) -> bool); 16] = [
    ("f", |_| false),
    ("lt", |o| o == Some(Ordering::Less)),
    ("eq", |o| o == Some(Ordering::Equal)),
    ("le", |o| matches!(o, Some(Ordering::Less | Ordering::Equal))),
    ("gt", |o| o == Some(Ordering::Greater)),
    ("lg", |o| matches!(o, Some(Ordering::Less | Ordering::Greater))),
    ("ge", |o| matches!(o, Some(Ordering::Greater | Ordering::Equal))),
    ("o", |o| o.is_some()),
    ("u", |o| o.is_none()),
    ("nge", |o| !matches!(o, Some(Ordering::Greater | Ordering::Equal))),
    ("nlg", |o| !matches!(o, Some(Ordering::Less | Ordering::Greater))),
    ("ngt", |o| o != Some(Ordering::Greater)),
    ("nle", |o| !matches!(o, Some(Ordering::Less | Ordering::Equal))),
    ("neq", |o| o != Some(Ordering::Equal)),
    ("nlt", |o| o != Some(Ordering::Less)),
    ("tru", |_| true),
];

fn floats<F: Twin>(ty: &str, a: &[u64], b: &[u64]) -> Result<(), TestCaseError> {
    for (predicate, test) in FLOAT_PREDICATES {
        let name: &'static str = format!("v_cmp_{predicate}_{ty}").leak();
        let mask = compare(name, std::array::from_fn(|l| a[l]), std::array::from_fn(|l| b[l]));
        for l in 0..LANES {
            let expected = test(ap::<F>(a[l]).partial_cmp(&ap::<F>(b[l])));
            prop_assert_eq!(mask >> l & 1 == 1, expected, "{} {:#x} {:#x}", name, a[l], b[l]);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn numbers(
        h in vec(number::<F16>(), 2 * LANES), s in vec(number::<F32>(), 2 * LANES), d in vec(number::<F64>(), 2 * LANES),
    ) {
        floats::<F16>("f16", &h[..LANES], &h[LANES..])?;
        floats::<F32>("f32", &s[..LANES], &s[LANES..])?;
        floats::<F64>("f64", &d[..LANES], &d[LANES..])?;
    }
}

/// With denormals off they compare as zeros.
#[test]
fn denormals_compare_as_zeros() {
    let case = |mode: u32| {
        let case = Case::new("v_cmp_eq_f32")
            .src(0, [1; LANES])
            .src(1, [0x8000_0002; LANES]);
        case.on(|w| w.mode = Mode(mode))
            .with(|v| v.dst = super::harness::MASK_OUT)
            .mask()
    };
    assert_eq!(case(0xc0), u64::MAX);
    assert_eq!(case(0xf0), 0);
}

/// The class bits, one at a time, for one number of each class.
fn classes<F: Twin>(name: &'static str, quiet: u64) {
    let of = |bits: u64| [bits, bits | F::SIGN];
    let table = [
        (of(F::INF | 1), [0, 0]),
        (of(F::INF | quiet), [1, 1]),
        (of(F::INF), [9, 2]),
        (of(F::ONE), [8, 3]),
        (of(F::FRACTION), [7, 4]),
        (of(0), [6, 5]),
    ];
    for (numbers, bits) in table {
        for (number, bit) in numbers.into_iter().zip(bits) {
            // lane l asks for bit l
            let wanted: Row = std::array::from_fn(|l| if l < 32 { 1 << l } else { 0 });
            let case = Case::new(name).src64(0, [number; LANES]).src(1, wanted);
            let case = case.with(|v| v.dst = super::harness::MASK_OUT);
            // denormals are denormals in any mode
            assert_eq!(
                case.on(|w| w.mode = Mode(0)).mask(),
                1 << bit,
                "{name} {number:#x}"
            );
        }
    }
}

#[test]
fn class() {
    classes::<F16>("v_cmp_class_f16", F16::QUIET);
    classes::<F32>("v_cmp_class_f32", F32::QUIET);
    classes::<F64>("v_cmp_class_f64", F64::QUIET);
}

use crate::valu::fp::Float;

/// `v_cmpx` writes both masks; inactive lanes stay inactive.
#[test]
fn compare_and_set_exec() {
    for name in ["v_cmpx_lt_u32", "v_cmpx_lt_f32", "v_cmpx_lt_i32"] {
        let a: Row = std::array::from_fn(|l| l as u32);
        let case = Case::new(name)
            .src(0, a)
            .src(1, [32; LANES])
            .with(|v| v.dst = Operand::VCC);
        let wave = case.on(|w| (w.exec, w.vcc) = (0xff00_ff00_ff00_ff00, 0x55)).run();
        assert_eq!(wave.vcc, 0xff00_ff00, "{name}");
        assert_eq!(wave.exec, 0xff00_ff00, "{name}");
    }
    let case = Case::new("v_cmpx_class_f64")
        .src64(0, [F64::INF; LANES])
        .src(1, [1 << 9; LANES]);
    let wave = case.on(|w| w.exec = 6).with(|v| v.dst = Operand::VCC).run();
    assert_eq!((wave.exec, wave.vcc), (6, 6));
}

#[test]
fn select() {
    let (a, b): (Row, Row) = (
        std::array::from_fn(|l| l as u32),
        std::array::from_fn(|l| 0x8000_0000 | l as u32),
    );
    let mask = 0xdead_beef_0123_4567;
    let case = |f: &dyn Fn(&mut crate::inst::Vop)| {
        let case = Case::new("v_cndmask_b32").src(0, a).src(1, b).with(|v| {
            v.src[2] = MASK_IN;
            f(v);
        });
        case.on(|w| w.set_sgpr64(MASK_IN.0, mask).unwrap())
    };
    let out = case(&|_| ()).row();
    let modified = case(&|v| (v.neg, v.abs) = (0b01, 0b10)).row();
    for l in 0..LANES {
        let one = mask >> l & 1 == 1;
        assert_eq!(out[l], if one { b[l] } else { a[l] });
        assert_eq!(modified[l], if one { l as u32 } else { 0x8000_0000 | l as u32 });
    }
    // the result goes to a part of the register
    let sdwa = Sdwa {
        dst_sel: Sel::Word(1),
        unused: Unused::Preserve,
        sel: [Sel::Dword; 2],
        sext: [false; 2],
    };
    let case = case(&|v| v.ext = Ext::Sdwa(sdwa)).on(|w| w.vgprs[usize::from(DST)] = [0x77; LANES]);
    for (l, x) in case.row().iter().enumerate() {
        assert_eq!(*x, (l as u32) << 16 | 0x77);
    }
}

/// Minimum, maximum and median of all pairs of edges.
#[test]
fn extremes() {
    fn run<F: Float>(name: &'static str, src: &[u64]) -> u64 {
        if F::BITS == 64 {
            super::harness::one64(name, src)
        } else {
            let src: Vec<u32> = src.iter().map(|x| *x as u32).collect();
            u64::from(super::harness::one(name, &src))
        }
    }
    fn check<F: Twin>(min: &'static str, max: &'static str) {
        for &a in &edges::<F>() {
            for &b in &edges::<F>() {
                let (lesser, greater) = (run::<F>(min, &[a, b]), run::<F>(max, &[a, b]));
                let expected = if F::is_snan(a) {
                    (a | F::QUIET, a | F::QUIET)
                } else if F::is_snan(b) {
                    (b | F::QUIET, b | F::QUIET)
                } else if F::is_nan(a) {
                    (b, b)
                } else if F::is_nan(b) {
                    (a, a)
                } else {
                    // zeros are ordered by sign
                    let swap = match ap::<F>(a).partial_cmp(&ap::<F>(b)) {
                        Some(Ordering::Less) => false,
                        Some(Ordering::Greater) => true,
                        _ => F::is_negative(b),
                    };
                    if swap {
                        (b, a)
                    } else {
                        (a, b)
                    }
                };
                assert_eq!((lesser, greater), expected, "{min} {a:#x} {b:#x}");
            }
        }
    }
    check::<F16>("v_min_f16", "v_max_f16");
    check::<F32>("v_min_f32", "v_max_f32");
    check::<F64>("v_min_f64", "v_max_f64");
    let numbers = [-1.0f32, -0.0, 0.0, 1.0, 2.5, f32::INFINITY, f32::NEG_INFINITY];
    for a in numbers {
        for b in numbers {
            for c in numbers {
                let src = [a, b, c].map(f32::to_bits);
                let mut sorted = [a, b, c];
                sorted.sort_by(f32::total_cmp);
                let f = |name| f32::from_bits(super::harness::one(name, &src));
                assert_eq!(f("v_min3_f32"), sorted[0]);
                assert_eq!(f("v_med3_f32"), sorted[1]);
                assert_eq!(f("v_max3_f32"), sorted[2]);
            }
        }
    }
    let nan = f32::NAN.to_bits();
    let (one, two) = (1f32.to_bits(), 2f32.to_bits());
    assert_eq!(super::harness::one("v_med3_f32", &[two, nan, one]), one);
    assert_eq!(super::harness::one("v_min3_f32", &[nan, nan, two]), two);
    assert_eq!(super::harness::one("v_max3_f32", &[nan, one, two]), two);
    // without IEEE mode a signalling NaN loses like any other
    let case = Case::new("v_min_f32")
        .src(0, [0x7f80_0001; LANES])
        .src(1, [one; LANES]);
    assert_eq!(case.on(|w| w.mode = Mode(0xf0)).row()[0], one);
    for (name, expected) in [
        ("v_min3_f16", 0x3c00),
        ("v_med3_f16", 0x4000),
        ("v_max3_f16", 0x4200),
    ] {
        assert_eq!(super::harness::one(name, &[0x4000, 0x4200, 0x3c00]), expected);
    }
}
