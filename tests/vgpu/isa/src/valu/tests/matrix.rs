// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The matrix cores against plain matrix products.
//!
//! The tests have their own reading of the layouts (AMD lab notes and CDNA2 ISA): where an element lives is spelled out per
//! shape here, instead of by formula.

use super::harness::{Case, Random, DST};
use crate::inst::Operand;
use crate::wave::{Wave, LANES};

const A: usize = 0;
const B: usize = 4;
const C: usize = 64;
const D: usize = 128;

/// What the elements of A and B are.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    F32,
    F16,
    Bf16,
    I8,
    F64,
}

#[derive(Clone, Copy, Debug)]
struct Product {
    name: &'static str,
    kind: Kind,
    size: usize,
    k: usize,
    blocks: usize,
    /// Steps of k that share a lane.
    per_lane: usize,
}

const fn product(
    name: &'static str,
    kind: Kind,
    size: usize,
    k: usize,
    blocks: usize,
    per_lane: usize,
) -> Product {
    Product {
        name,
        kind,
        size,
        k,
        blocks,
        per_lane,
    }
}

const PRODUCTS: [Product; 27] = [
    product("v_mfma_f32_32x32x1f32", Kind::F32, 32, 1, 2, 1),
    product("v_mfma_f32_16x16x1f32", Kind::F32, 16, 1, 4, 1),
    product("v_mfma_f32_4x4x1f32", Kind::F32, 4, 1, 16, 1),
    product("v_mfma_f32_32x32x2f32", Kind::F32, 32, 2, 1, 1),
    product("v_mfma_f32_16x16x4f32", Kind::F32, 16, 4, 1, 1),
    product("v_mfma_f32_32x32x4f16", Kind::F16, 32, 4, 2, 4),
    product("v_mfma_f32_16x16x4f16", Kind::F16, 16, 4, 4, 4),
    product("v_mfma_f32_4x4x4f16", Kind::F16, 4, 4, 16, 4),
    product("v_mfma_f32_32x32x8f16", Kind::F16, 32, 8, 1, 4),
    product("v_mfma_f32_16x16x16f16", Kind::F16, 16, 16, 1, 4),
    product("v_mfma_i32_32x32x4i8", Kind::I8, 32, 4, 2, 4),
    product("v_mfma_i32_16x16x4i8", Kind::I8, 16, 4, 4, 4),
    product("v_mfma_i32_4x4x4i8", Kind::I8, 4, 4, 16, 4),
    product("v_mfma_i32_32x32x8i8", Kind::I8, 32, 8, 1, 4),
    product("v_mfma_i32_16x16x16i8", Kind::I8, 16, 16, 1, 4),
    product("v_mfma_f32_32x32x2bf16", Kind::Bf16, 32, 2, 2, 2),
    product("v_mfma_f32_16x16x2bf16", Kind::Bf16, 16, 2, 4, 2),
    product("v_mfma_f32_4x4x2bf16", Kind::Bf16, 4, 2, 16, 2),
    product("v_mfma_f32_32x32x4bf16", Kind::Bf16, 32, 4, 1, 2),
    product("v_mfma_f32_16x16x8bf16", Kind::Bf16, 16, 8, 1, 2),
    product("v_mfma_f32_32x32x4bf16_1k", Kind::Bf16, 32, 4, 2, 4),
    product("v_mfma_f32_16x16x4bf16_1k", Kind::Bf16, 16, 4, 4, 4),
    product("v_mfma_f32_4x4x4bf16_1k", Kind::Bf16, 4, 4, 16, 4),
    product("v_mfma_f32_32x32x8bf16_1k", Kind::Bf16, 32, 8, 1, 4),
    product("v_mfma_f32_16x16x16bf16_1k", Kind::Bf16, 16, 16, 1, 4),
    product("v_mfma_f64_16x16x4f64", Kind::F64, 16, 4, 1, 1),
    product("v_mfma_f64_4x4x4f64", Kind::F64, 4, 4, 4, 1),
];

impl Product {
    /// Lane of row (column) `i`, step `k` of `block`. Lanes go through rows, then blocks, then groups of steps.
    fn lane(self, block: usize, i: usize, k: usize) -> usize {
        match (self.size, self.blocks) {
            (32, 2) => 32 * block + i,
            (16, 4) => 16 * block + i,
            (4, 16) => 4 * block + i,
            (32, 1) => 32 * (k / self.per_lane) + i,
            (16, 1) => 16 * (k / self.per_lane) + i,
            (4, 4) => 16 * k + 4 * block + i,
            _ => unreachable!(),
        }
    }

    /// Register (pair) and lane of `D[block][i][j]`.
    fn place(self, block: usize, i: usize, j: usize) -> (usize, usize) {
        if self.kind == Kind::F64 {
            return match self.size {
                16 => (i / 4, 16 * (i % 4) + j),
                _ => (0, 16 * i + 4 * block + j),
            };
        }
        match self.size {
            32 => (16 * block + 4 * (i / 8) + i % 4, 32 * (i / 4 % 2) + j),
            16 => (4 * block + i % 4, 16 * (i / 4) + j),
            _ => (i, 4 * block + j),
        }
    }

    /// Writes an element of A or B, whose first register is `base`.
    fn put(self, wave: &mut Wave, base: usize, lane: usize, k: usize, value: i32) {
        let at = k % self.per_lane;
        let (register, shift, bits) = match self.kind {
            Kind::F32 => (0, 0, (value as f32).to_bits()),
            Kind::F16 => (
                at / 2,
                16 * (at % 2),
                crate::valu::fp::half::from_f32(value as f32),
            ),
            Kind::Bf16 => (at / 2, 16 * (at % 2), (value as f32).to_bits() >> 16),
            Kind::I8 => (0, 8 * at, value as u32 & 0xff),
            Kind::F64 => {
                let bits = f64::from(value).to_bits();
                wave.vgprs[base][lane] = bits as u32;
                (1, 0, (bits >> 32) as u32)
            }
        };
        wave.vgprs[base + register][lane] |= bits << shift;
    }

    fn number(self, value: i32) -> u32 {
        match self.kind {
            Kind::I8 => value as u32,
            _ => (value as f32).to_bits(),
        }
    }
}

/// Small integers, so that every order of addition gives the same.
fn check(p: Product, cbsz: u8, abid: u8, blgp: u8, acc: bool) {
    let mut random = Random(31 + u64::from(blgp) + 8 * u64::from(abid));
    let mut value = || (random.next() % 15) as i32 - 7;
    let mut case = Case::new(p.name).with(|v| {
        let base = if acc { Operand::A0.0 } else { Operand::V0.0 };
        let op = |n: usize| Operand(base + n as u16);
        (v.dst, v.src) = (op(D), [op(A), op(B), op(C)]);
        (v.cbsz, v.abid, v.blgp) = (cbsz, abid, blgp);
    });
    let first = if acc { 256 } else { 0 };
    let wave = &mut case.wave;
    // matrices do not care for EXEC
    wave.exec = 0x1234;
    let grid = || vec![vec![vec![0; 32]; 32]; p.blocks];
    let (mut a, mut c) = (grid(), grid());
    // what each lane holds of B
    let mut held = [[0; 4]; LANES];
    for block in 0..p.blocks {
        for i in 0..p.size {
            for k in 0..p.k {
                let (x, y) = (value(), value());
                let lane = p.lane(block, i, k);
                p.put(wave, first + A, lane, k, x);
                p.put(wave, first + B, lane, k, y);
                a[block][i][k] = x;
                held[lane][k % p.per_lane] = y;
            }
            for j in 0..p.size {
                let x = value();
                c[block][i][j] = x;
                let (register, lane) = p.place(block, i, j);
                if p.kind == Kind::F64 {
                    let bits = f64::from(x).to_bits();
                    wave.vgprs[first + C + 2 * register][lane] = bits as u32;
                    wave.vgprs[first + C + 2 * register + 1][lane] = (bits >> 32) as u32;
                } else {
                    wave.vgprs[first + C + register][lane] = p.number(x);
                }
            }
        }
    }
    let out = case.run();
    for block in 0..p.blocks {
        let from = block >> cbsz << cbsz | usize::from(abid);
        for i in 0..p.size {
            for j in 0..p.size {
                let sum: i32 = (0..p.k)
                    .map(|k| {
                        // the lane that stands in for the one of B[k][j]
                        let lane = p.lane(block, j, k);
                        let other = match blgp {
                            0 => lane,
                            1 => lane & 31,
                            2 => lane & 31 | 32,
                            3 => (lane + 16) & 63,
                            n => lane & 15 | 16 * (usize::from(n) - 4),
                        };
                        a[from][i][k] * held[other][k % p.per_lane]
                    })
                    .sum();
                let expected = sum + c[block][i][j];
                let (register, lane) = p.place(block, i, j);
                if p.kind == Kind::F64 {
                    let at = first + D + 2 * register;
                    let bits = u64::from(out.vgprs[at][lane]) | u64::from(out.vgprs[at + 1][lane]) << 32;
                    assert_eq!(f64::from_bits(bits), f64::from(expected), "{p:?} {block} {i} {j}");
                } else {
                    let bits = out.vgprs[first + D + register][lane];
                    assert_eq!(
                        bits,
                        p.number(expected),
                        "{p:?} {cbsz} {abid} {blgp}: {block} {i} {j}"
                    );
                }
            }
        }
    }
}

#[test]
fn products() {
    for p in PRODUCTS {
        check(p, 0, 0, 0, false);
        check(p, 0, 0, 0, true);
    }
}

#[test]
fn broadcasts_and_permutations() {
    for p in PRODUCTS.into_iter().filter(|p| p.kind != Kind::F64) {
        for blgp in 0..8 {
            check(p, 0, 0, blgp, false);
        }
        let log = p.blocks.trailing_zeros() as u8;
        for cbsz in 1..=log {
            check(p, cbsz, 0, 0, false);
            check(p, cbsz, (1 << cbsz) - 1, 3, true);
        }
        let case = Case::new(p.name).with(|v| v.cbsz = log + 1);
        assert!(case.try_run().is_err(), "{}", p.name);
    }
    let case = Case::new("v_mfma_f64_4x4x4f64").with(|v| v.blgp = 1);
    assert!(case.try_run().is_err());
}

/// C may be a constant.
#[test]
fn constant_sums() {
    let run = |name, c| {
        let case = Case::new(name)
            .src64(0, [0; LANES])
            .src64(1, [0; LANES])
            .with(|v| v.src[2] = Operand(c));
        case.run()
    };
    let wave = run("v_mfma_f32_4x4x1f32", 244);
    for r in 0..4 {
        assert_eq!(wave.vgprs[usize::from(DST) + r], [2f32.to_bits(); LANES]);
    }
    assert_eq!(
        run("v_mfma_i32_4x4x4i8", 193).vgprs[usize::from(DST) + 3],
        [u32::MAX; LANES]
    );
    let wave = run("v_mfma_f64_4x4x4f64", 242);
    assert_eq!(wave.vgprs[usize::from(DST)], [0; LANES]);
    assert_eq!(wave.vgprs[usize::from(DST) + 1], [0x3ff0_0000; LANES]);
}

/// One element of a 4x4 product, all other elements alike: row of A, column of B, C.
fn dot(name: &'static str, a: u64, b: u64, c: u32) -> f32 {
    let case = Case::new(name)
        .src64(0, [a; LANES])
        .src64(1, [b; LANES])
        .with(|v| v.src[2] = Operand::vgpr(C as u8));
    let case = case.on(|w| (0..4).for_each(|r| w.vgprs[C + r] = [c; LANES]));
    f32::from_bits(case.row()[0])
}

/// Half-precision and bfloat16 denormals count as zeros; so do denormal sums.
#[test]
fn denormals() {
    let one = 0x3c00;
    assert_eq!(dot("v_mfma_f32_4x4x4f16", 0x03ff, one, 0), 0.0);
    assert_eq!(dot("v_mfma_f32_4x4x4f16", 0x0400, one, 0), 2f32.powi(-14));
    assert_eq!(dot("v_mfma_f32_4x4x4f16", 0, 0, 1), 0.0);
    assert_eq!(dot("v_mfma_f32_4x4x2bf16", 0x007f, 0x3f80, 0), 0.0);
    // a product below the smallest normal number
    assert_eq!(dot("v_mfma_f32_4x4x4bf16_1k", 0x0080, 0x3f00, 0).to_bits(), 0);
    // single precision has them
    assert_eq!(
        dot("v_mfma_f32_4x4x1f32", 1, u64::from(1f32.to_bits()), 1).to_bits(),
        2
    );
}

/// Every step rounds: pairs first, then the sum so far.
#[test]
fn order_of_addition() {
    let h = |x: f32| u64::from(crate::valu::fp::half::from_f32(x));
    let four = |x: [f32; 4]| h(x[0]) | h(x[1]) << 16 | h(x[2]) << 32 | h(x[3]) << 48;
    let ones = four([1.0; 4]);
    let big = 2f32.powi(24);
    // (1 + 1) survives next to 2^24; 1 alone does not
    assert_eq!(
        dot(
            "v_mfma_f32_4x4x4f16",
            four([1.0, 1.0, 0.0, 0.0]),
            ones,
            big.to_bits()
        ),
        big + 2.0
    );
    assert_eq!(
        dot(
            "v_mfma_f32_4x4x4f16",
            four([1.0, 0.0, 0.0, 0.0]),
            ones,
            big.to_bits()
        ),
        big
    );
    assert_eq!(
        dot(
            "v_mfma_f32_4x4x4f16",
            four([1.0, 0.0, 1.0, 0.0]),
            ones,
            big.to_bits()
        ),
        big + 2.0
    );
    // single precision is a chain: each 1 is lost
    let single = Case::new("v_mfma_f32_16x16x4f32")
        .src(0, [1f32.to_bits(); LANES])
        .src(1, [1f32.to_bits(); LANES]);
    let single = single
        .with(|v| v.src[2] = Operand::vgpr(C as u8))
        .on(|w| (0..4).for_each(|r| w.vgprs[C + r] = [big.to_bits(); LANES]));
    assert_eq!(f32::from_bits(single.row()[0]), big);
}

#[test]
fn special_values() {
    let inf = u64::from(f32::INFINITY.to_bits());
    let one = u64::from(1f32.to_bits());
    assert_eq!(dot("v_mfma_f32_4x4x1f32", inf, one, 0), f32::INFINITY);
    assert!(dot("v_mfma_f32_4x4x1f32", inf, 0, 0).is_nan());
    assert_eq!(
        dot("v_mfma_f32_4x4x1f32", one, one, 0x7f80_0001).to_bits(),
        0x7fc0_0001
    );
    assert!(dot("v_mfma_f32_4x4x4f16", 0x7e00, 0x3c00, 0).is_nan());
    assert_eq!(dot("v_mfma_f32_4x4x4f16", 0xfc00, 0x3c00, 0), f32::NEG_INFINITY);
    // integers wrap
    let case = Case::new("v_mfma_i32_4x4x4i8")
        .src(0, [0x7f7f_7f7f; LANES])
        .src(1, [0x0101_0101; LANES]);
    let case = case
        .with(|v| v.src[2] = Operand::vgpr(C as u8))
        .on(|w| (0..4).for_each(|r| w.vgprs[C + r] = [i32::MAX as u32; LANES]));
    assert_eq!(case.row()[0], (i32::MAX as u32).wrapping_add(4 * 127));
}
