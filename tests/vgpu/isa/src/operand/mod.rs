// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reading sources and writing results.
//!
//! A vector source is either *uniform* (scalar register, constant: the same in every lane) or a *row*. Readers here return
//! [`Value`], so that an executor can keep uniform values in a register and loop over rows only:
//!
//! ```text
//! let a = wave.src32(vop.src[0], vop.literal)?;       // Value::Uniform(u32) or Value::Row(&[u32; 64])
//! let b = wave.src32(vop.src[1], vop.literal)?;
//! let out: Row = std::array::from_fn(|l| a.lane(l).wrapping_add(b.lane(l)));
//! wave.write32(vop.dst, &out)?;                        // only the lanes that EXEC allows
//! ```
//!
//! Inline float constants have the bits of the operand's own type, hence one reader per width: [`Wave::src16`],
//! [`Wave::src32`], [`Wave::src64`]. What depends on the instruction (abs, neg, op_sel, SDWA, DPP, omod, clamp) is applied by
//! [`valu`](crate::valu) on top of these.

mod scalar;
mod vector;

use crate::wave::{Row, LANES};
pub use vector::merge;

/// A 32-bit vector source.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// The same in all lanes.
    Uniform(u32),
    /// One dword per lane.
    Row(&'a Row),
}

impl Value<'_> {
    /// The value in `lane`.
    #[inline(always)]
    pub fn lane(&self, lane: usize) -> u32 {
        match self {
            Self::Uniform(v) => *v,
            Self::Row(row) => row[lane],
        }
    }

    /// All lanes, as a copy.
    #[inline]
    pub fn row(&self) -> Row {
        match self {
            Self::Uniform(v) => [*v; LANES],
            Self::Row(row) => **row,
        }
    }
}

/// A 64-bit vector source.
#[derive(Clone, Copy, Debug)]
pub enum Value64<'a> {
    /// The same in all lanes.
    Uniform(u64),
    /// Low and high dwords per lane.
    Rows(&'a Row, &'a Row),
}

impl Value64<'_> {
    /// The value in `lane`.
    #[inline(always)]
    pub fn lane(&self, lane: usize) -> u64 {
        match self {
            Self::Uniform(v) => *v,
            Self::Rows(lo, hi) => (u64::from(hi[lane]) << 32) | u64::from(lo[lane]),
        }
    }

    /// All lanes, as a copy.
    #[inline]
    pub fn row(&self) -> [u64; LANES] {
        std::array::from_fn(|l| self.lane(l))
    }
}
