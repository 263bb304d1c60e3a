// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `guest-abi [WORD...]`: the ABI tests, one file of cases per group of calls.

mod basics;
mod memory;

use std::process::ExitCode;

fn main() -> ExitCode {
    let cases: Vec<_> = [basics::CASES, memory::CASES].concat();
    guest_tests::runner::run(&cases)
}
