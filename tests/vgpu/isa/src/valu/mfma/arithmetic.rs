// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How the matrix cores add up (source: Xie et al., "MMA-Sim: Bit-Accurate Reference Model of Tensor Cores and Matrix
//! Cores", arXiv 2511.10909, CDNA2, measured on MI200; on denormals also MIOpen "MI200 MFMA behavior specifics").
//!
//! - Single and double precision: a chain of FMAs along k, with denormals.
//! - Half precision and bfloat16: denormals of A, B and C count as +0. Groups of four (bfloat16 without `_1k`: two) products
//!   along k are added pairwise, then to the sum so far; every step rounds to single precision and turns a denormal into a
//!   zero.
//! - Integers are exact and wrap.
//!
//! NaNs: of the chains as in an FMA; of the groups the NaN of an invalid operation. Their bits are not documented.

use super::layout::Shape;
use crate::valu::fp::{half, host, soft, Env, Float, F32, F64};

/// The largest size of a matrix.
const MAX: usize = 32;

/// Runs `f` on each row of C, with the column of A and the B that belong to it, by step of k.
fn rows<T: Copy, C>(shape: Shape, a: &[T], b: &[T], c: &mut [C], f: impl Fn(Steps<'_, T>, &mut [C])) {
    let per_block = shape.k * shape.size;
    let blocks = a.chunks_exact(per_block).zip(b.chunks_exact(per_block));
    for ((a, b), c) in blocks.zip(c.chunks_exact_mut(shape.size * shape.size)) {
        for (i, c) in c.chunks_exact_mut(shape.size).enumerate() {
            f(
                Steps {
                    a,
                    b,
                    i,
                    size: shape.size,
                },
                c,
            );
        }
    }
}

/// What is multiplied to give row `i` of a product.
#[derive(Clone, Copy)]
struct Steps<'a, T> {
    a: &'a [T],
    b: &'a [T],
    i: usize,
    size: usize,
}

impl<'a, T: Copy> Steps<'a, T> {
    /// The element of A and the row of B, by step.
    fn each(self) -> impl Iterator<Item = (T, &'a [T])> {
        let a = self.a.iter().skip(self.i).step_by(self.size);
        a.copied().zip(self.b.chunks_exact(self.size))
    }
}

/// C += A * B in single precision.
pub fn chain32(shape: Shape, a: &[f32], b: &[f32], c: &mut [f32]) {
    rows(shape, a, b, c, |steps, c| {
        let mut sums = [0.0; MAX];
        let sums = &mut sums[..c.len()];
        sums.copy_from_slice(c);
        for (a, b) in steps.each() {
            for (sum, b) in sums.iter_mut().zip(b) {
                *sum = host::fma32(a, *b, *sum);
            }
        }
        for (j, (c, sum)) in c.iter_mut().zip(sums).enumerate() {
            *c = if sum.is_nan() { exact32(steps, j, *c) } else { *sum };
        }
    });
}

/// Column `j`, with the rules for NaNs.
fn exact32(steps: Steps<'_, f32>, j: usize, c: f32) -> f32 {
    let bits = |x: f32| u64::from(x.to_bits());
    let chain = |sum, (a, b): (f32, &[f32])| soft::fma::<F32>(Env::NEAREST, [bits(a), bits(b[j]), sum]);
    f32::from_bits(steps.each().fold(bits(c), chain) as u32)
}

/// C += A * B in double precision, on bits.
pub fn chain64(shape: Shape, a: &[u64], b: &[u64], c: &mut [u64]) {
    rows(shape, a, b, c, |steps, c| {
        for (a, b) in steps.each() {
            for (c, b) in c.iter_mut().zip(b) {
                let sum = f64::from_bits(a).mul_add(f64::from_bits(*b), f64::from_bits(*c));
                *c = if sum.is_nan() {
                    soft::fma::<F64>(Env::NEAREST, [a, *b, *c])
                } else {
                    sum.to_bits()
                };
            }
        }
    });
}

/// C += A * B in integers.
pub fn integers(shape: Shape, a: &[i32], b: &[i32], c: &mut [i32]) {
    rows(shape, a, b, c, |steps, c| {
        for (a, b) in steps.each() {
            for (c, b) in c.iter_mut().zip(b) {
                *c = c.wrapping_add(a.wrapping_mul(*b));
            }
        }
    });
}

/// A denormal as a zero of its sign.
#[inline(always)]
fn flushed(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(if bits & 0x7f80_0000 == 0 {
        bits & 0x8000_0000
    } else {
        bits
    })
}

/// C += A * B with products in groups of `N` (2 or 4).
pub fn grouped<const N: usize>(shape: Shape, a: &[f32], b: &[f32], c: &mut [f32]) {
    rows(shape, a, b, c, |steps, c| {
        for c in c.iter_mut() {
            *c = if flushed(*c) == 0.0 { 0.0 } else { *c };
        }
        let mut steps = steps.each();
        // the products of one step, with a negative zero made positive
        let mut products = || {
            let mut products = [0.0; MAX];
            if let Some((a, b)) = steps.next() {
                for (product, b) in products.iter_mut().zip(b) {
                    *product = flushed(a * b + 0.0);
                }
            }
            products
        };
        for _ in 0..shape.k / N {
            let mut sums = added(&products(), &products());
            if N == 4 {
                sums = added(&sums, &added(&products(), &products()));
            }
            for (c, sum) in c.iter_mut().zip(sums) {
                *c = flushed(*c + sum);
            }
        }
        for c in c.iter_mut().filter(|c| c.is_nan()) {
            *c = f32::from_bits(F32::NAN as u32);
        }
    });
}

#[inline(always)]
fn added(a: &[f32; MAX], b: &[f32; MAX]) -> [f32; MAX] {
    std::array::from_fn(|j| flushed(a[j] + b[j]))
}

/// A half-precision element.
pub fn from_f16(bits: u16) -> f32 {
    if bits & 0x7c00 == 0 {
        0.0
    } else {
        half::to_f32(u32::from(bits))
    }
}

/// A bfloat16 element.
pub fn from_bf16(bits: u16) -> f32 {
    if bits & 0x7f80 == 0 {
        0.0
    } else {
        half::bf16_to_f32(u32::from(bits))
    }
}
