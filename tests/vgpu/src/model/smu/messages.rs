// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Messages and results (kernel aldebaran_ppsmc.h).

/// PPSMC_Result_OK.
pub(super) const OK: u32 = 0x01;
/// PPSMC_Result_CmdRejectedPrereq.
pub(super) const REJECTED_PREREQ: u32 = 0xfd;
/// PPSMC_Result_UnknownCmd.
pub(super) const UNKNOWN_CMD: u32 = 0xfe;
/// PPSMC_Result_Failed.
pub(super) const FAILED: u32 = 0xff;

pub(super) const TEST_MESSAGE: u32 = 0x1;
pub(super) const GET_SMU_VERSION: u32 = 0x2;
pub(super) const GFX_DRIVER_RESET: u32 = 0x3;
pub(super) const GET_DRIVER_IF_VERSION: u32 = 0x4;
pub(super) const ENABLE_ALL_SMU_FEATURES: u32 = 0x7;
pub(super) const DISABLE_ALL_SMU_FEATURES: u32 = 0x8;
pub(super) const GET_ENABLED_SMU_FEATURES_LOW: u32 = 0xd;
pub(super) const GET_ENABLED_SMU_FEATURES_HIGH: u32 = 0xe;
pub(super) const SET_DRIVER_DRAM_ADDR_HIGH: u32 = 0xf;
pub(super) const SET_DRIVER_DRAM_ADDR_LOW: u32 = 0x10;
pub(super) const SET_TOOLS_DRAM_ADDR_HIGH: u32 = 0x11;
pub(super) const SET_TOOLS_DRAM_ADDR_LOW: u32 = 0x12;
pub(super) const TRANSFER_TABLE_SMU2DRAM: u32 = 0x13;
pub(super) const TRANSFER_TABLE_DRAM2SMU: u32 = 0x14;
pub(super) const SET_SOFT_MIN_BY_FREQ: u32 = 0x18;
pub(super) const SET_SOFT_MAX_BY_FREQ: u32 = 0x19;
pub(super) const GET_MIN_DPM_FREQ: u32 = 0x1c;
pub(super) const GET_MAX_DPM_FREQ: u32 = 0x1d;
pub(super) const GET_DPM_FREQ_BY_INDEX: u32 = 0x1e;
pub(super) const SET_PPT_LIMIT: u32 = 0x22;
pub(super) const GET_PPT_LIMIT: u32 = 0x23;
pub(super) const PREPARE_MP1_FOR_UNLOAD: u32 = 0x24;
pub(super) const RUN_DC_BTC: u32 = 0x27;
pub(super) const GMI_PWR_DN_CONTROL: u32 = 0x35;
pub(super) const BOARD_POWER_CALIBRATION: u32 = 0x43;
pub(super) const HEAVY_SBR: u32 = 0x45;
