// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What atomics leave in memory, by the parts of their names.

use rustc_apfloat::ieee::{Double, Half, Single};
use rustc_apfloat::Float;

/// What an atomic does, by the parts of its name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Atomic {
    pub(super) op: &'static str,
    pub(super) bits: u32,
    /// The type of its numbers: `i`, `u`, `b`, `f`, or `h` for two halves.
    pub(super) kind: char,
    /// LDS only: returns the old value by name.
    pub(super) returns: bool,
}

impl Atomic {
    /// Whether there is a second datum: a comparand or the like.
    pub(super) fn two(self) -> bool {
        matches!(self.op, "cmpswap" | "cmpst" | "mskor" | "wrap")
    }
}

/// Operations without a type in their name, and the type of their numbers.
#[rustfmt::skip]
const MEMORY: &[(&str, &str, char)] = &[
    ("swap", "swap", 'b'), ("cmpswap", "cmpswap", 'b'), ("add", "add", 'u'), ("sub", "sub", 'u'),
    ("smin", "min", 'i'), ("umin", "min", 'u'), ("smax", "max", 'i'), ("umax", "max", 'u'),
    ("and", "and", 'b'), ("or", "or", 'b'), ("xor", "xor", 'b'), ("inc", "inc", 'u'), ("dec", "dec", 'u'),
];
const LDS: &[&str] = &[
    "add", "sub", "rsub", "inc", "dec", "min", "max", "and", "or", "xor", "mskor", "wrxchg", "cmpst", "wrap",
];

/// The parts of `name`, if it is an atomic.
pub(super) fn parse(name: &'static str) -> Option<Atomic> {
    if let Some(rest) = name.strip_prefix("ds_") {
        let (rest, ty) = rest.rsplit_once('_')?;
        let (op, returns) = match rest.strip_suffix("_rtn") {
            Some(op) => (op, true),
            None => (rest, false),
        };
        let kind = ty.chars().next()?;
        let bits = ty[1..].parse().ok()?;
        return LDS.contains(&op).then_some(Atomic {
            op,
            bits,
            kind,
            returns,
        });
    }
    let rest = ["atomic_", "s_atomic_", "s_buffer_atomic_"]
        .iter()
        .find_map(|p| name.strip_prefix(p))?;
    let atomic = |op, bits, kind| {
        Some(Atomic {
            op,
            bits,
            kind,
            returns: false,
        })
    };
    match rest {
        "add_f32" => return atomic("add", 32, 'f'),
        "pk_add_f16" => return atomic("add", 32, 'h'),
        "add_f64" => return atomic("add", 64, 'f'),
        "min_f64" => return atomic("min", 64, 'f'),
        "max_f64" => return atomic("max", 64, 'f'),
        _ => {}
    }
    let (op, bits) = rest.strip_suffix("_x2").map_or((rest, 32), |op| (op, 64));
    let (_, op, kind) = MEMORY.iter().find(|(n, ..)| *n == op)?;
    atomic(op, bits, *kind)
}

fn add<F: Float>(old: u128, data: u128, keep: bool) -> u128 {
    let [a, b] = [old, data].map(|x| {
        let x = F::from_bits(x);
        if x.is_denormal() && !keep {
            F::ZERO.copy_sign(x)
        } else {
            x
        }
    });
    let sum = a.add_r(b, rustc_apfloat::Round::NearestTiesToEven).value;
    if sum.is_denormal() && !keep {
        F::ZERO.copy_sign(sum)
    } else {
        sum
    }
    .to_bits()
}

/// A number beats NaN; -0 is below +0.
fn extreme<F: Float>(old: u128, data: u128, greatest: bool) -> u128 {
    let (a, b) = (F::from_bits(old), F::from_bits(data));
    let less = b < a || a == b && b.is_negative() && !a.is_negative();
    let greater = b > a || a == b && a.is_negative() && !b.is_negative();
    let take = !b.is_nan() && (a.is_nan() || if greatest { greater } else { less });
    if take {
        data
    } else {
        old
    }
}

/// What is in memory afterwards. `keep`: denormals count.
pub(super) fn model(a: Atomic, old: u128, data: u128, second: u128, keep: bool) -> u128 {
    let mask = u128::MAX >> (128 - a.bits);
    let number = |x: u128| match a.kind {
        'i' => (x << (128 - a.bits)) as i128 >> (128 - a.bits),
        _ => x as i128,
    };
    let (o, d) = (number(old), number(data));
    let equal = |x: u128, y: u128| match (a.kind, a.bits) {
        ('f', 32) => Single::from_bits(x) == Single::from_bits(y),
        ('f', _) => Double::from_bits(x) == Double::from_bits(y),
        _ => x == y,
    };
    let new = match (a.op, a.kind, a.bits) {
        ("add", 'f', 32) => return add::<Single>(old, data, keep),
        ("add", 'f', _) => return add::<Double>(old, data, keep),
        ("add", 'h', _) => {
            let half = |shift: u32| add::<Half>(old >> shift & 0xffff, data >> shift & 0xffff, true) << shift;
            return half(0) | half(16);
        }
        ("min" | "max", 'f', 32) => return extreme::<Single>(old, data, a.op == "max"),
        ("min" | "max", 'f', _) => return extreme::<Double>(old, data, a.op == "max"),
        ("swap" | "wrxchg", ..) => d,
        // memory: the new value, then the comparand; LDS: the other way round
        ("cmpswap", ..) => {
            if equal(old, second) {
                d
            } else {
                o
            }
        }
        ("cmpst", ..) => return if equal(old, data) { second } else { old },
        ("add", ..) => o + d,
        ("sub", ..) => o - d,
        ("rsub", ..) => d - o,
        ("min", ..) => o.min(d),
        ("max", ..) => o.max(d),
        ("and", ..) => o & d,
        ("or", ..) => o | d,
        ("xor", ..) => o ^ d,
        ("inc", ..) => {
            if o >= d {
                0
            } else {
                o + 1
            }
        }
        ("dec", ..) => {
            if o == 0 || o > d {
                d
            } else {
                o - 1
            }
        }
        ("mskor", ..) => o & !d | second as i128,
        ("wrap", ..) => {
            if o >= d {
                o - d
            } else {
                o + second as i128
            }
        }
        other => panic!("{other:?}"),
    };
    new as u128 & mask
}

/// Equal, or both a quiet NaN of the same width.
pub(super) fn same(a: Atomic, expected: u128, got: u128) -> bool {
    let nan = |bits: u128, x: u128| match bits {
        16 => Half::from_bits(x).is_nan(),
        32 => Single::from_bits(x).is_nan(),
        _ => Double::from_bits(x).is_nan(),
    };
    match (a.op, a.kind) {
        ("add", 'f') => expected == got || nan(a.bits.into(), expected) && nan(a.bits.into(), got),
        ("add", 'h') => [0, 16].iter().all(|s| {
            let (x, y) = (expected >> s & 0xffff, got >> s & 0xffff);
            x == y || nan(16, x) && nan(16, y)
        }),
        _ => expected == got,
    }
}
