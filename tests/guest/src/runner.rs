// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs each case in a process of its own and checks that it left nothing behind.

use crate::{counters, record};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// A case: its name and what it does. It fails by panicking.
pub type Case = (&'static str, fn());

/// Where the KFD shows processes, if it does.
const PROCESSES: &str = "/sys/devices/virtual/kfd/kfd/proc";

/// Time a case may take.
const DEADLINE: Duration = Duration::from_secs(60);

/// Cases that are no use to a comparison, by the start of their names, and why.
const NOT_RECORDED: [(&str, &str); 5] = [
    ("kill:", "what it does depends on the moment"),
    ("trace:", "only this project's driver has these tracepoints"),
    (
        "debugfs:",
        "it reads files that only this project's driver fills so",
    ),
    ("fdinfo:", "it reads lines that only this project's driver has"),
    (
        "render node: what a process mapped",
        "it reads counters that only this project's driver has",
    ),
];

/// Waits for the GPU. The case fails if nothing comes in 20 s.
#[track_caller]
pub fn until(done: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !done() {
        assert!(Instant::now() < deadline, "the GPU did not do it");
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Runs all cases, or those whose name holds a word of the command line, and prints a line for each. After
/// `--record FILE` nothing is judged that another driver need not have, and FILE gets a line for each call.
///
/// A program calls this from `main`: it starts itself again for every case.
pub fn run(cases: &[Case]) -> ExitCode {
    run_within(DEADLINE, cases)
}

/// [`run`], if a case may take that long.
pub fn run_within(deadline: Duration, cases: &[Case]) -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let words: Vec<String> = match arguments.next() {
        Some(flag) if flag == "--case" => return run_here(cases, &arguments.next().unwrap_or_default()),
        Some(flag) if flag == "--record" => {
            // the processes of the cases inherit it
            std::env::set_var(record::FILE, arguments.next().unwrap_or_default());
            arguments.collect()
        }
        first => first.into_iter().chain(arguments).collect(),
    };
    let recorded = std::env::var_os(record::FILE).is_some();
    let mut failed = 0;
    for (name, _) in cases
        .iter()
        .filter(|(name, _)| words.is_empty() || words.iter().any(|w| name.contains(w.as_str())))
    {
        let reason = NOT_RECORDED.iter().find(|(start, _)| name.starts_with(start));
        if let (true, Some((_, why))) = (recorded, reason) {
            println!("skip {name}: {why}");
            continue;
        }
        match run_apart(name, deadline) {
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
            record::begin(name);
            if record::recording() {
                std::panic::set_hook(Box::new(failed));
            }
            case();
            ExitCode::SUCCESS
        }
        None => ExitCode::FAILURE,
    }
}

/// Waits until the KFD shows no process any more: the C driver refuses a process whose memory has the place of one
/// that it still takes apart.
fn gone() {
    let deadline = Instant::now() + Duration::from_secs(10);
    let any = || std::fs::read_dir(PROCESSES).is_ok_and(|mut entries| entries.next().is_some());
    while any() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(20));
}

/// Records that a case ended early.
fn failed(panic: &std::panic::PanicHookInfo<'_>) {
    let payload = panic.payload();
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_default();
    record::line("end of the case", &text.replace(['\n', '\t'], " "));
    eprintln!("{panic}");
}

fn run_apart(name: &str, limit: Duration) -> Result<(), String> {
    let recorded = std::env::var_os(record::FILE).is_some();
    let baseline = if recorded {
        counters::Counters::new()
    } else {
        counters::read()?
    };
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut child = Command::new(program)
        .args(["--case", name])
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    let deadline = Instant::now() + limit;
    while child.try_wait().map_err(|e| e.to_string())?.is_none() {
        if Instant::now() > deadline {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("not finished after {} s", limit.as_secs()));
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
    if recorded {
        gone();
        return Ok(());
    }
    counters::settle(&baseline)
}
