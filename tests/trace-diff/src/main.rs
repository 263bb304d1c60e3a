// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `trace-diff`: what a driver does to the card otherwise than the kernel's C driver. `make trace-diff` records the
//! traces. Exits with 1 if a difference is not in the list, or the list has one that is none.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{bail, Context, Result};
use clap::Parser;
use registers::Headers;
use trace_diff::compare::{compare, Deeds, Difference};
use trace_diff::{list, print, read};

/// Compares two access traces of the virtual GPU
#[derive(Debug, Parser)]
struct Cli {
    /// Trace of the C driver
    #[arg(long, value_name = "FILE")]
    reference: PathBuf,
    /// Trace of the driver to compare with it
    #[arg(long, value_name = "FILE")]
    ours: PathBuf,
    /// Kernel source, for AMD's names of registers and fields
    #[arg(long, value_name = "FOLDER")]
    linux: PathBuf,
    /// Markdown file with the table of differences and their reasons
    #[arg(long, value_name = "FILE")]
    list: PathBuf,
    /// Print only what is not listed
    #[arg(long)]
    brief: bool,
}

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(e) => {
            eprintln!("trace-diff: {e:#}");
            ExitCode::from(2)
        }
    }
}

/// Whether all differences are listed, and all that are listed exist.
fn run(cli: &Cli) -> Result<bool> {
    let headers = Headers::read(&cli.linux);
    let deeds = |path: &Path| -> Result<Deeds> {
        let lines = read::read(&text(path)?).with_context(|| path.display().to_string())?;
        let deeds = Deeds::of(&lines, &headers);
        if deeds.registers.is_empty() {
            bail!("{}: no register is written in this trace", path.display());
        }
        Ok(deeds)
    };
    let (reference, ours) = (deeds(&cli.reference)?, deeds(&cli.ours)?);
    let rows = list::read(&text(&cli.list)?).with_context(|| cli.list.display().to_string())?;
    let differences = compare(&reference, &ours);
    let is_listed = |d: &&Difference| rows.iter().any(|row| row.covers(d));
    let unlisted: Vec<_> = differences.iter().filter(|d| !is_listed(d)).cloned().collect();
    let shown = if cli.brief { &unlisted } else { &differences };
    print!("{}", print::print(shown, &rows, &headers));
    let stale: Vec<_> = rows
        .iter()
        .filter(|row| !row.is_needed(&differences, [&reference, &ours]))
        .collect();
    for row in &stale {
        println!(
            "{}:{}: {} {} is no difference any more",
            cli.list.display(),
            row.line,
            row.block,
            row.name
        );
    }
    println!(
        "{} registers written by the C driver, {} by ours; {} differences, {} not listed, {} listed in vain",
        reference.registers.len(),
        ours.registers.len(),
        differences.len(),
        unlisted.len(),
        stale.len()
    );
    Ok(unlisted.is_empty() && stale.is_empty())
}

fn text(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
