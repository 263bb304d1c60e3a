// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Atomics in LDS, in memory and from scalar registers: what they leave there and what they return.

use super::assemble;
use super::input::Random;
use super::memory::{registers, row, Space, World};
use super::support::DATA;
use rustc_apfloat::ieee::{Double, Half, Single};
use rustc_apfloat::Float;
use std::collections::BTreeSet;
use vgpu_isa::table::{Ty, TABLES};
use vgpu_isa::{Mode, LANES};

/// What an atomic does, by the parts of its name.
#[derive(Clone, Copy, Debug)]
struct Atomic {
    op: &'static str,
    bits: u32,
    /// The type of its numbers: `i`, `u`, `b`, `f`, or `h` for two halves.
    kind: char,
    /// LDS only: returns the old value by name.
    returns: bool,
}

impl Atomic {
    /// Whether there is a second datum: a comparand or the like.
    fn two(self) -> bool {
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

fn parse(name: &'static str) -> Option<Atomic> {
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

/// All instructions that the tests below run.
pub(crate) fn names() -> BTreeSet<&'static str> {
    let rows = TABLES.iter().flat_map(|(_, rows)| rows.iter().map(|op| op.name));
    rows.filter(|name| parse(name).is_some()).collect()
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
fn model(a: Atomic, old: u128, data: u128, second: u128, keep: bool) -> u128 {
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
fn same(a: Atomic, expected: u128, got: u128) -> bool {
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

/// A datum: some equal to `old`, so that compares succeed.
fn datum(a: Atomic, old: Option<u128>, random: &mut Random) -> u128 {
    match (old, random.below(3)) {
        (Some(old), 0) => old,
        _ => random.operand(match (a.kind, a.bits) {
            ('f', 32) => Ty::F32,
            ('f', _) => Ty::F64,
            ('h', _) => Ty::F16x2,
            (_, 32) => Ty::B32,
            _ => Ty::B64,
        }),
    }
}

fn put(memory: &mut [u8], at: usize, value: u128, bytes: usize) {
    memory[at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
}

fn get(memory: &[u8], at: usize, bytes: usize) -> u128 {
    (0..bytes).map(|i| u128::from(memory[at + i]) << (8 * i)).sum()
}

#[test]
fn vectors() {
    let mut runs = Vec::new();
    for name in names() {
        let a = parse(name).unwrap();
        let bytes = a.bits as usize / 8;
        for space in Space::of(row(name)) {
            for (round, returns) in [(0, false), (1, true), (2, true), (3, true)] {
                let returns = if space == Space::Lds { a.returns } else { returns };
                let dst = returns.then(|| registers(8, bytes));
                let text = match space {
                    Space::Lds => {
                        let data = registers(16, bytes)
                            + &if a.two() {
                                format!(", {}", registers(20, bytes))
                            } else {
                                String::new()
                            };
                        space.text(name, dst, Some(data))
                    }
                    Space::Buffer => {
                        // the result replaces the data
                        space.text(
                            name,
                            None,
                            Some(registers(16, bytes * (1 + usize::from(a.two())))),
                        )
                    }
                    _ => space.text(name, dst, Some(registers(16, bytes * (1 + usize::from(a.two()))))),
                };
                let glc = if returns && space != Space::Lds {
                    " glc"
                } else {
                    ""
                };
                runs.push((name, a, space, round, returns, text + glc));
            }
        }
    }
    let programs = assemble(&runs.iter().map(|r| r.5.clone()).collect::<Vec<_>>());
    let mut problems = Vec::new();
    for ((name, a, space, round, returns, text), program) in runs.iter().zip(programs) {
        let bytes = a.bits as usize / 8;
        let dwords = bytes / 4;
        let mut random = Random::of(&format!("{text} {round}"));
        let mut world = World::new(*space, &format!("{text} {round}"));
        // LDS sums follow MODE
        let mode = if *round == 3 { 0x300 } else { 0x3f0 };
        world.wave.mode = Mode(mode);
        let keep = match (space, a.bits) {
            (Space::Lds, _) => mode & 0xf0 != 0,
            (_, 32) => false,
            _ => true,
        };
        let lanes: Vec<usize> = (0..LANES).filter(|l| world.wave.exec >> l & 1 == 1).collect();
        // the second datum: in memory it follows the first, in LDS it has its own register
        let second_at = if *space == Space::Lds { 20 } else { 16 + dwords };
        let mut expected = Vec::new();
        for lane in &lanes {
            let at = world.offsets[*lane] + 4;
            // 8-byte atomics are aligned
            let at = if bytes == 8 { at + 4 } else { at };
            let old = datum(*a, None, &mut random);
            let [first, second] = [0, 1].map(|_| datum(*a, Some(old), &mut random));
            match space {
                Space::Lds => put(world.lds.bytes_mut(), at, old, bytes),
                _ => put(&mut world.memory.data, at, old, bytes),
            }
            for d in 0..dwords {
                world.wave.vgprs[16 + d][*lane] = (first >> (32 * d)) as u32;
                if a.two() {
                    world.wave.vgprs[second_at + d][*lane] = (second >> (32 * d)) as u32;
                }
            }
            if bytes == 8 {
                world.wave.vgprs[2][*lane] += 4;
            }
            expected.push((at, old, first, second, model(*a, old, first, second, keep)));
        }
        let before = world.wave.vgprs.clone();
        world.run(&program, text);
        let memory = world.bytes(*space);
        let result = if *space == Space::Buffer { 16 } else { 8 };
        for (lane, (at, old, first, second, new)) in lanes.iter().zip(&expected) {
            let got = get(&memory, *at, bytes);
            if !same(*a, *new, got) {
                problems.push(format!("{text} (MODE {mode:#x}): {old:#x} with {first:#x} {second:#x}: {got:#x} instead of {new:#x}"));
            }
            let returned: u128 = (0..dwords)
                .map(|d| u128::from(world.wave.vgprs[result + d][*lane]) << (32 * d))
                .sum();
            let unchanged: u128 = (0..dwords)
                .map(|d| u128::from(before[result + d][*lane]) << (32 * d))
                .sum();
            let want = if *returns { *old } else { unchanged };
            if returned != want {
                problems.push(format!("{text}: returns {returned:#x} instead of {want:#x}"));
            }
        }
        for lane in (0..LANES).filter(|l| world.wave.exec >> l & 1 == 0) {
            assert_eq!(
                world.wave.vgprs[result][lane], before[result][lane],
                "{name}: lane {lane} is off"
            );
        }
    }
    problems.truncate(60);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn scalars() {
    let mut runs = Vec::new();
    for name in names().into_iter().filter(|n| n.starts_with("s_")) {
        let a = parse(name).unwrap();
        let dwords = a.bits as usize / 32 * if a.two() { 2 } else { 1 };
        let data = if dwords == 1 {
            "s16".to_owned()
        } else {
            format!("s[16:{}]", 15 + dwords)
        };
        let base = if name.contains("buffer") {
            "s[8:11]"
        } else {
            "s[4:5]"
        };
        for round in 0..12 {
            let glc = if round % 2 == 0 { " glc" } else { "" };
            runs.push((name, a, round, format!("{name} {data}, {base}, 0x18{glc}")));
        }
    }
    let programs = assemble(&runs.iter().map(|r| r.3.clone()).collect::<Vec<_>>());
    for ((_, a, round, text), program) in runs.iter().zip(programs) {
        let (bytes, dwords) = (a.bits as usize / 8, a.bits as usize / 32);
        let mut random = Random::of(&format!("{text} {round}"));
        let mut world = World::new(Space::Buffer, text);
        (world.wave.sgprs[4], world.wave.sgprs[5]) = (DATA as u32, 0);
        let old = datum(*a, None, &mut random);
        let [first, second] = [0, 1].map(|_| datum(*a, Some(old), &mut random));
        put(&mut world.memory.data, 0x18, old, bytes);
        for d in 0..dwords {
            world.wave.sgprs[16 + d] = (first >> (32 * d)) as u32;
            world.wave.sgprs[16 + dwords + d] = (second >> (32 * d)) as u32;
        }
        let mut memory = world.memory.data.clone();
        put(&mut memory, 0x18, model(*a, old, first, second, true), bytes);
        world.run(&program, text);
        assert!(
            world.memory.data == memory,
            "{text}: {old:#x} with {first:#x} {second:#x}"
        );
        let returned: u128 = (0..dwords)
            .map(|d| u128::from(world.wave.sgprs[16 + d]) << (32 * d))
            .sum();
        assert_eq!(returned, if round % 2 == 0 { old } else { first }, "{text}");
    }
}
