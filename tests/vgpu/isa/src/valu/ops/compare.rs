// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares. The result is a bit per lane in a pair of scalar registers; `v_cmpx_*` also leave it in EXEC. Lanes that are
//! not active give 0.

use crate::inst::Vop;
use crate::stop::Why;
use crate::valu::fp::class::class;
use crate::valu::fp::{half, Env, Float, F16, F32, F64};
use crate::valu::lanes::shape::sources;
use crate::valu::lanes::{result, source};
use crate::valu::Exec;
use crate::wave::{Wave, LANES};

/// Writes the mask; with `to_exec` also EXEC.
#[inline(always)]
fn put(wave: &mut Wave, vop: &Vop, to_exec: bool, lane: impl Fn(usize) -> bool) -> Result<(), Why> {
    let mut mask = 0;
    for l in 0..LANES {
        mask |= u64::from(lane(l)) << l;
    }
    let write = source::active(wave, vop)?;
    result::mask(wave, vop, vop.dst, mask)?;
    if to_exec {
        wave.exec = mask & write;
    }
    Ok(())
}

#[inline(always)]
fn b16(wave: &mut Wave, vop: &Vop, x: bool, f: impl Fn(u16, u16) -> bool) -> Result<(), Why> {
    let [a, b] = sources(|i| source::b16(wave, vop, i, false))?.map(|r| *r);
    put(wave, vop, x, |l| f(a[l] as u16, b[l] as u16))
}

#[inline(always)]
fn b32(wave: &mut Wave, vop: &Vop, x: bool, f: impl Fn(u32, u32) -> bool) -> Result<(), Why> {
    let [a, b] = sources(|i| source::b32(wave, vop, i))?.map(|r| *r);
    put(wave, vop, x, |l| f(a[l], b[l]))
}

#[inline(always)]
fn b64(wave: &mut Wave, vop: &Vop, x: bool, f: impl Fn(u64, u64) -> bool) -> Result<(), Why> {
    let [a, b] = sources(|i| source::b64(wave, vop, i, false))?.map(|r| *r);
    put(wave, vop, x, |l| f(a[l], b[l]))
}

#[inline(always)]
fn f16(wave: &mut Wave, vop: &Vop, x: bool, f: impl Fn(f32, f32) -> bool) -> Result<(), Why> {
    let keep = Env::half(wave.mode).denorm_in;
    let number = |x: u32| half::to_f32(F16::flush(u64::from(x & 0xffff), keep) as u32);
    let [a, b] = sources(|i| source::f16(wave, vop, i))?.map(|r| r.map(number));
    put(wave, vop, x, |l| f(a[l], b[l]))
}

#[inline(always)]
fn f32(wave: &mut Wave, vop: &Vop, x: bool, f: impl Fn(f32, f32) -> bool) -> Result<(), Why> {
    let keep = Env::single(wave.mode).denorm_in;
    let number = |x: u32| f32::from_bits(F32::flush(u64::from(x), keep) as u32);
    let [a, b] = sources(|i| source::f32(wave, vop, i))?.map(|r| r.map(number));
    put(wave, vop, x, |l| f(a[l], b[l]))
}

#[inline(always)]
fn f64(wave: &mut Wave, vop: &Vop, x: bool, f: impl Fn(f64, f64) -> bool) -> Result<(), Why> {
    let keep = Env::double(wave.mode).denorm_in;
    let number = |x: u64| f64::from_bits(F64::flush(x, keep));
    let [a, b] = sources(|i| source::f64(wave, vop, i))?.map(|r| r.map(number));
    put(wave, vop, x, |l| f(a[l], b[l]))
}

/// Whether the class of source 0 is among those that source 1 names.
fn class_of(
    wave: &mut Wave,
    vop: &Vop,
    to_exec: bool,
    of: fn(&Wave, &Vop) -> Result<[u32; LANES], Why>,
) -> Result<(), Why> {
    let class = of(wave, vop)?;
    let wanted = *source::b32(wave, vop, 1)?;
    put(wave, vop, to_exec, |l| class[l] & wanted[l] != 0)
}

fn class16(wave: &Wave, vop: &Vop) -> Result<[u32; LANES], Why> {
    Ok(source::f16(wave, vop, 0)?.map(|x| class::<F16>(u64::from(x & 0xffff))))
}

fn class32(wave: &Wave, vop: &Vop) -> Result<[u32; LANES], Why> {
    Ok(source::f32(wave, vop, 0)?.map(|x| class::<F32>(u64::from(x))))
}

fn class64(wave: &Wave, vop: &Vop) -> Result<[u32; LANES], Why> {
    Ok(source::f64(wave, vop, 0)?.map(class::<F64>))
}

/// Two instructions, `v_cmp_*` and `v_cmpx_*`, for each predicate of a type.
macro_rules! compares {
    ($shape:ident, $suffix:literal, $($name:literal => |$a:ident, $b:ident| $test:expr),* $(,)?) => {
        &[$(
            (concat!("v_cmp_", $name, $suffix), |w, v| $shape(w, v, false, |$a, $b| $test)),
            (concat!("v_cmpx_", $name, $suffix), |w, v| $shape(w, v, true, |$a, $b| $test)),
        )*]
    };
}

macro_rules! integer_compares {
    ($shape:ident, $suffix:literal, $ty:ty) => {
        compares!($shape, $suffix,
            "f" => |_a, _b| false,
            "lt" => |a, b| (a as $ty) < (b as $ty),
            "eq" => |a, b| a == b,
            "le" => |a, b| (a as $ty) <= (b as $ty),
            "gt" => |a, b| (a as $ty) > (b as $ty),
            "ne" => |a, b| a != b,
            "ge" => |a, b| (a as $ty) >= (b as $ty),
            "t" => |_a, _b| true,
        )
    };
}

// the negated predicates are true for NaNs, so they are not the opposite ones
macro_rules! float_compares {
    ($shape:ident, $suffix:literal) => {
        compares!($shape, $suffix,
            "f" => |_a, _b| false,
            "lt" => |a, b| a < b,
            "eq" => |a, b| a == b,
            "le" => |a, b| a <= b,
            "gt" => |a, b| a > b,
            "lg" => |a, b| a < b || a > b,
            "ge" => |a, b| a >= b,
            "o" => |a, b| !a.is_nan() && !b.is_nan(),
            "u" => |a, b| a.is_nan() || b.is_nan(),
            "nge" => |a, b| !(a >= b),
            "nlg" => |a, b| !(a < b || a > b),
            "ngt" => |a, b| !(a > b),
            "nle" => |a, b| !(a <= b),
            "neq" => |a, b| a != b,
            "nlt" => |a, b| !(a < b),
            "tru" => |_a, _b| true,
        )
    };
}

/// Signed 16-bit integers.
pub static I16: &[(&str, Exec)] = integer_compares!(b16, "_i16", i16);
/// Unsigned 16-bit integers.
pub static U16: &[(&str, Exec)] = integer_compares!(b16, "_u16", u16);
/// Signed 32-bit integers.
pub static I32: &[(&str, Exec)] = integer_compares!(b32, "_i32", i32);
/// Unsigned 32-bit integers.
pub static U32: &[(&str, Exec)] = integer_compares!(b32, "_u32", u32);
/// Signed 64-bit integers.
pub static I64: &[(&str, Exec)] = integer_compares!(b64, "_i64", i64);
/// Unsigned 64-bit integers.
pub static U64: &[(&str, Exec)] = integer_compares!(b64, "_u64", u64);
/// Half precision.
#[allow(clippy::neg_cmp_op_on_partial_ord, clippy::double_comparisons)]
pub static HALF: &[(&str, Exec)] = float_compares!(f16, "_f16");
/// Single precision.
#[allow(clippy::neg_cmp_op_on_partial_ord, clippy::double_comparisons)]
pub static SINGLE: &[(&str, Exec)] = float_compares!(f32, "_f32");
/// Double precision.
#[allow(clippy::neg_cmp_op_on_partial_ord, clippy::double_comparisons)]
pub static DOUBLE: &[(&str, Exec)] = float_compares!(f64, "_f64");
/// Classes of numbers.
pub static CLASS: &[(&str, Exec)] = &[
    ("v_cmp_class_f16", |w, v| class_of(w, v, false, class16)),
    ("v_cmpx_class_f16", |w, v| class_of(w, v, true, class16)),
    ("v_cmp_class_f32", |w, v| class_of(w, v, false, class32)),
    ("v_cmpx_class_f32", |w, v| class_of(w, v, true, class32)),
    ("v_cmp_class_f64", |w, v| class_of(w, v, false, class64)),
    ("v_cmpx_class_f64", |w, v| class_of(w, v, true, class64)),
];
