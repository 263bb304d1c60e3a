// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `guest-abi [WORD...]`: the ABI tests, one file of cases per group of calls.

mod absent;
mod basics;
mod debugfs;
mod description;
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
mod trace;

use std::process::ExitCode;

fn main() -> ExitCode {
    let cases: Vec<_> = [
        basics::CASES,
        description::CASES,
        process::CASES,
        memory::CASES,
        memory_bad::CASES,
        queue::CASES,
        queue_bad::CASES,
        event::CASES,
        fault::CASES,
        debugfs::CASES,
        trace::CASES,
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
