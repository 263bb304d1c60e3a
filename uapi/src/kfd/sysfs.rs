// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT
//! The topology: what the process finds in sysfs before it opens anything (linux/kfd_sysfs.h, amdkfd/kfd_topology.c).
//!
//! ```text
//! /sys/devices/virtual/kfd/kfd/topology/generation_id, system_properties
//!   nodes/N/{gpu_id, name, properties}
//!          /mem_banks/I/properties  caches/I/properties  io_links/I/properties  p2p_links/I/properties
//! ```
//! A file of properties has a line `name value` each, values in decimal. Bit sets of those values are below.

/// Declares property names with a list of all.
macro_rules! names {
    ($(#[$meta:meta])* pub mod $module:ident { $($(#[$nmeta:meta])* $name:ident = $text:literal,)* }) => {
        $(#[$meta])*
        pub mod $module {
            $($(#[$nmeta])* pub const $name: &str = $text;)*

            /// All of them, in the order of the file.
            pub const ALL: &[&str] = &[$($name,)*];
        }
    };
}

names! {
    /// `system_properties`.
    pub mod system {
        /// Maker of the platform, eight letters as a number.
        PLATFORM_OEM = "platform_oem",
        /// Name of the platform, as above.
        PLATFORM_ID = "platform_id",
        /// Revision of the platform.
        PLATFORM_REV = "platform_rev",
    }
}

names! {
    /// `nodes/N/properties`. Lines from MAX_ENGINE_CLK_FCOMPUTE to NUM_XCC are printed for GPUs only.
    pub mod node {
        /// CPU cores; 0 on a GPU without CPU.
        CPU_CORES_COUNT = "cpu_cores_count",
        /// SIMD units: CUs times [`SIMD_PER_CU`]; 0 on a CPU.
        SIMD_COUNT = "simd_count",
        /// Folders in `mem_banks`.
        MEM_BANKS_COUNT = "mem_banks_count",
        /// Folders in `caches`.
        CACHES_COUNT = "caches_count",
        /// Folders in `io_links`.
        IO_LINKS_COUNT = "io_links_count",
        /// Folders in `p2p_links`.
        P2P_LINKS_COUNT = "p2p_links_count",
        /// First APIC id.
        CPU_CORE_ID_BASE = "cpu_core_id_base",
        /// First SIMD id.
        SIMD_ID_BASE = "simd_id_base",
        /// Waves.
        MAX_WAVES_PER_SIMD = "max_waves_per_simd",
        /// KiB per CU.
        LDS_SIZE_IN_KB = "lds_size_in_kb",
        /// KiB per GPU.
        GDS_SIZE_IN_KB = "gds_size_in_kb",
        /// Global wave sync resources; 0 if queues cannot have any.
        NUM_GWS = "num_gws",
        /// Lanes.
        WAVE_FRONT_SIZE = "wave_front_size",
        /// Shader arrays on all engines and XCCs.
        ARRAY_COUNT = "array_count",
        /// Shader arrays per engine.
        SIMD_ARRAYS_PER_ENGINE = "simd_arrays_per_engine",
        /// CUs per shader array, before any is switched off.
        CU_PER_SIMD_ARRAY = "cu_per_simd_array",
        /// SIMD units per CU, not 0.
        SIMD_PER_CU = "simd_per_cu",
        /// Waves per CU that can have scratch.
        MAX_SLOTS_SCRATCH_CU = "max_slots_scratch_cu",
        /// Decimal: major * 10000 + minor * 100 + stepping.
        GFX_TARGET_VERSION = "gfx_target_version",
        /// PCI.
        VENDOR_ID = "vendor_id",
        /// PCI.
        DEVICE_ID = "device_id",
        /// PCI: bus << 8 | devfn.
        LOCATION_ID = "location_id",
        /// PCI.
        DOMAIN = "domain",
        /// Minor of the render node, 128-255.
        DRM_RENDER_MINOR = "drm_render_minor",
        /// XGMI hive, 0 for none.
        HIVE_ID = "hive_id",
        /// SDMA engines wired to PCIe.
        NUM_SDMA_ENGINES = "num_sdma_engines",
        /// SDMA engines wired to XGMI.
        NUM_SDMA_XGMI_ENGINES = "num_sdma_xgmi_engines",
        /// User queues per SDMA engine.
        NUM_SDMA_QUEUES_PER_ENGINE = "num_sdma_queues_per_engine",
        /// Hardware slots for compute queues.
        NUM_CP_QUEUES = "num_cp_queues",
        /// Bytes of a context save area per XCC, without the debugger's memory.
        CWSR_SIZE = "cwsr_size",
        /// Bytes of the control stack in it.
        CTL_STACK_SIZE = "ctl_stack_size",
        /// MHz.
        MAX_ENGINE_CLK_FCOMPUTE = "max_engine_clk_fcompute",
        /// Always 0: see the memory banks.
        LOCAL_MEM_SIZE = "local_mem_size",
        /// MEC firmware, 10 bits count.
        FW_VERSION = "fw_version",
        /// [`super::capability`].
        CAPABILITY = "capability",
        /// [`super::capability2`].
        CAPABILITY2 = "capability2",
        /// [`super::debug_prop`].
        DEBUG_PROP = "debug_prop",
        /// SDMA firmware, 10 bits count.
        SDMA_FW_VERSION = "sdma_fw_version",
        /// Serial number of the GPU, 0 if unknown.
        UNIQUE_ID = "unique_id",
        /// Compute dies.
        NUM_XCC = "num_xcc",
        /// MHz.
        MAX_ENGINE_CLK_CCOMPUTE = "max_engine_clk_ccompute",
    }
}

names! {
    /// `mem_banks/I/properties`.
    pub mod mem_bank {
        /// [`super::heap_type`].
        HEAP_TYPE = "heap_type",
        /// Bytes.
        SIZE_IN_BYTES = "size_in_bytes",
        /// [`super::mem_flags`].
        FLAGS = "flags",
        /// Bits.
        WIDTH = "width",
        /// MHz.
        MEM_CLK_MAX = "mem_clk_max",
    }
}

names! {
    /// `caches/I/properties`.
    pub mod cache {
        /// First SIMD or core that uses it.
        PROCESSOR_ID_LOW = "processor_id_low",
        /// 1 is nearest.
        LEVEL = "level",
        /// KiB.
        SIZE = "size",
        /// Bytes.
        CACHE_LINE_SIZE = "cache_line_size",
        /// Lines.
        CACHE_LINES_PER_TAG = "cache_lines_per_tag",
        /// Ways.
        ASSOCIATION = "association",
        /// ns.
        LATENCY = "latency",
        /// [`super::cache_type`].
        TYPE = "type",
        /// 0 or 1 for each CU from `processor_id_low` on, by commas. Must be the last line.
        SIBLING_MAP = "sibling_map",
    }
}

names! {
    /// `io_links/I/properties` and `p2p_links/I/properties`.
    pub mod io_link {
        /// [`super::io_link_type`].
        TYPE = "type",
        /// Version of the link.
        VERSION_MAJOR = "version_major",
        /// Version of the link.
        VERSION_MINOR = "version_minor",
        /// This node.
        NODE_FROM = "node_from",
        /// The other node.
        NODE_TO = "node_to",
        /// Relative distance, 20 for PCIe.
        WEIGHT = "weight",
        /// ns.
        MIN_LATENCY = "min_latency",
        /// ns.
        MAX_LATENCY = "max_latency",
        /// MB/s.
        MIN_BANDWIDTH = "min_bandwidth",
        /// MB/s.
        MAX_BANDWIDTH = "max_bandwidth",
        /// Bytes, 0 for no advice.
        RECOMMENDED_TRANSFER_SIZE = "recommended_transfer_size",
        /// SDMA engines best for this link, 0 for no advice.
        RECOMMENDED_SDMA_ENGINE_ID_MASK = "recommended_sdma_engine_id_mask",
        /// [`super::io_link_flags`].
        FLAGS = "flags",
    }
}

abi_consts! {
    /// Bits of [`node::CAPABILITY`].
    pub mod capability: u32 = "HSA_CAP_" {
        /// May appear and go.
        HOT_PLUGGABLE = 1 << 0,
        /// Address translation service.
        ATS_PRESENT = 1 << 1,
        /// Displays as well.
        SHARED_WITH_GRAPHICS = 1 << 2,
        /// Queue sizes are powers of two.
        QUEUE_SIZE_POW2 = 1 << 3,
        /// Queue sizes have 32 bits.
        QUEUE_SIZE_32BIT = 1 << 4,
        /// Tells when a queue is idle.
        QUEUE_IDLE_EVENT = 1 << 5,
        /// Virtual addresses are limited.
        VA_LIMIT = 1 << 6,
        /// Watch points exist.
        WATCH_POINTS_SUPPORTED = 1 << 7,
        /// log2 of their number.
        WATCH_POINTS_TOTALBITS_MASK = 0xf00,
        /// Its lowest bit.
        WATCH_POINTS_TOTALBITS_SHIFT = 8,
        /// Type of doorbells.
        DOORBELL_TYPE_TOTALBITS_MASK = 0x3000,
        /// Its lowest bit.
        DOORBELL_TYPE_TOTALBITS_SHIFT = 12,
        /// Doorbell type: HSA before 1.0.
        DOORBELL_TYPE_PRE_1_0 = 0,
        /// Doorbell type: HSA 1.0, 32 bits.
        DOORBELL_TYPE_1_0 = 1,
        /// Doorbell type: 64 bits, gfx9 and newer.
        DOORBELL_TYPE_2_0 = 2,
        /// AQL rings must be mapped twice.
        AQL_QUEUE_DOUBLE_MAP = 1 << 14,
        /// Waves can be debugged.
        TRAP_DEBUG_SUPPORT = 1 << 15,
        /// Trap mask can be overridden.
        TRAP_DEBUG_WAVE_LAUNCH_TRAP_OVERRIDE_SUPPORTED = 1 << 16,
        /// Wave launch mode can be set.
        TRAP_DEBUG_WAVE_LAUNCH_MODE_SUPPORTED = 1 << 17,
        /// Memory violations can be made precise.
        TRAP_DEBUG_PRECISE_MEMORY_OPERATIONS_SUPPORTED = 1 << 18,
        /// Keep 0: old userspace reads it as SRAM ECC.
        RESERVED_WAS_SRAM_EDCSUPPORTED = 1 << 19,
        /// ECC in VRAM.
        MEM_EDCSUPPORTED = 1 << 20,
        /// Reports hardware errors.
        RASEVENTNOTIFY = 1 << 21,
        /// Revision of the chip.
        ASIC_REVISION_MASK = 0x03c0_0000,
        /// Its lowest bit.
        ASIC_REVISION_SHIFT = 22,
        /// ECC in SRAM: `sramecc+` in the name of the instruction set.
        SRAM_EDCSUPPORTED = 1 << 26,
        /// [`super::super::request::SVM`] works.
        SVMAPI_SUPPORTED = 1 << 27,
        /// The host caches VRAM coherently.
        FLAGS_COHERENTHOSTACCESS = 1 << 28,
        /// Firmware and driver support debuggers: runtimes call RUNTIME_ENABLE.
        TRAP_DEBUG_FIRMWARE_SUPPORTED = 1 << 29,
        /// Arithmetic traps can be made precise.
        TRAP_DEBUG_PRECISE_ALU_OPERATIONS_SUPPORTED = 1 << 30,
        /// A single queue can be reset.
        PER_QUEUE_RESET_SUPPORTED = 1 << 31,
        /// Reserved bits of the first interface.
        RESERVED = 0x000f_8000,
    }
}

abi_consts! {
    /// Bits of [`node::CAPABILITY2`].
    pub mod capability2: u32 = "HSA_CAP2_" {
        /// A single SDMA queue can be reset.
        PER_SDMA_QUEUE_RESET_SUPPORTED = 1 << 0,
        /// LDS out-of-range can be reported.
        TRAP_DEBUG_LDS_OUT_OF_ADDR_RANGE_SUPPORTED = 1 << 1,
        /// Zero.
        RESERVED = 0xffff_fffc,
    }
}

abi_consts! {
    /// Bits of [`node::DEBUG_PROP`].
    pub mod debug_prop: u64 = "HSA_DBG_" {
        /// Lowest bit of a watch mask.
        WATCH_ADDR_MASK_LO_BIT_MASK = 0xf,
        /// Its lowest bit.
        WATCH_ADDR_MASK_LO_BIT_SHIFT = 0,
        /// Highest bit of a watch mask.
        WATCH_ADDR_MASK_HI_BIT_MASK = 0x3f0,
        /// Its lowest bit.
        WATCH_ADDR_MASK_HI_BIT_SHIFT = 4,
        /// Dispatch records are valid in all waves.
        DISPATCH_INFO_ALWAYS_VALID = 1 << 10,
        /// Watch points belong to one process.
        WATCHPOINTS_EXCLUSIVE = 1 << 11,
        /// Zero.
        RESERVED = 0xffff_ffff_ffff_f000,
    }
}

abi_consts! {
    /// [`mem_bank::HEAP_TYPE`].
    pub mod heap_type: u32 = "HSA_MEM_HEAP_TYPE_" {
        /// System memory.
        SYSTEM = 0,
        /// VRAM the CPU can reach, all of it.
        FB_PUBLIC = 1,
        /// VRAM the CPU cannot reach.
        FB_PRIVATE = 2,
        /// Global data share.
        GPU_GDS = 3,
        /// Local data share.
        GPU_LDS = 4,
        /// Scratch.
        GPU_SCRATCH = 5,
    }
}

abi_consts! {
    /// [`mem_bank::FLAGS`].
    pub mod mem_flags: u32 = "HSA_MEM_FLAGS_" {
        /// May appear and go.
        HOT_PLUGGABLE = 1 << 0,
        /// Keeps its content.
        NON_VOLATILE = 1 << 1,
        /// Zero.
        RESERVED = 0xffff_fffc,
    }
}

abi_consts! {
    /// [`cache::TYPE`].
    pub mod cache_type: u32 = "HSA_CACHE_TYPE_" {
        /// Data.
        DATA = 1 << 0,
        /// Instructions.
        INSTRUCTION = 1 << 1,
        /// Of a CPU.
        CPU = 1 << 2,
        /// Of compute units.
        HSACU = 1 << 3,
        /// Zero.
        RESERVED = 0xffff_fff0,
    }
}

abi_consts! {
    /// [`io_link::TYPE`].
    pub mod io_link_type: u32 = "HSA_IOLINK_TYPE_" {
        /// Unknown.
        UNDEFINED = 0,
        /// HyperTransport.
        HYPERTRANSPORT = 1,
        /// PCI Express.
        PCIEXPRESS = 2,
        /// AMBA.
        AMBA = 3,
        /// MIPI.
        MIPI = 4,
        /// QPI.
        QPI_1_1 = 5,
        /// Reserved.
        RESERVED1 = 6,
        /// Reserved.
        RESERVED2 = 7,
        /// RapidIO.
        RAPID_IO = 8,
        /// InfiniBand.
        INFINIBAND = 9,
        /// Reserved.
        RESERVED3 = 10,
        /// XGMI.
        XGMI = 11,
        /// XGOP.
        XGOP = 12,
        /// GZ.
        GZ = 13,
        /// RDMA over Ethernet.
        ETHERNET_RDMA = 14,
        /// Another RDMA.
        RDMA_OTHER = 15,
        /// Another link.
        OTHER = 16,
    }
}

abi_consts! {
    /// [`io_link::FLAGS`]. The others count only together with ENABLED.
    pub mod io_link_flags: u32 = "HSA_IOLINK_FLAGS_" {
        /// The flags are valid.
        ENABLED = 1 << 0,
        /// Accesses are not coherent.
        NON_COHERENT = 1 << 1,
        /// No 32-bit atomics.
        NO_ATOMICS_32_BIT = 1 << 2,
        /// No 64-bit atomics.
        NO_ATOMICS_64_BIT = 1 << 3,
        /// No DMA between peers.
        NO_PEER_TO_PEER_DMA = 1 << 4,
        /// Zero.
        RESERVED = 0xffff_ffe0,
    }
}
