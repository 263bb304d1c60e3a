// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From operands to lanes and back.
//!
//! [`source`] reads an operand as a row with all that the encoding asks for (SDWA part, DPP movement, op_sel, abs, neg), [`result`]
//! writes one (omod, clamp, SDWA part, EXEC and DPP masks), and [`shape`] puts the two around a function of single
//! lanes, so that an instruction is one line in [`ops`](super::ops).

pub mod dpp;
pub mod result;
pub mod sdwa;
pub mod shape;
pub mod source;
