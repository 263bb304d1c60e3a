// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares. The result is a bit per lane in a pair of scalar registers; `v_cmpx_*` also leave it in EXEC. Lanes that are
//! not active give 0.

use crate::inst::Vop;
use crate::stop::Why;
use crate::valu::fp::class::class;
use crate::valu::fp::{half, Env, Float, F16, F32, F64};
use crate::valu::lanes::{result, source};
use crate::valu::Exec;
use crate::wave::{Wave, LANES};
use std::cmp::Ordering;

/// How the operands compare, a bit for each lane. No bit is set where one of them is NaN.
struct Order {
    less: u64,
    equal: u64,
    greater: u64,
}

impl Order {
    fn new(lane: impl Fn(usize) -> Option<Ordering>) -> Self {
        let bits = |order| (0..LANES).fold(0, |mask, l| mask | (u64::from(lane(l) == Some(order)) << l));
        Self {
            less: bits(Ordering::Less),
            equal: bits(Ordering::Equal),
            greater: bits(Ordering::Greater),
        }
    }

    fn ordered(&self) -> u64 {
        self.less | self.equal | self.greater
    }
}

/// Writes the mask; with `to_exec` also EXEC.
fn put(wave: &mut Wave, vop: &Vop, to_exec: bool, mask: u64) -> Result<(), Why> {
    let write = source::active(wave, vop)?;
    result::mask(wave, vop, vop.dst, mask)?;
    if to_exec {
        wave.exec = mask & write;
    }
    Ok(())
}

fn b16<T: Ord>(wave: &Wave, vop: &Vop, as_type: impl Fn(u16) -> T) -> Result<Order, Why> {
    let mut buffers = [[0; LANES]; 2];
    let [a, b] = source::all(&mut buffers, |i, b| source::b16_in(wave, vop, i, false, b))?;
    Ok(Order::new(|l| {
        as_type(a[l] as u16).partial_cmp(&as_type(b[l] as u16))
    }))
}

fn b32<T: Ord>(wave: &Wave, vop: &Vop, as_type: impl Fn(u32) -> T) -> Result<Order, Why> {
    let mut buffers = [[0; LANES]; 2];
    let [a, b] = source::all(&mut buffers, |i, b| source::b32_in(wave, vop, i, b))?;
    Ok(Order::new(|l| as_type(a[l]).partial_cmp(&as_type(b[l]))))
}

fn b64<T: Ord>(wave: &Wave, vop: &Vop, as_type: impl Fn(u64) -> T) -> Result<Order, Why> {
    let mut buffers = [[0; LANES]; 2];
    let [a, b] = source::all(&mut buffers, |i, b| source::b64_in(wave, vop, i, false, b))?;
    Ok(Order::new(|l| as_type(a[l]).partial_cmp(&as_type(b[l]))))
}

fn f16(wave: &Wave, vop: &Vop) -> Result<Order, Why> {
    let keep = Env::half(wave.mode).denorm_in;
    let number = |x: u32| half::to_f32(F16::flush(u64::from(x & 0xffff), keep) as u32);
    let mut buffers = [[0; LANES]; 2];
    let [a, b] = source::all(&mut buffers, |i, b| source::f16_in(wave, vop, i, b))?;
    let (a, b) = (a.map(number), b.map(number));
    Ok(Order::new(|l| a[l].partial_cmp(&b[l])))
}

fn f32(wave: &Wave, vop: &Vop) -> Result<Order, Why> {
    let keep = Env::single(wave.mode).denorm_in;
    let number = |x: u32| f32::from_bits(F32::flush(u64::from(x), keep) as u32);
    let mut buffers = [[0; LANES]; 2];
    let [a, b] = source::all(&mut buffers, |i, b| source::f32_in(wave, vop, i, b))?;
    let (a, b) = (a.map(number), b.map(number));
    Ok(Order::new(|l| a[l].partial_cmp(&b[l])))
}

fn f64(wave: &Wave, vop: &Vop) -> Result<Order, Why> {
    let keep = Env::double(wave.mode).denorm_in;
    let number = |x: u64| f64::from_bits(F64::flush(x, keep));
    let mut buffers = [[0; LANES]; 2];
    let [a, b] = source::all(&mut buffers, |i, b| source::f64_in(wave, vop, i, b))?;
    let (a, b) = (a.map(number), b.map(number));
    Ok(Order::new(|l| a[l].partial_cmp(&b[l])))
}

// one function per type, whatever the predicate
fn i16(wave: &Wave, vop: &Vop) -> Result<Order, Why> {
    b16(wave, vop, |x| x as i16)
}
fn u16(wave: &Wave, vop: &Vop) -> Result<Order, Why> {
    b16(wave, vop, |x| x)
}
fn i32(wave: &Wave, vop: &Vop) -> Result<Order, Why> {
    b32(wave, vop, |x| x as i32)
}
fn u32(wave: &Wave, vop: &Vop) -> Result<Order, Why> {
    b32(wave, vop, |x| x)
}
fn i64(wave: &Wave, vop: &Vop) -> Result<Order, Why> {
    b64(wave, vop, |x| x as i64)
}
fn u64(wave: &Wave, vop: &Vop) -> Result<Order, Why> {
    b64(wave, vop, |x| x)
}

/// Whether the class of source 0 is among those that source 1 names.
fn class_of(
    wave: &mut Wave,
    vop: &Vop,
    to_exec: bool,
    of: fn(&Wave, &Vop) -> Result<[u32; LANES], Why>,
) -> Result<(), Why> {
    let class = of(wave, vop)?;
    let wanted = source::b32(wave, vop, 1)?;
    let mask = (0..LANES).fold(0, |mask, l| mask | (u64::from(class[l] & wanted[l] != 0) << l));
    put(wave, vop, to_exec, mask)
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
    ($ty:ident, $($name:literal => |$order:ident| $mask:expr),* $(,)?) => {
        &[$(
            (concat!("v_cmp_", $name, "_", stringify!($ty)), |w, v| {
                let $order = $ty(w, v)?;
                put(w, v, false, $mask)
            }),
            (concat!("v_cmpx_", $name, "_", stringify!($ty)), |w, v| {
                let $order = $ty(w, v)?;
                put(w, v, true, $mask)
            }),
        )*]
    };
}

macro_rules! integer_compares {
    ($ty:ident) => {
        compares!($ty,
            "f" => |_order| 0,
            "lt" => |order| order.less,
            "eq" => |order| order.equal,
            "le" => |order| order.less | order.equal,
            "gt" => |order| order.greater,
            "ne" => |order| !order.equal,
            "ge" => |order| order.greater | order.equal,
            "t" => |_order| u64::MAX,
        )
    };
}

// the negated predicates are true for NaNs, so they are not the opposite ones
macro_rules! float_compares {
    ($ty:ident) => {
        compares!($ty,
            "f" => |_order| 0,
            "lt" => |order| order.less,
            "eq" => |order| order.equal,
            "le" => |order| order.less | order.equal,
            "gt" => |order| order.greater,
            "lg" => |order| order.less | order.greater,
            "ge" => |order| order.greater | order.equal,
            "o" => |order| order.ordered(),
            "u" => |order| !order.ordered(),
            "nge" => |order| !(order.greater | order.equal),
            "nlg" => |order| !(order.less | order.greater),
            "ngt" => |order| !order.greater,
            "nle" => |order| !(order.less | order.equal),
            "neq" => |order| !order.equal,
            "nlt" => |order| !order.less,
            "tru" => |_order| u64::MAX,
        )
    };
}

/// Signed 16-bit integers.
pub static I16: &[(&str, Exec)] = integer_compares!(i16);
/// Unsigned 16-bit integers.
pub static U16: &[(&str, Exec)] = integer_compares!(u16);
/// Signed 32-bit integers.
pub static I32: &[(&str, Exec)] = integer_compares!(i32);
/// Unsigned 32-bit integers.
pub static U32: &[(&str, Exec)] = integer_compares!(u32);
/// Signed 64-bit integers.
pub static I64: &[(&str, Exec)] = integer_compares!(i64);
/// Unsigned 64-bit integers.
pub static U64: &[(&str, Exec)] = integer_compares!(u64);
/// Half precision.
pub static HALF: &[(&str, Exec)] = float_compares!(f16);
/// Single precision.
pub static SINGLE: &[(&str, Exec)] = float_compares!(f32);
/// Double precision.
pub static DOUBLE: &[(&str, Exec)] = float_compares!(f64);
/// Classes of numbers.
pub static CLASS: &[(&str, Exec)] = &[
    ("v_cmp_class_f16", |w, v| class_of(w, v, false, class16)),
    ("v_cmpx_class_f16", |w, v| class_of(w, v, true, class16)),
    ("v_cmp_class_f32", |w, v| class_of(w, v, false, class32)),
    ("v_cmpx_class_f32", |w, v| class_of(w, v, true, class32)),
    ("v_cmp_class_f64", |w, v| class_of(w, v, false, class64)),
    ("v_cmpx_class_f64", |w, v| class_of(w, v, true, class64)),
];
