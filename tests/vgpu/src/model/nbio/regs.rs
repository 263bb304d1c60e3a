// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Registers of the bus interface (nbio_7_4_offset.h; nbio_v7_4.c where this card differs: "_ALDE").

crate::registers! {
    /// Nothing. The kernel reads it for a scratch register whose place it does not know before it has the VBIOS
    /// (amdgpu_bios.c: amdgpu_read_bios_from_vram, through amdgpu_atombios_scratch_need_asic_init).
    RESERVED_7 = 0x1c;
    /// First of 16: scratch of the VBIOS; 7 bit 9 says that the card was initialised.
    BIOS_SCRATCH_0 = 0x130;
    /// Scratch of drivers: address of an IP discovery table, 0 if none.
    DRIVER_SCRATCH_0 = 0x250;
    /// Scratch of drivers.
    DRIVER_SCRATCH_1 = 0x254;
    /// Scratch of drivers.
    DRIVER_SCRATCH_2 = 0x258;
    /// Identity: revision in bits 27:24 (STRAP_ATI_REV_ID).
    RCC_DEV0_EPF0_STRAP0_ALDE = 0x34d4;
    /// Bit 0: the doorbell BAR is live.
    RCC_DOORBELL_APER_EN = 0x3780;
    /// VRAM size in MiB.
    RCC_CONFIG_MEMSIZE = 0x378c;
    /// Bit 0: virtual function, bit 31: virtualisation on; 0 here.
    RCC_IOV_FUNC_IDENTIFIER = 0x3794;
    /// Host-visible VRAM in bytes.
    RCC_CONFIG_APER_SIZE = 0x379c;
    /// Interrupt delivery, dummy read.
    INTERRUPT_CNTL = 0x3844;
    /// Dummy page of interrupt delivery.
    INTERRUPT_CNTL2 = 0x3848;
    /// Where the card itself sees the doorbell BAR.
    DOORBELL_SELFRING_GPA_APER_BASE_HIGH = 0x384c;
    /// Where the card itself sees the doorbell BAR.
    DOORBELL_SELFRING_GPA_APER_BASE_LOW = 0x3850;
    /// Whether the card itself may ring doorbells.
    DOORBELL_SELFRING_GPA_APER_CNTL = 0x3854;
    /// Writing flushes HDP (register side).
    HDP_REG_COHERENCY_FLUSH_CNTL = 0x3858;
    /// Writing flushes HDP (memory side).
    HDP_MEM_COHERENCY_FLUSH_CNTL = 0x385c;
    /// Doorbell interrupt for RAS.
    BIF_DOORBELL_INT_CNTL_ALDE = 0x3878;
    /// VRAM access of the CPU.
    BIF_FB_EN = 0x387c;
    /// Interrupt vector selection for RAS.
    BIF_INTR_CNTL_ALDE = 0x3884;
    /// Engines request an HDP flush by writing their bit.
    GPU_HDP_FLUSH_REQ = 0x3898;
    /// The bits of the flushes that are done.
    GPU_HDP_FLUSH_DONE = 0x389c;
    /// Bus-active, chip-off.
    BACO_CNTL = 0x38ac;
    /// Where a memory-side HDP flush is triggered; moved by the driver to a page that user space may map.
    REMAP_HDP_MEM_FLUSH_CNTL = 0x3934;
    /// Where a register-side HDP flush is triggered.
    REMAP_HDP_REG_FLUSH_CNTL = 0x3938;
    /// Doorbells of SDMA 0: OFFSET in dwords, SIZE in dwords.
    BIF_SDMA0_DOORBELL_RANGE = 0x3bc0;
    /// Doorbells of SDMA 1.
    BIF_SDMA1_DOORBELL_RANGE = 0x3bc4;
    /// Doorbells of the interrupt handler.
    BIF_IH_DOORBELL_RANGE = 0x3bc8;
    /// Doorbells of VCN 0.
    BIF_MMSCH0_DOORBELL_RANGE = 0x3bcc;
    /// Doorbells of SDMA 2.
    BIF_SDMA2_DOORBELL_RANGE = 0x3bd8;
    /// Doorbells of SDMA 3.
    BIF_SDMA3_DOORBELL_RANGE = 0x3bdc;
    /// Doorbells of VCN 1.
    BIF_MMSCH1_DOORBELL_RANGE_ALDE = 0x3be0;
    /// Doorbells of SDMA 4.
    BIF_SDMA4_DOORBELL_RANGE = 0x3be4;
    /// PCIe core clock gating (SMN).
    CPM_CONTROL = 0x11180460;
    /// PCIe light sleep (SMN).
    PCIE_CNTL2 = 0x11180070;
}

/// The doorbell ranges of the SDMA engines.
pub(crate) const SDMA_RANGES: [u32; 5] = [
    BIF_SDMA0_DOORBELL_RANGE,
    BIF_SDMA1_DOORBELL_RANGE,
    BIF_SDMA2_DOORBELL_RANGE,
    BIF_SDMA3_DOORBELL_RANGE,
    BIF_SDMA4_DOORBELL_RANGE,
];

/// Registers that remember what was written.
pub(crate) const PLAIN: [u32; 26] = [
    DRIVER_SCRATCH_0,
    DRIVER_SCRATCH_1,
    DRIVER_SCRATCH_2,
    RCC_DOORBELL_APER_EN,
    INTERRUPT_CNTL,
    INTERRUPT_CNTL2,
    DOORBELL_SELFRING_GPA_APER_BASE_HIGH,
    DOORBELL_SELFRING_GPA_APER_BASE_LOW,
    DOORBELL_SELFRING_GPA_APER_CNTL,
    BIF_DOORBELL_INT_CNTL_ALDE,
    BIF_FB_EN,
    BIF_INTR_CNTL_ALDE,
    BACO_CNTL,
    REMAP_HDP_MEM_FLUSH_CNTL,
    REMAP_HDP_REG_FLUSH_CNTL,
    GPU_HDP_FLUSH_REQ,
    BIF_SDMA0_DOORBELL_RANGE,
    BIF_SDMA1_DOORBELL_RANGE,
    BIF_SDMA2_DOORBELL_RANGE,
    BIF_SDMA3_DOORBELL_RANGE,
    BIF_SDMA4_DOORBELL_RANGE,
    BIF_IH_DOORBELL_RANGE,
    BIF_MMSCH0_DOORBELL_RANGE,
    BIF_MMSCH1_DOORBELL_RANGE_ALDE,
    CPM_CONTROL,
    PCIE_CNTL2,
];

crate::fields! {
    STRAP_ATI_REV_ID = RCC_DEV0_EPF0_STRAP0_ALDE.STRAP_ATI_REV_ID_DEV0_F0[27:24];
    DOORBELL_APER_EN = RCC_DOORBELL_APER_EN.BIF_DOORBELL_APER_EN[0:0];
    /// First dword.
    RANGE_OFFSET = BIF_SDMA0_DOORBELL_RANGE.OFFSET[11:2];
    /// Dwords.
    RANGE_SIZE = BIF_SDMA0_DOORBELL_RANGE.SIZE[20:16];
    SELFRING_EN = DOORBELL_SELFRING_GPA_APER_CNTL.DOORBELL_SELFRING_GPA_APER_EN[0:0];
}
