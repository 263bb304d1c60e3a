// SPDX-License-Identifier: GPL-2.0
//! Reset of a card on which firmware runs that somebody else has started: a driver that was here before, in this life of
//! the machine or, where the card was passed through to a virtual machine, in another.
//!
//! What runs there, and what it was told, is not known; so the whole card is reset ("mode 1"), which leads back to the
//! bootloader of the security processor.

use super::{
    ip::IpVersions,
    nbio::{Nbio, Smn},
    psp, smu, Bars,
};
use crate::glue::pci_state::Quiet;
use kernel::{
    dev_info,
    device::Bound,
    pci,
    prelude::*,
    time::{delay::fsleep, Delta},
};

/// How long the card must be left alone after it was told to reset (kernel smu_v13_0.h: SMU13_MODE1_RESET_WAIT_TIME_IN_MS).
const SILENCE: Delta = Delta::from_millis(500);
/// How long it may take from then on to answer.
const ANSWER_DEADLINE: Delta = Delta::from_secs(2);
/// How long it may take from then on for the secure OS to be gone.
const GONE_DEADLINE: Delta = Delta::from_secs(2);

/// Resets the card if firmware runs on it that is in the way.
///
/// Without firmware the system management unit cannot be asked for a reset; but then only the secure OS was started,
/// which loads firmware for whoever asks.
pub(crate) fn if_running(
    pdev: &pci::Device<Bound>,
    bars: &Bars,
    smn: &Smn,
    nbio: &Nbio,
    versions: &IpVersions,
) -> Result {
    if !psp::is_running(bars) || !smu::is_running(bars, smn, versions.mp1)? {
        return Ok(());
    }
    dev_info!(bars.dev, "reset: the card was left running\n");
    {
        let _quiet = Quiet::new(pdev)?;
        smu::reset_card(bars, versions.mp1)?;
        fsleep(SILENCE);
    }
    bars.poll(
        "reset: the card answers",
        ANSWER_DEADLINE,
        |_| nbio.is_there(bars),
        |there| there != 0,
    )?;
    bars.poll(
        "reset: the secure OS is gone",
        GONE_DEADLINE,
        |_| u32::from(psp::is_running(bars)),
        |running| running == 0,
    )?;
    psp::wait_for_bootloader(bars)
}
