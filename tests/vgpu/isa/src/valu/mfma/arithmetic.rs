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

/// Runs `f` on each row of A, the B of its block and the row of C.
fn rows<A, C>(shape: Shape, a: &[A], b: &[A], c: &mut [C], f: impl Fn(&[A], &[A], &mut [C])) {
    let a_rows = a.chunks_exact(shape.k);
    for (i, (a, c)) in a_rows.zip(c.chunks_exact_mut(shape.size)).enumerate() {
        let per_block = shape.k * shape.size;
        let start = i / shape.size * per_block;
        f(a, b.get(start..start + per_block).unwrap_or_default(), c);
    }
}

/// C += A * B in single precision.
pub fn chain32(shape: Shape, a: &[f32], b: &[f32], c: &mut [f32]) {
    rows(shape, a, b, c, |a, b, c| {
        for (a, b) in a.iter().zip(b.chunks_exact(shape.size)) {
            for (c, b) in c.iter_mut().zip(b) {
                let sum = host::fma32(*a, *b, *c);
                *c = if sum.is_nan() {
                    let src = [*a, *b, *c].map(|x| u64::from(x.to_bits()));
                    f32::from_bits(soft::fma::<F32>(Env::NEAREST, src) as u32)
                } else {
                    sum
                };
            }
        }
    });
}

/// C += A * B in double precision, on bits.
pub fn chain64(shape: Shape, a: &[u64], b: &[u64], c: &mut [u64]) {
    rows(shape, a, b, c, |a, b, c| {
        for (a, b) in a.iter().zip(b.chunks_exact(shape.size)) {
            for (c, b) in c.iter_mut().zip(b) {
                let sum = f64::from_bits(*a).mul_add(f64::from_bits(*b), f64::from_bits(*c));
                *c = if sum.is_nan() {
                    soft::fma::<F64>(Env::NEAREST, [*a, *b, *c])
                } else {
                    sum.to_bits()
                };
            }
        }
    });
}

/// C += A * B in integers.
pub fn integers(shape: Shape, a: &[i32], b: &[i32], c: &mut [i32]) {
    rows(shape, a, b, c, |a, b, c| {
        for (a, b) in a.iter().zip(b.chunks_exact(shape.size)) {
            for (c, b) in c.iter_mut().zip(b) {
                *c = c.wrapping_add(a.wrapping_mul(*b));
            }
        }
    });
}

/// A denormal as a zero of its sign.
fn flushed(x: f32) -> f32 {
    if x.abs() < f32::MIN_POSITIVE {
        0.0f32.copysign(x)
    } else {
        x
    }
}

/// C += A * B with products in groups of `N` (2 or 4).
pub fn grouped<const N: usize>(shape: Shape, a: &[f32], b: &[f32], c: &mut [f32]) {
    rows(shape, a, b, c, |a, b, c| {
        for c in c.iter_mut() {
            *c = if c.abs() < f32::MIN_POSITIVE { 0.0 } else { *c };
        }
        for (a, b) in a.chunks_exact(N).zip(b.chunks_exact(N * shape.size)) {
            for (j, c) in c.iter_mut().enumerate() {
                // adding +0 makes a negative zero positive
                let product = |n: usize| flushed(a[n] * b[n * shape.size + j] + 0.0);
                let mut sum = flushed(product(0) + product(1));
                if N == 4 {
                    sum = flushed(sum + flushed(product(2) + product(3)));
                }
                *c = flushed(*c + sum);
            }
        }
        for c in c.iter_mut().filter(|c| c.is_nan()) {
            *c = f32::from_bits(F32::NAN as u32);
        }
    });
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
