// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What each call came to, a line each, so that the answers of two drivers can be compared.
//!
//! A line has four parts, separated by tabs: the case, the process or thread in it, the call with what was put in, and
//! what came of it. [`show`](crate::show) leaves out what differs from run to run.

use crate::errno::Errno;
use crate::show;
use std::cell::Cell;
use std::fs::File;
use std::io::Write;
use std::sync::OnceLock;

/// Names the file that lines are appended to. A program that runs cases hands it on to the process of each.
pub const FILE: &str = "GUEST_RECORD";

/// Where lines go, and for which case.
struct Record {
    file: File,
    case: String,
}

static RECORD: OnceLock<Option<Record>> = OnceLock::new();

thread_local! {
    /// Which process or thread of the case this is.
    static WHO: Cell<&'static str> = const { Cell::new("thread") };
}

fn record() -> Option<&'static Record> {
    RECORD.get().and_then(Option::as_ref)
}

/// Begins the record of `case`, if one is wanted. To be called by the case's first thread.
pub fn begin(case: &str) {
    WHO.set("main");
    let open = |path| {
        File::options()
            .append(true)
            .create(true)
            .open(path)
            .expect("the record")
    };
    let record = std::env::var_os(FILE).map(|path| Record {
        file: open(path),
        case: case.to_owned(),
    });
    let _ = RECORD.set(record);
}

/// The process is a child from now on.
pub fn in_child() {
    WHO.set("child");
}

/// Whether calls are recorded. Nothing is judged then that only this project's driver has: log lines, counters.
pub fn recording() -> bool {
    record().is_some()
}

/// Writes a line: a call, or another question, and what came of it.
pub fn line(call: &str, outcome: &str) {
    if let Some(Record { file, case }) = record() {
        let who = WHO.get();
        // one write: lines of several processes do not mix
        let text = format!("{case}\t{who}\t{call}\t{outcome}\n");
        let mut to: &File = file;
        let _ = to.write_all(text.as_bytes());
    }
}

fn outcome(result: Result<(), Errno>) -> String {
    match result {
        Ok(()) => "ok".to_owned(),
        Err(errno) => errno.to_string(),
    }
}

/// Does a request whose argument is `argument`, and writes a line.
pub(crate) fn request(
    cmd: u32,
    argument: &mut [u8],
    call: impl FnOnce(usize) -> Result<(), Errno>,
) -> Result<(), Errno> {
    if !recording() {
        return call(argument.as_mut_ptr() as usize);
    }
    let before = argument.to_vec();
    let result = call(argument.as_mut_ptr() as usize);
    let changes = show::changes(cmd, &before, argument);
    line(&show::call(cmd, &before), &(outcome(result) + &changes));
    result
}

/// Writes a line about a request whose argument is at an address that may be no memory.
pub(crate) fn request_at(cmd: u32, address: usize, result: Result<(), Errno>) {
    if recording() {
        line(&show::call_at(cmd, address), &outcome(result));
    }
}

/// Writes a line about what the kernel wrote to memory that an argument points to.
pub fn answer(what: &str, bytes: &[u8]) {
    if recording() {
        line(what, &show::bytes(bytes));
    }
}

/// Writes a line about `mmap` of a device node.
pub(crate) fn mapping(offset: u64, len: usize, error: Option<Errno>) {
    if recording() {
        let call = format!("mmap({} {len:#x})", show::place(offset));
        line(&call, &outcome(error.map_or(Ok(()), Err)));
    }
}
