// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The matrix cores against plain products of small integers, whose sums are exact in any order.

use super::input::Random;
use super::{assemble, execute};
use std::collections::BTreeSet;
use vgpu_isa::table::{Op, TABLES};
use vgpu_isa::{Wave, LANES};

/// The shape in a mnemonic, and where elements live (AMD lab notes on matrix cores, CDNA2 ISA "Matrix arithmetic").
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// Rows and columns.
    size: usize,
    /// Columns of A, rows of B.
    depth: usize,
    /// Independent products.
    blocks: usize,
    element: &'static str,
    /// Steps of the depth that one lane holds.
    together: usize,
}

fn shape(op: &'static Op) -> Option<Shape> {
    let (_, rest) = op.name.strip_prefix("v_mfma_")?.split_once('_')?;
    let (rest, wide) = rest.strip_suffix("_1k").map_or((rest, false), |r| (r, true));
    let mut parts = rest.splitn(3, 'x');
    let size: usize = parts.next()?.parse().ok()?;
    let last = parts.nth(1)?;
    let digits = last.find(|c: char| !c.is_ascii_digit())?;
    let (depth, element) = last.split_at(digits);
    let together = match element {
        "f32" | "f64" => 1,
        "bf16" if !wide => 2,
        _ => 4,
    };
    let results = op.dst.dwords() / if element == "f64" { 2 } else { 1 };
    Some(Shape {
        size,
        depth: depth.parse().ok()?,
        blocks: results * LANES / (size * size),
        element,
        together,
    })
}

fn products() -> impl Iterator<Item = (&'static Op, Shape)> {
    TABLES
        .iter()
        .flat_map(|(_, rows)| rows.iter())
        .filter_map(|op| Some((op, shape(op)?)))
}

/// All instructions that [`each_product`] runs.
pub(crate) fn names() -> BTreeSet<&'static str> {
    products().map(|(op, _)| op.name).collect()
}

impl Shape {
    /// The lane of row (or column) `i` and step `k`.
    fn lane(self, block: usize, i: usize, k: usize) -> usize {
        match (self.element, self.blocks) {
            ("f64", 4) => 16 * k + 4 * block + i,
            (_, 1) => self.size * (k / self.together) + i,
            _ => self.size * block + i,
        }
    }

    /// Register (pair) and lane of a result.
    fn place(self, block: usize, i: usize, j: usize) -> (usize, usize) {
        match (self.element, self.size) {
            ("f64", 4) => (0, 16 * i + 4 * block + j),
            ("f64", _) => (i / 4, 16 * (i % 4) + j),
            (_, 32) => (16 * block + 4 * (i / 8) + i % 4, 32 * (i / 4 % 2) + j),
            (_, 16) => (4 * block + i % 4, 16 * (i / 4) + j),
            _ => (i, 4 * block + j),
        }
    }

    /// Sets an element of A or B, whose registers start at `first` and are 0.
    fn put(self, wave: &mut Wave, first: usize, lane: usize, k: usize, value: i32) {
        let at = k % self.together;
        let bits = u64::from((value as f32).to_bits());
        let (shift, bits) = match self.element {
            "f32" => (0, bits),
            "f64" => (0, f64::from(value).to_bits()),
            "bf16" => (16 * at, bits >> 16),
            "i8" => (8 * at, u64::from(value as u8)),
            // a small integer in half precision
            _ => {
                let half = match value {
                    0 => 0,
                    _ => (bits >> 16 & 0x8000) | ((bits >> 23 & 0xff) + 15 - 127) << 10 | bits >> 13 & 0x3ff,
                };
                (16 * at, half)
            }
        };
        let value = u128::from(bits) << shift;
        for d in 0..2 {
            wave.vgprs[first + d][lane] |= (value >> (32 * d)) as u32;
        }
    }

    fn number(self, value: i32) -> u64 {
        match self.element {
            "i8" => u64::from(value as u32),
            "f64" => f64::from(value).to_bits(),
            _ => u64::from((value as f32).to_bits()),
        }
    }
}

const A: usize = 0;
const B: usize = 4;
const C: usize = 32;
const D: usize = 64;

/// Modifiers: 2^CBSZ blocks use A of the one among them that ABID names; B comes from other lanes.
#[derive(Clone, Copy, Debug, Default)]
struct Modifiers {
    cbsz: u32,
    abid: usize,
    blgp: usize,
}

impl Modifiers {
    /// What `shape` allows.
    fn of(shape: Shape) -> Vec<Self> {
        let mut all = vec![Self::default()];
        if shape.element == "f64" {
            // BLGP negates there, CBSZ does not exist
            return all;
        }
        all.extend((1..8).map(|blgp| Self {
            blgp,
            ..Self::default()
        }));
        for cbsz in 1..=shape.blocks.ilog2() {
            all.push(Self {
                cbsz,
                abid: (1 << cbsz) - 1,
                blgp: 3,
            });
        }
        all
    }

    /// The block whose A `block` uses.
    fn block(self, block: usize) -> usize {
        match self.cbsz {
            0 => block,
            n => block >> n << n | self.abid,
        }
    }

    /// The lane whose B `lane` gets.
    fn lane(self, lane: usize) -> usize {
        match self.blgp {
            0 => lane,
            1 => lane % 32,
            2 => lane % 32 + 32,
            3 => (lane + 16) % 64,
            n => lane % 16 + 16 * (n - 4),
        }
    }
}

/// A register or a group of them in file `v` or `a`.
fn registers(file: char, first: usize, dwords: usize) -> String {
    match dwords {
        1 => format!("{file}{first}"),
        n => format!("{file}[{first}:{}]", first + n - 1),
    }
}

fn text(op: &Op, file: char, m: Modifiers) -> String {
    let (ab, cd) = (op.src_ty(0).dwords(), op.dst.dwords());
    let [d, a, b, c] = [(D, cd), (A, ab), (B, ab), (C, cd)].map(|(first, n)| registers(file, first, n));
    let mut text = format!("{} {d}, {a}, {b}, {c}", op.name);
    for (name, value) in [("cbsz", m.cbsz as usize), ("abid", m.abid), ("blgp", m.blgp)] {
        if value != 0 {
            text += &format!(" {name}:{value}");
        }
    }
    text
}

#[test]
fn each_product() {
    let mut runs = Vec::new();
    for (op, shape) in products() {
        for m in Modifiers::of(shape) {
            runs.extend(['v', 'a'].map(|file| (shape, file, m, text(op, file, m))));
        }
    }
    let programs = assemble(&runs.iter().map(|run| run.3.clone()).collect::<Vec<_>>());
    for ((p, file, m, text), program) in runs.iter().zip(programs) {
        let mut random = Random::of(text);
        let mut small = || random.below(15) as i32 - 7;
        let mut wave = Wave::new(0, 256, 128);
        // EXEC does not matter
        wave.exec = if *file == 'v' { u64::MAX } else { 0x1234_5678 };
        let file = if *file == 'v' { 0 } else { 128 };
        // what each lane holds of A and of B, by step
        let mut held = [[[0; 4]; LANES]; 2];
        for (first, held) in [A, B].into_iter().zip(&mut held) {
            for (lane, steps) in held.iter_mut().enumerate() {
                for (k, value) in steps.iter_mut().enumerate().take(p.together) {
                    *value = small();
                    p.put(&mut wave, file + first, lane, k, *value);
                }
            }
        }
        let dwords = if p.element == "f64" { 2 } else { 1 };
        let mut sums = Vec::new();
        for (block, i, j) in
            (0..p.blocks * p.size * p.size).map(|n| (n / p.size / p.size, n / p.size % p.size, n % p.size))
        {
            let c = small() * 10;
            let (register, lane) = p.place(block, i, j);
            for d in 0..dwords {
                wave.vgprs[file + C + register * dwords + d][lane] = (p.number(c) >> (32 * d)) as u32;
            }
            let product = |k: usize| {
                let a = held[0][p.lane(m.block(block), i, k)][k % p.together];
                a * held[1][m.lane(p.lane(block, j, k))][k % p.together]
            };
            sums.push((register, lane, (0..p.depth).map(product).sum::<i32>() + c));
        }
        execute(&mut wave, &program);
        for (register, lane, sum) in sums {
            let at = file + D + register * dwords;
            let got: u64 = (0..dwords)
                .map(|d| u64::from(wave.vgprs[at + d][lane]) << (32 * d))
                .sum();
            assert_eq!(got, p.number(sum), "{text}: register {register} lane {lane}");
        }
    }
}
