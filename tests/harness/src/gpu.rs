// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The virtual GPU processes of a machine.

use anyhow::{bail, Context, Result};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How a virtual GPU is to be.
pub struct Options<'a> {
    /// The virtual GPU's program.
    pub program: &'a Path,
    /// VRAM size, as the program takes it (for example `4G`).
    pub vram: &'a str,
    /// Whether the platform around it routes AtomicOps to memory.
    pub atomics: bool,
    /// File for the access trace of the first one; further ones have their number behind its name.
    pub trace: Option<&'a Path>,
    /// Faults that the first one begins with.
    pub inject: &'a [String],
    /// Further arguments for the program.
    pub extra: &'a [String],
}

/// A running virtual GPU. It ends with this object.
pub struct VirtualGpu {
    child: Child,
    /// The UNIX socket that QEMU connects to.
    pub socket: PathBuf,
    /// The UNIX socket for requests to the virtual GPU itself.
    pub control: PathBuf,
    /// The program's log.
    pub log: PathBuf,
    status: PathBuf,
}

/// What a virtual GPU said when it ended.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What it found wrong, a line each.
    pub violations: Vec<String>,
    /// Peak resident memory, KiB.
    pub peak_memory_kib: u64,
}

impl VirtualGpu {
    /// Starts number `index`, with its sockets in `sockets` and its files in `logs`, and waits until it listens.
    pub fn start(index: usize, options: &Options, sockets: &Path, logs: &Path) -> Result<Self> {
        let socket = sockets.join(format!("gpu{index}"));
        let control = sockets.join(format!("gpu{index}.control"));
        let log = logs.join(format!("vgpu{index}.log"));
        let status = logs.join(format!("vgpu{index}.json"));
        let mut child = Command::new("setpriv")
            .args(["--pdeathsig", "KILL"])
            .arg(options.program)
            .arg("--socket")
            .arg(&socket)
            .arg("--control")
            .arg(&control)
            .args(["--vram", options.vram])
            .arg("--status")
            .arg(&status)
            .args(options.atomics.then_some("--atomics"))
            .args(options.trace.map(|file| trace_argument(index, file)))
            .args(inject_arguments(index, options.inject))
            .args(options.extra)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(&log)?)
            .spawn()
            .context("cannot start the virtual GPU")?;
        let deadline = Instant::now() + Duration::from_secs(20);
        while !socket.exists() {
            if let Some(end) = child.try_wait()? {
                bail!("the virtual GPU ended with {end}: {}", fs::read_to_string(&log)?);
            }
            if Instant::now() > deadline {
                bail!(
                    "the virtual GPU does not listen after 20 s; its log is {}",
                    log.display()
                );
            }
            sleep(Duration::from_millis(20));
        }
        Ok(Self {
            child,
            socket,
            control,
            log,
            status,
        })
    }

    /// Whether the process is still there.
    pub fn alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Ends it and reads what it found. A virtual GPU that died before counts as a violation.
    pub fn finish(mut self) -> Outcome {
        let mut outcome = Outcome {
            peak_memory_kib: self.peak_memory_kib(),
            ..Default::default()
        };
        if !self.alive() {
            outcome
                .violations
                .push("the virtual GPU died during the run".into());
        }
        self.terminate();
        match fs::read_to_string(&self.status).map(|text| serde_json::from_str::<serde_json::Value>(&text)) {
            Ok(Ok(report)) => outcome.violations.extend(violations(&report)),
            _ => outcome.violations.push("the virtual GPU left no report".into()),
        }
        outcome
    }

    fn peak_memory_kib(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        line.and_then(|l| l.trim().split(' ').next()?.parse().ok())
            .unwrap_or(0)
    }

    fn terminate(&mut self) {
        let _ = Command::new("kill").arg(self.child.id().to_string()).status();
        let deadline = Instant::now() + Duration::from_secs(10);
        while self.alive() {
            if Instant::now() > deadline {
                let _ = self.child.kill();
            }
            sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for VirtualGpu {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `--inject` for each fault, of number 0.
fn inject_arguments(index: usize, faults: &[String]) -> impl Iterator<Item = String> + '_ {
    let faults = faults.iter().filter(move |_| index == 0);
    faults.map(|fault| format!("--inject={fault}"))
}

/// `--trace` with the file of number `index`.
fn trace_argument(index: usize, file: &Path) -> OsString {
    let mut argument = OsString::from("--trace=");
    argument.push(file);
    if index > 0 {
        argument.push(format!(".{index}"));
    }
    argument
}

/// The findings in a report, a line each.
fn violations(report: &serde_json::Value) -> Vec<String> {
    let list = |name: &str| {
        let entries = report
            .get(name)
            .and_then(|v| v.as_array())
            .cloned()
            .unwrap_or_default();
        entries.into_iter().map(|entry| match entry {
            serde_json::Value::String(text) => text,
            other => other.to_string(),
        })
    };
    list("violations").chain(list("unknown")).collect()
}
