// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Vector arithmetic.
//!
//! Each file lists what it implements by base mnemonic (without `_e32`, `_e64`, `_sdwa`, `_dpp`): [`OPS`] chains the lists
//! and [`find`] is how the tables link to them. An executor gets the normalised operands ([`Vop`]) whatever the encoding
//! was.

use crate::inst::Vop;
use crate::stop::Why;
use crate::wave::Wave;

pub mod vop1;

/// Executes one vector instruction on all active lanes. The PC is not its business.
pub type Exec = fn(&mut Wave, &Vop) -> Result<(), Why>;

/// All executors, by base mnemonic.
pub static OPS: &[&[(&str, Exec)]] = &[vop1::OPS];

/// The executor of `mnemonic`, if there is one. Called once per table row.
pub fn find(mnemonic: &str) -> Option<Exec> {
    OPS.iter()
        .flat_map(|list| list.iter())
        .find(|(name, _)| *name == mnemonic)
        .map(|(_, exec)| *exec)
}
