// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Exact numbers and their one rounding.

use super::{Env, Float};
use crate::mode::Round;

/// A finite number, exactly: `significand * 2^exponent`, negated if `negative`.
///
/// Where a shift loses bits, the lowest bit of the significand is set instead ("sticky"). That is enough to round
/// correctly, because the rounding point always lies higher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact {
    /// Sign.
    pub negative: bool,
    /// Magnitude; 0 is a zero with the sign above.
    pub significand: u128,
    /// Power of two of the significand's lowest bit.
    pub exponent: i32,
}

impl Exact {
    /// The value of `x`, which must be finite.
    pub fn unpack<F: Float>(x: u64) -> Self {
        let field = ((x & F::INF) >> F::FRAC) as i32;
        let fraction = u128::from(x & F::FRACTION);
        let hidden = if field == 0 { 0 } else { 1 << F::FRAC };
        Self {
            negative: F::is_negative(x),
            significand: fraction | hidden,
            exponent: F::LAST + field.max(1) - 1,
        }
    }

    /// Power of two of the highest bit set; of zero, an exponent below all others.
    pub fn magnitude(self) -> i32 {
        if self.significand == 0 {
            i32::MIN / 2
        } else {
            self.exponent + 127 - self.significand.leading_zeros() as i32
        }
    }

    /// The same value with the highest bit of the significand at bit 125.
    fn normalised(self) -> Self {
        if self.significand == 0 {
            return self;
        }
        let up = self.significand.leading_zeros() as i32 - 2;
        if up < 0 {
            return self.shifted_down(-up as u32);
        }
        Self {
            significand: self.significand << up,
            exponent: self.exponent - up,
            ..self
        }
    }

    /// The same value with an exponent larger by `by`, sticky.
    fn shifted_down(self, by: u32) -> Self {
        let significand = match by {
            0 => self.significand,
            1..=127 => {
                let lost = self.significand & ((1 << by) - 1) != 0;
                (self.significand >> by) | u128::from(lost)
            }
            _ => u128::from(self.significand != 0),
        };
        Self {
            significand,
            exponent: self.exponent.saturating_add_unsigned(by),
            ..self
        }
    }

    /// The product, exact for factors of at most 64 bits.
    pub fn times(self, other: Self) -> Self {
        Self {
            negative: self.negative != other.negative,
            significand: self.significand.wrapping_mul(other.significand),
            exponent: self.exponent + other.exponent,
        }
    }

    /// The sum. A sum that is exactly zero from terms of opposite sign is negative in rounding mode `Down` only.
    pub fn plus(self, other: Self, round: Round) -> Self {
        let zero_sign = if self.negative == other.negative {
            self.negative
        } else {
            round == Round::Down
        };
        match (self.significand, other.significand) {
            (0, 0) => {
                return Self {
                    negative: zero_sign,
                    ..self
                }
            }
            (0, _) => return other,
            (_, 0) => return self,
            _ => {}
        }
        let (mut a, mut b) = (self.normalised(), other.normalised());
        if a.exponent < b.exponent {
            std::mem::swap(&mut a, &mut b);
        }
        let b = b.shifted_down(a.exponent.abs_diff(b.exponent));
        if a.negative == b.negative {
            return Self {
                significand: a.significand + b.significand,
                ..a
            };
        }
        let significand = a.significand.abs_diff(b.significand);
        let negative = if significand == 0 {
            zero_sign
        } else if a.significand > b.significand {
            a.negative
        } else {
            b.negative
        };
        Self {
            negative,
            significand,
            exponent: a.exponent,
        }
    }

    /// Multiplied by `2^by`. Powers far outside all formats stand for each other.
    pub fn scaled(self, by: i32) -> Self {
        Self {
            exponent: self.exponent + by.clamp(-8192, 8192),
            ..self
        }
    }

    /// The nearest integer in rounding mode `round`, saturated to 127 bits.
    pub fn to_integer(self, round: Round) -> i128 {
        let magnitude = if self.exponent >= 0 {
            if self.magnitude() > 120 {
                i128::MAX as u128
            } else {
                self.significand << self.exponent
            }
        } else {
            self.shifted_rounded(self.exponent.unsigned_abs(), round)
        };
        if self.negative {
            -(magnitude as i128)
        } else {
            magnitude as i128
        }
    }

    /// The significand without its low `by` bits, rounded.
    fn shifted_rounded(self, by: u32, round: Round) -> u128 {
        let (kept, below, half) = match by {
            0 => return self.significand,
            1..=127 => (
                self.significand >> by,
                self.significand & ((1 << by) - 1),
                1 << (by - 1),
            ),
            // everything lies below half of the last place
            _ => (0, u128::from(self.significand != 0), 2),
        };
        let up = match round {
            Round::NearestEven => below > half || (below == half && kept & 1 != 0),
            Round::Up => !self.negative && below != 0,
            Round::Down => self.negative && below != 0,
            Round::Zero => false,
        };
        kept + u128::from(up)
    }

    /// The number of format `F` that this rounds to.
    pub fn round<F: Float>(self, env: Env) -> u64 {
        let sign = if self.negative { F::SIGN } else { 0 };
        if self.significand == 0 {
            return sign;
        }
        let top = self.magnitude();
        if top > F::BIAS {
            return sign | overflow::<F>(self.negative, env);
        }
        // the last place that the result keeps
        let last = (top - F::FRAC as i32).max(F::LAST);
        let kept = if last > self.exponent {
            self.shifted_rounded(last.abs_diff(self.exponent), env.round)
        } else {
            self.significand << self.exponent.abs_diff(last)
        } as u64;
        // the hidden bit of `kept` adds one to the exponent field, a carry out of it another one
        let magnitude = (((last - F::LAST) as u64) << F::FRAC) + kept;
        if magnitude >= F::INF {
            return sign | overflow::<F>(self.negative, env);
        }
        F::flush(sign | magnitude, env.denorm_out)
    }
}

/// The magnitude that stands for a finite number too large for format `F`.
fn overflow<F: Float>(negative: bool, env: Env) -> u64 {
    let infinite = match env.round {
        Round::NearestEven => true,
        Round::Up => !negative,
        Round::Down => negative,
        Round::Zero => false,
    };
    if infinite && !env.saturate {
        F::INF
    } else {
        F::MAX
    }
}
