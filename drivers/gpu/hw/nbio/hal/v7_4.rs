// SPDX-License-Identifier: GPL-2.0
//! NBIO 7.4, as in gfx90a (7.4.4).

use super::super::regs::*;
use super::NbioHal;
use crate::glue::mmio::Registers;
use crate::gpu::hw::RegisterIo;
use amdgpu_logic::bits::{hi, lo};
use amdgpu_logic::slots::doorbell::Doorbell;
use kernel::prelude::*;

pub(super) struct V7_4;

impl NbioHal for V7_4 {
    fn vram_mib(&self, r: &Registers) -> u32 {
        r.read(RCC_CONFIG_MEMSIZE).config_memsize().get()
    }

    fn revision(&self, r: &Registers) -> u8 {
        u32::from(r.read(RCC_DEV0_EPF0_STRAP0_ALDE).strap_ati_rev_id_dev0_f0()) as u8
    }

    fn leave_standby(&self, r: &Registers) {
        let baco = r.read(BACO_CNTL);
        if baco.baco_en().into_bool() || baco.baco_dummy_en().into_bool() {
            r.write_reg(baco.with_baco_en(false).with_baco_dummy_en(false));
        }
    }

    fn remap_flush(&self, r: &Registers, page: u32) {
        r.write_reg(REMAP_HDP_MEM_FLUSH_CNTL::from(page));
        r.write_reg(REMAP_HDP_REG_FLUSH_CNTL::from(page.wrapping_add(4)));
    }

    fn open_vram(&self, r: &Registers, open: bool) {
        r.write_reg(BIF_FB_EN::zeroed().with_fb_read_en(open).with_fb_write_en(open));
    }

    fn open_doorbells(&self, r: &Registers, open: bool) {
        r.update(RCC_DOORBELL_APER_EN, |v| v.with_bif_doorbell_aper_en(open));
    }

    fn self_ring(&self, r: &Registers, doorbell_bar: Option<u64>) {
        let off = DOORBELL_SELFRING_GPA_APER_CNTL::zeroed();
        let Some(base) = doorbell_bar else {
            return r.write_reg(off);
        };
        r.write_reg(DOORBELL_SELFRING_GPA_APER_BASE_LOW::from(lo(base)));
        r.write_reg(DOORBELL_SELFRING_GPA_APER_BASE_HIGH::from(hi(base)));
        r.write_reg(
            off.with_doorbell_selfring_gpa_aper_en(true)
                .with_doorbell_selfring_gpa_aper_mode(true),
        );
    }

    fn route_sdma(&self, r: &Registers, engine: u8, first: Doorbell, dwords: u32) -> Result {
        // five registers of one layout, at irregular places
        macro_rules! route {
            ($register:ident) => {
                r.write_reg(
                    $register::zeroed()
                        .try_with_offset(first.dword())?
                        .try_with_size(dwords)?,
                )
            };
        }
        match engine {
            0 => route!(BIF_SDMA0_DOORBELL_RANGE),
            1 => route!(BIF_SDMA1_DOORBELL_RANGE),
            2 => route!(BIF_SDMA2_DOORBELL_RANGE),
            3 => route!(BIF_SDMA3_DOORBELL_RANGE),
            4 => route!(BIF_SDMA4_DOORBELL_RANGE),
            _ => return Err(ENODEV),
        }
        Ok(())
    }

    fn route_ih(&self, r: &Registers, first: Doorbell, dwords: u32) -> Result {
        r.write_reg(
            BIF_IH_DOORBELL_RANGE::zeroed()
                .try_with_offset(first.dword())?
                .try_with_size(dwords)?,
        );
        Ok(())
    }

    fn interrupts(&self, r: &Registers, dummy_page: u64) {
        r.write_reg(INTERRUPT_CNTL2::from(lo(dummy_page >> 8)));
        r.update(INTERRUPT_CNTL, |v| {
            v.with_ih_dummy_rd_override(false).with_ih_req_nonsnoop_en(false)
        });
    }
}
