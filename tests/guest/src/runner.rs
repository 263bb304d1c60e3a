// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs each case in a process of its own and checks that it left nothing behind.

use crate::counters;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// A case: its name and what it does. It fails by panicking.
pub type Case = (&'static str, fn());

/// Time a case may take.
const DEADLINE: Duration = Duration::from_secs(60);

/// Waits for the GPU. The case fails if nothing comes in 20 s.
#[track_caller]
pub fn until(done: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !done() {
        assert!(Instant::now() < deadline, "the GPU did not do it");
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Runs all cases, or those whose name holds a word of the command line, and prints a line for each.
///
/// A program calls this from `main`: it starts itself again for every case.
pub fn run(cases: &[Case]) -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let words: Vec<String> = match arguments.next() {
        Some(flag) if flag == "--case" => return run_here(cases, &arguments.next().unwrap_or_default()),
        first => first.into_iter().chain(arguments).collect(),
    };
    let mut failed = 0;
    for (name, _) in cases
        .iter()
        .filter(|(name, _)| words.is_empty() || words.iter().any(|w| name.contains(w.as_str())))
    {
        match run_apart(name) {
            Ok(()) => println!("ok {name}"),
            Err(why) => {
                failed += 1;
                let mut lines = why.lines();
                println!("not ok {name}: {}", lines.next().unwrap_or("no word"));
                lines.for_each(|line| println!("    {line}"));
            }
        }
    }
    ExitCode::from(u8::from(failed > 0))
}

fn run_here(cases: &[Case], name: &str) -> ExitCode {
    match cases.iter().find(|(n, _)| *n == name) {
        Some((_, case)) => {
            case();
            ExitCode::SUCCESS
        }
        None => ExitCode::FAILURE,
    }
}

fn run_apart(name: &str) -> Result<(), String> {
    let baseline = counters::read()?;
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut child = Command::new(program)
        .args(["--case", name])
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    let deadline = Instant::now() + DEADLINE;
    while child.try_wait().map_err(|e| e.to_string())?.is_none() {
        if Instant::now() > deadline {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("not finished after {} s", DEADLINE.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(if text.is_empty() {
            output.status.to_string()
        } else {
            text
        });
    }
    counters::settle(&baseline)
}
