// SPDX-License-Identifier: GPL-2.0
//! The register sequences of an SDMA engine, which are the same for all five.

use super::regs::*;
use crate::glue::mmio::Registers;
use crate::gpu::hw::RegisterIo;
use amdgpu_logic::bits::{hi, lo};
use amdgpu_logic::mqd::RingSize;
use amdgpu_logic::slots::doorbell::Doorbell;
use kernel::{
    io::register::{RegisterBase, WithBase},
    prelude::*,
};

/// The kernel's ring, in VMID 0.
#[derive(Clone, Copy)]
pub(super) struct RingSetUp {
    /// 256-byte aligned ring.
    pub(super) base: u64,
    /// Its size.
    pub(super) size: RingSize,
    /// Where the engine reports how far it has read.
    pub(super) read_pointer: u64,
    /// Where the driver keeps how far it has written.
    pub(super) write_pointer: u64,
    /// Its doorbell.
    pub(super) doorbell: Doorbell,
}

/// Starts the engine with an empty kernel ring.
pub(super) fn start<E: RegisterBase<SdmaBase>>(r: &Registers, ring: &RingSetUp) -> Result {
    let size = SDMA0_GFX_RB_CNTL::zeroed()
        .with_const_rptr_writeback_timer::<4>()
        .try_with_rb_size(ring.size.log2_dwords())?;
    let base_hi = SDMA0_GFX_RB_BASE_HI::zeroed().try_with_addr(lo(ring.base >> 40))?;
    let offset = SDMA0_GFX_DOORBELL_OFFSET::zeroed().try_with_offset(ring.doorbell.dword())?;

    // settings that AMD found by measurement (kernel sdma_v4_0.c: golden_settings_sdma_aldebaran)
    let golden = |v: u32| v & !0x0018_773f | 0x0010_4002;
    r.update(SDMA0_GB_ADDR_CONFIG::of::<E>(), |v| {
        SDMA0_GB_ADDR_CONFIG::from(golden(v.into()))
    });
    r.update(SDMA0_GB_ADDR_CONFIG_READ::of::<E>(), |v| {
        SDMA0_GB_ADDR_CONFIG_READ::from(golden(v.into()))
    });
    // patient, so that a page fault does not become a storm of interrupts
    r.write(
        SDMA0_UTCL1_TIMEOUT::of::<E>(),
        SDMA0_UTCL1_TIMEOUT::zeroed()
            .with_const_wr_xnack_limit::<0x80>()
            .with_const_rd_xnack_limit::<0x80>(),
    );
    r.write(
        SDMA0_PHASE0_QUANTUM::of::<E>(),
        SDMA0_PHASE0_QUANTUM::zeroed().with_const_value::<32>(),
    );
    r.write(
        SDMA0_PHASE1_QUANTUM::of::<E>(),
        SDMA0_PHASE1_QUANTUM::zeroed().with_const_value::<32>(),
    );
    r.write(
        SDMA0_PHASE2_QUANTUM::of::<E>(),
        SDMA0_PHASE2_QUANTUM::zeroed().with_const_value::<32>(),
    );
    r.write(
        SDMA0_SEM_WAIT_FAIL_TIMER_CNTL::of::<E>(),
        SDMA0_SEM_WAIT_FAIL_TIMER_CNTL::zeroed(),
    );

    r.write(SDMA0_GFX_RB_CNTL::of::<E>(), size);
    r.write(SDMA0_GFX_RB_RPTR::of::<E>(), SDMA0_GFX_RB_RPTR::zeroed());
    r.write(SDMA0_GFX_RB_RPTR_HI::of::<E>(), SDMA0_GFX_RB_RPTR_HI::zeroed());
    r.write(
        SDMA0_GFX_RB_RPTR_ADDR_HI::of::<E>(),
        SDMA0_GFX_RB_RPTR_ADDR_HI::from(hi(ring.read_pointer)),
    );
    r.write(
        SDMA0_GFX_RB_RPTR_ADDR_LO::of::<E>(),
        SDMA0_GFX_RB_RPTR_ADDR_LO::from(lo(ring.read_pointer)),
    );
    r.write(
        SDMA0_GFX_RB_BASE::of::<E>(),
        SDMA0_GFX_RB_BASE::from(lo(ring.base >> 8)),
    );
    r.write(SDMA0_GFX_RB_BASE_HI::of::<E>(), base_hi);
    // the write pointer may go back only while this is on
    r.write(
        SDMA0_GFX_MINOR_PTR_UPDATE::of::<E>(),
        SDMA0_GFX_MINOR_PTR_UPDATE::zeroed().with_enable(true),
    );
    r.write(
        SDMA0_GFX_DOORBELL::of::<E>(),
        SDMA0_GFX_DOORBELL::zeroed().with_enable(true),
    );
    r.write(SDMA0_GFX_DOORBELL_OFFSET::of::<E>(), offset);
    r.write(SDMA0_GFX_RB_WPTR::of::<E>(), SDMA0_GFX_RB_WPTR::zeroed());
    r.write(SDMA0_GFX_RB_WPTR_HI::of::<E>(), SDMA0_GFX_RB_WPTR_HI::zeroed());
    r.write(
        SDMA0_GFX_MINOR_PTR_UPDATE::of::<E>(),
        SDMA0_GFX_MINOR_PTR_UPDATE::zeroed(),
    );
    r.write(
        SDMA0_GFX_RB_WPTR_POLL_ADDR_LO::of::<E>(),
        SDMA0_GFX_RB_WPTR_POLL_ADDR_LO::from(lo(ring.write_pointer)),
    );
    r.write(
        SDMA0_GFX_RB_WPTR_POLL_ADDR_HI::of::<E>(),
        SDMA0_GFX_RB_WPTR_POLL_ADDR_HI::from(hi(ring.write_pointer)),
    );
    r.update(SDMA0_GFX_RB_WPTR_POLL_CNTL::of::<E>(), |v| {
        v.with_f32_poll_enable(false)
    });
    r.write(
        SDMA0_GFX_RB_CNTL::of::<E>(),
        size.with_rptr_writeback_enable(true).with_rb_enable(true),
    );
    r.update(SDMA0_GFX_IB_CNTL::of::<E>(), |v| v.with_ib_enable(true));

    r.update(SDMA0_CNTL::of::<E>(), |v| {
        v.with_utc_l1_enable(true)
            .with_auto_ctxsw_enable(true)
            .with_trap_enable(true)
    });
    r.update(SDMA0_F32_CNTL::of::<E>(), |v| v.with_halt(false));
    Ok(())
}

/// Stops the ring, then the engine.
pub(super) fn stop<E: RegisterBase<SdmaBase>>(r: &Registers) {
    r.update(SDMA0_GFX_RB_CNTL::of::<E>(), |v| v.with_rb_enable(false));
    r.update(SDMA0_GFX_IB_CNTL::of::<E>(), |v| v.with_ib_enable(false));
    r.update(SDMA0_CNTL::of::<E>(), |v| {
        v.with_auto_ctxsw_enable(false).with_trap_enable(false)
    });
    r.update(SDMA0_F32_CNTL::of::<E>(), |v| v.with_halt(true));
}
