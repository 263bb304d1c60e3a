// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The matrix cores: D = A * B + C for small matrices that are spread over the lanes.
//!
//! EXEC and MODE do not matter: all lanes take part, rounding is to nearest even. Where elements live is in [`layout`], how
//! they are added up in [`arithmetic`].

pub mod arithmetic;
pub mod layout;

use super::Exec;
use crate::inst::Vop;
use crate::stop::Why;
use crate::wave::Wave;
use layout::Shape;

/// What this file implements.
pub static OPS: &[(&str, Exec)] = &[
    ("v_mfma_f32_32x32x1f32", |w, v| f32(w, v, Shape::new(32, 1, 2))),
    ("v_mfma_f32_16x16x1f32", |w, v| f32(w, v, Shape::new(16, 1, 4))),
    ("v_mfma_f32_4x4x1f32", |w, v| f32(w, v, Shape::new(4, 1, 16))),
    ("v_mfma_f32_32x32x2f32", |w, v| f32(w, v, Shape::new(32, 2, 1))),
    ("v_mfma_f32_16x16x4f32", |w, v| f32(w, v, Shape::new(16, 4, 1))),
    ("v_mfma_f32_32x32x4f16", |w, v| f16(w, v, Shape::new(32, 4, 2))),
    ("v_mfma_f32_16x16x4f16", |w, v| f16(w, v, Shape::new(16, 4, 4))),
    ("v_mfma_f32_4x4x4f16", |w, v| f16(w, v, Shape::new(4, 4, 16))),
    ("v_mfma_f32_32x32x8f16", |w, v| f16(w, v, Shape::new(32, 8, 1))),
    ("v_mfma_f32_16x16x16f16", |w, v| f16(w, v, Shape::new(16, 16, 1))),
    ("v_mfma_f32_32x32x2bf16", |w, v| bf16(w, v, Shape::new(32, 2, 2))),
    ("v_mfma_f32_16x16x2bf16", |w, v| bf16(w, v, Shape::new(16, 2, 4))),
    ("v_mfma_f32_4x4x2bf16", |w, v| bf16(w, v, Shape::new(4, 2, 16))),
    ("v_mfma_f32_32x32x4bf16", |w, v| bf16(w, v, Shape::new(32, 4, 1))),
    ("v_mfma_f32_16x16x8bf16", |w, v| bf16(w, v, Shape::new(16, 8, 1))),
    ("v_mfma_f32_32x32x4bf16_1k", |w, v| {
        bf16_1k(w, v, Shape::new(32, 4, 2))
    }),
    ("v_mfma_f32_16x16x4bf16_1k", |w, v| {
        bf16_1k(w, v, Shape::new(16, 4, 4))
    }),
    ("v_mfma_f32_4x4x4bf16_1k", |w, v| {
        bf16_1k(w, v, Shape::new(4, 4, 16))
    }),
    ("v_mfma_f32_32x32x8bf16_1k", |w, v| {
        bf16_1k(w, v, Shape::new(32, 8, 1))
    }),
    ("v_mfma_f32_16x16x16bf16_1k", |w, v| {
        bf16_1k(w, v, Shape::new(16, 16, 1))
    }),
    ("v_mfma_i32_32x32x4i8", |w, v| i8(w, v, Shape::new(32, 4, 2))),
    ("v_mfma_i32_16x16x4i8", |w, v| i8(w, v, Shape::new(16, 4, 4))),
    ("v_mfma_i32_4x4x4i8", |w, v| i8(w, v, Shape::new(4, 4, 16))),
    ("v_mfma_i32_32x32x8i8", |w, v| i8(w, v, Shape::new(32, 8, 1))),
    ("v_mfma_i32_16x16x16i8", |w, v| i8(w, v, Shape::new(16, 16, 1))),
    ("v_mfma_f64_16x16x4f64", |w, v| f64(w, v, Shape::new(16, 4, 1))),
    ("v_mfma_f64_4x4x4f64", |w, v| f64(w, v, Shape::new(4, 4, 4))),
];

fn f32(wave: &mut Wave, vop: &Vop, shape: Shape) -> Result<(), Why> {
    let (a, b) = layout::inputs(wave, vop, shape, 1, |lane, _| f32::from_bits(lane as u32))?;
    singles(wave, vop, shape, |c| arithmetic::chain32(shape, &a, &b, c))
}

fn f16(wave: &mut Wave, vop: &Vop, shape: Shape) -> Result<(), Why> {
    let (a, b) = layout::inputs(wave, vop, shape, 2, |lane, i| arithmetic::from_f16(word(lane, i)))?;
    singles(wave, vop, shape, |c| arithmetic::grouped::<4>(shape, &a, &b, c))
}

fn bf16(wave: &mut Wave, vop: &Vop, shape: Shape) -> Result<(), Why> {
    let (a, b) = layout::inputs(wave, vop, shape, 1, |lane, i| {
        arithmetic::from_bf16(word(lane, i))
    })?;
    singles(wave, vop, shape, |c| arithmetic::grouped::<2>(shape, &a, &b, c))
}

fn bf16_1k(wave: &mut Wave, vop: &Vop, shape: Shape) -> Result<(), Why> {
    let (a, b) = layout::inputs(wave, vop, shape, 2, |lane, i| {
        arithmetic::from_bf16(word(lane, i))
    })?;
    singles(wave, vop, shape, |c| arithmetic::grouped::<4>(shape, &a, &b, c))
}

fn i8(wave: &mut Wave, vop: &Vop, shape: Shape) -> Result<(), Why> {
    let (a, b) = layout::inputs(wave, vop, shape, 1, |lane, i| i32::from((lane >> (8 * i)) as i8))?;
    let integer = |x: u32| x as i32;
    layout::with_dwords(
        wave,
        vop,
        shape,
        integer,
        |x| x as u32,
        |c| arithmetic::integers(shape, &a, &b, c),
    )
}

/// These have no lane permutations (source: AMD Matrix Instruction Calculator).
fn f64(wave: &mut Wave, vop: &Vop, shape: Shape) -> Result<(), Why> {
    if vop.cbsz != 0 || vop.abid != 0 || vop.blgp != 0 {
        return Err(Why::Borrowed(
            "cbsz, abid and blgp do not exist for double precision",
        ));
    }
    let (a, b) = layout::inputs(wave, vop, shape, 2, |lane, _| lane)?;
    layout::with_qwords(wave, vop, shape, |c| arithmetic::chain64(shape, &a, &b, c))
}

/// The half `i` of what a lane holds.
fn word(lane: u64, i: usize) -> u16 {
    (lane >> (16 * i)) as u16
}

fn singles(wave: &mut Wave, vop: &Vop, shape: Shape, f: impl FnOnce(&mut [f32])) -> Result<(), Why> {
    layout::with_dwords(wave, vop, shape, f32::from_bits, f32::to_bits, f)
}
