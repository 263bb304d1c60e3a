// SPDX-License-Identifier: GPL-2.0
//! What differs between generations of NBIO.

use super::super::ip::IpVersion;
use crate::glue::mmio::Registers;
use amdgpu_logic::slots::doorbell::Doorbell;
use kernel::prelude::*;

mod v7_4;

pub(super) trait NbioHal: Sync {
    /// VRAM size in MiB; all ones if the device does not answer.
    fn vram_mib(&self, r: &Registers) -> u32;

    /// Revision of the chip, from its straps.
    fn revision(&self, r: &Registers) -> u8;

    /// Ends a standby that a former driver may have left the bus interface in.
    fn leave_standby(&self, r: &Registers);

    /// Makes the memory flush register appear at byte `page` of the register BAR and the register flush register
    /// 4 bytes after.
    fn remap_flush(&self, r: &Registers, page: u32);

    /// Lets BAR 0 reach VRAM, or not.
    fn open_vram(&self, r: &Registers, open: bool);

    /// Lets doorbells through, or not.
    fn open_doorbells(&self, r: &Registers, open: bool);

    /// Lets the GPU ring doorbells by writing to where the CPU sees the doorbell BAR, or nowhere.
    fn self_ring(&self, r: &Registers, doorbell_bar: Option<u64>);

    /// Routes `dwords` dwords of doorbells from `first` on to an SDMA engine. `ENODEV` if there is no such engine.
    fn route_sdma(&self, r: &Registers, engine: u8, first: Doorbell, dwords: u32) -> Result;

    /// Routes `dwords` dwords of doorbells from `first` on to the interrupt handler.
    fn route_ih(&self, r: &Registers, first: Doorbell, dwords: u32) -> Result;

    /// Interrupt messages without dummy reads, snooped; `dummy_page` is a bus address that may be read.
    fn interrupts(&self, r: &Registers, dummy_page: u64);
}

/// The generation with that version.
pub(super) fn of(version: IpVersion) -> Option<&'static dyn NbioHal> {
    match version {
        IpVersion(7, 4, 4) => Some(&v7_4::V7_4),
        _ => None,
    }
}
