// SPDX-License-Identifier: GPL-2.0
//! SMU 13.0.2, as in gfx90a (kernel aldebaran_ppsmc.h, smu13_driver_if_aldebaran.h).

use super::super::message::Message;
use super::SmuHal;

pub(super) struct V13_0_2;

impl SmuHal for V13_0_2 {
    fn number(&self, message: Message) -> u32 {
        match message {
            Message::GetSmuVersion => 0x2,
            Message::GfxDriverReset => 0x3,
            Message::GetDriverIfVersion => 0x4,
            Message::EnableAllSmuFeatures => 0x7,
            Message::DisableAllSmuFeatures => 0x8,
            Message::GetEnabledSmuFeaturesLow => 0xd,
            Message::GetEnabledSmuFeaturesHigh => 0xe,
            Message::SetDriverDramAddrHigh => 0xf,
            Message::SetDriverDramAddrLow => 0x10,
            Message::TransferTableSmu2Dram => 0x13,
            Message::TransferTableDram2Smu => 0x14,
            Message::GetDpmFreqByIndex => 0x1e,
            Message::GetPptLimit => 0x23,
            Message::PrepareMp1ForUnload => 0x24,
            Message::RunDcBtc => 0x27,
            Message::BoardPowerCalibration => 0x43,
        }
    }

    fn interface(&self) -> u32 {
        // smu_v13_0.h: SMU13_DRIVER_IF_VERSION_ALDE
        8
    }

    fn flags(&self) -> u32 {
        // smu_v13_0.c: MP1_Public, smnMP1_FIRMWARE_FLAGS
        0x03b1_0024
    }
}
