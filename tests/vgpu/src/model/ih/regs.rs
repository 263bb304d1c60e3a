// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Registers of the interrupt handler (osssys_4_2_0_offset.h at OSSSYS base 0x4280; vega20_ih.c for the offsets that
//! differ on this card).

crate::registers! {
    /// First of 16: PASID of a VMID of the graphics hub.
    IH_VMID_0_LUT = 0x4280;
    /// First of 16: PASID of a VMID of the memory hub.
    IH_VMID_0_LUT_MM = 0x42c0;
    /// Ring 0: enable, size, writeback, overflow, interrupt.
    IH_RB_CNTL = 0x4480;
    /// Ring 0: address bits 39:8.
    IH_RB_BASE = 0x4484;
    /// Ring 0: address bits 47:40.
    IH_RB_BASE_HI = 0x4488;
    /// Ring 0: byte offset of the next entry the driver reads.
    IH_RB_RPTR = 0x448c;
    /// Ring 0: byte offset of the next entry the card writes, bit 0 overflow.
    IH_RB_WPTR = 0x4490;
    /// Where WPTR is written to memory, bits 47:32.
    IH_RB_WPTR_ADDR_HI = 0x4494;
    /// Where WPTR is written to memory, bits 31:2.
    IH_RB_WPTR_ADDR_LO = 0x4498;
    /// Ring 0: doorbell of RPTR (dword index, bit 28 enable).
    IH_DOORBELL_RPTR = 0x449c;
    /// Doorbell by which retry faults are acknowledged.
    IH_DOORBELL_RETRY_CAM = 0x44a0;
    /// Ring 1: as ring 0, without interrupt and writeback.
    IH_RB_CNTL_RING1 = 0x44b0;
    /// Ring 1: address bits 39:8.
    IH_RB_BASE_RING1 = 0x44b4;
    /// Ring 1: address bits 47:40.
    IH_RB_BASE_HI_RING1 = 0x44b8;
    /// Ring 1: read pointer.
    IH_RB_RPTR_RING1 = 0x44bc;
    /// Ring 1: write pointer.
    IH_RB_WPTR_RING1 = 0x44c0;
    /// Ring 1: doorbell of RPTR.
    IH_DOORBELL_RPTR_RING1 = 0x44cc;
    /// Ring 2: as ring 1.
    IH_RB_CNTL_RING2 = 0x44e0;
    /// Ring 2: address bits 39:8.
    IH_RB_BASE_RING2 = 0x44e4;
    /// Ring 2: address bits 47:40.
    IH_RB_BASE_HI_RING2 = 0x44e8;
    /// Ring 2: read pointer.
    IH_RB_RPTR_RING2 = 0x44ec;
    /// Ring 2: write pointer.
    IH_RB_WPTR_RING2 = 0x44f0;
    /// Ring 2: doorbell of RPTR.
    IH_DOORBELL_RPTR_RING2 = 0x44fc;
    /// Clients whose interrupts are throttled in a storm.
    IH_STORM_CLIENT_LIST_CNTL = 0x45e8;
    /// Interrupt flood control.
    IH_INT_FLOOD_CNTL = 0x45d4;
    /// Clock gating.
    IH_CLK_CTRL = 0x45ec;
    /// Filter of repeated retry faults (vega20_ih.c: mmIH_RETRY_INT_CAM_CNTL_ALDEBARAN).
    IH_RETRY_INT_CAM_CNTL_ALDEBARAN = 0x4628;
    /// Steering of clients to rings: index.
    IH_CLIENT_CFG_INDEX = 0x48a0;
    /// Steering of clients to rings: data.
    IH_CLIENT_CFG_DATA = 0x48a4;
    /// Bit 4: rings with MC_SPACE 1 take bus addresses (vega20_ih.c: mmIH_CHICKEN_ALDEBARAN).
    IH_CHICKEN_ALDEBARAN = 0x48b4;
}

/// The first register of each ring.
pub(crate) const RINGS: [u32; 3] = [IH_RB_CNTL, IH_RB_CNTL_RING1, IH_RB_CNTL_RING2];

crate::fields! {
    /// The ring is in use.
    RB_ENABLE = IH_RB_CNTL.RB_ENABLE[0:0];
    /// log2 of the dwords.
    RB_SIZE = IH_RB_CNTL.RB_SIZE[5:1];
    /// The write pointer is also written to memory.
    WPTR_WRITEBACK_ENABLE = IH_RB_CNTL.WPTR_WRITEBACK_ENABLE[8:8];
    /// A full ring overwrites its oldest entries.
    WPTR_OVERFLOW_ENABLE = IH_RB_CNTL.WPTR_OVERFLOW_ENABLE[16:16];
    /// Entries interrupt.
    ENABLE_INTR = IH_RB_CNTL.ENABLE_INTR[17:17];
    /// After an interrupt, the next one waits for a write of RPTR.
    RPTR_REARM = IH_RB_CNTL.RPTR_REARM[21:21];
    /// What addresses are: [`SPACE_BUS`].
    MC_SPACE = IH_RB_CNTL.MC_SPACE[30:28];
    /// Acts when it goes from 0 to 1.
    WPTR_OVERFLOW_CLEAR = IH_RB_CNTL.WPTR_OVERFLOW_CLEAR[31:31];
    /// Ring address bits 47:40.
    BASE_HI = IH_RB_BASE_HI.ADDR[7:0];
    /// Entries were overwritten.
    RB_OVERFLOW = IH_RB_WPTR.RB_OVERFLOW[0:0];
    /// Offset bits of a pointer.
    OFFSET = IH_RB_WPTR.OFFSET[17:2];
    /// Writeback address bits 31:2.
    WPTR_ADDR_LO = IH_RB_WPTR_ADDR_LO.ADDR[31:2];
    /// Writeback address bits 47:32.
    WPTR_ADDR_HI = IH_RB_WPTR_ADDR_HI.ADDR[15:0];
    /// The doorbell is in use.
    DOORBELL_ENABLE = IH_DOORBELL_RPTR.ENABLE[28:28];
    /// Dword index of the doorbell.
    DOORBELL_OFFSET = IH_DOORBELL_RPTR.OFFSET[25:0];
    /// Rings with MC_SPACE 1 take bus addresses.
    MC_SPACE_GPA_ENABLE = IH_CHICKEN_ALDEBARAN.MC_SPACE_GPA_ENABLE[4:4];
}

/// MC_SPACE for bus addresses.
pub(crate) const SPACE_BUS: u32 = 1;
