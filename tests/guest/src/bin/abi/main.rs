// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `guest-abi [WORD...]`: the ABI tests, one file of cases per group of calls.

mod absent;
mod basics;
mod event;
mod fault;
mod kill;
mod matrix;
mod memory;
mod memory_bad;
mod process;
mod queue;
mod queue_bad;
mod render;
mod share;
mod storm;

use std::process::ExitCode;
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    let cases: Vec<_> = [
        basics::CASES,
        process::CASES,
        memory::CASES,
        memory_bad::CASES,
        queue::CASES,
        queue_bad::CASES,
        event::CASES,
        fault::CASES,
        render::CASES,
        share::CASES,
        absent::CASES,
        matrix::CASES,
        kill::CASES,
        storm::CASES,
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
