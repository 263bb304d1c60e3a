// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `vm`: boots a virtual machine with virtual GPUs and runs a command in it. `scripts/vm` prepares what it needs.

use anyhow::{bail, Context, Result};
use clap::{Args, Parser, Subcommand, ValueEnum};
use harness::{gpu, initramfs::Work, machine::Slots, run, verdict::status};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Boots a virtual machine with virtual GPUs.
///
/// Exits with the command's status, or with 121 after a kernel splat or a leak, 122 after a violation seen by the
/// virtual GPU, 123 when the time was over, 125 when the machine or the driver did not start.
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    prepared: Prepared,
}

/// Where prepared things are; `scripts/vm` gives these.
#[derive(Args)]
#[command(next_help_heading = "Prepared by scripts/vm")]
struct Prepared {
    #[arg(long, global = true, hide = true, default_value = "none")]
    kernel_dir: PathBuf,
    #[arg(long, global = true, hide = true, default_value = "none")]
    image: PathBuf,
    #[arg(long, global = true, hide = true, default_value = "none")]
    vgpu: PathBuf,
    #[arg(long, global = true, hide = true, default_value = "none")]
    module: PathBuf,
    #[arg(long, global = true, hide = true, default_value = "none")]
    firmware: PathBuf,
    #[arg(long, global = true, hide = true, default_value = "none")]
    suites_image: PathBuf,
    /// Folders whose files are put on the guest's PATH, separated by colons.
    #[arg(long, global = true, hide = true, default_value = "none")]
    programs: String,
    #[arg(long, global = true, hide = true, default_value = "target/vm")]
    logs: PathBuf,
}

#[derive(Subcommand)]
enum Action {
    /// Run a command in the guest as root and print what it prints
    Run(Run),
    /// An interactive shell in the guest
    Shell(Options),
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Driver {
    /// This project's module
    Ferrock,
    /// The distribution's module
    Stock,
    /// None
    None,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Kernel {
    Stock,
    Test,
}

#[derive(Args)]
struct Options {
    /// Driver to load before the command
    #[arg(long, value_enum, default_value = "ferrock")]
    driver: Driver,
    /// Parameters for the driver, as insmod takes them (repeatable)
    #[arg(long, value_name = "NAME=VALUE")]
    param: Vec<String>,
    /// Kernel of the guest
    #[arg(long, value_enum, default_value = "stock")]
    kernel: Kernel,
    /// Words added to the kernel's command line
    #[arg(long, default_value = "", allow_hyphen_values = true)]
    append: String,
    /// Number of virtual GPUs
    #[arg(long, default_value_t = 1)]
    gpus: usize,
    /// VRAM of each
    #[arg(long, default_value = "4G")]
    vram: String,
    /// What the virtual GPUs are plugged into
    #[arg(long, value_enum, default_value = "plain")]
    slots: Slots,
    /// Argument for the virtual GPU program (repeatable)
    #[arg(long, value_name = "ARG", allow_hyphen_values = true)]
    gpu_arg: Vec<String>,
    /// Fault that the first virtual GPU begins with, as NAME[,KEY=VALUE]...; tests/vgpu/README.md has them (repeatable)
    #[arg(long, value_name = "FAULT")]
    inject: Vec<String>,
    /// File for the access trace of the virtual GPU (of further GPUs: FILE.1, ...); it ends with the command
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Memory of the guest
    #[arg(long, default_value = "4G")]
    mem: String,
    /// Host folder, read-write at /share in the guest
    #[arg(long, value_name = "HOSTDIR")]
    share: Option<PathBuf>,
    /// The tests of the ROCm libraries, read-only at /suites in the guest
    #[arg(long)]
    suites: bool,
    /// Time for the whole run, seconds
    #[arg(long, value_name = "S", default_value_t = 600)]
    timeout: u64,
    /// File for the guest's kernel log
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Print boot and load times to standard error
    #[arg(long)]
    times: bool,
}

#[derive(Args)]
struct Run {
    #[command(flatten)]
    options: Options,
    /// Shell text to run instead of a command
    #[arg(short = 'c', value_name = "SHELL TEXT", conflicts_with = "command")]
    text: Option<String>,
    /// Command and arguments, passed on exactly
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

fn main() -> ExitCode {
    match vm(&Cli::parse()) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("vm: {error:#}");
            ExitCode::from(status::NO_RUN)
        }
    }
}

fn vm(cli: &Cli) -> Result<u8> {
    let (options, command, interactive) = match &cli.action {
        Action::Shell(options) => (options, Vec::new(), true),
        Action::Run(run) => (&run.options, command(run)?, false),
    };
    let stock_kernel = options.kernel == Kernel::Stock;
    let modules = cli.prepared.kernel_dir.join("modules");
    let logs = log_folder(&cli.prepared.logs)?;
    let mut files = programs(&cli.prepared.programs)?;
    let load = load_script(options, &cli.prepared, &mut files)?;
    // of a test kernel's suites only the driver's are of interest, of KASAN's reports all
    let kernel_args = if stock_kernel {
        options.append.clone()
    } else {
        format!("kunit.filter_glob=amdgpu* kasan_multi_shot {}", options.append)
    };
    let plan = run::Plan {
        kernel: &cli.prepared.kernel_dir.join("vmlinuz"),
        modules: stock_kernel.then_some(modules.as_path()),
        image: &cli.prepared.image,
        memory: &options.mem,
        kernel_args: &kernel_args,
        gpus: options.gpus,
        gpu: gpu::Options {
            program: &cli.prepared.vgpu,
            vram: &options.vram,
            atomics: options.slots == Slots::Plain,
            trace: options.trace.as_deref(),
            inject: &options.inject,
            extra: &options.gpu_arg,
        },
        slots: options.slots,
        work: Work {
            command: &command,
            load,
            files,
            share: options.share.is_some(),
            interactive,
            abrupt: options.trace.is_some(),
        },
        suites: options.suites.then_some(cli.prepared.suites_image.as_path()),
        share: options.share.as_deref(),
        timeout: if interactive {
            Duration::from_secs(u64::MAX / 4)
        } else {
            Duration::from_secs(options.timeout)
        },
        logs: &logs,
    };
    let terminal = interactive.then(RawTerminal::enter);
    let outcome = run::run(&plan)?;
    drop(terminal);
    if let Some(file) = &options.log {
        std::fs::copy(logs.join("kernel.log"), file)?;
    }
    if options.times {
        let seconds = |time: Option<f64>| time.map_or("-".into(), |s| format!("{s:.2}"));
        eprintln!(
            "vm: boot {} s, driver loaded {} s, virtual GPU memory {} MiB",
            seconds(outcome.boot_s),
            seconds(outcome.loaded_s),
            outcome.gpu_memory_kib / 1024
        );
    }
    run::explain(&outcome, &logs, &mut std::io::stderr())?;
    Ok(outcome.status)
}

fn command(run: &Run) -> Result<Vec<String>> {
    match (&run.text, run.command.is_empty()) {
        (Some(text), _) => Ok(vec!["bash".into(), "-c".into(), text.clone()]),
        (None, false) => Ok(run.command.clone()),
        (None, true) => bail!("nothing to run: give -- COMMAND ARG... or -c 'SHELL TEXT'"),
    }
}

/// Shell text that loads the driver, and the files it needs.
fn load_script(
    options: &Options,
    prepared: &Prepared,
    files: &mut Vec<(String, PathBuf)>,
) -> Result<Option<String>> {
    let params: Vec<String> = options
        .param
        .iter()
        .map(|p| format!("'{}'", p.replace('\'', "'\\''")))
        .collect();
    match options.driver {
        Driver::None => Ok(None),
        Driver::Stock => {
            if options.kernel != Kernel::Stock {
                bail!("--driver stock needs --kernel stock: the other kernel has no amdgpu module");
            }
            firmware(&prepared.firmware, files)?;
            // modprobe succeeds even if the driver refuses the card
            Ok(Some(format!(
                "{FIRMWARE_LINK} && \
                 modprobe amdgpu {} && [ $(ls -d /sys/bus/pci/drivers/amdgpu/0000:* | wc -l) = {} ]",
                params.join(" "),
                options.gpus
            )))
        }
        Driver::Ferrock => {
            files.push(("amdgpu.ko".into(), prepared.module.clone()));
            firmware(&prepared.firmware, files)?;
            let modules = if options.kernel == Kernel::Stock {
                "modprobe -a drm ttm drm_exec && "
            } else {
                ""
            };
            Ok(Some(format!(
                "{FIRMWARE_LINK} && {modules}insmod /run/ferrock/amdgpu.ko {}",
                params.join(" ")
            )))
        }
    }
}

/// Puts the firmware files where the kernel looks for them.
const FIRMWARE_LINK: &str =
    "mkdir -p /lib/firmware && ln -sfn /run/ferrock/firmware/amdgpu /lib/firmware/amdgpu";

/// The firmware files in the prepared folder, which the guest gets under the names the kernel asks for.
fn firmware(prepared: &Path, files: &mut Vec<(String, PathBuf)>) -> Result<()> {
    let folder = prepared.join("amdgpu");
    let entries =
        std::fs::read_dir(&folder).with_context(|| format!("no firmware in {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        files.push((
            format!("firmware/amdgpu/{}", entry.file_name().to_string_lossy()),
            entry.path(),
        ));
    }
    Ok(())
}

fn programs(folders: &str) -> Result<Vec<(String, PathBuf)>> {
    let mut files = Vec::new();
    for folder in folders
        .split(':')
        .filter(|f| !f.is_empty() && Path::new(f).is_dir())
    {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                files.push((
                    format!("programs/{}", entry.file_name().to_string_lossy()),
                    entry.path(),
                ));
            }
        }
    }
    Ok(files)
}

/// A new folder for this run's logs; of older ones the newest are kept.
fn log_folder(base: &Path) -> Result<PathBuf> {
    const KEPT: usize = 40;
    std::fs::create_dir_all(base)?;
    let mut old: Vec<_> = std::fs::read_dir(base)?
        .filter_map(|e| {
            e.ok()
                .and_then(|e| Some((e.metadata().ok()?.modified().ok()?, e.path())))
        })
        .collect();
    old.sort();
    for (_, path) in old.iter().take(old.len().saturating_sub(KEPT)) {
        let _ = std::fs::remove_dir_all(path);
    }
    let time = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)?
        .as_secs();
    let path = base.join(format!("{time}-{}", std::process::id()));
    std::fs::create_dir(&path)?;
    Ok(path)
}

/// The terminal passes every key on until this object is dropped.
struct RawTerminal;

impl RawTerminal {
    fn enter() -> Self {
        let _ = std::process::Command::new("stty").args(["raw", "-echo"]).status();
        Self
    }
}

impl Drop for RawTerminal {
    fn drop(&mut self) {
        let _ = std::process::Command::new("stty").arg("sane").status();
    }
}
