// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Shader state per VMID: FLAT apertures and trap handler.

use super::regs::{PRIVATE_BASE, SHARED_BASE};
use crate::regs::extract;

/// What waves of a VMID see. Written through the banked SH_MEM and SQ registers, or by the scheduler firmware.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VmidState {
    /// SH_MEM_CONFIG: address mode, alignment mode, default MTYPE, retry.
    pub sh_mem_config: u32,
    /// SH_MEM_BASES: bits 15:0 private, 31:16 shared aperture, each bits 63:48 of the address.
    pub sh_mem_bases: u32,
    /// Trap handler address (byte address, 0 if none).
    pub tba: u64,
    /// Trap handler memory (byte address, 0 if none).
    pub tma: u64,
}

impl VmidState {
    /// First address of the shared (LDS) FLAT aperture.
    pub const fn shared_base(&self) -> u64 {
        (extract(self.sh_mem_bases, SHARED_BASE) as u64) << 48
    }

    /// First address of the private (scratch) FLAT aperture.
    pub const fn private_base(&self) -> u64 {
        (extract(self.sh_mem_bases, PRIVATE_BASE) as u64) << 48
    }
}
