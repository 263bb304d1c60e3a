// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One run: prepare, boot, follow, judge.

use crate::console::{pass_on, Channel, Event, Lines};
use crate::gpu::{self, VirtualGpu};
use crate::initramfs::{self, Work};
use crate::machine::{Machine, Slots};
use crate::verdict::{self, status};
use anyhow::{Context, Result};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

/// What a run is made of.
pub struct Plan<'a> {
    /// Kernel image.
    pub kernel: &'a Path,
    /// Its modules; none if it needs none.
    pub modules: Option<&'a Path>,
    /// Guest image.
    pub image: &'a Path,
    /// Guest memory, as QEMU takes it.
    pub memory: &'a str,
    /// Words added to the kernel's command line.
    pub kernel_args: &'a str,
    /// Number of virtual GPUs.
    pub gpus: usize,
    /// How they are to be.
    pub gpu: gpu::Options<'a>,
    /// What they are plugged into.
    pub slots: Slots,
    /// What the guest is to do.
    pub work: Work<'a>,
    /// Image with the tests of the ROCm libraries.
    pub suites: Option<&'a Path>,
    /// Host folder offered to the guest.
    pub share: Option<&'a Path>,
    /// Time for the whole run.
    pub timeout: Duration,
    /// Folder for the logs.
    pub logs: &'a Path,
}

/// How a run ended.
#[derive(Debug)]
pub struct Outcome {
    /// Exit status of `vm`: the command's own, or one of [`verdict::status`].
    pub status: u8,
    /// Why it is not the command's own, a line each.
    pub reasons: Vec<String>,
    /// What was found that must not be.
    pub found: Found,
    /// Guest uptime when the agent started and when the driver was loaded, seconds.
    pub boot_s: Option<f64>,
    /// See `boot_s`.
    pub loaded_s: Option<f64>,
    /// Peak resident memory of all virtual GPUs, KiB.
    pub gpu_memory_kib: u64,
}

/// How often the kernel, and the virtual GPUs, found something wrong.
#[derive(Debug, Default)]
pub struct Found {
    /// Splats of the kernel and its checkers.
    pub splats: usize,
    /// Objects that the module allocated and lost.
    pub leaks: usize,
    /// Violations of what the hardware asks of a driver, of different kinds.
    pub violations: usize,
}

/// What the agent and the channels said so far.
#[derive(Default)]
struct Seen {
    kernel_log: Vec<u8>,
    report: Lines,
    exit: Option<u8>,
    failed: Option<String>,
    leaks: String,
    lockdep_off: bool,
    boot_s: Option<f64>,
    loaded_s: Option<f64>,
}

/// Runs the plan to its end.
pub fn run(plan: &Plan) -> Result<Outcome> {
    // UNIX socket paths are short
    let sockets = TempDir::new()?;
    fs::create_dir_all(plan.logs)?;
    let console = plan.logs.join("console.log");
    let kernel_log = plan.logs.join("kernel.log");
    let initramfs_file = sockets.0.join("initramfs");
    fs::write(&initramfs_file, initramfs::build(&plan.work, plan.modules)?)?;

    let mut gpus = (0..plan.gpus)
        .map(|index| VirtualGpu::start(index, &plan.gpu, &sockets.0, plan.logs))
        .collect::<Result<Vec<_>>>()?;
    let (to, events) = channel();
    let channels = listen(&sockets.0, &to)?;
    let machine = Machine {
        kernel: plan.kernel,
        initramfs: &initramfs_file,
        image: plan.image,
        memory: plan.memory,
        gpus: gpus.iter().map(|gpu| gpu.socket.clone()).collect(),
        controls: gpus.iter().map(|gpu| gpu.control.clone()).collect(),
        slots: plan.slots,
        ports: channels.iter().map(|channel| channel.socket.clone()).collect(),
        suites: plan.suites,
        share: plan.share,
        console: &console,
        terminal: plan.work.interactive,
        kernel_args: plan.kernel_args,
    };
    let qemu_log = plan.logs.join("qemu.log");
    let mut qemu = machine.command();
    if !plan.work.interactive {
        qemu.stdin(Stdio::null()).stdout(Stdio::null());
    }
    let child = qemu
        .stderr(fs::File::create(&qemu_log)?)
        .spawn()
        .context("cannot start QEMU")?;
    let mut qemu = Qemu(child);

    let mut seen = Seen::default();
    let timed_out = follow(&mut qemu, &events, &mut seen, plan.timeout);
    qemu.end(Duration::from_secs(20));
    channels.into_iter().for_each(Channel::drain);
    drop(to);
    while let Ok(event) = events.recv() {
        seen.take(event);
    }
    fs::write(&kernel_log, &seen.kernel_log)?;

    let mut gpu_memory_kib = 0;
    let mut violations = Vec::new();
    for (index, gpu) in gpus.drain(..).enumerate() {
        let outcome = gpu.finish();
        gpu_memory_kib += outcome.peak_memory_kib;
        violations.extend(
            outcome
                .violations
                .into_iter()
                .map(|text| format!("virtual GPU {index}: {text}")),
        );
    }
    let mut found = Found {
        violations: violations.len(),
        ..Default::default()
    };
    let wrong = found.in_kernel(&seen, &console);
    let (status, reasons) = judge(&seen, timed_out, wrong, violations, &qemu_log, plan.timeout);
    Ok(Outcome {
        status,
        reasons,
        found,
        boot_s: seen.boot_s,
        loaded_s: seen.loaded_s,
        gpu_memory_kib,
    })
}

fn listen(dir: &Path, to: &Sender<Event>) -> Result<Vec<Channel>> {
    let report = |piece: Vec<u8>| Event::Report(String::from_utf8_lossy(&piece).into_owned());
    Ok(vec![
        Channel::listen(dir, "out", to.clone(), Event::Out)?,
        Channel::listen(dir, "err", to.clone(), Event::Err)?,
        Channel::listen(dir, "report", to.clone(), report)?,
        Channel::listen(dir, "log", to.clone(), Event::KernelLog)?,
    ])
}

/// Follows the guest until it has ended; returns whether the time was over first.
fn follow(qemu: &mut Qemu, events: &Receiver<Event>, seen: &mut Seen, timeout: Duration) -> bool {
    let deadline = Instant::now() + timeout;
    loop {
        match events.recv_timeout(Duration::from_millis(100)) {
            Ok(event) => seen.take(event),
            Err(RecvTimeoutError::Timeout) if qemu.ended() => return false,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return false,
        }
        if seen.exit.is_some() && seen.log_is_whole() {
            return false;
        }
        if Instant::now() > deadline {
            return true;
        }
    }
}

impl Found {
    /// Counts what the kernel's log and kmemleak tell, and returns it, a text each.
    fn in_kernel(&mut self, seen: &Seen, console: &Path) -> Vec<String> {
        // an oops or a panic may reach only the serial console
        let serial = fs::read(console).unwrap_or_default();
        let log = String::from_utf8_lossy(&seen.kernel_log).into_owned() + &String::from_utf8_lossy(&serial);
        let splats = verdict::splats(&log).into_iter();
        let mut texts: Vec<_> = splats.map(|line| format!("kernel: {line}")).collect();
        if seen.lockdep_off {
            texts.push("kernel: lockdep switched itself off".to_owned());
        }
        self.splats = texts.len();
        let leaks = verdict::leaks(&seen.leaks);
        self.leaks = leaks.len();
        texts.extend(leaks);
        texts
    }
}

fn judge(
    seen: &Seen,
    timed_out: bool,
    wrong: Vec<String>,
    violations: Vec<String>,
    qemu_log: &Path,
    timeout: Duration,
) -> (u8, Vec<String>) {
    if !wrong.is_empty() {
        return (status::SPLAT, wrong);
    }
    if timed_out {
        let mut reasons = vec![format!("not finished after {} s", timeout.as_secs())];
        reasons.extend(violations);
        return (status::TIMEOUT, reasons);
    }
    if let Some(why) = &seen.failed {
        return (status::NO_RUN, vec![why.clone()]);
    }
    let Some(exit) = seen.exit else {
        let mut reasons = vec!["the guest ended without a word".to_owned()];
        reasons.extend(
            fs::read_to_string(qemu_log)
                .unwrap_or_default()
                .lines()
                .map(|l| format!("qemu: {l}")),
        );
        return (status::NO_RUN, reasons);
    };
    if !violations.is_empty() {
        return (status::VIOLATION, violations);
    }
    (exit, Vec::new())
}

impl Seen {
    fn take(&mut self, event: Event) {
        match event {
            Event::Out(piece) => pass_on(&mut std::io::stdout(), &piece),
            Event::Err(piece) => pass_on(&mut std::io::stderr(), &piece),
            Event::KernelLog(piece) => self.kernel_log.extend(piece),
            Event::Report(piece) => {
                for line in self.report.push(piece.as_bytes()) {
                    self.report_line(&line);
                }
            }
        }
    }

    fn report_line(&mut self, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "boot" => self.boot_s = rest.parse().ok(),
            "loaded" => self.loaded_s = rest.parse().ok(),
            "leak" => self.leaks.extend([rest, "\n"]),
            "lockdep" => self.lockdep_off = rest == "0",
            "failed" => self.failed = Some(rest.to_owned()),
            "exit" => self.exit = rest.split(' ').next().and_then(|n| n.parse().ok()),
            _ => {}
        }
    }

    fn log_is_whole(&self) -> bool {
        let tail = &self.kernel_log[self.kernel_log.len().saturating_sub(4096)..];
        String::from_utf8_lossy(tail).contains("ferrock: end of log")
    }
}

/// The QEMU process; it ends with this object.
struct Qemu(Child);

impl Qemu {
    fn ended(&mut self) -> bool {
        !matches!(self.0.try_wait(), Ok(None))
    }

    /// Waits for QEMU to end by itself for a while, then ends it.
    fn end(&mut self, patience: Duration) {
        let deadline = Instant::now() + patience;
        while !self.ended() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Qemu {
    fn drop(&mut self) {
        self.end(Duration::ZERO);
    }
}

/// A folder with a short path that vanishes with this object. Its file system belongs to the toolchain root's mount
/// namespace (`scripts/enter`), so that nothing is left if this process is killed.
struct TempDir(PathBuf);

impl TempDir {
    fn new() -> Result<Self> {
        let path = PathBuf::from(format!("/run/ferrock-{}", std::process::id()));
        fs::create_dir(&path).with_context(|| format!("cannot make {}", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Writes the reasons for a failure, and where the logs are, for a person.
pub fn explain(outcome: &Outcome, logs: &Path, to: &mut dyn Write) -> std::io::Result<()> {
    for reason in outcome.reasons.iter().take(40) {
        writeln!(to, "vm: {reason}")?;
    }
    if outcome.reasons.len() > 40 {
        writeln!(to, "vm: and {} more", outcome.reasons.len() - 40)?;
    }
    let Found {
        splats,
        leaks,
        violations,
    } = outcome.found;
    writeln!(
        to,
        "vm: found {splats} splats, {leaks} leaked objects, {violations} violations"
    )?;
    writeln!(to, "vm: logs of kernel and virtual GPU: {}", logs.display())
}
