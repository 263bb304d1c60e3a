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

#[test]
fn each_product() {
    let registers = |file: char, first: usize, dwords: usize| match dwords {
        1 => format!("{file}{first}"),
        n => format!("{file}[{first}:{}]", first + n - 1),
    };
    let runs: Vec<(&Op, Shape, char)> = products()
        .flat_map(|(op, shape)| ['v', 'a'].map(|file| (op, shape, file)))
        .collect();
    let text = |(op, _, file): &(&Op, Shape, char)| {
        let ab = op.src_ty(0).dwords();
        let cd = op.dst.dwords();
        let [d, a, b, c] = [(D, cd), (A, ab), (B, ab), (C, cd)].map(|(first, n)| registers(*file, first, n));
        format!("{} {d}, {a}, {b}, {c}", op.name)
    };
    let programs = assemble(&runs.iter().map(text).collect::<Vec<_>>());
    for ((op, p, file), program) in runs.iter().zip(programs) {
        let mut random = Random::of(op.name);
        let mut small = || random.below(15) as i32 - 7;
        let mut wave = Wave::new(0, 256, 128);
        // EXEC does not matter
        wave.exec = if *file == 'v' { u64::MAX } else { 0x1234_5678 };
        let file = if *file == 'v' { 0 } else { 128 };
        let dwords = if p.element == "f64" { 2 } else { 1 };
        let mut sums = Vec::new();
        for block in 0..p.blocks {
            let mut a = vec![vec![0; p.depth]; p.size];
            let mut b = a.clone();
            for i in 0..p.size {
                for k in 0..p.depth {
                    (a[i][k], b[i][k]) = (small(), small());
                    let lane = p.lane(block, i, k);
                    p.put(&mut wave, file + A, lane, k, a[i][k]);
                    p.put(&mut wave, file + B, lane, k, b[i][k]);
                }
            }
            for (i, row) in a.iter().enumerate() {
                for (j, column) in b.iter().enumerate() {
                    let c = small() * 10;
                    let (register, lane) = p.place(block, i, j);
                    for d in 0..dwords {
                        wave.vgprs[file + C + register * dwords + d][lane] = (p.number(c) >> (32 * d)) as u32;
                    }
                    let sum: i32 = row.iter().zip(column).map(|(x, y)| x * y).sum();
                    sums.push((register, lane, sum + c));
                }
            }
        }
        execute(&mut wave, &program);
        for (register, lane, sum) in sums {
            let at = file + D + register * dwords;
            let got: u64 = (0..dwords)
                .map(|d| u64::from(wave.vgprs[at + d][lane]) << (32 * d))
                .sum();
            assert_eq!(
                got,
                p.number(sum),
                "{} {p:?}: register {register} lane {lane}",
                op.name
            );
        }
    }
}
