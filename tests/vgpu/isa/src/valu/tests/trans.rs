// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Transcendental functions, and the pieces of 2/pi.

use super::harness::{one, one64};
use super::number::number;
use crate::valu::fp::trig_preop::trig_preop;
use crate::valu::fp::{Float, F32};
use proptest::prelude::*;

fn f(name: &'static str, x: f32) -> f32 {
    f32::from_bits(one(name, &[x.to_bits()]))
}

fn h(name: &'static str, x: u32) -> u32 {
    one(name, &[x])
}

fn d(name: &'static str, x: f64) -> f64 {
    f64::from_bits(one64(name, &[x.to_bits()]))
}

const INVALID: u32 = 0xffc0_0000;

#[test]
fn exact_values() {
    assert_eq!(f("v_rcp_f32", 4.0), 0.25);
    assert_eq!(f("v_rcp_iflag_f32", -3.0), -1.0 / 3.0);
    assert_eq!(f("v_rsq_f32", 16.0), 0.25);
    assert_eq!(f("v_sqrt_f32", 2.25), 1.5);
    assert_eq!(f("v_exp_f32", 10.0), 1024.0);
    assert_eq!(f("v_exp_legacy_f32", -1.0), 0.5);
    assert_eq!(f("v_log_f32", 1024.0), 10.0);
    assert_eq!(f("v_log_legacy_f32", 0.5), -1.0);
    for (turns, sin, cos) in [
        (0.0, 0.0, 1.0),
        (0.25, 1.0, 0.0),
        (-0.5, 0.0, -1.0),
        (1.75, -1.0, 0.0),
        (200.0, 0.0, 1.0),
    ] {
        assert_eq!(f("v_sin_f32", turns), sin, "sin {turns}");
        assert_eq!(f("v_cos_f32", turns), cos, "cos {turns}");
    }
    assert_eq!(d("v_rcp_f64", 3.0), 1.0 / 3.0);
    assert_eq!(d("v_rsq_f64", 4.0), 0.5);
    assert_eq!(d("v_sqrt_f64", 2.0), 2f64.sqrt());
    // half precision: 0x3c00 is 1, 0x4000 2, 0x3800 0.5, 0x4400 4
    assert_eq!(h("v_rcp_f16", 0x4000), 0x3800);
    assert_eq!(h("v_rsq_f16", 0x4400), 0x3800);
    assert_eq!(h("v_sqrt_f16", 0x4400), 0x4000);
    assert_eq!(h("v_exp_f16", 0x3c00), 0x4000);
    assert_eq!(h("v_log_f16", 0x4400), 0x4000);
    assert_eq!(h("v_sin_f16", 0x3400), 0x3c00);
    assert_eq!(h("v_cos_f16", 0x3800), 0xbc00);
}

#[test]
fn special_values() {
    let inf = f32::INFINITY;
    assert_eq!(f("v_rcp_f32", -0.0), -inf);
    assert_eq!(f("v_rcp_f32", inf).to_bits(), 0);
    assert_eq!(f("v_rcp_f32", -inf).to_bits(), 0x8000_0000);
    assert_eq!(f("v_rsq_f32", 0.0), inf);
    assert_eq!(f("v_rsq_f32", -0.0), -inf);
    assert_eq!(f("v_sqrt_f32", -0.0).to_bits(), 0x8000_0000);
    assert_eq!(f("v_exp_f32", -inf), 0.0);
    assert_eq!(f("v_exp_f32", 128.0), inf);
    assert_eq!(f("v_log_f32", -0.0), -inf);
    assert_eq!(f("v_log_f32", inf), inf);
    assert_eq!(f("v_sin_f32", 256.5), 0.0);
    assert_eq!(f("v_cos_f32", -256.5), 1.0);
    assert_eq!(f("v_sin_f32", -0.0).to_bits(), 0x8000_0000);
    for (name, x) in [
        ("v_rsq_f32", -1.0),
        ("v_sqrt_f32", -inf),
        ("v_log_f32", -1.0),
        ("v_sin_f32", inf),
        ("v_cos_f32", -inf),
    ] {
        assert_eq!(f(name, x).to_bits(), INVALID, "{name}");
    }
    for name in ["v_rcp_f32", "v_exp_f32", "v_log_f32", "v_sin_f32", "v_sqrt_f32"] {
        assert_eq!(one(name, &[0x7f80_0003]), 0x7fc0_0003, "{name}");
    }
}

/// Single precision does not know denormals here, half and double precision do.
#[test]
fn denormals() {
    assert_eq!(one("v_rcp_f32", &[0x0040_0000]), 0x7f80_0000);
    assert_eq!(f("v_rcp_f32", 2f32.powi(127)), 0.0);
    assert_eq!(f("v_exp_f32", -126.0), f32::MIN_POSITIVE);
    assert_eq!(f("v_exp_f32", -126.5), 0.0);
    assert_eq!(one("v_log_f32", &[1]), 0xff80_0000);
    assert_eq!(one("v_sqrt_f32", &[1]), 0);
    assert_eq!(h("v_rcp_f16", 0x7800), 0x0200);
    assert_eq!(h("v_sqrt_f16", 0x0100), 0x1c00);
    assert_eq!(d("v_rcp_f64", 2f64.powi(1023)), 2f64.powi(-1023));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Within an ulp of the host's single-precision functions.
    #[test]
    fn close_to_the_host(x in number::<F32>()) {
        let x = f32::from_bits(F32::flush(x, false) as u32);
        prop_assume!(!x.is_nan());
        let cases: [(&str, fn(f32) -> f32); 5] = [
            ("v_rcp_f32", |x| 1.0 / x),
            ("v_rsq_f32", |x| (1.0 / f64::from(x).sqrt()) as f32),
            ("v_sqrt_f32", f32::sqrt),
            ("v_exp_f32", f32::exp2),
            ("v_log_f32", f32::log2),
        ];
        for (name, host) in cases {
            let ours = f32::from_bits(one(name, &[x.to_bits()]));
            let theirs = f32::from_bits(F32::flush(u64::from(host(x).to_bits()), false) as u32);
            let close = ours == theirs
                || (ours.is_nan() && theirs.is_nan())
                || (ours.to_bits().abs_diff(theirs.to_bits()) <= 1);
            prop_assert!(close, "{} {}: {} {}", name, x, ours, theirs);
        }
    }

    /// Sine and cosine of turns, to the documented absolute accuracy.
    #[test]
    fn circle(x in -256f32..256.0) {
        let angle = f64::from(x).fract() * std::f64::consts::TAU;
        let (sin, cos) = (one("v_sin_f32", &[x.to_bits()]), one("v_cos_f32", &[x.to_bits()]));
        prop_assert!((f64::from(f32::from_bits(sin)) - angle.sin()).abs() < 1e-7);
        prop_assert!((f64::from(f32::from_bits(cos)) - angle.cos()).abs() < 1e-7);
    }
}

/// Numbers of many 32-bit digits, most significant first, as fractions of 2^32 to the power of their count.
type Digits = Vec<u64>;

fn divided(x: &Digits, by: u64) -> Digits {
    let mut rest = 0;
    x.iter()
        .map(|digit| {
            let part = (rest << 32) | digit;
            rest = part % by;
            part / by
        })
        .collect()
}

fn combined(x: &Digits, y: &Digits, minus: bool) -> Digits {
    let mut out = x.clone();
    let mut carry = 0i64;
    for i in (0..x.len()).rev() {
        let y = y[i] as i64;
        let digit = x[i] as i64 + if minus { -y } else { y } + carry;
        carry = digit >> 32;
        out[i] = (digit & 0xffff_ffff) as u64;
    }
    out
}

/// `scale * arctan(1 / x)`, by its series.
fn arctan(scale: u64, x: u64, digits: usize) -> Digits {
    let mut power = vec![0; digits];
    power[0] = scale;
    power = divided(&power, x);
    let mut sum = power.clone();
    for n in 1.. {
        power = divided(&power, x * x);
        let term = divided(&power, 2 * n + 1);
        if term.iter().all(|d| *d == 0) {
            break;
        }
        sum = combined(&sum, &term, n % 2 == 1);
    }
    sum
}

/// The bits of 2/pi by long division, against the pieces that the instruction gives.
#[test]
fn two_over_pi() {
    const DIGITS: usize = 48;
    // Machin: pi = 16 arctan(1/5) - 4 arctan(1/239); the first digit is the integer part
    let pi = combined(&arctan(16, 5, DIGITS), &arctan(4, 239, DIGITS), true);
    assert_eq!(pi[0], 3);
    let mut rest = vec![0; DIGITS];
    rest[0] = 2;
    let mut bits = Vec::new();
    for _ in 0..1201 {
        rest = combined(&rest, &rest.clone(), false);
        let bit = rest >= pi;
        if bit {
            rest = combined(&rest, &pi, true);
        }
        bits.push(u64::from(bit));
    }
    let piece = |from: usize| {
        let digit = |i: usize| bits.get(from + i).copied().unwrap_or(0);
        (0..53).fold(0, |x, i| (x << 1) | digit(i))
    };
    // in two steps, since the power alone would underflow
    let scaled = |x: u64, by: i32| x as f64 * 2f64.powi(by / 2) * 2f64.powi(by - by / 2);
    for segment in 0..22 {
        let expected = scaled(piece(53 * segment), -53 - 53 * segment as i32);
        assert_eq!(
            trig_preop(1.0f64.to_bits(), segment as u32),
            expected.to_bits(),
            "segment {segment}"
        );
    }
    // beyond 2^54 the segments move along with the exponent
    let x = 2f64.powi(100);
    let expected = scaled(piece(53 + 1023 + 100 - 1077), -53 - 53 - (1023 + 100 - 1077));
    assert_eq!(trig_preop(x.to_bits(), 1), expected.to_bits());
    // the largest get their weight back
    let x = 2f64.powi(1023);
    let from = 2046 - 1077;
    let expected = scaled(piece(from), -53 - from as i32 + 128);
    assert_eq!(trig_preop(x.to_bits(), 0), expected.to_bits());
    assert_eq!(
        f64::from_bits(one64("v_trig_preop_f64", &[1.0f64.to_bits(), 0])),
        piece(0) as f64 * 2f64.powi(-53)
    );
    assert!((f64::from_bits(trig_preop(0, 0)) - std::f64::consts::FRAC_2_PI).abs() < 1e-15);
}
