// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Numbers for tests, and LLVM's arithmetic on them.

use crate::mode::Round;
use crate::valu::fp::{Float, F16, F32, F64};
use proptest::prelude::*;
use rustc_apfloat::ieee::{Double, Half, Single};

/// A format and its APFloat twin.
pub(super) trait Twin: Float {
    type Ap: rustc_apfloat::Float;
}
impl Twin for F16 {
    type Ap = Half;
}
impl Twin for F32 {
    type Ap = Single;
}
impl Twin for F64 {
    type Ap = Double;
}

/// All rounding modes.
pub(super) const ROUNDS: [Round; 4] = [Round::NearestEven, Round::Up, Round::Down, Round::Zero];

/// APFloat's name of a rounding mode.
pub(super) fn ap_round(round: Round) -> rustc_apfloat::Round {
    match round {
        Round::NearestEven => rustc_apfloat::Round::NearestTiesToEven,
        Round::Up => rustc_apfloat::Round::TowardPositive,
        Round::Down => rustc_apfloat::Round::TowardNegative,
        Round::Zero => rustc_apfloat::Round::TowardZero,
    }
}

/// Bits as an APFloat number.
pub(super) fn ap<F: Twin>(bits: u64) -> F::Ap {
    <F::Ap as rustc_apfloat::Float>::from_bits(u128::from(bits))
}

/// An APFloat number as bits.
pub(super) fn bits<F: Twin>(x: F::Ap) -> u64 {
    rustc_apfloat::Float::to_bits(x) as u64
}

/// Numbers that hurt: limits, halves of last places, powers of two, special values.
pub(super) fn edges<F: Float>() -> Vec<u64> {
    let mut list = vec![
        0,
        1,
        2,
        F::FRACTION - 1,
        F::FRACTION,
        F::FRACTION + 1,
        F::FRACTION + 2,
        F::ONE - 1,
        F::ONE,
        F::ONE + 1,
        F::ONE + (1 << (F::FRAC - 1)),
        F::ONE + (1 << F::FRAC),
        F::ONE - (1 << F::FRAC),
        F::ONE + (u64::from(F::FRAC) << F::FRAC),
        F::ONE + (u64::from(F::FRAC + 1) << F::FRAC),
        F::ONE - (u64::from(F::FRAC + 1) << F::FRAC),
        F::MAX - 1,
        F::MAX,
        F::INF,
        F::INF | 1,
        F::INF | F::QUIET,
        F::INF | F::QUIET | 5,
        F::INF | F::FRACTION,
    ];
    let negative: Vec<u64> = list.iter().map(|x| x | F::SIGN).collect();
    list.extend(negative);
    list
}

/// Any number, with a preference for the edges and for exponents near each other.
pub(super) fn number<F: Float>() -> impl Strategy<Value = u64> {
    let all = (F::SIGN << 1).wrapping_sub(1);
    prop_oneof![
        2 => proptest::sample::select(edges::<F>()),
        3 => any::<u64>().prop_map(move |x| x & all),
        // few significant bits: sums that cancel and ties
        3 => (any::<u64>(), 0..F::EXP + 4).prop_map(move |(x, keep)| {
            x & all & !(F::FRACTION >> keep.min(F::FRAC))
        }),
        // magnitude near one
        4 => (any::<u64>(), 0..8u64).prop_map(move |(x, e)| {
            (x & (F::SIGN | F::FRACTION)) | (F::ONE - (4 << F::FRAC) + (e << F::FRAC))
        }),
        // denormals and the smallest normals
        2 => any::<u64>().prop_map(move |x| x & (F::SIGN | F::FRACTION | (3 << F::FRAC))),
    ]
}

/// Any rounding mode.
pub(super) fn round() -> impl Strategy<Value = Round> {
    proptest::sample::select(&ROUNDS[..])
}
