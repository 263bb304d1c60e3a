// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `suite`: runs every check and test, and closes with one line of counts. `scripts/test` prepares what it needs.

use anyhow::{bail, Result};
use clap::Parser;
use harness::count::Counts;
use harness::figures::Figures;
use harness::ktap;
use harness::stage::{Reading, Stage};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Runs every check and test.
#[derive(Parser)]
struct Cli {
    /// Kernel source, whose headers the ABI is compared with
    #[arg(long)]
    linux: PathBuf,
    /// Folder of the prepared stock kernel
    #[arg(long)]
    stock: PathBuf,
    /// Folder of the prepared test kernel
    #[arg(long)]
    test_kernel: PathBuf,
    /// Guest image
    #[arg(long)]
    image: PathBuf,
    /// Folder of the firmware files
    #[arg(long)]
    firmware: PathBuf,
    /// Image with the tests of the ROCm libraries
    #[arg(long)]
    suites: PathBuf,
    /// Only the stages whose name holds one of these words
    only: Vec<String>,
}

fn main() -> ExitCode {
    match suite(&Cli::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("suite: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn suite(cli: &Cli) -> Result<bool> {
    let logs = PathBuf::from("target/test");
    std::fs::create_dir_all(&logs)?;
    let mut stages = stages(cli)?;
    stages.retain(|stage| {
        cli.only.is_empty() || cli.only.iter().any(|word| stage.name.contains(word.as_str()))
    });
    if stages.is_empty() {
        bail!("no stage has such a name");
    }
    let mut total = Counts::default();
    let mut figures = Figures::default();
    for stage in &mut stages {
        println!("-- {}", stage.name);
        let result = stage.run(&logs)?;
        let Counts {
            passed,
            failed,
            skipped,
        } = result.counts;
        for line in result
            .output
            .lines()
            .filter(|line| reportable(&stage.reading, line))
        {
            println!("   {line}");
        }
        if failed > 0 && stage.reading == Reading::Status {
            result
                .output
                .lines()
                .rev()
                .take(40)
                .collect::<Vec<_>>()
                .iter()
                .rev()
                .for_each(|line| println!("   {line}"));
        }
        println!(
            "   {passed} passed, {failed} failed, {skipped} skipped in {} s",
            result.time.as_secs()
        );
        if failed > 0 {
            println!(
                "   whole output: {}",
                logs.join(format!("{}.log", stage.name)).display()
            );
        }
        total += result.counts;
        figures.read(&result.output);
        if matches!(stage.reading, Reading::Ktap(_)) {
            figures.add(passed.into(), "KUnit cases");
        }
    }
    let Counts {
        passed,
        failed,
        skipped,
    } = total;
    println!("\n{figures}");
    match skipped {
        0 => println!("{passed} passed, {failed} failed"),
        _ => println!("{passed} passed, {failed} failed, {skipped} skipped"),
    }
    Ok(failed == 0)
}

/// Lines of a stage's output that everybody should see: failures, the reasons for what was skipped, and figures.
fn reportable(reading: &Reading, line: &str) -> bool {
    let line = line.trim();
    match reading {
        Reading::Status => false,
        Reading::Libtest => {
            line.ends_with("... FAILED") || line.contains("... ignored") || line.starts_with("error")
        }
        Reading::Lines | Reading::Ktap(_) => {
            line.starts_with("not ok ")
                || line.starts_with("skip ")
                || line.contains("# SKIP")
                || line.starts_with("vm: ")
                    && !line.starts_with("vm: found 0 splats, 0 leaked objects, 0 violations")
                || line.starts_with("figure: ")
        }
    }
}

fn stages(cli: &Cli) -> Result<Vec<Stage>> {
    let mut stages = vec![
        host("format", &["cargo", "fmt", "--all", "--check"], Reading::Status),
        host(
            "format-driver",
            &["rustfmt", "--check", "--edition", "2021", "drivers/amdgpu.rs"],
            Reading::Status,
        ),
        host(
            "clippy",
            &[
                "cargo",
                "clippy",
                "--quiet",
                "--locked",
                "--release",
                "--workspace",
                "--all-targets",
                "--",
                "-D",
                "warnings",
            ],
            Reading::Status,
        ),
        host(
            "host",
            &[
                "cargo",
                "test",
                "--locked",
                "--release",
                "--workspace",
                "--no-fail-fast",
            ],
            Reading::Libtest,
        ),
    ];
    if let Some(stage) = stages.iter_mut().find(|stage| stage.name == "host") {
        stage
            .command
            .env("FERROCK_LINUX", &cli.linux)
            .env("FERROCK_FIRMWARE", &cli.firmware);
    }
    stages.push(guest(cli, "main-job", &[], "main-job.sh"));
    stages.push(guest(cli, "abi", &[], "guest-abi"));
    // the records end with the command, which makes its machines itself
    stages.push(host("abi-diff", &["scripts/abi-diff"], Reading::Lines));
    stages.push(host("trace-diff", &["scripts/trace-diff"], Reading::Status));
    stages.push(guest(cli, "fault", &[], "fault.sh"));
    stages.push(guest(cli, "sensors", &[], "sensors.sh"));
    stages.push(guest(cli, "reload", &[], "reload.sh 10"));
    stages.push(guest(cli, "bad-firmware", &[], "bad-firmware.sh"));
    stages.push(guest(cli, "two-gpus", &["--gpus", "2"], "two-gpus.sh"));
    stages.push(guest(
        cli,
        "reference",
        &["--driver", "stock"],
        "reference.sh quick",
    ));
    stages.push(guest(
        cli,
        "rocm-suites",
        &["--suites", "--timeout", "1800"],
        "suites.sh quick",
    ));
    stages.push(guest(cli, "reset", &["--timeout", "180"], "guest-reset"));
    stages.push(guest(cli, "repeat", &["--timeout", "2400"], "repeat.sh 200"));
    stages.push(Stage {
        reading: Reading::Ktap(ktap::expected(Path::new("drivers"))?),
        ..guest(cli, "kunit", &["--kernel", "test"], "dmesg")
    });
    stages.push(guest(
        cli,
        "test-kernel",
        &["--kernel", "test"],
        "main-job.sh quick; guest-abi",
    ));
    stages.push(guest(
        cli,
        "probe-faults",
        &["--kernel", "test", "--timeout", "2400"],
        "probe-faults.sh",
    ));
    stages.push(guest(
        cli,
        "call-faults",
        &["--kernel", "test", "--timeout", "1800"],
        "guest-faults",
    ));
    Ok(stages)
}

fn host(name: &'static str, words: &[&str], reading: Reading) -> Stage {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]);
    Stage {
        name,
        command,
        reading,
    }
}

/// A stage in the virtual machine: shell text, whose lines are counted.
fn guest(cli: &Cli, name: &'static str, options: &[&str], text: &str) -> Stage {
    let test = options.contains(&"test");
    let (kernel, module) = if test {
        (&cli.test_kernel, "module-test")
    } else {
        (&cli.stock, "module-stock")
    };
    let mut command = Command::new("target/release/vm");
    command
        .arg("--kernel-dir")
        .arg(kernel)
        .arg("--image")
        .arg(&cli.image)
        .arg("--firmware")
        .arg(&cli.firmware)
        .arg("--suites-image")
        .arg(&cli.suites);
    command.args([
        "--vgpu",
        "target/release/vgpu",
        "--programs",
        "target/guest:target/rocm",
        "--logs",
        "target/vm",
    ]);
    command.arg("--module").arg(format!("target/{module}/amdgpu.ko"));
    command.arg("run").args(options).arg("-c").arg(text);
    Stage {
        name,
        command,
        reading: Reading::Lines,
    }
}
