// SPDX-License-Identifier: GPL-2.0
//! GFXHUB and MMHUB of gfx90a.

use super::super::hub;
use super::super::regs::*;
use super::super::SetUp;
use super::GmcHal;
use crate::glue::mmio::Registers;
use crate::gpu::hw::RegisterIo;
use amdgpu_logic::iv::{FaultStatus, Hub};
use amdgpu_logic::pm4::{FlushType, RegOffset};
use kernel::{
    io::register::{Array, WithBase},
    prelude::*,
};

pub(super) struct V9_4_2;

/// Client of the MMHUB's write path that is the SDMA engines.
const SDMA_CLIENT: u32 = 15;

impl GmcHal for V9_4_2 {
    fn vram_location(&self, r: &Registers) -> (u64, u64) {
        let base = r.read(MC_VM_FB_LOCATION_BASE::of::<MmHub>()).fb_base().get();
        let offset = r.read(MC_VM_FB_OFFSET::of::<GfxHub>()).fb_offset().get();
        (u64::from(base) << 24, u64::from(offset) << 24)
    }

    fn shares_addresses(&self, r: &Registers) -> bool {
        let place = r.read(MC_VM_XGMI_LFB_CNTL::of::<GfxHub>());
        place.pf_max_region().get() != 0
    }

    fn set_up(&self, r: &Registers, s: &SetUp) -> Result {
        hub::set_up::<GfxHub>(r, s)?;
        hub::set_up::<MmHub>(r, s)?;
        // what SDMA writes makes other caches drop their copies
        for dagb in 0..5 {
            let at = DAGB0_WRCLI_GPU_SNOOP_OVERRIDE::try_at(dagb).ok_or(EINVAL)?;
            r.update(at, |v| {
                DAGB0_WRCLI_GPU_SNOOP_OVERRIDE::from(u32::from(v) | 1 << SDMA_CLIENT)
            });
            let at = DAGB0_WRCLI_GPU_SNOOP_OVERRIDE_VALUE::try_at(dagb).ok_or(EINVAL)?;
            r.update(at, |v| {
                DAGB0_WRCLI_GPU_SNOOP_OVERRIDE_VALUE::from(u32::from(v) | 1 << SDMA_CLIENT)
            });
        }
        Ok(())
    }

    fn tear_down(&self, r: &Registers) -> Result {
        hub::tear_down::<GfxHub>(r)?;
        hub::tear_down::<MmHub>(r)
    }

    fn invalidation(&self, hub: Hub) -> (RegOffset, RegOffset) {
        match hub {
            Hub::Gfx => hub::invalidation::<GfxHub>(),
            Hub::Mm => hub::invalidation::<MmHub>(),
        }
    }

    fn invalidation_request(&self, vmids: u16, flush: FlushType) -> u32 {
        hub::request(vmids, flush)
    }

    fn take_fault(&self, r: &Registers, hub: Hub) -> Option<FaultStatus> {
        match hub {
            Hub::Gfx => hub::take_fault::<GfxHub>(r),
            Hub::Mm => hub::take_fault::<MmHub>(r),
        }
    }
}
