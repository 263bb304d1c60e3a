// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Loads and stores of all widths in all address spaces, byte by byte.

use super::assemble;
use super::support::DATA;
use super::world::{registers, row, Space, World};
use std::collections::BTreeSet;
use vgpu_isa::LANES;

/// Where a byte or short lies in its register.
#[derive(Clone, Copy, PartialEq)]
enum At {
    /// Extended to the whole register.
    Whole,
    Low,
    High,
}
use At::{High, Low, Whole};

/// Name, bytes per lane, sign extension, place. The names of FLAT and its siblings have no prefix.
#[rustfmt::skip]
const LOADS: &[(&str, usize, bool, At)] = &[
    ("load_ubyte", 1, false, Whole), ("load_sbyte", 1, true, Whole),
    ("load_ushort", 2, false, Whole), ("load_sshort", 2, true, Whole),
    ("load_dword", 4, false, Whole), ("load_dwordx2", 8, false, Whole),
    ("load_dwordx3", 12, false, Whole), ("load_dwordx4", 16, false, Whole),
    ("load_ubyte_d16", 1, false, Low), ("load_ubyte_d16_hi", 1, false, High),
    ("load_sbyte_d16", 1, true, Low), ("load_sbyte_d16_hi", 1, true, High),
    ("load_short_d16", 2, false, Low), ("load_short_d16_hi", 2, false, High),
    ("ds_read_u8", 1, false, Whole), ("ds_read_i8", 1, true, Whole),
    ("ds_read_u16", 2, false, Whole), ("ds_read_i16", 2, true, Whole),
    ("ds_read_b32", 4, false, Whole), ("ds_read_b64", 8, false, Whole),
    ("ds_read_b96", 12, false, Whole), ("ds_read_b128", 16, false, Whole),
    ("ds_read_u8_d16", 1, false, Low), ("ds_read_u8_d16_hi", 1, false, High),
    ("ds_read_i8_d16", 1, true, Low), ("ds_read_i8_d16_hi", 1, true, High),
    ("ds_read_u16_d16", 2, false, Low), ("ds_read_u16_d16_hi", 2, false, High),
];

/// Name, bytes per lane, place.
#[rustfmt::skip]
const STORES: &[(&str, usize, At)] = &[
    ("store_byte", 1, Low), ("store_byte_d16_hi", 1, High),
    ("store_short", 2, Low), ("store_short_d16_hi", 2, High),
    ("store_dword", 4, Whole), ("store_dwordx2", 8, Whole),
    ("store_dwordx3", 12, Whole), ("store_dwordx4", 16, Whole),
    ("ds_write_b8", 1, Low), ("ds_write_b8_d16_hi", 1, High),
    ("ds_write_b16", 2, Low), ("ds_write_b16_d16_hi", 2, High),
    ("ds_write_b32", 4, Whole), ("ds_write_b64", 8, Whole),
    ("ds_write_b96", 12, Whole), ("ds_write_b128", 16, Whole),
];

/// Name, bytes of each of the two elements, bytes per unit of the offsets.
#[rustfmt::skip]
const PAIRS: &[(&str, usize, usize)] = &[
    ("ds_read2_b32", 4, 4), ("ds_read2st64_b32", 4, 256), ("ds_read2_b64", 8, 8), ("ds_read2st64_b64", 8, 512),
    ("ds_write2_b32", 4, 4), ("ds_write2st64_b32", 4, 256), ("ds_write2_b64", 8, 8), ("ds_write2st64_b64", 8, 512),
    ("ds_wrxchg2_rtn_b32", 4, 4), ("ds_wrxchg2st64_rtn_b32", 4, 256),
    ("ds_wrxchg2_rtn_b64", 8, 8), ("ds_wrxchg2st64_rtn_b64", 8, 512),
];

/// Scalar: name, dwords, whether it stores.
#[rustfmt::skip]
const SCALARS: &[(&str, usize, bool)] = &[
    ("s_load_dword", 1, false), ("s_load_dwordx2", 2, false), ("s_load_dwordx4", 4, false),
    ("s_load_dwordx8", 8, false), ("s_load_dwordx16", 16, false),
    ("s_buffer_load_dword", 1, false), ("s_buffer_load_dwordx2", 2, false), ("s_buffer_load_dwordx4", 4, false),
    ("s_buffer_load_dwordx8", 8, false), ("s_buffer_load_dwordx16", 16, false),
    ("s_store_dword", 1, true), ("s_store_dwordx2", 2, true), ("s_store_dwordx4", 4, true),
    ("s_buffer_store_dword", 1, true), ("s_buffer_store_dwordx2", 2, true), ("s_buffer_store_dwordx4", 4, true),
    ("s_scratch_load_dword", 1, false), ("s_scratch_load_dwordx2", 2, false), ("s_scratch_load_dwordx4", 4, false),
    ("s_scratch_store_dword", 1, true), ("s_scratch_store_dwordx2", 2, true), ("s_scratch_store_dwordx4", 4, true),
];

/// All instructions that the tests below run.
pub(crate) fn names() -> BTreeSet<&'static str> {
    let loads = LOADS.iter().map(|l| l.0);
    let stores = STORES.iter().map(|s| s.0);
    loads
        .chain(stores)
        .chain(PAIRS.iter().map(|p| p.0))
        .chain(SCALARS.iter().map(|s| s.0))
        .collect()
}

const ROUNDS: usize = 8;

/// Name, space and text of every round of every instruction that `text` knows.
fn rounds(
    names: impl Iterator<Item = &'static str>,
    text: impl Fn(&str, Space) -> String,
) -> Vec<(&'static str, Space, String)> {
    let mut all = Vec::new();
    for name in names {
        for space in Space::of(row(name)) {
            all.extend((0..ROUNDS).map(|_| (name, space, text(name, space))));
        }
    }
    all
}

fn texts(all: &[(&'static str, Space, String)]) -> Vec<Vec<u8>> {
    assemble(&all.iter().map(|(_, _, text)| text.clone()).collect::<Vec<_>>())
}

#[test]
fn loads() {
    let find = |name: &str| *LOADS.iter().find(|l| l.0 == name).unwrap();
    let all = rounds(LOADS.iter().map(|l| l.0), |name, space| {
        space.text(name, Some(registers(8, find(name).1)), None)
    });
    for ((i, (name, space, text)), program) in all.iter().enumerate().zip(texts(&all)) {
        let (_, bytes, signed, at) = find(name);
        let mut world = World::new(*space, &format!("{text} {i}"));
        let (before, old) = (world.bytes(*space), world.wave.vgprs.clone());
        world.run(&program, text);
        assert_eq!(world.bytes(*space), before, "{text} changes memory");
        for lane in 0..LANES {
            let active = world.wave.exec >> lane & 1 == 1;
            let byte = |i: usize| before[space.place(lane, world.offsets[lane] + 4 + i)];
            let mut expected: Vec<u32> = (0..4).map(|d| old[8 + d][lane]).collect();
            if active && bytes >= 4 {
                for (d, expected) in expected.iter_mut().enumerate().take(bytes / 4) {
                    *expected = u32::from_le_bytes(std::array::from_fn(|i| byte(d * 4 + i)));
                }
            } else if active {
                let value = (0..bytes).map(|i| i64::from(byte(i)) << (8 * i)).sum::<i64>();
                let value = if signed && value >> (8 * bytes - 1) == 1 {
                    value - (1 << (8 * bytes))
                } else {
                    value
                };
                expected[0] = match at {
                    Whole => value as u32,
                    Low => expected[0] & 0xffff_0000 | value as u32 & 0xffff,
                    High => expected[0] & 0xffff | (value as u32) << 16,
                };
            }
            let got: Vec<u32> = (0..4).map(|d| world.wave.vgprs[8 + d][lane]).collect();
            assert_eq!(got, expected, "{text} lane {lane}");
        }
    }
}

#[test]
fn stores() {
    let find = |name: &str| *STORES.iter().find(|s| s.0 == name).unwrap();
    let all = rounds(STORES.iter().map(|s| s.0), |name, space| {
        space.text(name, None, Some(registers(8, find(name).1)))
    });
    for ((i, (name, space, text)), program) in all.iter().enumerate().zip(texts(&all)) {
        let (_, bytes, at) = find(name);
        let mut world = World::new(*space, &format!("{text} {i}"));
        let mut expected = world.bytes(*space);
        let registers = world.wave.vgprs.clone();
        for lane in (0..LANES).filter(|lane| world.wave.exec >> lane & 1 == 1) {
            for i in 0..bytes {
                let byte = i + if at == High { 2 } else { 0 };
                expected[space.place(lane, world.offsets[lane] + 4 + i)] =
                    registers[8 + byte / 4][lane].to_le_bytes()[byte % 4];
            }
        }
        world.run(&program, text);
        assert!(world.bytes(*space) == expected, "{text}: memory differs");
        assert!(world.wave.vgprs == registers, "{text}: registers change");
    }
}

#[test]
fn pairs() {
    // inside the 16 bytes of a lane, or far beyond those of all lanes
    let offsets = |bytes: usize, scale: usize| match (bytes, scale) {
        (4, 4) => [1, 3],
        (8, 8) => [0, 1],
        _ => [0, 8],
    };
    let all: Vec<(&str, Space, String)> = PAIRS
        .iter()
        .map(|(name, bytes, scale)| {
            let [o0, o1] = offsets(*bytes, *scale);
            let dst = format!("{}, ", registers(8, 2 * bytes));
            let data = format!(", {}, {}", registers(16, *bytes), registers(20, *bytes));
            let text = match (name.contains("read2"), name.contains("wrxchg2")) {
                (true, _) => format!("{dst}v2"),
                (_, true) => format!("{dst}v2{data}"),
                _ => format!("v2{data}"),
            };
            (
                *name,
                Space::Lds,
                format!("{name} {text} offset0:{o0} offset1:{o1}"),
            )
        })
        .collect();
    for (((name, bytes, scale), (_, _, text)), program) in PAIRS.iter().zip(&all).zip(texts(&all)) {
        for round in 0..ROUNDS {
            let mut world = World::new(Space::Lds, &format!("{text} {round}"));
            let (mut expected, before) = (world.bytes(Space::Lds), world.wave.vgprs.clone());
            let mut registers = before.clone();
            let read = |memory: &[u8], at: usize, d: usize| {
                u32::from_le_bytes(memory[at + 4 * d..at + 4 * d + 4].try_into().unwrap())
            };
            let memory = expected.clone();
            for lane in (0..LANES).filter(|lane| world.wave.exec >> lane & 1 == 1) {
                for (element, offset) in offsets(*bytes, *scale).into_iter().enumerate() {
                    let at = world.offsets[lane] + offset * scale;
                    for d in 0..bytes / 4 {
                        if !name.contains("write2") {
                            registers[8 + element * bytes / 4 + d][lane] = read(&memory, at, d);
                        }
                        if !name.contains("read2") {
                            let value = before[16 + 4 * element + d][lane];
                            expected[at + 4 * d..at + 4 * d + 4].copy_from_slice(&value.to_le_bytes());
                        }
                    }
                }
            }
            world.run(&program, text);
            assert!(world.wave.vgprs == registers, "{text}: registers");
            assert!(world.bytes(Space::Lds) == expected, "{text}: memory");
        }
    }
}

#[test]
fn scalars() {
    let text = |(name, dwords, _): &(&str, usize, bool)| {
        let data = if *dwords == 1 {
            "s16".to_owned()
        } else {
            format!("s[16:{}]", 15 + dwords)
        };
        let base = if name.contains("buffer") {
            "s[8:11]"
        } else {
            "s[4:5]"
        };
        match name.contains("scratch") {
            true => format!("{name} {data}, {base}, s12 offset:0x14"),
            false => format!("{name} {data}, {base}, 0x14"),
        }
    };
    let programs = assemble(&SCALARS.iter().map(text).collect::<Vec<_>>());
    for (case, program) in SCALARS.iter().zip(programs) {
        let (name, dwords, store) = *case;
        let mut world = World::new(Space::Buffer, name);
        (world.wave.sgprs[4], world.wave.sgprs[5]) = (DATA as u32, 0);
        world.wave.sgprs[12] = 5;
        for (i, s) in world.wave.sgprs[16..40].iter_mut().enumerate() {
            *s = 0x0101_0101 * i as u32;
        }
        let (mut memory, mut sgprs) = (world.bytes(Space::Buffer), world.wave.sgprs);
        // scratch counts its register in units of 64 bytes
        let first = 0x14 + if name.contains("scratch") { 64 * 5 } else { 0 };
        for d in 0..dwords {
            let at = first + 4 * d..first + 4 * d + 4;
            if store {
                memory[at].copy_from_slice(&sgprs[16 + d].to_le_bytes());
            } else {
                sgprs[16 + d] = u32::from_le_bytes(memory[at].try_into().unwrap());
            }
        }
        world.run(&program, name);
        assert_eq!(world.wave.sgprs, sgprs, "{name}");
        assert!(world.bytes(Space::Buffer) == memory, "{name}");
    }
}
