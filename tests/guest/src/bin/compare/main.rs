// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `guest-compare`: what calls cost with the driver that is loaded, in time and in work of the device.
//!
//! The virtual GPU is asked for its counters through a port of the machine, before and after each phase: a phase is one
//! operation, several times. Standard output has a line for each time and each counter, with tabs between:
//! `time OPERATION NANOSECONDS` and `count OPERATION TIMES COUNTER DIFFERENCE`. With QUICK=1 in the environment there are
//! fewer of everything.

mod events;
mod memory;
mod meter;
mod processes;
mod queues;

use guest_tests::errno::Errno;
use guest_tests::gpu::Gpu;
use meter::Meter;
use std::process::ExitCode;

fn main() -> ExitCode {
    match all() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("guest-compare: {error}");
            ExitCode::FAILURE
        }
    }
}

fn all() -> Result<(), Errno> {
    let mut meter = Meter::open()?;
    // nothing but the probe has reached the card yet
    meter.since_power_on("probe")?;
    processes::probe_time("probe")?;
    meter.phase("nothing, for a second", |_| {
        std::thread::sleep(std::time::Duration::from_secs(1));
        Ok(1)
    })?;
    processes::ready(&mut meter)?;
    processes::short_lives(&mut meter)?;
    // a process has the address space of one file for all its life
    let gpu = Gpu::acquire()?;
    memory::sizes(&mut meter, &gpu)?;
    memory::threads(&mut meter, &gpu)?;
    queues::among_others(&mut meter, &gpu)?;
    events::wake_up(&mut meter, &gpu)
}
