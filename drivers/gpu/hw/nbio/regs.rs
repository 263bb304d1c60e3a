// SPDX-License-Identifier: GPL-2.0
//! Registers of NBIO 7.4 (AMD's header: nbio_7_4; base of the block: 0, 0x14, 0xd20).

use kernel::io::register;

register! {
    /// Address on the system management network, in bytes.
    pub(super) PCIE_INDEX2(u32) @ 0x00000038 {
        31:0 pcie_index2;
    }

    /// The register there.
    pub(super) PCIE_DATA2(u32) @ 0x0000003c {
        31:0 pcie_data2;
    }

    /// Straps of PCI function 0, as gfx90a has them (kernel nbio_v7_4.c: RCC_DEV0_EPF0_STRAP0_ALDE).
    pub(super) RCC_DEV0_EPF0_STRAP0_ALDE(u32) @ 0x000034d4 {
        /// Revision of the chip.
        27:24 strap_ati_rev_id_dev0_f0;
    }

    /// Doorbell BAR.
    pub(super) RCC_DOORBELL_APER_EN(u32) @ 0x00003780 {
        /// Doorbells are let through.
        0:0 bif_doorbell_aper_en;
    }

    /// VRAM size.
    pub(super) RCC_CONFIG_MEMSIZE(u32) @ 0x0000378c {
        /// In MiB.
        31:0 config_memsize;
    }

    /// Interrupt messages.
    pub(super) INTERRUPT_CNTL(u32) @ 0x00003844 {
        /// Interrupt requests do not snoop: for rings in memory that is not cached.
        3:3 ih_req_nonsnoop_en;
        /// The dummy read before an interrupt is as `ih_dummy_rd_en` says; otherwise there is none with MSI.
        0:0 ih_dummy_rd_override;
    }

    /// Address of the dummy read, in units of 256 bytes.
    pub(super) INTERRUPT_CNTL2(u32) @ 0x00003848 {
        31:0 ih_dummy_rd_addr;
    }

    /// Where the GPU sees the doorbell BAR, bits 63:32.
    pub(super) DOORBELL_SELFRING_GPA_APER_BASE_HIGH(u32) @ 0x0000384c {
        31:0 doorbell_selfring_gpa_aper_base_high;
    }

    /// Where the GPU sees the doorbell BAR, bits 31:0.
    pub(super) DOORBELL_SELFRING_GPA_APER_BASE_LOW(u32) @ 0x00003850 {
        31:0 doorbell_selfring_gpa_aper_base_low;
    }

    /// Doorbells rung by the GPU itself.
    pub(super) DOORBELL_SELFRING_GPA_APER_CNTL(u32) @ 0x00003854 {
        /// Size of the window, 0 for 2 MiB.
        19:8 doorbell_selfring_gpa_aper_size;
        /// Addresses are physical.
        1:1 doorbell_selfring_gpa_aper_mode;
        /// The window is live.
        0:0 doorbell_selfring_gpa_aper_en;
    }

    /// CPU access to VRAM.
    pub(super) BIF_FB_EN(u32) @ 0x0000387c {
        1:1 fb_write_en;
        0:0 fb_read_en;
    }

    /// Bus active, chip off.
    pub(super) BACO_CNTL(u32) @ 0x000038ac {
        2:2 baco_dummy_en;
        0:0 baco_en;
    }

    /// Where in the register BAR the memory flush register appears.
    pub(super) REMAP_HDP_MEM_FLUSH_CNTL(u32) @ 0x00003934 {
        /// Dword offset.
        18:2 address;
    }

    /// Where in the register BAR the register flush register appears.
    pub(super) REMAP_HDP_REG_FLUSH_CNTL(u32) @ 0x00003938 {
        /// Dword offset.
        18:2 address;
    }

    /// Doorbells of SDMA engine 0.
    pub(super) BIF_SDMA0_DOORBELL_RANGE(u32) @ 0x00003bc0 {
        /// Dwords; 0 for none.
        20:16 size;
        /// First dword.
        11:2 offset;
    }

    /// Doorbells of SDMA engine 1.
    pub(super) BIF_SDMA1_DOORBELL_RANGE(u32) @ 0x00003bc4 {
        20:16 size;
        11:2 offset;
    }

    /// Doorbells of the interrupt handler.
    pub(super) BIF_IH_DOORBELL_RANGE(u32) @ 0x00003bc8 {
        20:16 size;
        11:2 offset;
    }

    /// Doorbells of SDMA engine 2 (not in AMD's header; kernel nbio_v7_4.c: nbio_v7_4_sdma_doorbell_range).
    pub(super) BIF_SDMA2_DOORBELL_RANGE(u32) @ 0x00003bd8 {
        20:16 size;
        11:2 offset;
    }

    /// Doorbells of SDMA engine 3 (not in AMD's header; same source).
    pub(super) BIF_SDMA3_DOORBELL_RANGE(u32) @ 0x00003bdc {
        20:16 size;
        11:2 offset;
    }

    /// Doorbells of SDMA engine 4, which gfx90a has one register further on (not in AMD's header; same source).
    pub(super) BIF_SDMA4_DOORBELL_RANGE(u32) @ 0x00003be4 {
        20:16 size;
        11:2 offset;
    }
}
