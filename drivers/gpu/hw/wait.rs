// SPDX-License-Identifier: GPL-2.0
//! Waiting for something that the device writes to memory, without an interrupt for it.

use crate::glue::inject;
use crate::glue::wait::{killed, signal_pending, Wakeable};
use kernel::{
    dev_err,
    device::Device,
    prelude::*,
    processor::cpu_relax,
    time::{delay::fsleep, Delta, Instant, Monotonic},
};

/// For that long the CPU just looks again.
const SPIN: Delta = Delta::from_micros(50);
/// For that long it naps shortly between looks.
const NAP: Delta = Delta::from_millis(5);

/// Waits until `done`, at most for `deadline`. May sleep.
///
/// `ETIMEDOUT` if the device is late, which the log then says with `what` was waited for; `ERESTARTSYS` if a
/// signal of the admitted kind came first; or the error of `done`.
pub(crate) fn memory_wait(
    dev: &Device,
    what: &str,
    deadline: Delta,
    wakeable: Wakeable,
    mut done: impl FnMut() -> Result<bool>,
) -> Result {
    match wakeable {
        Wakeable::Never => inject::device()?,
        Wakeable::BySignal | Wakeable::ByKill => inject::point(ERESTARTSYS)?,
    }
    let start = Instant::<Monotonic>::now();
    loop {
        // the clock first: whatever delays this task in between must not count against the device
        let elapsed = start.elapsed();
        if done()? {
            return Ok(());
        }
        if elapsed >= deadline {
            dev_err!(dev, "{}: not reached within {} ms\n", what, deadline.as_millis());
            return Err(ETIMEDOUT);
        }
        let signal = match wakeable {
            Wakeable::BySignal => signal_pending(),
            Wakeable::ByKill => killed(),
            Wakeable::Never => false,
        };
        if signal {
            return Err(ERESTARTSYS);
        }
        if elapsed < SPIN {
            cpu_relax();
        } else if elapsed < NAP {
            fsleep(Delta::from_micros(20));
        } else {
            fsleep(Delta::from_millis(1));
        }
    }
}
