// SPDX-License-Identifier: GPL-2.0
//! OSSSYS 4.4, as in gfx90a (4.4.0).

use super::super::regs::*;
use super::{IhHal, RingSetUp};
use crate::glue::mmio::Registers;
use crate::gpu::hw::RegisterIo;
use amdgpu_logic::bits::{hi, lo};
use kernel::prelude::*;

pub(super) struct V4_4;

impl IhHal for V4_4 {
    fn stop(&self, r: &Registers) {
        r.update(IH_RB_CNTL, |v| v.with_rb_enable(false).with_enable_intr(false));
        r.write_reg(IH_RB_RPTR::zeroed());
        r.write_reg(IH_RB_WPTR::zeroed());
    }

    fn start(&self, r: &Registers, ring: &RingSetUp) -> Result {
        let base_hi = IH_RB_BASE_HI::zeroed().try_with_addr(lo(ring.base >> 40))?;
        let write_hi = IH_RB_WPTR_ADDR_HI::zeroed().try_with_addr(hi(ring.write_pointer))?;
        let doorbell = IH_DOORBELL_RPTR::zeroed()
            .with_enable(true)
            .try_with_offset(ring.doorbell.dword())?;
        let control = r
            .read(IH_RB_CNTL)
            .with_const_mc_space::<1>()
            .with_const_mc_vmid::<0>()
            .with_mc_ro(false)
            .with_mc_snoop(true)
            .with_rptr_rearm(true)
            .with_wptr_overflow_enable(true)
            .with_wptr_writeback_enable(true)
            .with_rb_gpu_ts_enable(true)
            .with_wptr_overflow_clear(true)
            .try_with_rb_size(ring.size.log2_dwords())?;

        // firmware leaves this to the driver on gfx90a
        r.update(IH_CHICKEN_ALDEBARAN, |v| v.with_mc_space_gpa_enable(true));
        r.write_reg(IH_RB_BASE::from(lo(ring.base >> 8)));
        r.write_reg(base_hi);
        r.write_reg(control);
        r.write_reg(IH_RB_WPTR_ADDR_LO::from(lo(ring.write_pointer)));
        r.write_reg(write_hi);
        r.write_reg(IH_RB_WPTR::zeroed());
        r.write_reg(IH_RB_RPTR::zeroed());
        r.write_reg(doorbell);

        let control = control.with_rb_enable(true);
        r.write_reg(control.with_wptr_overflow_clear(false));
        r.write_reg(control.with_wptr_overflow_clear(true));
        r.write_reg(control.with_wptr_overflow_clear(false).with_enable_intr(true));
        Ok(())
    }

    fn write_pointer(&self, r: &Registers) -> u32 {
        r.read(IH_RB_WPTR).into()
    }

    fn acknowledge_overflow(&self, r: &Registers) {
        r.update(IH_RB_CNTL, |v| v.with_wptr_overflow_clear(true));
        r.update(IH_RB_CNTL, |v| v.with_wptr_overflow_clear(false));
    }
}
