// SPDX-License-Identifier: GPL-2.0
//! What differs between generations of the memory controller.

use super::super::ip::IpVersion;
use super::{Layout, SetUp};
use crate::glue::mmio::Registers;
use amdgpu_logic::iv::{FaultStatus, Hub};
use amdgpu_logic::pm4::{FlushType, RegOffset};
use kernel::prelude::*;

mod v9_4_2;

pub(super) trait GmcHal: Sync {
    /// Where VRAM begins: in the address space of VMID 0, and in the physical one of page tables.
    fn vram_location(&self, r: &Registers) -> (u64, u64);

    /// Whether VRAM is one of several parts of an address space that cards share over XGMI (kernel gfxhub_v1_1.c:
    /// gfxhub_v1_1_get_xgmi_info).
    fn shares_addresses(&self, r: &Registers) -> bool;

    /// See [`super::Gmc::set_up`].
    fn set_up(&self, r: &Registers, s: &SetUp) -> Result;

    /// Nothing is translated after this.
    fn tear_down(&self, r: &Registers) -> Result;

    /// Request and acknowledge register of the invalidation engine that the CPU uses.
    fn invalidation(&self, hub: Hub) -> (RegOffset, RegOffset);

    /// What to write to request that all translations of these VMIDs are dropped.
    fn invalidation_request(&self, vmids: u16, flush: FlushType) -> u32;

    /// The first fault of the hub since this was last called.
    fn take_fault(&self, r: &Registers, hub: Hub) -> Option<FaultStatus>;

    /// Range of VMID 0 for the GART, given where VRAM lies. `None` if there is no room.
    fn gart(&self, vram: &core::ops::Range<u64>) -> Option<core::ops::Range<u64>> {
        Layout::gart_beside(vram)
    }
}

/// The generation with that version of the graphics block.
pub(super) fn of(gc: IpVersion) -> Option<&'static dyn GmcHal> {
    match gc {
        IpVersion(9, 4, 2) => Some(&v9_4_2::V9_4_2),
        _ => None,
    }
}
