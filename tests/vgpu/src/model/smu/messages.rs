// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Messages and results (kernel aldebaran_ppsmc.h).

macro_rules! messages {
    ($($name:ident = $number:literal, $public:ident;)*) => {
        $(pub(super) const $name: u32 = $number;)*

        /// The public name of a message.
        pub(super) fn name(message: u32) -> Option<&'static str> {
            match message {
                $($name => Some(stringify!($public)),)*
                _ => None,
            }
        }
    };
}

/// PPSMC_Result_OK.
pub(super) const OK: u32 = 0x01;
/// PPSMC_Result_CmdRejectedPrereq.
pub(super) const REJECTED_PREREQ: u32 = 0xfd;
/// PPSMC_Result_UnknownCmd.
pub(super) const UNKNOWN_CMD: u32 = 0xfe;
/// PPSMC_Result_Failed.
pub(super) const FAILED: u32 = 0xff;

messages! {
    TEST_MESSAGE = 0x1, TestMessage;
    GET_SMU_VERSION = 0x2, GetSmuVersion;
    GFX_DRIVER_RESET = 0x3, GfxDriverReset;
    GET_DRIVER_IF_VERSION = 0x4, GetDriverIfVersion;
    ENABLE_ALL_SMU_FEATURES = 0x7, EnableAllSmuFeatures;
    DISABLE_ALL_SMU_FEATURES = 0x8, DisableAllSmuFeatures;
    GET_ENABLED_SMU_FEATURES_LOW = 0xd, GetEnabledSmuFeaturesLow;
    GET_ENABLED_SMU_FEATURES_HIGH = 0xe, GetEnabledSmuFeaturesHigh;
    SET_DRIVER_DRAM_ADDR_HIGH = 0xf, SetDriverDramAddrHigh;
    SET_DRIVER_DRAM_ADDR_LOW = 0x10, SetDriverDramAddrLow;
    SET_TOOLS_DRAM_ADDR_HIGH = 0x11, SetToolsDramAddrHigh;
    SET_TOOLS_DRAM_ADDR_LOW = 0x12, SetToolsDramAddrLow;
    TRANSFER_TABLE_SMU2DRAM = 0x13, TransferTableSmu2Dram;
    TRANSFER_TABLE_DRAM2SMU = 0x14, TransferTableDram2Smu;
    SET_SOFT_MIN_BY_FREQ = 0x18, SetSoftMinByFreq;
    SET_SOFT_MAX_BY_FREQ = 0x19, SetSoftMaxByFreq;
    GET_MIN_DPM_FREQ = 0x1c, GetMinDpmFreq;
    GET_MAX_DPM_FREQ = 0x1d, GetMaxDpmFreq;
    GET_DPM_FREQ_BY_INDEX = 0x1e, GetDpmFreqByIndex;
    SET_PPT_LIMIT = 0x22, SetPptLimit;
    GET_PPT_LIMIT = 0x23, GetPptLimit;
    PREPARE_MP1_FOR_UNLOAD = 0x24, PrepareMp1ForUnload;
    RUN_DC_BTC = 0x27, RunDcBtc;
    GMI_PWR_DN_CONTROL = 0x35, GmiPwrDnControl;
    BOARD_POWER_CALIBRATION = 0x43, BoardPowerCalibration;
    HEAVY_SBR = 0x45, HeavySBR;
}

/// Whether the argument of a message is half of an address.
pub(super) fn takes_address(message: u32) -> bool {
    (SET_DRIVER_DRAM_ADDR_HIGH..=SET_TOOLS_DRAM_ADDR_LOW).contains(&message)
}
