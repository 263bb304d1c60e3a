// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reading the results of test programs.

use std::ops::AddAssign;

/// Results of a stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Tests that passed.
    pub passed: u32,
    /// Tests that failed.
    pub failed: u32,
    /// Tests that were not run, each with its reason in the output.
    pub skipped: u32,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// Sums up the `test result:` lines of Rust's test runner.
pub fn libtest(text: &str) -> Counts {
    let mut counts = Counts::default();
    for line in text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("test result: "))
    {
        let number = |word: &str| {
            line.split([';', '.'])
                .find_map(|part| part.trim().strip_suffix(word)?.trim().parse().ok())
                .unwrap_or(0)
        };
        counts += Counts {
            passed: number("passed"),
            failed: number("failed"),
            skipped: number("ignored"),
        };
    }
    counts
}

/// Counts the lines of test protocols: `ok NAME`, `not ok NAME`, `skip NAME: REASON` (guest programs), and the
/// kernel's KTAP, whose lines are the same with a number after `ok`. Only the innermost KTAP level counts.
pub fn lines(text: &str) -> Counts {
    let mut counts = Counts::default();
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("not ok ") {
            counts.failed += 1;
        } else if line.starts_with("ok ") && line.contains("# SKIP") || line.starts_with("skip ") {
            counts.skipped += 1;
        } else if line.starts_with("ok ") {
            counts.passed += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_libtest() {
        let text =
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.1s\n\
                    test result: FAILED. 2 passed; 3 failed; 0 ignored; 0 measured\n";
        assert_eq!(
            libtest(text),
            Counts {
                passed: 14,
                failed: 3,
                skipped: 1
            }
        );
    }

    #[test]
    fn reads_lines() {
        let text = "ok alloc\nnot ok map: EINVAL\nskip svm: not offered\nnoise\nok 3 x # SKIP why\n";
        assert_eq!(
            lines(text),
            Counts {
                passed: 1,
                failed: 1,
                skipped: 2
            }
        );
    }
}
