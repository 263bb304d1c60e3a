// SPDX-License-Identifier: GPL-2.0
//! Registers of the interrupt handler of gfx90a (AMD's header: osssys_4_2_0; base of the block: 0x10a0).

use kernel::io::register;

register! {
    /// Ring 0.
    pub(super) IH_RB_CNTL(u32) @ 0x00004480 {
        /// Rising edge: the overflow flag of the write pointer is cleared.
        31:31 wptr_overflow_clear;
        /// What the addresses are: 1 is bus addresses.
        30:28 mc_space;
        27:24 mc_vmid;
        22:22 mc_ro;
        /// No further interrupt before the read pointer was written.
        21:21 rptr_rearm;
        20:20 mc_snoop;
        17:17 enable_intr;
        16:16 wptr_overflow_enable;
        /// The write pointer is also written to memory.
        8:8 wptr_writeback_enable;
        /// Entries carry the GPU's clock.
        7:7 rb_gpu_ts_enable;
        /// log2 of the dwords.
        5:1 rb_size;
        0:0 rb_enable;
    }

    /// Address of the ring, bits 39:8.
    pub(super) IH_RB_BASE(u32) @ 0x00004484 {
        31:0 addr;
    }

    /// Address of the ring, bits 47:40.
    pub(super) IH_RB_BASE_HI(u32) @ 0x00004488 {
        7:0 addr;
    }

    /// Read pointer, a byte offset.
    pub(super) IH_RB_RPTR(u32) @ 0x0000448c {
        17:2 offset;
    }

    /// Write pointer, a byte offset.
    pub(super) IH_RB_WPTR(u32) @ 0x00004490 {
        17:2 offset;
        /// Entries were overwritten before they were read.
        0:0 rb_overflow;
    }

    /// Where the write pointer is written to memory, bits 47:32.
    pub(super) IH_RB_WPTR_ADDR_HI(u32) @ 0x00004494 {
        15:0 addr;
    }

    /// Where the write pointer is written to memory, bits 31:2.
    pub(super) IH_RB_WPTR_ADDR_LO(u32) @ 0x00004498 {
        31:2 addr;
    }

    /// Doorbell that is the read pointer.
    pub(super) IH_DOORBELL_RPTR(u32) @ 0x0000449c {
        28:28 enable;
        /// Dword index in the doorbell BAR.
        25:0 offset;
    }

    /// Address translation, as gfx90a has it (kernel vega20_ih.c: IH_CHICKEN_ALDEBARAN).
    pub(super) IH_CHICKEN_ALDEBARAN(u32) @ 0x000048b4 {
        /// Bus addresses are left as they are.
        4:4 mc_space_gpa_enable;
    }
}
