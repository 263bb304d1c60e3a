// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT
//! Queries about the GPU: libdrm, at the start of every process; management tools for the rest.

abi_consts! {
    /// [`Info::query`].
    pub mod query: u32 = "AMDGPU_INFO_" {
        /// u32: not 0 if the GPU can be used.
        ACCEL_WORKING = 0x00,
        /// Displays.
        CRTC_FROM_ID = 0x01,
        /// [`super::InfoHwIp`].
        HW_IP_INFO = 0x02,
        /// u32.
        HW_IP_COUNT = 0x03,
        /// u64.
        TIMESTAMP = 0x05,
        /// [`super::InfoFirmware`].
        FW_VERSION = 0x0e,
        /// u64.
        NUM_BYTES_MOVED = 0x0f,
        /// u64, bytes.
        VRAM_USAGE = 0x10,
        /// u64, bytes.
        GTT_USAGE = 0x11,
        /// [`super::InfoGds`].
        GDS_CONFIG = 0x13,
        /// [`super::InfoVramGtt`].
        VRAM_GTT = 0x14,
        /// Array of u32.
        READ_MMR_REG = 0x15,
        /// [`super::InfoDevice`].
        DEV_INFO = 0x16,
        /// u64, bytes.
        VIS_VRAM_USAGE = 0x17,
        /// u64.
        NUM_EVICTIONS = 0x18,
        /// [`super::MemoryInfo`].
        MEMORY = 0x19,
        /// Video.
        VCE_CLOCK_TABLE = 0x1a,
        /// [`super::vbios_query`].
        VBIOS = 0x1b,
        /// Video.
        NUM_HANDLES = 0x1c,
        /// [`super::sensor`], u32.
        SENSOR = 0x1d,
        /// u64.
        NUM_VRAM_CPU_PAGE_FAULTS = 0x1e,
        /// u32.
        VRAM_LOST_COUNTER = 0x1f,
        /// u64.
        RAS_ENABLED_FEATURES = 0x20,
        /// Video.
        VIDEO_CAPS = 0x21,
        /// Array of u32.
        MAX_IBS = 0x22,
        /// [`super::InfoGpuvmFault`].
        GPUVM_FAULT = 0x23,
        /// Graphics user queues.
        UQ_FW_AREAS = 0x24,
    }
}

abi_consts! {
    /// [`QueryFw::fw_type`].
    pub mod firmware: u32 = "AMDGPU_INFO_FW_" {
        /// Video encoder.
        VCE = 0x01,
        /// Video decoder.
        UVD = 0x02,
        /// Memory controller.
        GMC = 0x03,
        /// Graphics micro engine.
        GFX_ME = 0x04,
        /// Graphics prefetch parser.
        GFX_PFP = 0x05,
        /// Graphics constant engine.
        GFX_CE = 0x06,
        /// Run list controller.
        GFX_RLC = 0x07,
        /// Compute micro engine.
        GFX_MEC = 0x08,
        /// Power management.
        SMC = 0x0a,
        /// SDMA.
        SDMA = 0x0b,
        /// PSP secure OS.
        SOS = 0x0c,
        /// PSP driver.
        ASD = 0x0d,
        /// Video.
        VCN = 0x0e,
        /// RLC save and restore list.
        GFX_RLC_RESTORE_LIST_CNTL = 0x0f,
        /// RLC save and restore list.
        GFX_RLC_RESTORE_LIST_GPM_MEM = 0x10,
        /// RLC save and restore list.
        GFX_RLC_RESTORE_LIST_SRM_MEM = 0x11,
        /// Display.
        DMCU = 0x12,
        /// PSP trusted applications.
        TA = 0x13,
        /// Display.
        DMCUB = 0x14,
        /// PSP table of contents.
        TOC = 0x15,
        /// PSP capabilities.
        CAP = 0x16,
        /// RLC processor.
        GFX_RLCP = 0x17,
        /// RLC processor.
        GFX_RLCV = 0x18,
        /// Micro engine scheduler.
        MES_KIQ = 0x19,
        /// Micro engine scheduler.
        MES = 0x1a,
        /// Init unit.
        IMU = 0x1b,
        /// Video processor.
        VPE = 0x1c,
    }
}

abi_consts! {
    /// [`QueryType::ty`] of [`query::VBIOS`].
    pub mod vbios_query: u32 = "AMDGPU_INFO_VBIOS_" {
        /// u32.
        SIZE = 1,
        /// Bytes.
        IMAGE = 2,
        /// [`super::InfoVbios`].
        INFO = 3,
    }
}

abi_consts! {
    /// [`QueryType::ty`] of [`query::SENSOR`].
    pub mod sensor: u32 = "AMDGPU_INFO_SENSOR_" {
        /// MHz.
        GFX_SCLK = 0x1,
        /// MHz.
        GFX_MCLK = 0x2,
        /// m°C.
        GPU_TEMP = 0x3,
        /// Percent.
        GPU_LOAD = 0x4,
        /// W.
        GPU_AVG_POWER = 0x5,
        /// mV.
        VDDNB = 0x6,
        /// mV.
        VDDGFX = 0x7,
        /// MHz.
        STABLE_PSTATE_GFX_SCLK = 0x8,
        /// MHz.
        STABLE_PSTATE_GFX_MCLK = 0x9,
        /// MHz.
        PEAK_PSTATE_GFX_SCLK = 0xa,
        /// MHz.
        PEAK_PSTATE_GFX_MCLK = 0xb,
        /// W.
        GPU_INPUT_POWER = 0xc,
    }
}

abi_consts! {
    /// [`InfoDevice::ids_flags`].
    pub mod ids_flags: u64 = "AMDGPU_IDS_FLAGS_" {
        /// Part of a CPU.
        FUSION = 0x01,
        /// Can be preempted.
        PREEMPTION = 0x02,
        /// Encrypted memory.
        TMZ = 0x04,
        /// Image coordinates are truncated as they should be.
        CONFORMANT_TRUNC_COORD = 0x08,
        /// Several submissions at once.
        GANG_SUBMIT = 0x10,
        /// How it is passed to a guest.
        MODE_MASK = 0x300,
        /// Lowest bit of the mode.
        MODE_SHIFT = 8,
        /// Mode: physical function.
        MODE_PF = 0,
        /// Mode: virtual function.
        MODE_VF = 1,
        /// Mode: passed through.
        MODE_PT = 2,
    }
}

abi_consts! {
    /// [`InfoDevice::vram_type`].
    pub mod vram_type: u32 = "AMDGPU_VRAM_TYPE_" {
        /// Unknown.
        UNKNOWN = 0,
        /// GDDR1.
        GDDR1 = 1,
        /// DDR2.
        DDR2 = 2,
        /// GDDR3.
        GDDR3 = 3,
        /// GDDR4.
        GDDR4 = 4,
        /// GDDR5.
        GDDR5 = 5,
        /// HBM: MI200, MI300.
        HBM = 6,
        /// DDR3.
        DDR3 = 7,
        /// DDR4.
        DDR4 = 8,
        /// GDDR6.
        GDDR6 = 9,
        /// DDR5.
        DDR5 = 10,
        /// LPDDR4.
        LPDDR4 = 11,
        /// LPDDR5.
        LPDDR5 = 12,
        /// HBM3E: MI350.
        HBM3E = 13,
        /// HBM4.
        HBM4 = 14,
    }
}

abi_consts! {
    /// [`InfoDevice::family`].
    pub mod family: u32 = "AMDGPU_FAMILY_" {
        /// Unknown.
        UNKNOWN = 0,
        /// gfx6.
        SI = 110,
        /// gfx7.
        CI = 120,
        /// gfx7 in a CPU.
        KV = 125,
        /// gfx8.
        VI = 130,
        /// gfx8 in a CPU.
        CZ = 135,
        /// gfx9: MI100, MI200, MI300.
        AI = 141,
        /// gfx9 in a CPU.
        RV = 142,
        /// gfx10.
        NV = 143,
        /// gfx10 in a CPU.
        VGH = 144,
        /// gfx11.
        GC_11_0_0 = 145,
        /// gfx10 in a CPU.
        YC = 146,
        /// gfx11 in a CPU.
        GC_11_0_1 = 148,
        /// gfx10 in a CPU.
        GC_10_3_6 = 149,
        /// gfx11 in a CPU.
        GC_11_5_0 = 150,
        /// gfx10 in a CPU.
        GC_10_3_7 = 151,
        /// gfx12.
        GC_12_0_0 = 152,
        /// gfx11 in a CPU.
        GC_11_5_4 = 154,
    }
}

abi_struct! {
    /// Which firmware.
    pub struct QueryFw = "struct drm_amdgpu_query_fw" {
        /// [`firmware`].
        pub fw_type: u32,
        /// Instance of the block.
        pub ip_instance: u32,
        /// Engine of the block.
        pub index: u32,
        /// Zero.
        pub pad = "_pad": u32,
    }
}

abi_struct! {
    /// Which registers.
    pub struct QueryMmrReg = "typeof(((struct drm_amdgpu_info *)0)->read_mmr_reg)" {
        /// Dwords from the start of the register space.
        pub dword_offset: u32,
        /// Registers.
        pub count: u32,
        /// Shader engine and array, 0xff each for all.
        pub instance: u32,
        /// Zero.
        pub flags: u32,
    }
}

abi_struct! {
    /// Which engine.
    pub struct QueryHwIp = "typeof(((struct drm_amdgpu_info *)0)->query_hw_ip)" {
        /// [`super::command_submission::hw_ip`].
        pub ty = "type": u32,
        /// Its instance.
        pub ip_instance: u32,
    }
}

abi_struct! {
    /// Which part of the video BIOS.
    pub struct QueryVbios = "typeof(((struct drm_amdgpu_info *)0)->vbios_info)" {
        /// [`vbios_query`].
        pub ty = "type": u32,
        /// Bytes.
        pub offset: u32,
    }
}

abi_struct! {
    /// Which of several values.
    pub struct QueryType = "typeof(((struct drm_amdgpu_info *)0)->sensor_info)" {
        /// By the query.
        pub ty = "type": u32,
    }
}

abi_union! {
    /// By [`query`].
    pub union QueryPayload = "": [u32; 4] {
        /// [`query::READ_MMR_REG`].
        read_mmr_reg/set_read_mmr_reg: QueryMmrReg,
        /// [`query::HW_IP_INFO`], [`query::HW_IP_COUNT`].
        query_hw_ip/set_query_hw_ip: QueryHwIp,
        /// [`query::FW_VERSION`].
        query_fw/set_query_fw: QueryFw,
        /// [`query::VBIOS`].
        vbios_info/set_vbios_info: QueryVbios,
        /// [`query::SENSOR`].
        sensor_info/set_sensor_info: QueryType,
    }
}

abi_struct! {
    /// [`super::amdgpu_request::INFO`].
    pub struct Info = "struct drm_amdgpu_info" {
        /// In: where the answer is copied to.
        pub return_pointer: u64,
        /// In: bytes there; a longer answer is cut.
        pub return_size: u32,
        /// In: [`query`].
        pub query: u32,
        /// In: by `query`.
        pub payload = "read_mmr_reg": QueryPayload,
    }
}

abi_struct! {
    /// Answer to [`query::GDS_CONFIG`].
    pub struct InfoGds = "struct drm_amdgpu_info_gds" {
        /// Bytes.
        pub gds_gfx_partition_size: u32,
        /// Bytes.
        pub compute_partition_size: u32,
        /// Bytes.
        pub gds_total_size: u32,
        /// Count.
        pub gws_per_gfx_partition: u32,
        /// Count.
        pub gws_per_compute_partition: u32,
        /// Count.
        pub oa_per_gfx_partition: u32,
        /// Count.
        pub oa_per_compute_partition: u32,
        /// Zero.
        pub pad = "_pad": u32,
    }
}

abi_struct! {
    /// Answer to [`query::VRAM_GTT`]. Bytes.
    pub struct InfoVramGtt = "struct drm_amdgpu_info_vram_gtt" {
        /// All VRAM.
        pub vram_size: u64,
        /// The part the CPU reaches.
        pub vram_cpu_accessible_size: u64,
        /// System memory for the GPU.
        pub gtt_size: u64,
    }
}

abi_struct! {
    /// A kind of memory. Bytes.
    pub struct HeapInfo = "struct drm_amdgpu_heap_info" {
        /// All.
        pub total_heap_size: u64,
        /// What buffers may have.
        pub usable_heap_size: u64,
        /// What buffers have.
        pub heap_usage: u64,
        /// The largest buffer.
        pub max_allocation: u64,
    }
}

abi_struct! {
    /// Answer to [`query::MEMORY`].
    pub struct MemoryInfo = "struct drm_amdgpu_memory_info" {
        /// VRAM.
        pub vram: HeapInfo,
        /// The part of it the CPU reaches.
        pub cpu_accessible_vram: HeapInfo,
        /// System memory.
        pub gtt: HeapInfo,
    }
}

abi_struct! {
    /// Answer to [`query::FW_VERSION`].
    pub struct InfoFirmware = "struct drm_amdgpu_info_firmware" {
        /// Version.
        pub ver: u32,
        /// Feature level.
        pub feature: u32,
    }
}

abi_struct! {
    /// Answer to [`vbios_query::INFO`]. Texts end with 0.
    pub struct InfoVbios = "struct drm_amdgpu_info_vbios" {
        /// Name.
        pub name: [u8; 64],
        /// Part number.
        pub vbios_pn: [u8; 64],
        /// Version.
        pub version: u32,
        /// Zero.
        pub pad: u32,
        /// Version in words.
        pub vbios_ver_str: [u8; 32],
        /// Date.
        pub date: [u8; 32],
    }
}

abi_struct! {
    /// Answer to [`query::DEV_INFO`]. Fields of graphics hardware are 0 on compute GPUs.
    pub struct InfoDevice = "struct drm_amdgpu_info_device" {
        /// PCI device.
        pub device_id: u32,
        /// Revision of the chip.
        pub chip_rev: u32,
        /// Revision of the chip, counted over the family.
        pub external_rev: u32,
        /// PCI revision.
        pub pci_rev: u32,
        /// [`family`].
        pub family: u32,
        /// Shader engines.
        pub num_shader_engines: u32,
        /// Shader arrays.
        pub num_shader_arrays_per_engine: u32,
        /// Clock counter, kHz.
        pub gpu_counter_freq: u32,
        /// kHz.
        pub max_engine_clock: u64,
        /// kHz.
        pub max_memory_clock: u64,
        /// CUs.
        pub cu_active_number: u32,
        /// Do not use.
        pub cu_ao_mask: u32,
        /// CUs by engine and array.
        pub cu_bitmap: [[u32; 4]; 4],
        /// Render backends.
        pub enabled_rb_pipes_mask: u32,
        /// Render backends.
        pub num_rb_pipes: u32,
        /// Graphics contexts.
        pub num_hw_gfx_contexts: u32,
        /// PCIe generation.
        pub pcie_gen: u32,
        /// [`ids_flags`].
        pub ids_flags: u64,
        /// Lowest address for buffers.
        pub virtual_address_offset: u64,
        /// End of the lower range.
        pub virtual_address_max: u64,
        /// Bytes.
        pub virtual_address_alignment: u32,
        /// Bytes.
        pub pte_fragment_size: u32,
        /// Bytes.
        pub gart_page_size: u32,
        /// Graphics.
        pub ce_ram_size: u32,
        /// [`vram_type`].
        pub vram_type: u32,
        /// Bits.
        pub vram_bit_width: u32,
        /// Video.
        pub vce_harvest_config: u32,
        /// Graphics.
        pub gc_double_offchip_lds_buf: u32,
        /// Graphics.
        pub prim_buf_gpu_addr: u64,
        /// Graphics.
        pub pos_buf_gpu_addr: u64,
        /// Graphics.
        pub cntl_sb_buf_gpu_addr: u64,
        /// Graphics.
        pub param_buf_gpu_addr: u64,
        /// Graphics.
        pub prim_buf_size: u32,
        /// Graphics.
        pub pos_buf_size: u32,
        /// Graphics.
        pub cntl_sb_buf_size: u32,
        /// Graphics.
        pub param_buf_size: u32,
        /// Lanes.
        pub wave_front_size: u32,
        /// Registers of a lane.
        pub num_shader_visible_vgprs: u32,
        /// CUs per array.
        pub num_cu_per_sh: u32,
        /// L2 channels.
        pub num_tcc_blocks: u32,
        /// Graphics.
        pub gs_vgt_table_depth: u32,
        /// Graphics.
        pub gs_prim_buffer_depth: u32,
        /// Graphics.
        pub max_gs_waves_per_vgt: u32,
        /// PCIe lanes.
        pub pcie_num_lanes: u32,
        /// CUs that are always on.
        pub cu_ao_bitmap: [[u32; 4]; 4],
        /// Start of the upper range.
        pub high_va_offset: u64,
        /// End of the upper range.
        pub high_va_max: u64,
        /// Graphics.
        pub pa_sc_tile_steering_override: u32,
        /// Zero.
        pub pad: u32,
        /// L2 channels switched off.
        pub tcc_disabled_mask: u64,
        /// kHz.
        pub min_engine_clock: u64,
        /// kHz.
        pub min_memory_clock: u64,
        /// KiB; this and the following are 0 before gfx11.
        pub tcp_cache_size: u32,
        /// Instruction caches.
        pub num_sqc_per_wgp: u32,
        /// KiB.
        pub sqc_data_cache_size: u32,
        /// KiB.
        pub sqc_inst_cache_size: u32,
        /// KiB.
        pub gl1c_cache_size: u32,
        /// KiB.
        pub gl2c_cache_size: u32,
        /// Bytes.
        pub mall_size: u64,
        /// Render backends, upper half.
        pub enabled_rb_pipes_mask_hi: u32,
        /// Bytes.
        pub shadow_size: u32,
        /// Bytes.
        pub shadow_alignment: u32,
        /// Bytes.
        pub csa_size: u32,
        /// Bytes.
        pub csa_alignment: u32,
        /// Engines with user queues for graphics.
        pub userq_ip_mask: u32,
    }
}

abi_struct! {
    /// Answer to [`query::HW_IP_INFO`].
    pub struct InfoHwIp = "struct drm_amdgpu_info_hw_ip" {
        /// Version.
        pub hw_ip_version_major: u32,
        /// Version.
        pub hw_ip_version_minor: u32,
        /// By engine.
        pub capabilities_flags: u64,
        /// Bytes.
        pub ib_start_alignment: u32,
        /// Bytes.
        pub ib_size_alignment: u32,
        /// Bit per ring.
        pub available_rings: u32,
        /// major << 16 | minor << 8 | revision.
        pub ip_discovery_version: u32,
        /// User queues for graphics.
        pub userq_num_slots: u32,
        /// Padding of the C struct.
        pub tail = "": u32,
    }
}

abi_struct! {
    /// Answer to [`query::GPUVM_FAULT`].
    pub struct InfoGpuvmFault = "struct drm_amdgpu_info_gpuvm_fault" {
        /// Address.
        pub addr: u64,
        /// VM_L2_PROTECTION_FAULT_STATUS.
        pub status: u32,
        /// Hub kind in bits 0-7, index in bits 8-15.
        pub vmhub: u32,
    }
}
