// SPDX-License-Identifier: GPL-2.0
//! Table smu_info. Layout: kernel atomfirmware.h `struct atom_smu_info_v3_6`.

use super::{AtomError, Bios, TableId};

/// Clocks of the system part, in 10 kHz.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SmuInfo {
    /// Reference clock, which the GPU's timestamps count; not 0.
    pub refclk: u32,
    /// Clock of the system part at boot.
    pub socclk: u32,
    /// Clock of the data fabric at boot.
    pub fclk: u32,
}

impl Bios<'_> {
    /// Clocks of the system part.
    pub fn smu_info(&self) -> Result<SmuInfo, AtomError> {
        let table = self.table(TableId::SmuInfo)?;
        if table.revision() != (3, 6) {
            return Err(table.unknown());
        }
        let refclk = table.u32(16)?;
        if refclk == 0 {
            return Err(table.value("core_refclk_10khz", 0));
        }
        Ok(SmuInfo {
            refclk,
            socclk: table.u32(40)?,
            fclk: table.u32(72)?,
        })
    }
}
