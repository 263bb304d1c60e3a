// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `guest-faults [WORD...]`: whatever may fail in a call fails once: the first, the second, and so on until nothing is
//! left to fail. Each time the errno must be one that such a failure may have, the same call must then succeed, the kernel
//! must have nothing to complain of, and when the process is gone nothing of it may be left.
//!
//! For the test kernel, whose module can be made to fail. With arguments only calls whose name holds one of them.

mod event;
mod memory;
mod process;
mod queue;
mod render;
mod shot;
mod source;

use guest_tests::child::Child;
use guest_tests::counters::{self, Counters};
use guest_tests::log::Log;
use shot::{Outcome, Shot};
use source::Source;
use std::process::ExitCode;

/// A call with what must be there for it: its name, and what does it.
pub(crate) type Operation = (&'static str, fn(&Shot));

/// Fewer failures than this are no test.
const FEW: u32 = 100;
/// More places than any call has.
const MANY: u32 = 3000;
/// Seconds that an operation may take.
const DEADLINE: u32 = 120;
/// Errors in the log that say what an injected lack of memory is meant to come to.
const ADMITTED: [&str; 1] = ["mappings of a closed buffer stay until their file is closed"];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let operations = [
        process::OPERATIONS,
        memory::OPERATIONS,
        queue::OPERATIONS,
        event::OPERATIONS,
        render::OPERATIONS,
    ]
    .concat();
    let wanted =
        |(name, _): &Operation| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
    let (mut survived, mut bad) = (0, false);
    for source in Source::all() {
        let before = survived;
        for operation in operations.iter().copied().filter(wanted) {
            let name = operation.0;
            match walk(source, operation) {
                Ok([0, 0]) => println!("# {name}: {source:?}: nothing in it can be made to fail"),
                Ok([failed, coped]) => {
                    survived += failed + coped;
                    println!("ok {name}: {source:?}: {failed} failures, {coped} that it copes with");
                }
                Err(why) => {
                    bad = true;
                    println!("not ok {name}: {source:?}: {why}");
                }
            }
        }
        if words.is_empty() && survived - before < FEW {
            bad = true;
            println!("not ok {source:?}: only {} failures came", survived - before);
        }
    }
    println!("figure: {survived} injected failures survived");
    ExitCode::from(u8::from(bad))
}

/// One operation with each failure there is: how many made it fail, and how many did not.
fn walk(source: Source, operation: Operation) -> Result<[u32; 2], String> {
    // once without: caches fill that stay
    shoot(source, 0, operation, None)?;
    let baseline = counters::read()?;
    let (mut failed, mut coped) = (0, 0);
    for nth in 1..MANY {
        match shoot(source, nth, operation, Some(&baseline))? {
            Outcome::Missed => return Ok([failed, coped]),
            Outcome::Failed => failed += 1,
            Outcome::Coped => coped += 1,
        }
    }
    Err("there is no end to its failures".into())
}

/// One operation in a process of its own, whose counters must be at `baseline` afterwards.
fn shoot(
    source: Source,
    nth: u32,
    operation: Operation,
    baseline: Option<&Counters>,
) -> Result<Outcome, String> {
    let mut log = Log::from_now();
    let child = Child::run(|| {
        // SAFETY: plain calls. The process has nothing left that would have to be ended in an orderly way.
        unsafe {
            libc::alarm(DEADLINE);
            let shot = Shot::new(source, nth);
            (operation.1)(&shot);
            libc::_exit(shot.outcome() as i32);
        }
    });
    let status = child.wait();
    let known = [Outcome::Missed, Outcome::Failed, Outcome::Coped];
    let outcome = known
        .into_iter()
        .find(|outcome| libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == *outcome as i32);
    let mut troubles = Vec::new();
    if outcome.is_none() {
        troubles.push(format!("the process ends with status {status:#x}"));
    }
    if let Some(Err(left)) = baseline.map(counters::settle) {
        troubles.push(left);
    }
    let lines = log.troubles().into_iter();
    troubles.extend(lines.filter(|line| !ADMITTED.iter().any(|text| line.contains(text))));
    match outcome {
        Some(outcome) if troubles.is_empty() => Ok(outcome),
        _ => Err(format!("failure {nth}: {}", troubles.join("; "))),
    }
}
