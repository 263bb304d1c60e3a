// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Typed buffers: every data format with every number format it has, by LLVM's APFloat.

use super::assemble;
use super::input::Random;
use super::world::{registers, Space, World};
use rustc_apfloat::ieee::{Double, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};
use std::collections::BTreeSet;
use vgpu_isa::table::Ty;
use vgpu_isa::LANES;

/// Name, registers' kind: `f` whole ones, `d` packed halves, `h` the high half.
#[rustfmt::skip]
const NAMES: &[(&str, char)] = &[
    ("load_format_x", 'f'), ("load_format_xy", 'f'), ("load_format_xyz", 'f'), ("load_format_xyzw", 'f'),
    ("store_format_x", 'f'), ("store_format_xy", 'f'), ("store_format_xyz", 'f'), ("store_format_xyzw", 'f'),
    ("load_format_d16_x", 'd'), ("load_format_d16_xy", 'd'), ("load_format_d16_xyz", 'd'), ("load_format_d16_xyzw", 'd'),
    ("store_format_d16_x", 'd'), ("store_format_d16_xy", 'd'), ("store_format_d16_xyz", 'd'), ("store_format_d16_xyzw", 'd'),
    ("load_format_d16_hi_x", 'h'), ("store_format_d16_hi_x", 'h'),
];

/// Data format, widths of the components from the lowest bit on, number formats.
#[rustfmt::skip]
const FORMATS: &[(u32, &[u32], &[u32])] = &[
    (1, &[8], &[0, 1, 2, 3, 4, 5]), (2, &[16], &[0, 1, 2, 3, 4, 5, 7]), (3, &[8, 8], &[0, 1, 2, 3, 4, 5]),
    (4, &[32], &[4, 5, 7]), (5, &[16, 16], &[0, 1, 2, 3, 4, 5, 7]), (6, &[11, 11, 10], &[0, 1, 2, 3, 4, 5, 7]),
    (7, &[10, 11, 11], &[0, 1, 2, 3, 4, 5, 7]), (8, &[2, 10, 10, 10], &[0, 1, 2, 3, 4, 5]),
    (9, &[10, 10, 10, 2], &[0, 1, 2, 3, 4, 5]), (10, &[8, 8, 8, 8], &[0, 1, 2, 3, 4, 5]), (11, &[32, 32], &[4, 5, 7]),
    (12, &[16, 16, 16, 16], &[0, 1, 2, 3, 4, 5, 7]), (13, &[32, 32, 32], &[4, 5, 7]), (14, &[32, 32, 32, 32], &[4, 5, 7]),
];

/// All instructions that the tests below run.
pub(crate) fn names() -> BTreeSet<&'static str> {
    NAMES.iter().map(|(name, _)| *name).collect()
}

fn components(name: &str) -> usize {
    name.rsplit('_').next().unwrap().len()
}

/// The text in both encodings, and whether the format is in the instruction.
fn texts(name: &str, kind: char, data: u32, number: u32) -> Vec<(String, bool)> {
    let count = components(name);
    let v = registers(8, if kind == 'f' { 4 * count } else { 2 * count });
    let mut texts = vec![(format!("buffer_{name} {v}, v2, s[8:11], 0 offen offset:4"), false)];
    if kind != 'h' {
        let format = data | number << 4;
        texts.push((
            format!("tbuffer_{name} {v}, v2, s[8:11], 0 format:{format} offen offset:4"),
            true,
        ));
    }
    texts
}

/// A component in memory as its register holds it.
fn load(number: u32, raw: u32, width: u32) -> u32 {
    let negative = raw >> (width - 1) == 1;
    let value = i128::from(raw)
        - if negative && number % 2 == 1 {
            1 << width
        } else {
            0
        };
    let single = |value: i128| Single::from_i128(value).value;
    let ratio = |max: i128| (single(value) / single(max)).value;
    let number = match number {
        4 | 5 => return value as u32,
        0 => ratio((1 << width) - 1),
        1 if value == -(1 << (width - 1)) => single(-1),
        1 => ratio((1 << (width - 1)) - 1),
        2 | 3 => single(value),
        _ if width == 32 => return raw,
        _ => {
            let half = if width == 16 { raw } else { raw << (15 - width) };
            Half::from_bits(half.into()).convert(&mut false).value
        }
    };
    number.to_bits() as u32
}

/// A register as a component in memory.
fn store(number: u32, register: u32, width: u32) -> u32 {
    let limit =
        |value: i64, low: i64, high: i64| (value.max(low).min(high) as u32) & (u32::MAX >> (32 - width));
    let normalised = |low: f64, max: i64| {
        let x = Single::from_bits(register.into());
        if x.is_nan() {
            return 0;
        }
        let x: Double = x.convert(&mut false).value;
        let product = (x * Double::from_i128(max.into()).value).value;
        let rounded = product.round_to_integral(Round::NearestTiesToEven).value;
        let low = (low * max as f64) as i64;
        limit(rounded.to_i128(64).value as i64, low, max)
    };
    match number {
        0 => normalised(0.0, (1 << width) - 1),
        1 => normalised(-1.0, (1 << (width - 1)) - 1),
        4 => limit(register.into(), 0, (1 << width) - 1),
        5 => limit(
            (register as i32).into(),
            -(1 << (width - 1)),
            (1 << (width - 1)) - 1,
        ),
        _ if width == 32 => register,
        _ => {
            let half: Half = Single::from_bits(register.into()).convert(&mut false).value;
            half.to_bits() as u32
        }
    }
}

/// The half of a register that a 16-bit access uses, and back.
fn widen(number: u32, half: u32) -> u32 {
    match number {
        4 => half,
        5 => half as u16 as i16 as u32,
        _ => {
            let single: Single = Half::from_bits(half.into()).convert(&mut false).value;
            single.to_bits() as u32
        }
    }
}

fn narrow(number: u32, register: u32) -> u32 {
    match number {
        4 | 5 => register & 0xffff,
        _ => {
            let half: Half = Single::from_bits(register.into()).convert(&mut false).value;
            half.to_bits() as u32
        }
    }
}

/// Whether both are the same, or both NaN, as `bits` wide floats.
fn same(a: u32, b: u32, bits: u32, float: bool) -> bool {
    let nan = |x: u32| match bits {
        16 => Half::from_bits(x.into()).is_nan(),
        _ => Single::from_bits(x.into()).is_nan(),
    };
    a == b || float && nan(a) && nan(b)
}

struct Case {
    name: &'static str,
    kind: char,
    widths: &'static [u32],
    data: u32,
    number: u32,
    text: String,
    typed: bool,
}

fn cases(stores: bool) -> Vec<(Case, Vec<u8>)> {
    let mut all = Vec::new();
    for (name, kind) in NAMES
        .iter()
        .filter(|(name, _)| name.starts_with("store") == stores)
    {
        for (data, widths, numbers) in FORMATS {
            for number in *numbers {
                for (text, typed) in texts(name, *kind, *data, *number) {
                    all.push(Case {
                        name,
                        kind: *kind,
                        widths,
                        data: *data,
                        number: *number,
                        text,
                        typed,
                    });
                }
            }
        }
    }
    let programs = assemble(&all.iter().map(|case| case.text.clone()).collect::<Vec<_>>());
    all.into_iter().zip(programs).collect()
}

/// A world whose descriptor has the format of `case` unless the instruction has, with `select`.
fn world(case: &Case, select: [u32; 4]) -> World {
    let mut world = World::new(
        Space::Buffer,
        &format!("{} {} {}", case.text, case.data, case.number),
    );
    world.wave.sgprs[11] = match case.typed {
        true => 0,
        false => {
            let select = select.iter().zip([0, 3, 6, 9]).map(|(s, shift)| s << shift);
            select.sum::<u32>() | case.number << 12 | case.data << 15
        }
    };
    world
}

#[test]
fn loads() {
    for (i, (case, program)) in cases(false).iter().enumerate() {
        let select = match (i % 3, case.typed) {
            (0, false) => [6, 1, 4, 0],
            _ => [4, 5, 6, 7],
        };
        let mut world = world(case, select);
        let (before, memory) = (world.wave.vgprs.clone(), world.bytes(Space::Buffer));
        world.run(program, &case.text);
        let float = !matches!(case.number, 4 | 5);
        let one = if float { 1f32.to_bits() } else { 1 };
        for lane in 0..LANES {
            let at = world.offsets[lane] + 4;
            let mut bits = u128::from_le_bytes(memory[at..at + 16].try_into().unwrap());
            let mut element = vec![];
            for width in case.widths {
                element.push(load(case.number, (bits & ((1 << width) - 1)) as u32, *width));
                bits >>= width;
            }
            element.extend([0, 0, 0, one].into_iter().skip(element.len()));
            for (component, select) in select.iter().enumerate().take(components(case.name)) {
                let want = match *select {
                    0 => 0,
                    1 => one,
                    n => element[n as usize - 4],
                };
                let (register, shift, bits) = match case.kind {
                    'f' => (8 + component, 0, 32),
                    'd' => (8 + component / 2, component % 2 * 16, 16),
                    _ => (8, 16, 16),
                };
                let mask = u32::MAX >> (32 - bits);
                let got = world.wave.vgprs[register][lane] >> shift & mask;
                let want = match world.wave.exec >> lane & 1 {
                    0 => before[register][lane] >> shift & mask,
                    _ if bits == 16 => narrow(case.number, want),
                    _ => want,
                };
                assert!(
                    same(got, want, bits, float),
                    "{} ({} {}) lane {lane}: {got:#x}, not {want:#x}",
                    case.text,
                    case.data,
                    case.number
                );
            }
        }
        assert_eq!(world.wave.vgprs[12], before[12], "{}", case.text);
        if case.kind == 'h' {
            assert!((0..LANES).all(|l| (world.wave.vgprs[8][l] ^ before[8][l]) & 0xffff == 0));
        }
    }
}

#[test]
fn stores() {
    for (i, (case, program)) in cases(true).iter().enumerate() {
        let partial = components(case.name) < case.widths.len();
        let unknown = matches!(case.number, 2 | 3) || case.number == 7 && case.widths.contains(&11);
        // the components in reverse
        let reverse = i % 3 == 0 && !case.typed && components(case.name) == 4 && case.widths.len() == 4;
        let mut world = world(case, if reverse { [7, 6, 5, 4] } else { [4, 5, 6, 7] });
        let mut random = Random::of(&case.text);
        for row in &mut world.wave.vgprs[8..12] {
            let ty = match (case.kind, case.number) {
                ('f', 4 | 5) => Ty::B32,
                ('f', _) => Ty::F32,
                (_, 4 | 5) => Ty::I16x2,
                _ => Ty::F16x2,
            };
            row.fill_with(|| random.operand(ty) as u32);
        }
        let mut expected = world.bytes(Space::Buffer);
        if partial || unknown {
            world.memory.code = program.clone();
            let stop = vgpu_isa::run(&mut world.wave, &mut world.lds, &mut world.memory, 10);
            let vgpu_isa::Stop::Illegal(illegal) = stop else {
                panic!("{}: {stop:?}", case.text)
            };
            assert!(illegal.why.contains("a store "), "{illegal}");
            continue;
        }
        for lane in (0..LANES).filter(|lane| world.wave.exec >> lane & 1 == 1) {
            let (mut element, mut shift) = (0u128, 0);
            for (component, width) in case.widths.iter().enumerate() {
                let component = if reverse { 3 - component } else { component };
                let v = |register: usize| world.wave.vgprs[register][lane];
                let register = match case.kind {
                    'f' => v(8 + component),
                    'd' => widen(case.number, v(8 + component / 2) >> (component % 2 * 16) & 0xffff),
                    _ => widen(case.number, v(8) >> 16),
                };
                element |= u128::from(store(case.number, register, *width)) << shift;
                shift += width;
            }
            let at = world.offsets[lane] + 4;
            let bytes = shift as usize / 8;
            expected[at..at + bytes].copy_from_slice(&element.to_le_bytes()[..bytes]);
        }
        world.run(program, &case.text);
        let got = world.bytes(Space::Buffer);
        for at in 0..got.len() {
            // NaNs may have another payload
            let width = case.widths[0];
            let first = at - at % (width as usize / 8).clamp(1, 4);
            let number = |memory: &[u8]| match width {
                32 => u32::from_le_bytes(memory[first..first + 4].try_into().unwrap()),
                _ => u32::from(u16::from_le_bytes(memory[first..first + 2].try_into().unwrap())),
            };
            assert!(
                got[at] == expected[at] || same(number(&got), number(&expected), width, case.number == 7),
                "{} ({} {}) byte {at}: {:#x}, not {:#x}",
                case.text,
                case.data,
                case.number,
                number(&got),
                number(&expected)
            );
        }
    }
}
