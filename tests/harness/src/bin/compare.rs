// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `compare`: tables of what operations cost with two drivers, from the outputs of `guest-compare` in several boots.

use anyhow::{bail, Context, Result};
use clap::Parser;
use harness::measure::{quantile, ratio, sorted, Boot, Operation};
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

/// Prints tables of what operations cost with two drivers.
#[derive(Parser)]
struct Cli {
    /// Outputs with the kernel's own driver, a boot each
    #[arg(long, num_args = 1.., required = true)]
    stock: Vec<PathBuf>,
    /// Outputs with this project's driver, a boot each
    #[arg(long, num_args = 1.., required = true)]
    ferrock: Vec<PathBuf>,
}

/// What the device counts, with the heading of its column.
const COLUMNS: [(&str, &[&str]); 12] = [
    ("register reads", &["reg_read"]),
    ("register writes", &["reg_write"]),
    ("doorbells", &["doorbell"]),
    // each covers both hubs
    ("TLB flushes", &["tlb_flush_gfxhub"]),
    ("HDP flushes", &["hdp_flush"]),
    ("PM4 packets", &["cp_pm4_packet"]),
    ("SDMA packets", &["sdma_packet"]),
    ("run lists", &["hws_run_list"]),
    ("preemptions", &["cp_preempt_queue"]),
    ("interrupts", &["iv"]),
    ("page tables", &["tables"]),
    (
        "leaf entries",
        &["leaf_4096", "leaf_65536", "leaf_2097152", "leaf_1073741824"],
    ),
];

/// Operations, by the start of their names, whose time is mostly that of the virtual GPU or of the emulated CPU.
const MISLEADING: [(&str, &str); 7] = [
    ("probe", "device model"),
    ("alloc 2 MiB of VRAM", "device clears memory"),
    ("alloc 64 MiB of VRAM", "device clears memory"),
    ("alloc 1 GiB of VRAM", "device clears memory"),
    ("create a queue", "device schedules"),
    ("destroy a queue", "device schedules"),
    ("interrupt to wake-up", "device included"),
];

/// Fewer times than this say nothing about a median.
const FEW: usize = 10;

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("compare: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn boots(paths: &[PathBuf]) -> Result<Vec<Boot>> {
    let read = |path: &PathBuf| {
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        Boot::parse(&text).with_context(|| path.display().to_string())
    };
    paths.iter().map(read).collect()
}

fn run(cli: &Cli) -> Result<()> {
    let (theirs, ours) = (boots(&cli.stock)?, boots(&cli.ferrock)?);
    let names: Vec<_> = theirs
        .iter()
        .flat_map(|boot| &boot.0)
        .map(|(name, _)| name.as_str())
        .collect();
    let mut operations: Vec<(&str, Vec<&Operation>, Vec<&Operation>)> = Vec::new();
    for name in names {
        if operations.iter().any(|(known, ..)| *known == name) {
            continue;
        }
        if theirs.iter().chain(&ours).any(|boot| boot.get(name).is_none()) {
            bail!("not every boot measured: {name}");
        }
        operations.push((
            name,
            theirs.iter().filter_map(|boot| boot.get(name)).collect(),
            ours.iter().filter_map(|boot| boot.get(name)).collect(),
        ));
    }
    times(&operations);
    println!();
    counts(&operations);
    Ok(())
}

type Rows<'a> = [(&'a str, Vec<&'a Operation>, Vec<&'a Operation>)];

fn times(operations: &Rows<'_>) {
    println!("| operation | C driver: median | p99 | Ferrock: median | p99 | ratio (95 %) | same driver again | reading |");
    println!("|---|---|---|---|---|---|---|---|");
    for (name, theirs, ours) in operations {
        let [a, b] = [theirs, ours].map(|boots| boots.iter().map(|o| o.times.as_slice()).collect::<Vec<_>>());
        let Some(ratio) = ratio(&b, &a) else { continue };
        let again = [&a, &b]
            .map(|boots| spread(boots))
            .into_iter()
            .fold(1.0, f64::max);
        let [c, f] = [&a, &b].map(|boots| sorted(&boots.concat()));
        let reading = match MISLEADING.iter().find(|(start, _)| name.starts_with(start)) {
            Some((_, why)) => format!("no claim: {why}"),
            _ if a.len().min(b.len()) < 2 => "no claim: one boot".to_owned(),
            _ if c.len().min(f.len()) < FEW => "no claim: few times".to_owned(),
            // what differs less than the boots of one driver do is not said to differ
            None if ratio.high < 1.0 / again => "less".to_owned(),
            None if ratio.low > again => "MORE".to_owned(),
            None => "no difference seen".to_owned(),
        };
        println!(
            "| {name} | {} | {} | {} | {} | {:.2} ({:.2} to {:.2}) | x {again:.2} | {reading} |",
            duration(quantile(&c, 0.5)),
            duration(quantile(&c, 0.99)),
            duration(quantile(&f, 0.5)),
            duration(quantile(&f, 0.99)),
            ratio.value,
            ratio.low,
            ratio.high,
        );
    }
}

/// How far the medians of the boots of one driver are apart, as a factor.
fn spread(boots: &[&[u64]]) -> f64 {
    let medians = boots.iter().map(|times| quantile(&sorted(times), 0.5));
    let medians = sorted(&medians.filter(|median| *median > 0).collect::<Vec<_>>());
    match (medians.first(), medians.last()) {
        (Some(first), Some(last)) => *last as f64 / *first as f64,
        _ => 1.0,
    }
}

fn duration(nanoseconds: u64) -> String {
    let n = nanoseconds as f64;
    match nanoseconds {
        0..=9_999 => format!("{:.1} µs", n / 1e3),
        10_000..=9_999_999 => format!("{:.0} µs", n / 1e3),
        10_000_000..=9_999_999_999 => format!("{:.0} ms", n / 1e6),
        _ => format!("{:.1} s", n / 1e9),
    }
}

fn counts(operations: &Rows<'_>) {
    print!("| per operation: C driver / Ferrock |");
    COLUMNS.iter().for_each(|(heading, _)| print!(" {heading} |"));
    println!("\n|---|{}", "---|".repeat(COLUMNS.len()));
    for (name, theirs, ours) in operations {
        print!("| {name} |");
        for (_, counters) in COLUMNS {
            let [c, f] = [theirs, ours].map(|boots| range(boots, counters));
            match c == "0" && f == "0" {
                true => print!(" |"),
                false => print!(" {c} / {f} |"),
            }
        }
        println!();
    }
}

/// What the boots counted: one number if all counted the same.
fn range(boots: &[&Operation], counters: &[&str]) -> String {
    let values = boots.iter().map(|operation| operation.per_round(counters));
    let low = values.clone().fold(f64::INFINITY, f64::min);
    let high = values.fold(f64::NEG_INFINITY, f64::max);
    // at two digits, without a negative zero
    let text = |value: f64| format!("{}", (value * 100.0).round() / 100.0 + 0.0);
    match text(low) == text(high) {
        true => text(low),
        false => format!("{} to {}", text(low), text(high)),
    }
}
