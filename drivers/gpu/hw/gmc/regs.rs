// SPDX-License-Identifier: GPL-2.0
//! Registers of the VM hubs of gfx9.4.2 (AMD's headers: gc_9_4_2 for the GFXHUB, mmhub_1_7 for the MMHUB).
//!
//! Both hubs have the same registers at the same distances: offsets here are relative to [`HubBase`].

use kernel::io::{register, register::RegisterBase};

/// Bases of the hubs: those of gc_9_4_2 and mmhub_1_7, such that one offset fits both.
pub(super) struct HubBase;

/// VM hub of shaders and command processor.
pub(super) struct GfxHub;

impl RegisterBase<HubBase> for GfxHub {
    const BASE: usize = 0xa000;
}

/// VM hub of SDMA and everything else.
pub(super) struct MmHub;

impl RegisterBase<HubBase> for MmHub {
    const BASE: usize = 0x6ad00;
}

register! {
    /// Translation cache of the hub.
    pub(super) VM_L2_CNTL(u32) @ HubBase + 0x00000100 {
        /// log2 of the pages that an identity translation covers at once.
        25:21 identity_mode_fragment_size;
        /// Accesses of context 1 in the identity aperture: 1 translates them like any others.
        20:19 context1_identity_access_mode;
        18:18 pde_fault_classification;
        8:8 l2_pde0_cache_tag_generation_mode;
        /// Entries that cover several pages are cached as such.
        1:1 enable_l2_fragment_processing;
        0:0 enable_l2_cache;
    }

    /// Translation cache of the hub: commands.
    pub(super) VM_L2_CNTL2(u32) @ HubBase + 0x00000104 {
        1:1 invalidate_l2_cache;
        0:0 invalidate_all_l1_tlbs;
    }

    /// Translation cache of the hub: geometry.
    pub(super) VM_L2_CNTL3(u32) @ HubBase + 0x00000108 {
        31:31 l2_cache_4k_associativity;
        20:20 l2_cache_bigk_associativity;
        /// log2 of the pages from which an entry counts as big.
        19:15 l2_cache_bigk_fragment_size;
        /// Address bit that chooses the bank.
        5:0 bank_select;
    }

    /// What becomes of accesses that cannot be translated.
    pub(super) VM_L2_PROTECTION_FAULT_CNTL(u32) @ HubBase + 0x0000011c {
        31:31 crash_on_retry_fault;
        30:30 crash_on_no_retry_fault;
        12:12 execute_protection_fault_enable_default;
        11:11 write_protection_fault_enable_default;
        10:10 read_protection_fault_enable_default;
        9:9 valid_protection_fault_enable_default;
        8:8 dummy_page_protection_fault_enable_default;
        7:7 nack_protection_fault_enable_default;
        6:6 translate_further_protection_fault_enable_default;
        5:5 pde2_protection_fault_enable_default;
        4:4 pde1_protection_fault_enable_default;
        3:3 pde0_protection_fault_enable_default;
        2:2 range_protection_fault_enable_default;
        /// Frees the status register for the next fault.
        0:0 clear_protection_fault_status_addr;
    }

    /// More of the same.
    pub(super) VM_L2_PROTECTION_FAULT_CNTL2(u32) @ HubBase + 0x00000120 {
        18:18 active_page_migration_pte_read_retry;
    }

    /// The first fault since the register was cleared; zero if there was none.
    pub(super) VM_L2_PROTECTION_FAULT_STATUS(u32) @ HubBase + 0x0000012c {
        23:20 vmid;
        19:19 atomic;
        18:18 rw;
        17:9 cid;
        8:8 mapping_error;
        7:4 permission_faults;
        3:1 walker_error;
        0:0 more_faults;
    }

    /// Page that accesses without translation go to, bits 43:12.
    pub(super) VM_L2_PROTECTION_FAULT_DEFAULT_ADDR_LO32(u32) @ HubBase + 0x00000138 {
        31:0 physical_page_addr_lo32;
    }

    /// Page that accesses without translation go to, bits 47:44.
    pub(super) VM_L2_PROTECTION_FAULT_DEFAULT_ADDR_HI32(u32) @ HubBase + 0x0000013c {
        3:0 physical_page_addr_hi4;
    }

    /// Identity aperture of context 1, first page.
    pub(super) VM_L2_CONTEXT1_IDENTITY_APERTURE_LOW_ADDR_LO32(u32) @ HubBase + 0x00000144 {
        31:0 logical_page_number_lo32;
    }

    /// The same, high bits.
    pub(super) VM_L2_CONTEXT1_IDENTITY_APERTURE_LOW_ADDR_HI32(u32) @ HubBase + 0x00000148 {
        3:0 logical_page_number_hi4;
    }

    /// Identity aperture of context 1, last page.
    pub(super) VM_L2_CONTEXT1_IDENTITY_APERTURE_HIGH_ADDR_LO32(u32) @ HubBase + 0x0000014c {
        31:0 logical_page_number_lo32;
    }

    /// The same, high bits.
    pub(super) VM_L2_CONTEXT1_IDENTITY_APERTURE_HIGH_ADDR_HI32(u32) @ HubBase + 0x00000150 {
        3:0 logical_page_number_hi4;
    }

    /// What identity translation adds.
    pub(super) VM_L2_CONTEXT_IDENTITY_PHYSICAL_OFFSET_LO32(u32) @ HubBase + 0x00000154 {
        31:0 physical_page_offset_lo32;
    }

    /// The same, high bits.
    pub(super) VM_L2_CONTEXT_IDENTITY_PHYSICAL_OFFSET_HI32(u32) @ HubBase + 0x00000158 {
        3:0 physical_page_offset_hi4;
    }

    /// Translation cache of the hub: how the walker reads page tables.
    pub(super) VM_L2_CNTL4(u32) @ HubBase + 0x0000015c {
        7:7 vmc_tap_pte_request_physical;
        6:6 vmc_tap_pde_request_physical;
        5:0 l2_cache_4k_partition_count;
    }

    /// Contexts, one per VMID.
    pub(super) VM_CONTEXT0_CNTL(u32)[16, stride = 4] @ HubBase + 0x00000200 {
        22:22 execute_protection_fault_enable_default;
        21:21 execute_protection_fault_enable_interrupt;
        20:20 write_protection_fault_enable_default;
        19:19 write_protection_fault_enable_interrupt;
        18:18 read_protection_fault_enable_default;
        17:17 read_protection_fault_enable_interrupt;
        16:16 valid_protection_fault_enable_default;
        15:15 valid_protection_fault_enable_interrupt;
        14:14 pde0_protection_fault_enable_default;
        13:13 pde0_protection_fault_enable_interrupt;
        12:12 dummy_page_protection_fault_enable_default;
        11:11 dummy_page_protection_fault_enable_interrupt;
        10:10 range_protection_fault_enable_default;
        9:9 range_protection_fault_enable_interrupt;
        /// Accesses that fault may be retried (XNACK), where the wave asks for it.
        7:7 retry_permission_or_invalid_page_fault;
        /// log2 of the pages under an entry of the lowest directory, less 9 unless tables translate further.
        6:3 page_table_block_size;
        /// Levels of directories above the tables; 0 for one flat table.
        2:1 page_table_depth;
        0:0 enable_context;
    }

    /// Invalidation engines: requests.
    pub(super) VM_INVALIDATE_ENG0_REQ(u32)[18, stride = 4] @ HubBase + 0x0000028c {
        23:23 clear_protection_fault_status_addr;
        22:22 invalidate_l1_ptes;
        21:21 invalidate_l2_pde2;
        20:20 invalidate_l2_pde1;
        19:19 invalidate_l2_pde0;
        18:18 invalidate_l2_ptes;
        17:16 flush_type;
        /// One bit per VMID.
        15:0 per_vmid_invalidate_req;
    }

    /// Invalidation engines: what is done.
    pub(super) VM_INVALIDATE_ENG0_ACK(u32)[18, stride = 4] @ HubBase + 0x000002d4 {
        15:0 per_vmid_invalidate_ack;
    }

    /// Invalidation engines: pages concerned.
    pub(super) VM_INVALIDATE_ENG0_ADDR_RANGE_LO32(u32)[18, stride = 8] @ HubBase + 0x0000031c {
        31:1 logi_page_addr_range_lo31;
        0:0 s_bit;
    }

    /// The same, high bits.
    pub(super) VM_INVALIDATE_ENG0_ADDR_RANGE_HI32(u32)[18, stride = 8] @ HubBase + 0x00000320 {
        4:0 logi_page_addr_range_hi5;
    }

    /// Contexts: root of the page tables, in the format of a directory entry.
    pub(super) VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32(u32)[16, stride = 8] @ HubBase + 0x000003ac {
        31:0 page_directory_entry_lo32;
    }

    /// The same, high bits.
    pub(super) VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_HI32(u32)[16, stride = 8] @ HubBase + 0x000003b0 {
        31:0 page_directory_entry_hi32;
    }

    /// Contexts: first page that the tables cover.
    pub(super) VM_CONTEXT0_PAGE_TABLE_START_ADDR_LO32(u32)[16, stride = 8] @ HubBase + 0x0000042c {
        31:0 logical_page_number_lo32;
    }

    /// The same, high bits.
    pub(super) VM_CONTEXT0_PAGE_TABLE_START_ADDR_HI32(u32)[16, stride = 8] @ HubBase + 0x00000430 {
        3:0 logical_page_number_hi4;
    }

    /// Contexts: last page that the tables cover.
    pub(super) VM_CONTEXT0_PAGE_TABLE_END_ADDR_LO32(u32)[16, stride = 8] @ HubBase + 0x000004ac {
        31:0 logical_page_number_lo32;
    }

    /// The same, high bits.
    pub(super) VM_CONTEXT0_PAGE_TABLE_END_ADDR_HI32(u32)[16, stride = 8] @ HubBase + 0x000004b0 {
        3:0 logical_page_number_hi4;
    }

    /// Where VRAM begins in the physical address space of page tables.
    pub(super) MC_VM_FB_OFFSET(u32) @ HubBase + 0x000005ac {
        /// In units of 16 MiB.
        23:0 fb_offset;
    }

    /// Page that accesses in the system aperture without memory behind go to, bits 43:12.
    pub(super) MC_VM_SYSTEM_APERTURE_DEFAULT_ADDR_LSB(u32) @ HubBase + 0x000005b0 {
        31:0 physical_page_number_lsb;
    }

    /// The same, bits 47:44.
    pub(super) MC_VM_SYSTEM_APERTURE_DEFAULT_ADDR_MSB(u32) @ HubBase + 0x000005b4 {
        3:0 physical_page_number_msb;
    }

    /// The card's place among those that share an address space over XGMI.
    pub(super) MC_VM_XGMI_LFB_CNTL(u32) @ HubBase + 0x000005e0 {
        /// Number of the last; 0 if it is alone.
        7:4 pf_max_region;
    }

    /// Where VRAM begins in the address space of VMID 0. The board's firmware sets it.
    pub(super) MC_VM_FB_LOCATION_BASE(u32) @ HubBase + 0x00000600 {
        /// In units of 16 MiB.
        23:0 fb_base;
    }

    /// Where VRAM ends in the address space of VMID 0.
    pub(super) MC_VM_FB_LOCATION_TOP(u32) @ HubBase + 0x00000604 {
        /// Last unit of 16 MiB.
        23:0 fb_top;
    }

    /// AGP aperture, last unit of 16 MiB.
    pub(super) MC_VM_AGP_TOP(u32) @ HubBase + 0x00000608 {
        23:0 agp_top;
    }

    /// AGP aperture, first unit of 16 MiB. Above its last: no aperture.
    pub(super) MC_VM_AGP_BOT(u32) @ HubBase + 0x0000060c {
        23:0 agp_bot;
    }

    /// AGP aperture, where it leads.
    pub(super) MC_VM_AGP_BASE(u32) @ HubBase + 0x00000610 {
        23:0 agp_base;
    }

    /// System aperture, in which VMID 0 is not translated: first unit of 256 KiB.
    pub(super) MC_VM_SYSTEM_APERTURE_LOW_ADDR(u32) @ HubBase + 0x00000614 {
        29:0 logical_addr;
    }

    /// System aperture: last unit of 256 KiB.
    pub(super) MC_VM_SYSTEM_APERTURE_HIGH_ADDR(u32) @ HubBase + 0x00000618 {
        29:0 logical_addr;
    }

    /// Translation caches of the hub's clients.
    pub(super) MC_VM_MX_L1_TLB_CNTL(u32) @ HubBase + 0x0000061c {
        13:13 atc_en;
        /// Memory type of what is not translated: 3 is uncached.
        12:11 mtype;
        6:6 enable_advanced_driver_model;
        5:5 system_aperture_unmapped_access;
        /// 3: VMID 0 bypasses translation in the system aperture and is translated elsewhere.
        4:3 system_access_mode;
        0:0 enable_l1_tlb;
    }

    /// MMHUB only: write clients whose snooping is decided by [`DAGB0_WRCLI_GPU_SNOOP_OVERRIDE_VALUE`], one
    /// bit each.
    pub(super) DAGB0_WRCLI_GPU_SNOOP_OVERRIDE(u32)[5, stride = 0x200] @ 0x00068178 {
        31:0 enable;
    }

    /// MMHUB only: those of them that snoop.
    pub(super) DAGB0_WRCLI_GPU_SNOOP_OVERRIDE_VALUE(u32)[5, stride = 0x200] @ 0x0006817c {
        31:0 enable;
    }
}
