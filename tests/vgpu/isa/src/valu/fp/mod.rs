// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Floating-point arithmetic as the vector ALU does it, on bit patterns and plain host numbers.
//!
//! - [`round`] and [`soft`] are exact: they work on integers, in any rounding mode, with one rounding per operation. They
//!   define what is right.
//! - [`host`] computes the common case (to nearest even) with the host's FPU, whole rows at a time, and must give the same
//!   bits.
//! - The other files are what single instructions need.
//!
//! NaN rules (source: LLVM AMDGPU on `v_max_f32 x, x` and `llvm.canonicalize`; CDNA2 ISA): a result that has a NaN among
//! its operands is the first of these in source order, made quiet if MODE.IEEE is set. An invalid operation (inf - inf, 0 * inf,
//! square root of a negative number) gives the quiet NaN with sign bit set and no payload, which is what the hardware's
//! transcendental unit and `v_div_fixup` are documented to give. The sign of that NaN for add, multiply and FMA is not
//! documented; it is the same here.

pub mod class;
pub mod convert;
pub mod divide;
pub mod half;
pub mod host;
pub mod minmax;
pub mod round;
pub mod soft;
pub mod trans;
pub mod trig_preop;

use crate::mode::{Mode, Round};

/// A binary interchange format. Values are carried as the low bits of a `u64`.
pub trait Float {
    /// Width of the exponent field.
    const EXP: u32;
    /// Width of the fraction field.
    const FRAC: u32;

    /// All bits.
    const BITS: u32 = 1 + Self::EXP + Self::FRAC;
    /// The sign bit.
    const SIGN: u64 = 1 << (Self::EXP + Self::FRAC);
    /// +infinity, which is also the mask of the exponent.
    const INF: u64 = ((1 << Self::EXP) - 1) << Self::FRAC;
    /// Mask of the fraction.
    const FRACTION: u64 = (1 << Self::FRAC) - 1;
    /// The bit that makes a NaN quiet.
    const QUIET: u64 = 1 << (Self::FRAC - 1);
    /// What an invalid operation gives.
    const NAN: u64 = Self::SIGN | Self::INF | Self::QUIET;
    /// The largest finite number.
    const MAX: u64 = Self::INF - 1;
    /// 1.0.
    const ONE: u64 = (Self::BIAS as u64) << Self::FRAC;
    /// Exponent bias; also the largest exponent.
    const BIAS: i32 = (1 << (Self::EXP - 1)) - 1;
    /// Weight of the last bit of denormals and of the smallest normal numbers, as a power of two.
    const LAST: i32 = 1 - Self::BIAS - Self::FRAC as i32;

    /// Whether `x` is a NaN.
    fn is_nan(x: u64) -> bool {
        x & !Self::SIGN & (Self::INF | Self::FRACTION) > Self::INF
    }
    /// Whether `x` is a signalling NaN.
    fn is_snan(x: u64) -> bool {
        Self::is_nan(x) && x & Self::QUIET == 0
    }
    /// Whether `x` is infinite.
    fn is_inf(x: u64) -> bool {
        x & (Self::INF | Self::FRACTION) == Self::INF
    }
    /// Whether `x` is zero.
    fn is_zero(x: u64) -> bool {
        x & (Self::INF | Self::FRACTION) == 0
    }
    /// Whether `x` is denormal (not zero).
    fn is_denormal(x: u64) -> bool {
        x & Self::INF == 0 && x & Self::FRACTION != 0
    }
    /// Whether the sign bit of `x` is set.
    fn is_negative(x: u64) -> bool {
        x & Self::SIGN != 0
    }
    /// `x` with a denormal replaced by a zero of the same sign, unless `keep`.
    fn flush(x: u64, keep: bool) -> u64 {
        if !keep && x & Self::INF == 0 {
            x & Self::SIGN
        } else {
            x
        }
    }
}

/// Half precision.
#[derive(Clone, Copy, Debug)]
pub struct F16;
/// Single precision.
#[derive(Clone, Copy, Debug)]
pub struct F32;
/// Double precision.
#[derive(Clone, Copy, Debug)]
pub struct F64;

impl Float for F16 {
    const EXP: u32 = 5;
    const FRAC: u32 = 10;
}
impl Float for F32 {
    const EXP: u32 = 8;
    const FRAC: u32 = 23;
}
impl Float for F64 {
    const EXP: u32 = 11;
    const FRAC: u32 = 52;
}

/// How operations of one width compute: the part of MODE that concerns them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Env {
    /// Rounding.
    pub round: Round,
    /// Denormal operands are taken as they are, otherwise as zeros.
    pub denorm_in: bool,
    /// Denormal results (after rounding) are kept, otherwise they become zeros.
    pub denorm_out: bool,
    /// NaN results are made quiet.
    pub ieee: bool,
    /// The clamp modifier turns NaN into 0.
    pub dx10_clamp: bool,
    /// Overflow gives the largest finite number in any rounding mode (half precision only).
    pub saturate: bool,
}

impl Env {
    /// To nearest even, denormals kept, NaNs made quiet.
    pub const NEAREST: Self = Self {
        round: Round::NearestEven,
        denorm_in: true,
        denorm_out: true,
        ieee: true,
        dx10_clamp: true,
        saturate: false,
    };

    /// For single precision.
    pub fn single(mode: Mode) -> Self {
        Self {
            round: mode.round32(),
            denorm_in: mode.denorm_in32(),
            denorm_out: mode.denorm_out32(),
            ieee: mode.ieee(),
            dx10_clamp: mode.dx10_clamp(),
            saturate: false,
        }
    }

    /// For double precision.
    pub fn double(mode: Mode) -> Self {
        Self {
            round: mode.round16_64(),
            denorm_in: mode.denorm_in16_64(),
            denorm_out: mode.denorm_out16_64(),
            ..Self::single(mode)
        }
    }

    /// For half precision.
    pub fn half(mode: Mode) -> Self {
        Self {
            saturate: mode.fp16_ovfl(),
            ..Self::double(mode)
        }
    }

    /// The same, with denormal operands and results taken as zeros whatever MODE says.
    pub fn flushing(self) -> Self {
        Self {
            denorm_in: false,
            denorm_out: false,
            ..self
        }
    }

    /// The same, in another rounding mode.
    pub fn rounding(self, round: Round) -> Self {
        Self { round, ..self }
    }

    /// The first NaN among `operands` as the result of an operation on them.
    pub fn nan<F: Float>(self, operands: &[u64]) -> Option<u64> {
        let nan = operands.iter().copied().find(|&x| F::is_nan(x))?;
        Some(if self.ieee { nan | F::QUIET } else { nan })
    }
}
