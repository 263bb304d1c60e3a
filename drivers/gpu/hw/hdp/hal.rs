// SPDX-License-Identifier: GPL-2.0
//! What differs between generations of the HDP.

use super::super::ip::IpVersion;
use crate::glue::mmio::Registers;
use kernel::prelude::*;

mod v4_4;

pub(super) trait HdpHal: Sync {
    /// See [`super::Hdp::set_up`]. `EOVERFLOW` if the address has more than 48 bits.
    fn set_up(&self, r: &Registers, vram_start: u64) -> Result;
}

/// The generation with that version.
pub(super) fn of(version: IpVersion) -> Option<&'static dyn HdpHal> {
    match version {
        IpVersion(4, 4, 0) => Some(&v4_4::V4_4),
        _ => None,
    }
}
