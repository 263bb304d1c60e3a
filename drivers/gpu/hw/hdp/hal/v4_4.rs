// SPDX-License-Identifier: GPL-2.0
//! HDP 4.4, as in gfx90a (4.4.0).

use super::super::regs::*;
use super::HdpHal;
use crate::glue::mmio::Registers;
use crate::gpu::hw::RegisterIo;
use amdgpu_logic::bits::lo;
use kernel::prelude::*;

pub(super) struct V4_4;

impl HdpHal for V4_4 {
    fn set_up(&self, r: &Registers, vram_start: u64) -> Result {
        let high = HDP_NONSURFACE_BASE_HI::zeroed().try_with_nonsurf_base_47_40(lo(vram_start >> 40))?;
        r.update(HDP_MISC_CNTL, |v| {
            v.with_flush_invalidate_cache(true)
                .with_const_read_buffer_watermark::<2>()
        });
        r.write_reg(HDP_NONSURFACE_BASE::from(lo(vram_start >> 8)));
        r.write_reg(high);
        Ok(())
    }
}
