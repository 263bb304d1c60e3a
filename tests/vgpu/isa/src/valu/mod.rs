// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Vector arithmetic.
//!
//! An instruction is found by its base mnemonic (without `_e32`, `_e64`, `_sdwa`, `_dpp`): [`OPS`] chains the lists of
//! [`ops`] and [`find`] is how the tables link to them. An executor gets the normalised operands ([`Vop`]) whatever the
//! encoding was.
//!
//! Rooms:
//! - [`fp`]: floating-point numbers, without waves.
//! - [`lanes`]: operands to rows and back: SDWA, DPP, op_sel, abs, neg, omod, clamp, EXEC.
//! - [`ops`]: what each instruction does with a lane, by subject.
//! - [`mfma`]: the matrix cores.

use crate::inst::Vop;
use crate::stop::Why;
use crate::wave::Wave;

pub mod fp;
pub mod lanes;
pub mod mfma;
pub mod ops;
#[cfg(test)]
mod tests;

/// Executes one vector instruction on all active lanes. The PC is not its business.
pub type Exec = fn(&mut Wave, &Vop) -> Result<(), Why>;

/// All executors, by base mnemonic.
pub static OPS: &[&[(&str, Exec)]] = &[
    ops::bits::OPS,
    ops::carry::OPS,
    ops::compare::CLASS,
    ops::compare::DOUBLE,
    ops::compare::HALF,
    ops::compare::I16,
    ops::compare::I32,
    ops::compare::I64,
    ops::compare::SINGLE,
    ops::compare::U16,
    ops::compare::U32,
    ops::compare::U64,
    ops::convert::OPS,
    ops::cube::OPS,
    ops::divide::OPS,
    ops::dot::OPS,
    ops::f16::OPS,
    ops::f32::OPS,
    ops::f64::OPS,
    ops::int16::OPS,
    ops::int32::OPS,
    ops::int64::OPS,
    ops::lanes::OPS,
    ops::mix::OPS,
    ops::packed16::OPS,
    ops::packed32::OPS,
    ops::sad::OPS,
    ops::trans::OPS,
    mfma::OPS,
];

/// The executor of `mnemonic`, if there is one. Called once per table row.
pub fn find(mnemonic: &str) -> Option<Exec> {
    OPS.iter()
        .flat_map(|list| list.iter())
        .find(|(name, _)| *name == mnemonic)
        .map(|(_, exec)| *exec)
}
