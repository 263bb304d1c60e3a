// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A stage of `make test`: a command whose output is kept in a file and whose results are counted.

use crate::count::{self, Counts};
use crate::ktap;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How the results of a stage are read.
#[derive(Clone, PartialEq, Eq)]
pub enum Reading {
    /// The stage is one test, which passes if the command exits with 0.
    Status,
    /// Rust's test runner.
    Libtest,
    /// `ok NAME` and `not ok NAME` lines.
    Lines,
    /// A kernel log with the results of these KUnit suites.
    Ktap(ktap::Expected),
}

/// A stage.
pub struct Stage {
    /// Name, also of the log file.
    pub name: &'static str,
    /// What runs.
    pub command: Command,
    /// How the results are read.
    pub reading: Reading,
}

/// Results of a stage that ran.
pub struct Ran {
    /// What was counted. A command that fails without a failed test counts as one failure.
    pub counts: Counts,
    /// Time it took.
    pub time: Duration,
    /// Its output; of a kernel log what was read from it.
    pub output: String,
}

impl Stage {
    /// Runs the stage and keeps its output in `logs`.
    pub fn run(&mut self, logs: &Path) -> Result<Ran> {
        let file = logs.join(format!("{}.log", self.name));
        let log = fs::File::create(&file).with_context(|| format!("cannot write {}", file.display()))?;
        let start = Instant::now();
        let ended = self
            .command
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .status()
            .with_context(|| format!("cannot run the stage {}", self.name))?;
        let mut output = String::from_utf8_lossy(&fs::read(&file)?).into_owned();
        if let Reading::Ktap(expected) = &self.reading {
            let mut results = ktap::results(&output, expected);
            let of_vm = output.lines().filter(|line| line.starts_with("vm: "));
            results.extend(of_vm.flat_map(|line| [line, "\n"]));
            output = results;
        }
        Ok(Ran {
            counts: read(&self.reading, ended.success(), &output),
            time: start.elapsed(),
            output,
        })
    }
}

/// Counts a stage's results. A stage that ran no test at all has failed: nothing would be a check that cannot fail.
fn read(reading: &Reading, success: bool, output: &str) -> Counts {
    let mut counts = match reading {
        Reading::Status => Counts {
            passed: success.into(),
            ..Default::default()
        },
        Reading::Libtest => count::libtest(output),
        Reading::Lines | Reading::Ktap(_) => count::lines(output),
    };
    let nothing = counts.passed == 0 && counts.skipped == 0;
    if (!success || nothing) && counts.failed == 0 {
        counts.failed = 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_is_a_failure() {
        assert_eq!(read(&Reading::Lines, true, "").failed, 1);
        assert_eq!(
            read(&Reading::Lines, false, "ok a\n"),
            Counts {
                passed: 1,
                failed: 1,
                skipped: 0
            }
        );
        assert_eq!(read(&Reading::Status, true, "").passed, 1);
    }
}
