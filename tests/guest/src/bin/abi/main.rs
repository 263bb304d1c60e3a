// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `guest-abi [WORD...]`: the ABI tests, one file of cases per group of calls.

mod absent;
mod basics;
mod event;
mod kill;
mod memory;
mod process;
mod queue;
mod share;

use std::process::ExitCode;
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    let cases: Vec<_> = [
        basics::CASES,
        process::CASES,
        memory::CASES,
        queue::CASES,
        event::CASES,
        share::CASES,
        absent::CASES,
        kill::CASES,
    ]
    .concat();
    guest_tests::runner::run(&cases)
}

/// Waits for the GPU. The case fails if nothing comes in 20 s.
#[track_caller]
fn until(done: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !done() {
        assert!(Instant::now() < deadline, "the GPU did not do it");
        std::thread::sleep(Duration::from_micros(200));
    }
}
