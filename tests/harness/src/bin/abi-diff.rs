// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `abi-diff`: compares the records of `guest-abi --record` with both drivers. Each difference must be in the list, and
//! each row of the list must have one: a line `ok` or `not ok` for each.

use anyhow::{bail, Context, Result};
use clap::Parser;
use harness::abi_diff::{differences, Record, Row};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Compares what the same calls came to with two drivers.
#[derive(Parser)]
struct Cli {
    /// Record with this project's driver
    ours: PathBuf,
    /// Record with the kernel's own
    theirs: PathBuf,
    /// The list of differences and reasons
    list: PathBuf,
}

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("abi-diff: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

fn run(cli: &Cli) -> Result<bool> {
    let [ours, theirs] = [&cli.ours, &cli.theirs].map(|path| Record::parse(&read(path)?));
    let (ours, theirs) = (ours?, theirs?);
    if ours.is_empty() || theirs.is_empty() {
        bail!("a record is empty");
    }
    let rows = Row::parse_all(&read(&cli.list)?)?;
    let found = differences(&ours, &theirs);
    println!(
        "{} and {} calls, {} differences",
        ours.len(),
        theirs.len(),
        found.len()
    );
    let mut good = true;
    for row in &rows {
        match found.iter().filter(|difference| row.explains(difference)).count() {
            0 => {
                good = false;
                println!("not ok {row}: it is listed, but there is no such difference any more");
            }
            count => println!("ok {row} ({count})"),
        }
    }
    for difference in found.iter().filter(|d| !rows.iter().any(|row| row.explains(d))) {
        good = false;
        println!("not ok {difference}");
    }
    Ok(good)
}
