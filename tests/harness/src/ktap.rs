// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Results of KUnit: which suites the source has, and what the kernel's log says about them.

use anyhow::{Context, Result};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// What the source promises.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// Names of suites.
    pub suites: Vec<String>,
    /// Files whose tests are in no suite.
    pub outside: Vec<String>,
}

/// Reads the Rust files of a folder and the folders in it.
pub fn expected(folder: &Path) -> Result<Expected> {
    let mut all = Expected::default();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let source = fs::read_to_string(&path)?;
                note_suites(&mut all, &path.display().to_string(), &source);
            }
        }
    }
    all.suites.sort();
    Ok(all)
}

fn note_suites(all: &mut Expected, file: &str, source: &str) {
    let code = || source.lines().filter(|line| !line.trim_start().starts_with("//"));
    let names = code().filter_map(|line| {
        let (_, rest) = line.split_once("kunit_tests(")?;
        Some(rest.split_once(')')?.0.to_string())
    });
    let before = all.suites.len();
    all.suites.extend(names);
    // deeper ones are property tests, which need the host
    if all.suites.len() == before && code().any(|line| line == "    #[test]") {
        all.outside.push(file.to_string());
    }
}

/// The results in a kernel log as lines `ok SUITE.CASE` and `not ok SUITE.CASE`. Whatever was promised, by the source
/// or by a plan in the log, and has no result is a `not ok` with the reason.
pub fn results(log: &str, expected: &Expected) -> String {
    let mut reader = Reader::default();
    for file in &expected.outside {
        reader.not_ok(file, "has tests that are not built for the kernel");
    }
    for line in log.lines() {
        reader.line(without_time(line));
    }
    reader.end(expected);
    reader.out
}

#[derive(Default)]
struct Reader<'a> {
    /// Suites that the kernel was to run.
    planned: u32,
    /// Names of those that ran.
    ended: Vec<&'a str>,
    /// The one that runs.
    open: Option<Suite<'a>>,
    out: String,
}

struct Suite<'a> {
    name: &'a str,
    planned: u32,
    ran: u32,
    failed: bool,
}

impl<'a> Reader<'a> {
    fn line(&mut self, line: &'a str) {
        if let Some(name) = line.strip_prefix("    # Subtest: ") {
            self.begin(name);
        } else if let Some(inner) = line.strip_prefix("    ") {
            self.inner(inner);
        } else if let Some(n) = plan(line) {
            self.planned += n;
        } else if let Some((ok, name)) = result(line) {
            self.close(ok, name);
        }
    }

    fn begin(&mut self, name: &'a str) {
        self.abandon();
        self.open = Some(Suite {
            name,
            planned: 0,
            ran: 0,
            failed: false,
        });
    }

    /// A line of the suite that runs.
    fn inner(&mut self, line: &'a str) {
        let Some(suite) = &mut self.open else { return };
        if let Some(n) = plan(line) {
            suite.planned = n;
        } else if let Some((ok, case)) = result(line) {
            suite.ran += 1;
            suite.failed |= !ok;
            let not = if ok { "" } else { "not " };
            let _ = writeln!(self.out, "{not}ok {}.{case}", suite.name);
        }
    }

    /// The result of a whole suite.
    fn close(&mut self, ok: bool, name: &'a str) {
        let name = name.split(' ').next().unwrap_or_default();
        self.ended.push(name);
        match self.open.take() {
            Some(suite) if suite.name == name => {
                if suite.ran != suite.planned || suite.ran == 0 {
                    let why = format!("{} cases planned, {} ended", suite.planned, suite.ran);
                    self.not_ok(name, &why);
                } else if !ok && !suite.failed {
                    self.not_ok(name, "failed as a whole");
                }
            }
            _ => self.not_ok(name, "ended without having begun"),
        }
    }

    fn abandon(&mut self) {
        if let Some(suite) = self.open.take() {
            self.not_ok(suite.name, "did not end");
        }
    }

    fn end(&mut self, expected: &Expected) {
        self.abandon();
        if self.ended.len() as u32 != self.planned {
            let why = format!("{} suites planned, {} ended", self.planned, self.ended.len());
            self.not_ok("KUnit", &why);
        }
        for suite in &expected.suites {
            if !self.ended.contains(&suite.as_str()) {
                self.not_ok(suite, "did not run");
            }
        }
    }

    fn not_ok(&mut self, what: &str, why: &str) {
        let _ = writeln!(self.out, "not ok {what}: {why}");
    }
}

/// A line of the kernel log without `[ SECONDS] `.
fn without_time(line: &str) -> &str {
    line.strip_prefix('[')
        .and_then(|rest| rest.split_once("] "))
        .map_or(line, |(_, text)| text)
}

/// `1..N`.
fn plan(line: &str) -> Option<u32> {
    line.strip_prefix("1..")?.trim_end().parse().ok()
}

/// `[not ]ok NUMBER NAME[ # WHY]`.
fn result(line: &str) -> Option<(bool, &str)> {
    let (ok, rest) = match line.strip_prefix("not ok ") {
        Some(rest) => (false, rest),
        None => (true, line.strip_prefix("ok ")?),
    };
    let (number, name) = rest.split_once(' ')?;
    number.parse::<u32>().ok()?;
    Some((ok, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\
[    1.0] KTAP version 1
[    1.0] 1..0
[    2.0] amdgpu: loading
[    3.0] KTAP version 1
[    3.0] 1..2
[    3.0]     KTAP version 1
[    3.0]     # Subtest: a
[    3.0]     1..2
[    3.0]     # x.speed: normal
[    3.0]     ok 1 x
[    3.0]     not ok 2 y
[    3.0] # a: pass:1 fail:1 skip:0 total:2
[    3.0] not ok 1 a
[    3.0]     KTAP version 1
[    3.0]     # Subtest: b
[    3.0]     1..1
[    3.0]     ok 1 z # SKIP no need
[    3.0] ok 2 b
";

    fn suites(names: &[&str]) -> Expected {
        Expected {
            suites: names.iter().map(|n| n.to_string()).collect(),
            outside: Vec::new(),
        }
    }

    fn failures(log: &str, expected: &Expected) -> Vec<String> {
        let all = results(log, expected);
        all.lines()
            .filter(|l| l.starts_with("not ok"))
            .map(Into::into)
            .collect()
    }

    #[test]
    fn cases_are_named_with_their_suite() {
        assert_eq!(
            results(LOG, &suites(&["a", "b"])),
            "ok a.x\nnot ok a.y\nok b.z # SKIP no need\n"
        );
    }

    #[test]
    fn what_is_missing_fails() {
        assert_eq!(failures("", &suites(&["a"])), ["not ok a: did not run"]);
        assert_eq!(
            failures(LOG, &suites(&["a", "b", "c"])),
            ["not ok a.y", "not ok c: did not run"]
        );
        let without_case = LOG.replace("[    3.0]     ok 1 z # SKIP no need\n", "");
        assert_eq!(
            failures(&without_case, &suites(&["b"])),
            ["not ok a.y", "not ok b: 1 cases planned, 0 ended"]
        );
        let cut = LOG.split_inclusive('\n').take(15).collect::<String>();
        assert_eq!(
            failures(&cut, &suites(&["a", "b"])),
            [
                "not ok a.y",
                "not ok b: did not end",
                "not ok KUnit: 2 suites planned, 1 ended",
                "not ok b: did not run"
            ]
        );
    }

    #[test]
    fn a_suite_can_fail_without_its_cases() {
        let log = LOG.replace("not ok 2 y", "ok 2 y");
        assert_eq!(failures(&log, &suites(&["a"])), ["not ok a: failed as a whole"]);
    }

    #[test]
    fn suites_are_found_in_the_source() {
        let mut all = Expected::default();
        note_suites(
            &mut all,
            "in.rs",
            "#[kunit_tests(amdgpu_x)]\nmod tests {\n    #[test]\n    fn y() {}\n}\n",
        );
        note_suites(&mut all, "out.rs", "mod tests {\n    #[test]\n    fn y() {}\n}\n");
        note_suites(&mut all, "property.rs", "    proptest! {\n        #[test]\n");
        assert_eq!(
            all,
            Expected {
                suites: vec!["amdgpu_x".into()],
                outside: vec!["out.rs".into()]
            }
        );
    }
}
