// SPDX-License-Identifier: GPL-2.0
//! What differs between generations of SDMA.

use super::super::ip::IpVersion;
use super::registers::RingSetUp;
use crate::glue::mmio::Registers;
use amdgpu_logic::slots::SdmaEngines;
use kernel::prelude::*;

mod v4_4;

pub(super) trait SdmaHal: Sync {
    /// The engines there are.
    fn engines(&self) -> SdmaEngines;

    /// Starts an engine with an empty kernel ring. `ENODEV` if there is no such engine.
    fn start(&self, r: &Registers, engine: u8, ring: &RingSetUp) -> Result;

    /// Stops an engine; nothing happens if there is no such engine.
    fn stop(&self, r: &Registers, engine: u8);
}

/// The generation with that version.
pub(super) fn of(version: IpVersion) -> Option<&'static dyn SdmaHal> {
    match version {
        IpVersion(4, 4, 0) => Some(&v4_4::V4_4),
        _ => None,
    }
}
