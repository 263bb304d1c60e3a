// SPDX-License-Identifier: GPL-2.0
//! What differs between generations of the security processor.

use super::super::ip::IpVersion;
use amdgpu_logic::psp::Target;

mod v13_0_2;

pub(super) trait PspHal: Sync {
    /// Bytes of VRAM that the secure OS protects firmware in, a power of two.
    fn tmr_bytes(&self) -> u32;

    /// The SDMA engines, each of which gets the one image.
    fn sdma_engines(&self) -> &'static [Target];
}

/// The generation with that version.
pub(super) fn of(version: IpVersion) -> Option<&'static dyn PspHal> {
    match version {
        IpVersion(13, 0, 2) => Some(&v13_0_2::V13_0_2),
        _ => None,
    }
}
