// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `guest-sick [WORD...]`: a device that is sick. For a machine with two virtual GPUs, of which the first gets the faults.
//!
//! What every case checks is in [`card`]: the fault happened; processes on the sick GPU end by themselves or by SIGKILL
//! within a deadline; the other GPU goes on; the log names the culprit; the driver lets go of the card; and when the fault
//! is taken back, the card can be bound and works. The runner compares the driver's counters afterwards.

mod bus;
mod card;
mod engines;
mod firmware;
mod interrupts;
mod translation;

use guest_tests::runner::{self, Case};
use std::process::ExitCode;
use std::time::Duration;

/// Time for a case: several deadlines of the driver, one after the other.
const DEADLINE: Duration = Duration::from_secs(120);

fn main() -> ExitCode {
    let cases: Vec<Case> = [
        interrupts::CASES,
        engines::CASES,
        translation::CASES,
        bus::CASES,
        firmware::CASES,
    ]
    .concat();
    runner::run_within(DEADLINE, &cases)
}
