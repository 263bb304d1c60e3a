// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Registers of GRBM and of the shader blocks that do more than remember (gc_9_4_2_offset.h, GC base 0x8000 and 0x28000).

crate::registers! {
    /// Busy state of the graphics core: GUI_ACTIVE bit 31, CP_BUSY bit 29, SPI_BUSY bit 22.
    GRBM_STATUS = 0x8010;
    /// Busy state, continued.
    GRBM_STATUS2 = 0x8008;
    /// Busy state of shader engine 0.
    GRBM_STATUS_SE0 = 0x8014;
    /// Busy state of shader engine 1.
    GRBM_STATUS_SE1 = 0x8018;
    /// Busy state of shader engine 2.
    GRBM_STATUS_SE2 = 0x8038;
    /// Busy state of shader engine 3.
    GRBM_STATUS_SE3 = 0x803c;
    /// Soft reset bits.
    GRBM_SOFT_RESET = 0x8020;
    /// Bank select: pipe, micro engine, VMID, queue.
    GRBM_GFX_CNTL = 0x8088;
    /// Bank select: shader engine, shader array, instance.
    GRBM_GFX_INDEX = 0x30800;
    /// Compute units that are fused off, bits 31:16, per shader engine.
    CC_GC_SHADER_ARRAY_CONFIG = 0x89bc;
    /// Compute units that the driver switches off, bits 31:16, per shader engine.
    GC_USER_SHADER_ARRAY_CONFIG = 0x89c0;
    /// Render backends that are fused off; this card has none.
    CC_RB_BACKEND_DISABLE = 0x98f4;
    /// Render backends that the driver switches off.
    GC_USER_RB_BACKEND_DISABLE = 0x9b7c;
    /// FLAT apertures, per VMID.
    SH_MEM_BASES = 0x8c28;
    /// FLAT address and alignment mode, per VMID.
    SH_MEM_CONFIG = 0x8c34;
    /// Trap handler address bits 39:8, per VMID.
    SQ_SHADER_TBA_LO = 0x8c70;
    /// Trap handler address bits 47:40, bit 31 enable, per VMID.
    SQ_SHADER_TBA_HI = 0x8c74;
    /// Trap memory address bits 39:8, per VMID.
    SQ_SHADER_TMA_LO = 0x8c78;
    /// Trap memory address bits 47:40, per VMID.
    SQ_SHADER_TMA_HI = 0x8c7c;
    /// Debugger settings, per VMID.
    SPI_GDBG_PER_VMID_CNTL = 0xc74c;
}

crate::fields! {
    GUI_ACTIVE = GRBM_STATUS.GUI_ACTIVE[31:31];
    CP_BUSY = GRBM_STATUS.CP_BUSY[29:29];
    SPI_BUSY = GRBM_STATUS.SPI_BUSY[22:22];
    /// A bit per compute unit.
    INACTIVE_CUS = CC_GC_SHADER_ARRAY_CONFIG.INACTIVE_CUS[31:16];
    SHARED_BASE = SH_MEM_BASES.SHARED_BASE[31:16];
    PRIVATE_BASE = SH_MEM_BASES.PRIVATE_BASE[15:0];
    TBA_HI = SQ_SHADER_TBA_HI.ADDR_HI[7:0];
}

/// Registers that only remember (tuning, debug, blocks without function on this card).
pub(crate) const PLAIN: &[(u32, &str)] = &[
    (0x8000, "GRBM_CNTL"),
    (0x8060, "GRBM_INT_CNTL"),
    (0x8084, "GRBM_CHIP_REVISION"),
    (0x8030, "GRBM_GFX_CLKEN_CNTL"),
    (0x3e810, "GRBM_CAM_INDEX"),
    (0x3e814, "GRBM_CAM_DATA"),
    (0x88c4, "VGT_CACHE_INVALIDATION"),
    (0x89a4, "VGT_GS_MAX_WAVE_ID"),
    (0x890c, "WD_UTCL1_CNTL"),
    (0x8910, "WD_UTCL1_STATUS"),
    (0x8918, "IA_UTCL1_CNTL"),
    (0x891c, "IA_UTCL1_STATUS"),
    (0x8a10, "PA_CL_CNTL_STATUS"),
    (0x8a14, "PA_CL_ENHANCE"),
    (0x8b24, "PA_SC_FORCE_EOV_MAX_CNTS"),
    (0x8bcc, "PA_SC_FIFO_SIZE"),
    (0x8bf0, "PA_SC_ENHANCE"),
    (0x8bf4, "PA_SC_ENHANCE_1"),
    (0x8b3c, "PA_SC_BINNER_EVENT_CNTL_3"),
    (0x8c00, "SQ_CONFIG"),
    (0x8c04, "SQC_CONFIG"),
    (0x8c14, "SQ_FIFO_SIZES"),
    (0x8c2c, "SQ_TIMEOUT_CONFIG"),
    (0x8c30, "SQ_TIMEOUT_STATUS"),
    (0x8c64, "SQ_UTCL1_STATUS"),
    (0x8de8, "SQ_CONFIG1"),
    (0x8f5c, "SQC_ICACHE_UTCL1_STATUS"),
    (0x8f60, "SQC_DCACHE_UTCL1_STATUS"),
    (0x86d8, "CP_ME_CNTL"),
    (0x936c, "SPI_CSQ_WF_ACTIVE_STATUS"),
    (0x9494, "TD_CNTL"),
    (0x9508, "TA_CNTL_AUX"),
    (0x970c, "GDS_PROTECTION_FAULT"),
    (0x9710, "GDS_VM_PROTECTION_FAULT"),
    (0x9830, "DB_DEBUG"),
    (0x9834, "DB_DEBUG2"),
    (0x9838, "DB_DEBUG3"),
    (0x98f8, "GB_ADDR_CONFIG"),
    (0x9900, "GB_GPU_ID"),
    (0x9908, "GB_ADDR_CONFIG_READ"),
    (0x9a00, "CB_HW_CONTROL"),
    (0x9a08, "CB_HW_CONTROL_2"),
    (0x9a0c, "CB_HW_CONTROL_3"),
    (0x9a20, "CB_DCC_CONFIG"),
    (0x9c44, "GCEA_PROBE_MAP"),
    (0x9c48, "GCEA_ERR_STATUS"),
    (0x9e30, "RMI_UTCL1_CNTL2"),
    (0x9e5c, "RMI_UTCL1_STATUS"),
    (0xac0c, "TCP_CHAN_STEER_0"),
    (0xac10, "TCP_CHAN_STEER_1"),
    (0xac14, "TCP_ADDR_CONFIG"),
    (0xac24, "TCP_CHAN_STEER_2"),
    (0xac28, "TCP_CHAN_STEER_3"),
    (0xac2c, "TCP_CHAN_STEER_4"),
    (0xac30, "TCP_CHAN_STEER_5"),
    (0xad74, "TCI_CNTL_3"),
    (0xc1fc, "CP_DEBUG"),
    (0xc71c, "SPI_WCL_PIPE_PERCENT_GFX"),
    (0xc724, "SPI_WCL_PIPE_PERCENT_CS0"),
    (0xc728, "SPI_WCL_PIPE_PERCENT_CS1"),
    (0xc72c, "SPI_WCL_PIPE_PERCENT_CS2"),
    (0xc730, "SPI_WCL_PIPE_PERCENT_CS3"),
    (0xc744, "SPI_GDBG_WAVE_CNTL"),
    (0xc748, "SPI_GDBG_TRAP_CONFIG"),
    (0xc750, "SPI_GDBG_WAVE_CNTL2"),
    (0xc760, "SPI_GDBG_TRAP_DATA0"),
    (0xc764, "SPI_GDBG_TRAP_DATA1"),
    (0xc770, "SPI_RESOURCE_RESERVE_CU_0"),
    (0xc774, "SPI_RESOURCE_RESERVE_CU_1"),
    (0xc798, "SPI_RESOURCE_RESERVE_EN_CU_0"),
    (0xc79c, "SPI_RESOURCE_RESERVE_EN_CU_1"),
    (0xca00, "DIDT_IND_INDEX"),
    (0xca04, "DIDT_IND_DATA"),
    (0xca48, "GC_THROTTLE_CTRL1"),
    (0xca6c, "GC_THROTTLE_CTRL"),
    (0xca70, "GC_CAC_IND_INDEX"),
    (0xca74, "GC_CAC_IND_DATA"),
    (0xcad4, "TCP_UTCL1_CNTL1"),
    (0xcad8, "TCP_UTCL1_CNTL2"),
    (0xcadc, "TCP_UTCL1_STATUS"),
    (0xcd20, "GDS_COMPUTE_MAX_WAVE_ID"),
    (0x28000, "DB_RENDER_CONTROL"),
    (0x28a4c, "PA_SC_MODE_CNTL_1"),
    (0x3090c, "VGT_INDEX_TYPE"),
    (0x30a04, "PA_SC_LINE_STIPPLE_STATE"),
    (0x31104, "SPI_CONFIG_CNTL_1"),
];

/// Families of registers that only remember: first, how many, bytes apart, name of the first.
pub(crate) const PLAIN_FAMILIES: &[(u32, u32, u32, &str)] = &[
    (0xca80, 4, 12, "TCP_WATCH0_ADDR_H"),
    (0xca84, 4, 12, "TCP_WATCH0_ADDR_L"),
    (0xca88, 4, 12, "TCP_WATCH0_CNTL"),
    (0xcc00, 16, 8, "GDS_VMID0_BASE"),
    (0xcc04, 16, 8, "GDS_VMID0_SIZE"),
    (0xcc80, 16, 4, "GDS_GWS_VMID0"),
    (0xccc0, 16, 4, "GDS_OA_VMID0"),
];

/// Power-on values of registers that only remember (gfx_v9_0.c: golden_settings of this card's GB_ADDR_CONFIG).
pub(crate) const VALUES: &[(u32, u32)] = &[(0x98f8, 0x2a11_4042), (0x9908, 0x2a11_4042)];
