// SPDX-License-Identifier: GPL-2.0
//! gfx90a. Source of the settings: kernel `gfx_v9_4_2.c`, golden_settings_gc_9_4_2_alde and following.

use super::super::regs::*;
use super::{GfxHal, Shape};
use crate::glue::mmio::Registers;
use crate::gpu::hw::RegisterIo;
use kernel::prelude::*;

pub(super) struct V9_4_2;

/// Hash of addresses to memory channels, which depends on where a die sits in its package.
const CHANNELS: [[u32; 6]; 2] = [
    [
        0x141d_c920,
        0x3b45_8b93,
        0x1a4f_5583,
        0x3177_17f6,
        0x107c_c1e6,
        0x351,
    ],
    [
        0x2591_aa38,
        0x0ac9_e88b,
        0x2bc3_369b,
        0x00fb_74ee,
        0x21f0_a2fe,
        0x049,
    ],
];

/// First version of the MEC's firmware that wants the shaders not to look for retried faults where retry is off (kernel
/// gfx_v9_4_2.c: gfx_v9_4_2_init_sq).
const XNACK_CHAIN: u32 = 98;

impl GfxHal for V9_4_2 {
    fn shape(&self) -> Shape {
        Shape {
            shader_engines: 8,
            cus_per_engine: 14,
            pipes: 4,
            queues_per_pipe: 8,
            // 0 is the kernel's; 1 and 2 would be for graphics jobs
            process_vmids: 0xfff8,
        }
    }

    fn golden(&self, r: &Registers, mec: u32) -> Result {
        r.update(GB_ADDR_CONFIG, |v| {
            GB_ADDR_CONFIG::from(merge(v.into(), 0xffff_77ff, 0x2a11_4042))
        });
        r.update(TA_CNTL_AUX, |v| {
            TA_CNTL_AUX::from(merge(v.into(), 0xffff_feef, 0x010b_0000))
        });
        r.write_reg(TCP_UTCL1_CNTL1::from(0x3080_0400));
        r.update(TCI_CNTL_3, |v| v.with_const_value::<0x20>());

        let package = r.read(SMUIO_MCM_CONFIG);
        if u32::from(package) == u32::MAX {
            return Err(EIO);
        }
        let die = usize::from(package.die_id().into_bool());
        let [c0, c1, c2, c3, c4, c5] = *CHANNELS.get(die).ok_or(ENODEV)?;
        r.update(TCP_CHAN_STEER_0, |v| {
            TCP_CHAN_STEER_0::from(merge(v.into(), 0x3fff_ffff, c0))
        });
        r.update(TCP_CHAN_STEER_1, |v| {
            TCP_CHAN_STEER_1::from(merge(v.into(), 0x3fff_ffff, c1))
        });
        r.update(TCP_CHAN_STEER_2, |v| {
            TCP_CHAN_STEER_2::from(merge(v.into(), 0x3fff_ffff, c2))
        });
        r.update(TCP_CHAN_STEER_3, |v| {
            TCP_CHAN_STEER_3::from(merge(v.into(), 0x3fff_ffff, c3))
        });
        r.update(TCP_CHAN_STEER_4, |v| {
            TCP_CHAN_STEER_4::from(merge(v.into(), 0x3fff_ffff, c4))
        });
        r.update(TCP_CHAN_STEER_5, |v| {
            TCP_CHAN_STEER_5::from(merge(v.into(), 0x3ff, c5))
        });
        if mec >= XNACK_CHAIN {
            r.update(SQ_CONFIG1, |v| v.with_disable_xnack_check_in_retry_disable(true));
        }
        address_hash(r);
        power_brake(r);
        r.write_reg(SPI_GDBG_TRAP_DATA0::zeroed());
        r.write_reg(SPI_GDBG_TRAP_DATA1::zeroed());
        Ok(())
    }
}

/// Has the caches of the compute units hash addresses as the data fabric does (kernel df_v3_6.c: df_v3_6_query_hashes,
/// gfx_v9_0.c: gfx_v9_0_init_tcp_config).
fn address_hash(r: &Registers) {
    /// Memory channels are interleaved by hash.
    const HASHED: u32 = 0x1e;
    let channels = r.read(DF_GCM_AON0_DramMegaBaseAddress0).intlvnumchan().get();
    let hash = match channels {
        HASHED => r.read(DF_CS_UMC_AON0_DfGlobalCtrl),
        _ => DF_CS_UMC_AON0_DfGlobalCtrl::zeroed(),
    };
    r.update(TCP_ADDR_CONFIG, |v| {
        v.with_enable64khash(hash.glbhashintlvctl64k())
            .with_enable2mhash(hash.glbhashintlvctl2m())
            .with_enable1ghash(hash.glbhashintlvctl1g())
    });
}

/// Has the core slow down when the board signals that it gets too little power (kernel gfx_v9_4_2.c:
/// gfx_v9_4_2_set_power_brake_sequence).
fn power_brake(r: &Registers) {
    /// gc_9_4_2_offset.h: ixPWRBRK_STALL_PATTERN_CTRL.
    const STALL_PATTERN: u32 = 0x143;
    /// gc_9_4_2_sh_mask.h: PWRBRK_STALL_PATTERN_CTRL.PWRBRK_END_STEP, 0x12.
    const END_STEP: u32 = 0x12 << 15;
    r.write_reg(GC_THROTTLE_CTRL::zeroed().with_pattern_mode(true));
    r.write_reg(GC_THROTTLE_CTRL1::zeroed().with_pwrbrk_stall_en(true));
    r.write_reg(GC_CAC_IND_INDEX::from(STALL_PATTERN));
    r.write_reg(GC_CAC_IND_DATA::from(END_STEP));
}

/// `old` with the bits in `mask` taken from `new`.
const fn merge(old: u32, mask: u32, new: u32) -> u32 {
    old & !mask | new & mask
}
