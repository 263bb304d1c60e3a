// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Transcendental functions, within a unit in the last place of the host's, and the pieces of 2/pi.

use super::float::{operand, result, Format};
use super::vector::{In, Model};
use rustc_apfloat::ieee::{Double, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};
use std::sync::LazyLock;

fn turns(x: f64, outside: f64, f: fn(f64) -> f64) -> f64 {
    match x.abs() {
        a if a.is_infinite() => f64::NAN,
        a if a > 256.0 => outside,
        // exact at quarters, which the host's pi is not
        _ if x.fract() == 0.0 || x.fract().abs() == 0.5 => f(x.fract() * std::f64::consts::TAU).round(),
        _ if x.fract().abs() == 0.25 || x.fract().abs() == 0.75 => {
            f(x.fract() * std::f64::consts::TAU).round()
        }
        _ => f(x.fract() * std::f64::consts::TAU),
    }
}

/// Whether `got` is the function of source 0, give or take a unit in the last place. Single precision knows no denormals here;
/// sines are accurate in absolute terms only.
fn near<F: Format + FloatConvert<Double>>(x: &In, got: u128, f: fn(f64) -> f64, absolute: f64) -> bool
where
    Double: FloatConvert<F>,
{
    let single = F::WIDTH == super::vector::Width::Single;
    let input = if single {
        In {
            mode: x.mode & !0x30,
            ..*x
        }
    } else {
        *x
    };
    let mut lossless = false;
    let wide: Double = operand::<F>(x.src[0], input.mode).convert(&mut lossless).value;
    let exact = f(f64::from_bits(wide.to_bits() as u64));
    // rounded once by MODE, if half precision, and anywhere near otherwise
    [
        Round::NearestTiesToEven,
        Round::TowardPositive,
        Round::TowardNegative,
    ]
    .iter()
    .any(|r| {
        let y: F = Double::from_bits(exact.to_bits().into())
            .convert_r(*r, &mut lossless)
            .value;
        [y, y.next_up().value, y.next_down().value].iter().any(|y| {
            let y = if y.is_infinite() && exact.is_finite() && exact.abs() < 1e4 {
                F::largest().copy_sign(*y)
            } else {
                *y
            };
            let expected = result(y, &input);
            expected == got || F::WIDTH.is_nan(expected) && F::WIDTH.is_nan(got)
        })
    }) || {
        // the sign of a zero at half turns is not documented
        let got: Double = F::from_bits(got).convert(&mut lossless).value;
        let plain = !x.clamp && (x.omod == 0 || x.mode & 0x200 != 0);
        plain && (f64::from_bits(got.to_bits() as u64) - exact).abs() <= absolute
    }
}

/// The model of `$f` in the format that the name ends with.
macro_rules! function {
    ($name:ident, $f:expr, $absolute:expr) => {
        match $name.rsplit_once('_')?.1 {
            "f16" => Some(Model::Judge(|x, got| near::<Half>(x, got, $f, $absolute))),
            "f32" => Some(Model::Judge(|x, got| near::<Single>(x, got, $f, $absolute))),
            "f64" => Some(Model::Judge(|x, got| near::<Double>(x, got, $f, -1.0))),
            _ => None,
        }
    };
}

/// 1201 bits of 2/pi, most significant first, by long division through pi (Machin's formula).
static TWO_OVER_PI: LazyLock<Vec<u8>> = LazyLock::new(|| {
    const DIGITS: usize = 48;
    type Number = Vec<u32>;
    fn divide(x: &mut Number, by: u64) {
        let mut rest = 0;
        for digit in x {
            let part = rest << 32 | u64::from(*digit);
            *digit = (part / by) as u32;
            rest = part % by;
        }
    }
    fn combine(x: &mut Number, y: &Number, minus: bool) {
        let mut carry = 0;
        for (a, b) in x.iter_mut().zip(y).rev() {
            let b = i64::from(*b);
            let sum = i64::from(*a) + if minus { -b } else { b } + carry;
            *a = sum as u32;
            carry = sum >> 32;
        }
    }
    let arctan = |scale: u32, x: u64| {
        let mut power = vec![0; DIGITS];
        power[0] = scale;
        divide(&mut power, x);
        let mut sum = power.clone();
        for n in 1..2000 {
            divide(&mut power, x * x);
            let mut term = power.clone();
            divide(&mut term, 2 * n + 1);
            combine(&mut sum, &term, n % 2 == 1);
        }
        sum
    };
    let mut pi = arctan(16, 5);
    combine(&mut pi, &arctan(4, 239), true);
    let mut rest = vec![0; DIGITS];
    rest[0] = 2;
    (0..1201)
        .map(|_| {
            let twice = rest.clone();
            combine(&mut rest, &twice, false);
            let one = rest >= pi;
            if one {
                combine(&mut rest, &pi, true);
            }
            u8::from(one)
        })
        .collect()
});

/// 53 bits of 2/pi as a number of their weight: which ones, source 1 and the exponent of source 0 say.
fn piece(x: &In) -> u128 {
    let exponent = (x.src[0] >> 52 & 0x7ff) as usize;
    let shift = 53 * (x.src[1] as usize % 32) + exponent.saturating_sub(1077);
    let bits = (0..53).fold(0u64, |n, i| {
        n << 1 | u64::from(TWO_OVER_PI.get(shift + i).copied().unwrap_or(0))
    });
    let weight = -53 - shift as i32 + if exponent >= 1968 { 128 } else { 0 };
    result(Double::from_u128(bits.into()).value.scalbn(weight), x)
}

pub(crate) fn model(name: &str) -> Option<Model> {
    match name {
        "v_rcp_f16" | "v_rcp_f32" | "v_rcp_f64" | "v_rcp_iflag_f32" => function!(name, |x| 1.0 / x, -1.0),
        "v_rsq_f16" | "v_rsq_f32" | "v_rsq_f64" => function!(name, |x| 1.0 / x.sqrt(), -1.0),
        "v_sqrt_f16" | "v_sqrt_f32" | "v_sqrt_f64" => function!(name, f64::sqrt, -1.0),
        "v_exp_f16" | "v_exp_f32" | "v_exp_legacy_f32" => function!(name, f64::exp2, -1.0),
        "v_log_f16" | "v_log_f32" | "v_log_legacy_f32" => function!(name, f64::log2, -1.0),
        "v_sin_f16" | "v_sin_f32" => function!(name, |x| turns(x, 0.0, f64::sin), 1e-7),
        "v_cos_f16" | "v_cos_f32" => function!(name, |x| turns(x, 1.0, f64::cos), 1e-7),
        "v_trig_preop_f64" => Some(Model::Float(super::vector::Width::Double, piece)),
        _ => None,
    }
}
