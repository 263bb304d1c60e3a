// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Registers of the run list controller (gc_9_4_2_offset.h, GC base 0x28000).

crate::registers! {
    /// Bit 0: the controller's processor runs.
    RLC_CNTL = 0x3b000;
    /// Busy state.
    RLC_STAT = 0x3b010;
    /// Bit 0 CMD, bits 4:1 MESSAGE: enter or leave safe mode; CMD clears itself when done.
    RLC_SAFE_MODE = 0x3b014;
    /// The counter as captured, bits 31:0.
    RLC_GPU_CLOCK_COUNT_LSB = 0x3b090;
    /// The counter as captured, bits 63:32.
    RLC_GPU_CLOCK_COUNT_MSB = 0x3b094;
    /// Writing 1 captures the 100 MHz counter.
    RLC_CAPTURE_GPU_CLOCK_COUNT = 0x3b098;
    /// Power and clock state of the graphics core.
    RLC_GPM_STAT = 0x3b100;
    /// Busy compute units on the serial bus, per shader engine.
    RLC_SERDES_CU_MASTER_BUSY = 0x3b184;
    /// Busy other units on the serial bus.
    RLC_SERDES_NONCU_MASTER_BUSY = 0x3b188;
    /// Index into scratch memory; each data access advances it.
    RLC_GPM_SCRATCH_ADDR = 0x3b1b0;
    /// Scratch memory at the index.
    RLC_GPM_SCRATCH_DATA = 0x3b1b4;
    /// Index into the save and restore list; each data access advances it.
    RLC_SRM_ARAM_ADDR = 0x3b20c;
    /// Save and restore list at the index.
    RLC_SRM_ARAM_DATA = 0x3b210;
    /// State of the save and restore machine.
    RLC_SRM_GPM_COMMAND_STATUS = 0x3b220;
}

/// Registers that only remember.
pub(crate) const PLAIN: &[(u32, &str)] = &[
    (0x3b018, "RLC_MEM_SLP_CNTL"),
    (0x3b01c, "SMU_RLC_RESPONSE"),
    (0x3b024, "RLC_SMU_SAFE_MODE"),
    (0x3b048, "RLC_LB_CNTR_MAX"),
    (0x3b054, "RLC_GPM_TIMER_INT_3"),
    (0x3b060, "RLC_INT_STAT"),
    (0x3b064, "RLC_LB_CNTL"),
    (0x3b06c, "RLC_LB_CNTR_INIT"),
    (0x3b078, "RLC_JUMP_TABLE_RESTORE"),
    (0x3b07c, "RLC_PG_DELAY_2"),
    (0x3b044, "RLC_GPM_TIMER_CTRL"),
    (0x3b10c, "RLC_PG_CNTL"),
    (0x3b120, "RLC_CGTT_MGCG_OVERRIDE"),
    (0x3b124, "RLC_CGCG_CGLS_CTRL"),
    (0x3b128, "RLC_CGCG_RAMP_CTRL"),
    (0x3b134, "RLC_PG_DELAY"),
    (0x3b13c, "RLC_LB_INIT_CU_MASK"),
    (0x3b140, "RLC_LB_ALWAYS_ACTIVE_CU_MASK"),
    (0x3b144, "RLC_LB_PARAMS"),
    (0x3b14c, "RLC_PG_ALWAYS_ON_CU_MASK"),
    (0x3b150, "RLC_MAX_PG_CU"),
    (0x3b154, "RLC_AUTO_PG_CTRL"),
    (0x3b174, "RLC_SERDES_WR_CU_MASTER_MASK"),
    (0x3b178, "RLC_SERDES_WR_NONCU_MASTER_MASK"),
    (0x3b17c, "RLC_SERDES_WR_CTRL"),
    (0x3b180, "RLC_SERDES_WR_DATA"),
    (0x3b1a4, "RLC_GPM_GENERAL_6"),
    (0x3b1a8, "RLC_GPM_GENERAL_7"),
    (0x3b1c4, "RLC_SPM_MC_CNTL"),
    (0x3b1c8, "RLC_SPM_INT_CNTL"),
    (0x3b1d8, "RLC_SMU_MESSAGE"),
    (0x3b1e0, "RLC_PG_DELAY_3"),
    (0x3b200, "RLC_SRM_CNTL"),
    (0x3b22c, "RLC_SRM_INDEX_CNTL_ADDR_0"),
    (0x3b230, "RLC_SRM_INDEX_CNTL_ADDR_1"),
    (0x3b234, "RLC_SRM_INDEX_CNTL_ADDR_2"),
    (0x3b238, "RLC_SRM_INDEX_CNTL_ADDR_3"),
    (0x3b23c, "RLC_SRM_INDEX_CNTL_ADDR_4"),
    (0x3b240, "RLC_SRM_INDEX_CNTL_ADDR_5"),
    (0x3b244, "RLC_SRM_INDEX_CNTL_ADDR_6"),
    (0x3b248, "RLC_SRM_INDEX_CNTL_ADDR_7"),
    (0x3b24c, "RLC_SRM_INDEX_CNTL_DATA_0"),
    (0x3b250, "RLC_SRM_INDEX_CNTL_DATA_1"),
    (0x3b254, "RLC_SRM_INDEX_CNTL_DATA_2"),
    (0x3b258, "RLC_SRM_INDEX_CNTL_DATA_3"),
    (0x3b25c, "RLC_SRM_INDEX_CNTL_DATA_4"),
    (0x3b260, "RLC_SRM_INDEX_CNTL_DATA_5"),
    (0x3b264, "RLC_SRM_INDEX_CNTL_DATA_6"),
    (0x3b268, "RLC_SRM_INDEX_CNTL_DATA_7"),
    (0x3b288, "RLC_CSIB_ADDR_LO"),
    (0x3b28c, "RLC_CSIB_ADDR_HI"),
    (0x3b290, "RLC_CSIB_LENGTH"),
    (0x3b2a4, "RLC_SMU_COMMAND"),
    (0x3b2a8, "RLC_CP_SCHEDULERS"),
    (0x3b2ac, "RLC_SMU_ARGUMENT_1"),
    (0x3b2b0, "RLC_SMU_ARGUMENT_2"),
    (0x3b2c4, "RLC_GPM_GENERAL_12"),
    (0x3b2c8, "RLC_GPM_UTCL1_CNTL_0"),
    (0x3b2cc, "RLC_GPM_UTCL1_CNTL_1"),
    (0x3b2d0, "RLC_GPM_UTCL1_CNTL_2"),
    (0x3b2d4, "RLC_SPM_UTCL1_CNTL"),
    (0x3b2e0, "RLC_LB_THR_CONFIG_2"),
    (0x3b2e4, "RLC_LB_THR_CONFIG_3"),
    (0x3b2e8, "RLC_LB_THR_CONFIG_4"),
    (0x3b2fc, "RLC_LB_THR_CONFIG_1"),
    (0x3b314, "RLC_CGCG_CGLS_CTRL_3D"),
    (0x3b330, "RLC_SPARE_INT"),
    (0x3b334, "RLC_PREWALKER_UTCL1_CNTL"),
    (0x3b350, "RLC_UTCL1_STATUS"),
    (0x3e0f0, "RLC_GPM_UCODE_ADDR"),
    (0x3e0f4, "RLC_GPM_UCODE_DATA"),
];
