// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `vgpu`: one virtual gfx90a for one virtual machine. QEMU attaches to it with its `vfio-user-pci` device.

use std::fs;
use std::io::{BufWriter, Write};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use anyhow::{bail, Context, Result};
use clap::{Parser, ValueEnum};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use tracing_subscriber::EnvFilter;

use vgpu::clock::Clock;
use vgpu::control::Control;
use vgpu::device::{Config, Gpu, Profile};
use vgpu::inject::spec::Spec;
use vgpu::pci::{Function, Identity, IrqMode};
use vgpu::report::Report;
use vgpu::status;
use vgpu::trace::Trace;
use vgpu::vfio::{serve, Ended};

/// A virtual AMD Instinct MI210 (gfx90a) for QEMU's vfio-user-pci device
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    /// UNIX socket that QEMU connects to; "listening" on stderr says that it is ready
    #[arg(long, value_name = "PATH")]
    socket: PathBuf,
    /// UNIX socket for requests in JSON lines: status, counters, reset-counters, quit, faults
    #[arg(long, value_name = "PATH")]
    control: Option<PathBuf>,
    /// VRAM, a power of two from 16M, for example 512M or 4G
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = size)]
    vram: u64,
    /// How the card interrupts
    #[arg(long, value_enum, default_value = "msix")]
    irq: IrqMode,
    /// The platform routes AtomicOps to memory: for a machine whose root port the guest does not see
    #[arg(long)]
    atomics: bool,
    /// State the card powers on in
    #[arg(long, value_enum, default_value = "power-on")]
    profile: Power,
    /// Log into a file instead of stderr; RUST_LOG selects what (default: info)
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Write violations and counters to a file as JSON when the program ends
    #[arg(long, value_name = "FILE")]
    status: Option<PathBuf>,
    /// Record every register access, doorbell, message, kernel packet and interrupt in a file
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Begin with a fault, as NAME[,KEY=VALUE]... (repeatable); README.md has the names
    #[arg(long, value_name = "FAULT")]
    inject: Vec<Spec>,
}

/// State of the firmware at power-on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Power {
    /// All firmware is loaded and runs; the micro engines of the command processor are halted
    Running,
    /// Only the security processor's bootloader runs
    PowerOn,
}

/// A size with an optional suffix K, M, G or T.
fn size(s: &str) -> Result<u64, String> {
    let (digits, shift) = match s.char_indices().last() {
        Some((i, 'K' | 'k')) => (&s[..i], 10),
        Some((i, 'M' | 'm')) => (&s[..i], 20),
        Some((i, 'G' | 'g')) => (&s[..i], 30),
        Some((i, 'T' | 't')) => (&s[..i], 40),
        _ => (s, 0),
    };
    let n: u64 = digits.parse().map_err(|_| format!("'{s}' is not a size"))?;
    let bytes = n
        .checked_mul(1 << shift)
        .ok_or_else(|| format!("'{s}' is too large"))?;
    if !bytes.is_power_of_two() || !((16 << 20)..=(1 << 40)).contains(&bytes) {
        return Err(format!("'{s}' is not a power of two from 16M to 1T"));
    }
    Ok(bytes)
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("vgpu: {e:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: &Cli) -> Result<()> {
    start_log(cli.log.as_deref())?;
    let clock = Clock::start();
    let report = Arc::new(Report::default());
    let trace = Arc::new(match &cli.trace {
        Some(path) => {
            Trace::to_file(clock, path).with_context(|| format!("cannot write {}", path.display()))?
        }
        None => Trace::off(clock),
    });
    let identity = Identity {
        atomics: cli.atomics,
        ..Identity::default()
    };
    let config = Config {
        vram_size: cli.vram,
        identity,
        profile: match cli.profile {
            Power::Running => Profile::Running,
            Power::PowerOn => Profile::PowerOn,
        },
    };
    let gpu = Gpu::new(&config, report.clone(), clock, trace.clone()).context("cannot make VRAM")?;
    cli.inject.iter().for_each(|spec| gpu.inject.arm(spec.clone()));
    let sdma = gpu.sdma.clone();
    let function = Arc::new(Function::new(gpu, config.identity, cli.irq));

    // signals are taken before the sockets appear, so that whoever sees a socket may end the program
    let mut signals = Signals::new([SIGTERM, SIGINT])?;
    let handle = signals.handle();
    if let Some(path) = &cli.control {
        let listener = listen(path)?;
        let quit = Box::new(|| {
            // ends like SIGTERM does
            let _ = signal_hook::low_level::raise(SIGTERM);
        });
        let control = Arc::new(Control {
            report: report.clone(),
            function: function.clone(),
            quit,
        });
        thread::Builder::new()
            .name("control".into())
            .spawn(move || control.serve(&listener))?;
    }
    let listener = listen(&cli.socket)?;
    thread::Builder::new().name("vfio-user".into()).spawn(move || {
        let e = accept(&listener, &function);
        tracing::error!("the socket failed: {e}");
        handle.close();
    })?;
    eprintln!("listening");

    let ended = signals.forever().next();
    trace.flush();
    sdma.judge(Instant::now());
    if let Some(path) = &cli.status {
        write_status(path, &report)?;
    }
    for path in [Some(&cli.socket), cli.control.as_ref()].into_iter().flatten() {
        let _ = fs::remove_file(path);
    }
    if ended.is_none() {
        bail!("the socket {} failed", cli.socket.display());
    }
    Ok(())
}

/// Serves one client after the other; returns if the socket fails.
fn accept(listener: &UnixListener, function: &Function) -> std::io::Error {
    loop {
        match listener.accept() {
            Ok((stream, _)) => match serve(&stream, function) {
                Ended::Closed => {}
                Ended::Broken(e) => tracing::error!("connection broken: {e}"),
            },
            Err(e) => return e,
        }
    }
}

/// A socket that listens from the moment its path exists. A socket left by a dead program is replaced.
fn listen(path: &Path) -> Result<UnixListener> {
    let early = path.with_extension("starting");
    for stale in [&early, path] {
        if stale
            .symlink_metadata()
            .is_ok_and(|m| std::os::unix::fs::FileTypeExt::is_socket(&m.file_type()))
        {
            fs::remove_file(stale).with_context(|| format!("cannot replace {}", stale.display()))?;
        }
    }
    let listener =
        UnixListener::bind(&early).with_context(|| format!("cannot listen at {}", path.display()))?;
    if path.exists() {
        bail!("{} is in the way", path.display());
    }
    fs::rename(&early, path).with_context(|| format!("cannot listen at {}", path.display()))?;
    Ok(listener)
}

fn start_log(path: Option<&Path>) -> Result<()> {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        .with_target(true);
    match path {
        Some(path) => {
            let file = fs::File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
            log.with_writer(Arc::new(file)).init();
        }
        None => log.with_writer(std::io::stderr).init(),
    }
    Ok(())
}

/// Written whole or not at all.
fn write_status(path: &Path, report: &Report) -> Result<()> {
    let part = path.with_extension("part");
    let write = || -> Result<()> {
        let mut out = BufWriter::new(fs::File::create(&part)?);
        serde_json::to_writer_pretty(&mut out, &status::of(report))?;
        writeln!(out)?;
        out.flush()?;
        Ok(fs::rename(&part, path)?)
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(size("4G"), Ok(4 << 30));
        assert_eq!(size("16777216"), Ok(16 << 20));
        for bad in [
            "",
            "G",
            "3G",
            "8M",
            "-1",
            "4X",
            "99999999999999999999",
            "2T",
            "\u{3b1}",
        ] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }
}
