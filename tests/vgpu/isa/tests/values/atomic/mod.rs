// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Atomics in LDS, in memory and from scalar registers: what they leave there and what they return.

mod model;

use super::assemble;
use super::input::Random;
use super::support::DATA;
use super::world::{registers, row, Space, World};
use model::{model, parse, same, Atomic};
use std::collections::BTreeSet;
use vgpu_isa::table::{Ty, TABLES};
use vgpu_isa::{Mode, LANES};

/// All instructions that the tests below run.
pub(crate) fn names() -> BTreeSet<&'static str> {
    let rows = TABLES.iter().flat_map(|(_, rows)| rows.iter().map(|op| op.name));
    rows.filter(|name| parse(name).is_some()).collect()
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
