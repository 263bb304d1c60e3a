// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs vector arithmetic in every form that a row allows and compares each lane with the model.
//!
//! [`form`]: one run, as text and as operands; [`plan`]: which runs an instruction gets; [`check`]: the comparison;
//! [`parts`], [`movement`]: where SDWA and DPP put results.

mod check;
mod form;
mod movement;
mod parts;
mod plan;

use super::input::Random;
use super::{assemble, compare, convert, cube, division, execute, float, integer, packed, transcendental};
use form::Run;
use std::collections::BTreeSet;
use vgpu_isa::table::{Op, TABLES};

/// Integers wide enough for every exact result.
pub(crate) type I = i128;

/// MODE as HIP starts kernels: to nearest even, all denormals, DX10_CLAMP, IEEE.
pub(crate) const HIP: u32 = 0x3f0;

/// What one lane computes with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct In {
    /// Operands as the instruction sees them: selected, with signs changed. Short ones are zero-extended.
    pub(crate) src: [u128; 3],
    /// The same, integers extended by their types.
    pub(crate) int: [I; 3],
    /// The destination before.
    pub(crate) old: u128,
    /// The lane's bit of the mask source.
    pub(crate) carry: bool,
    /// The lane's bit of VCC.
    pub(crate) vcc: bool,
    pub(crate) lane: usize,
    pub(crate) mode: u32,
    pub(crate) omod: u8,
    pub(crate) clamp: bool,
}

/// How a result is judged.
#[derive(Clone, Copy)]
pub(crate) enum Model {
    /// The exact result of integers; it wraps, or saturates with clamp.
    Int(fn(I, I, I) -> I),
    /// The exact result of integers and the carry in; the bit above the result is the carry out.
    Carry(fn(I, I, I) -> I),
    /// All bits, output modifiers included.
    Bits(fn(&In) -> u128),
    /// A floating-point number: all bits, but any quiet NaN for a NaN.
    Float(Width, fn(&In) -> u128),
    /// The same for each half of the result.
    Floats(Width, fn(&In) -> u128),
    /// The lane's bit of the mask, by the instruction's name.
    Mask(fn(&str, &In) -> bool),
    /// Whether the result will do.
    Judge(fn(&In, u128) -> bool),
    /// Value and flag.
    Flagged(Width, fn(&In) -> (u128, bool)),
}

/// A floating-point format.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Width {
    Half,
    Single,
    Double,
}

impl Width {
    /// Bits of the exponent and the fraction.
    pub(crate) fn fields(self) -> (u32, u32) {
        match self {
            Self::Half => (5, 10),
            Self::Single => (8, 23),
            Self::Double => (11, 52),
        }
    }

    pub(super) fn bits(self) -> u32 {
        let (exp, frac) = self.fields();
        1 + exp + frac
    }

    pub(crate) fn is_nan(self, x: u128) -> bool {
        let (exp, frac) = self.fields();
        let magnitude = x & ((1 << (exp + frac)) - 1);
        magnitude > ((1 << exp) - 1) << frac
    }

    pub(super) fn agrees(self, expected: u128, got: u128, quiet: bool) -> bool {
        let frac = self.fields().1;
        let quiet = got >> (frac - 1) & 1 == 1 || !quiet;
        expected == got || self.is_nan(expected) && self.is_nan(got) && quiet
    }
}

/// The model of `name`.
fn model(name: &str) -> Option<Model> {
    [
        integer::model,
        float::model,
        division::model,
        convert::model,
        cube::model,
        compare::model,
        packed::model,
        transcendental::model,
    ]
    .iter()
    .find_map(|room| room(name))
}

fn rows() -> impl Iterator<Item = &'static Op> {
    TABLES.iter().flat_map(|(_, rows)| rows.iter())
}

/// All instructions that [`each_instruction`] runs.
pub(crate) fn names() -> BTreeSet<&'static str> {
    rows()
        .map(|op| op.name)
        .filter(|name| model(name).is_some())
        .collect()
}

#[test]
fn each_instruction() {
    let ops: Vec<&Op> = rows().filter(|op| model(op.name).is_some()).collect();
    let all: Vec<Run> = ops
        .iter()
        .flat_map(|op| plan::runs(op, &mut Random::of(op.name)))
        .collect();
    let texts: Vec<String> = all.iter().map(Run::text).collect();
    let mut problems = Vec::new();
    for ((i, run), program) in all.iter().enumerate().zip(assemble(&texts)) {
        let mut random = Random::of(&format!("{} {i}", run.op.name));
        let before = plan::wave(run, &mut random);
        let mut after = before.clone();
        execute(&mut after, &program);
        let model = model(run.op.name).unwrap();
        let result = std::panic::catch_unwind(|| check::check(run, model, &before, &after));
        if let Err(why) = result {
            problems.push(why.downcast_ref::<String>().cloned().unwrap_or_default());
        }
    }
    assert!(
        problems.is_empty(),
        "{} of {} runs:\n{}",
        problems.len(),
        all.len(),
        problems.join("\n")
    );
}
