// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The instructions, by subject. Each file is a list of base mnemonics and what they do with a lane.

pub mod bits;
pub mod carry;
pub mod compare;
pub mod convert;
pub mod cube;
pub mod divide;
pub mod dot;
pub mod f16;
pub mod f32;
pub mod f64;
pub mod int16;
pub mod int32;
pub mod int64;
pub mod lanes;
pub mod mix;
pub mod packed16;
pub mod packed32;
pub mod sad;
pub mod trans;
