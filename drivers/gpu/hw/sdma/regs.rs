// SPDX-License-Identifier: GPL-2.0
//! Registers of an SDMA engine of gfx90a (AMD's header: sdma_4_4_0, SDMA0).

use core::ops::RangeInclusive;
use kernel::io::{register, register::RegisterBase};

/// Bases of the engines (kernel aldebaran_ip_offset.h: SDMA0_BASE to SDMA4_BASE).
pub(super) struct SdmaBase;

macro_rules! engines {
    ($($name:ident = $base:literal),*) => {
        $(
            /// An engine.
            pub(super) struct $name;

            impl RegisterBase<SdmaBase> for $name {
                const BASE: usize = $base;
            }
        )*

        /// Byte offsets of the engines, in the order of their numbers.
        pub(super) const ENGINE_BASES: &[u32] = &[$($base),*];
    };
}

/// Dwords from one user queue to the next (sdma_4_4_0_offset.h: regSDMA0_RLC1_RB_CNTL - regSDMA0_RLC0_RB_CNTL).
pub(super) const QUEUE_STRIDE: u32 = 0x58;
/// Registers of the first user queue: RB_CNTL to DOORBELL, STATUS to CSA_ADDR_HI, IB_SUB_REMAIN to MINOR_PTR_UPDATE,
/// MIDCMD_DATA0 to MIDCMD_CNTL (sdma_4_4_0_offset.h: regSDMA0_RLC0_*), in dwords from the engine's base.
pub(super) const QUEUE_DWORDS: [RangeInclusive<u32>; 4] =
    [0x130..=0x142, 0x158..=0x15d, 0x15f..=0x165, 0x170..=0x17b];

engines!(
    Sdma0 = 0x4980,
    Sdma1 = 0x6180,
    Sdma2 = 0x78000,
    Sdma3 = 0x79000,
    Sdma4 = 0x7a000
);

register! {
    /// What the engine does by itself.
    pub(super) SDMA0_CNTL(u32) @ SdmaBase + 0x00000070 {
        /// It switches between its queues.
        18:18 auto_ctxsw_enable;
        /// It translates addresses.
        1:1 utc_l1_enable;
        /// TRAP packets interrupt.
        0:0 trap_enable;
    }

    /// How addresses are spread over channels.
    pub(super) SDMA0_GB_ADDR_CONFIG(u32) @ SdmaBase + 0x00000078 {
        31:0 value;
    }

    /// The same for reads.
    pub(super) SDMA0_GB_ADDR_CONFIG_READ(u32) @ SdmaBase + 0x0000007c {
        31:0 value;
    }

    /// Semaphores.
    pub(super) SDMA0_SEM_WAIT_FAIL_TIMER_CNTL(u32) @ SdmaBase + 0x00000084 {
        31:0 timer;
    }

    /// The engine's processor.
    pub(super) SDMA0_F32_CNTL(u32) @ SdmaBase + 0x000000a8 {
        0:0 halt;
    }

    /// Time a queue gets, by priority.
    pub(super) SDMA0_PHASE0_QUANTUM(u32) @ SdmaBase + 0x000000b0 {
        /// In units of 1024 clocks.
        23:8 value;
        /// log2 of what the value is multiplied with.
        3:0 unit;
    }

    /// Time a queue gets, by priority.
    pub(super) SDMA0_PHASE1_QUANTUM(u32) @ SdmaBase + 0x000000b4 {
        23:8 value;
        3:0 unit;
    }

    /// Patience with translations.
    pub(super) SDMA0_UTCL1_TIMEOUT(u32) @ SdmaBase + 0x0000011c {
        31:16 wr_xnack_limit;
        15:0 rd_xnack_limit;
    }

    /// Time a queue gets, by priority.
    pub(super) SDMA0_PHASE2_QUANTUM(u32) @ SdmaBase + 0x0000013c {
        23:8 value;
        3:0 unit;
    }

    /// The kernel's ring.
    pub(super) SDMA0_GFX_RB_CNTL(u32) @ SdmaBase + 0x00000200 {
        27:24 rb_vmid;
        20:16 rptr_writeback_timer;
        12:12 rptr_writeback_enable;
        /// log2 of the dwords.
        5:1 rb_size;
        0:0 rb_enable;
    }

    /// Address of the ring, bits 39:8.
    pub(super) SDMA0_GFX_RB_BASE(u32) @ SdmaBase + 0x00000204 {
        31:0 addr;
    }

    /// Address of the ring, bits 63:40.
    pub(super) SDMA0_GFX_RB_BASE_HI(u32) @ SdmaBase + 0x00000208 {
        23:0 addr;
    }

    /// Read pointer, in bytes.
    pub(super) SDMA0_GFX_RB_RPTR(u32) @ SdmaBase + 0x0000020c {
        31:0 offset;
    }

    /// The same, high bits.
    pub(super) SDMA0_GFX_RB_RPTR_HI(u32) @ SdmaBase + 0x00000210 {
        31:0 offset;
    }

    /// Write pointer, in bytes.
    pub(super) SDMA0_GFX_RB_WPTR(u32) @ SdmaBase + 0x00000214 {
        31:0 offset;
    }

    /// The same, high bits.
    pub(super) SDMA0_GFX_RB_WPTR_HI(u32) @ SdmaBase + 0x00000218 {
        31:0 offset;
    }

    /// Polling of the write pointer in memory, for rings without doorbell.
    pub(super) SDMA0_GFX_RB_WPTR_POLL_CNTL(u32) @ SdmaBase + 0x0000021c {
        2:2 f32_poll_enable;
        0:0 enable;
    }

    /// Where the read pointer is written to memory, bits 63:32.
    pub(super) SDMA0_GFX_RB_RPTR_ADDR_HI(u32) @ SdmaBase + 0x00000220 {
        31:0 addr;
    }

    /// Where the read pointer is written to memory, bits 31:2.
    pub(super) SDMA0_GFX_RB_RPTR_ADDR_LO(u32) @ SdmaBase + 0x00000224 {
        31:2 addr;
    }

    /// Indirect buffers.
    pub(super) SDMA0_GFX_IB_CNTL(u32) @ SdmaBase + 0x00000228 {
        0:0 ib_enable;
    }

    /// Doorbell.
    pub(super) SDMA0_GFX_DOORBELL(u32) @ SdmaBase + 0x00000248 {
        28:28 enable;
    }

    /// Which.
    pub(super) SDMA0_GFX_DOORBELL_OFFSET(u32) @ SdmaBase + 0x000002ac {
        /// Dword index in the doorbell BAR.
        27:2 offset;
    }

    /// Where the driver keeps the write pointer, bits 63:32.
    pub(super) SDMA0_GFX_RB_WPTR_POLL_ADDR_HI(u32) @ SdmaBase + 0x000002c8 {
        31:0 addr;
    }

    /// Where the driver keeps the write pointer, bits 31:2.
    pub(super) SDMA0_GFX_RB_WPTR_POLL_ADDR_LO(u32) @ SdmaBase + 0x000002cc {
        31:2 addr;
    }

    /// The write pointer may be set back.
    pub(super) SDMA0_GFX_MINOR_PTR_UPDATE(u32) @ SdmaBase + 0x000002d4 {
        0:0 enable;
    }
}
