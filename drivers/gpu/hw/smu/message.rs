// SPDX-License-Identifier: GPL-2.0
//! The mailbox: one message at a time (kernel smu_cmn.c).

use super::hal::SmuHal;
use super::regs::*;
use crate::glue::inject;
use crate::gpu::hw::{Bars, RegisterIo};
use kernel::{dev_err, prelude::*, time::Delta};

/// How long the firmware may take for a message.
const DEADLINE: Delta = Delta::from_secs(2);

/// A message, by AMD's name (kernel aldebaran_ppsmc.h: PPSMC_MSG_*).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Message {
    /// Version of the firmware.
    GetSmuVersion,
    /// Resets the card. Argument: 1 for all of it.
    GfxDriverReset,
    /// Version of the structures shared with the driver.
    GetDriverIfVersion,
    /// Starts managing clocks, power and temperatures as the power table says.
    EnableAllSmuFeatures,
    /// Stops that.
    DisableAllSmuFeatures,
    /// What it manages, bits 31:0.
    GetEnabledSmuFeaturesLow,
    /// What it manages, bits 63:32.
    GetEnabledSmuFeaturesHigh,
    /// Where tables are passed, bits 63:32 of an address in VMID 0.
    SetDriverDramAddrHigh,
    /// Bits 31:0.
    SetDriverDramAddrLow,
    /// Writes the table whose number is the argument.
    TransferTableSmu2Dram,
    /// Reads it.
    TransferTableDram2Smu,
    /// MHz of a level. Argument: clock in bits 31:16, level in bits 15:0.
    GetDpmFreqByIndex,
    /// Power limit, watts.
    GetPptLimit,
    /// The driver goes.
    PrepareMp1ForUnload,
    /// Calibrates the regulators.
    RunDcBtc,
    /// Calibrates the measurement of power.
    BoardPowerCalibration,
}

/// Bits 7:0 of a response (kernel aldebaran_ppsmc.h: PPSMC_Result_*).
fn reason(response: u32) -> &'static str {
    match response & 0xff {
        0xff => "it failed",
        0xfe => "the firmware does not know it",
        0xfd => "something must come before it",
        0xfc => "the firmware is busy",
        _ => "unknown response",
    }
}

/// Sends a message and waits for the answer. The caller keeps others from doing so meanwhile. `ETIMEDOUT` if none comes
/// within [`DEADLINE`], `EIO` if the firmware refuses; the log says which message it was.
pub(super) fn send(bars: &Bars, hal: &dyn SmuHal, message: Message, argument: u32) -> Result<u32> {
    inject::device()?;
    let r = &bars.registers;
    wait(bars, "SMU: mailbox free", message)?;
    r.write_reg(MP1_SMN_C2PMSG_90::zeroed());
    r.write_reg(MP1_SMN_C2PMSG_82::from(argument));
    r.write_reg(MP1_SMN_C2PMSG_66::from(hal.number(message)));
    match wait(bars, "SMU: answer", message)? {
        1 => Ok(r.read(MP1_SMN_C2PMSG_82).into()),
        response => {
            dev_err!(
                bars.dev,
                "SMU: {:?} with argument {:#x}: {} ({:#x})\n",
                message,
                argument,
                reason(response),
                response
            );
            Err(EIO)
        }
    }
}

fn wait(bars: &Bars, what: &str, message: Message) -> Result<u32> {
    let response = bars
        .poll(
            what,
            DEADLINE,
            |r| r.read(MP1_SMN_C2PMSG_90),
            |v| u32::from(v) != 0,
        )
        .inspect_err(|_| dev_err!(bars.dev, "SMU: the message is {:?}\n", message))?;
    Ok(response.into())
}
