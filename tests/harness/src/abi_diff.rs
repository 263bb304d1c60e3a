// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares what the same calls came to with two drivers (`guest-abi --record`), and holds the differences against the
//! list that explains them.

use anyhow::{bail, Result};
use std::collections::BTreeSet;
use std::fmt;

/// A call and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    call: String,
    outcome: String,
}

/// The calls of one process or thread of a case, in order.
struct Sequence {
    case: String,
    who: String,
    lines: Vec<Line>,
}

/// A record of one driver.
pub struct Record(Vec<Sequence>);

impl Record {
    /// Reads lines of `case TAB who TAB call TAB outcome`.
    pub fn parse(text: &str) -> Result<Self> {
        let mut sequences: Vec<Sequence> = Vec::new();
        for line in text.lines() {
            let [case, who, call, outcome] = line.split('\t').collect::<Vec<_>>()[..] else {
                bail!("odd line in a record: {line}");
            };
            let line = Line {
                call: call.trim().to_owned(),
                outcome: outcome.trim().to_owned(),
            };
            let known = sequences.iter().position(|s| s.case == case && s.who == who);
            let at = known.unwrap_or_else(|| {
                sequences.push(Sequence {
                    case: case.to_owned(),
                    who: who.to_owned(),
                    lines: Vec::new(),
                });
                sequences.len() - 1
            });
            // how often something is repeated depends on the time
            if sequences[at].lines.last() != Some(&line) {
                sequences[at].lines.push(line);
            }
        }
        Ok(Self(sequences))
    }

    /// How many calls it has.
    pub fn len(&self) -> usize {
        self.0.iter().map(|s| s.lines.len()).sum()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Something that was not the same. `-` stands for a call that was not made, or a text that is not there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difference {
    /// The case.
    pub case: String,
    /// The call, with what was put in.
    pub call: String,
    /// What came of it with this project's driver.
    pub ours: String,
    /// With the other one.
    pub theirs: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            case,
            call,
            ours,
            theirs,
        } = self;
        write!(f, "| `{case}` | `{call}` | `{ours}` | `{theirs}` |")
    }
}

/// All differences, each once.
pub fn differences(ours: &Record, theirs: &Record) -> BTreeSet<Difference> {
    let mut found = BTreeSet::new();
    for sequence in ours.0.iter().chain(&theirs.0) {
        let lines = |record: &Record| {
            let same = |s: &&Sequence| s.case == sequence.case && s.who == sequence.who;
            record.0.iter().find(same).map_or(Vec::new(), |s| s.lines.clone())
        };
        let outcome = |line: Option<&Line>| line.map_or("-".to_owned(), |line| line.outcome.clone());
        for (a, b) in align(&lines(ours), &lines(theirs)) {
            let Some(line) = a.or(b) else { continue };
            if outcome(a) != outcome(b) {
                found.insert(Difference {
                    case: sequence.case.clone(),
                    call: line.call.clone(),
                    ours: outcome(a),
                    theirs: outcome(b),
                });
            }
        }
    }
    found
}

/// Puts the calls of two sequences side by side, so that as many as possible have their like.
fn align<'a>(a: &'a [Line], b: &'a [Line]) -> Vec<(Option<&'a Line>, Option<&'a Line>)> {
    let same = |x: &Line, y: &Line| x.call == y.call;
    let front = a.iter().zip(b).take_while(|(x, y)| same(x, y)).count();
    let mut pairs: Vec<_> = a
        .iter()
        .zip(b)
        .take(front)
        .map(|(x, y)| (Some(x), Some(y)))
        .collect();
    let (a, b) = (&a[front..], &b[front..]);
    // most[i][j]: how many pairs there can be from a[i] and b[j] on
    let mut most = vec![vec![0u32; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            most[i][j] = match same(&a[i], &b[j]) {
                true => most[i + 1][j + 1] + 1,
                false => most[i + 1][j].max(most[i][j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && same(&a[i], &b[j]) {
            pairs.push((Some(&a[i]), Some(&b[j])));
            (i, j) = (i + 1, j + 1);
        } else if j == b.len() || (i < a.len() && most[i + 1][j] >= most[i][j + 1]) {
            pairs.push((Some(&a[i]), None));
            i += 1;
        } else {
            pairs.push((None, Some(&b[j])));
            j += 1;
        }
    }
    pairs
}

/// A row of the list: patterns, in which `*` stands for any text, and a reason.
#[derive(Debug)]
pub struct Row {
    patterns: [String; 4],
    /// Why it is so.
    pub reason: String,
}

impl Row {
    /// The rows of all tables in a Markdown text whose cells but the last are in backticks.
    pub fn parse_all(text: &str) -> Result<Vec<Self>> {
        let mut rows = Vec::new();
        for line in text.lines().filter(|line| line.starts_with("| `")) {
            let cells: Vec<_> = line.trim_matches('|').split(" | ").map(str::trim).collect();
            let [patterns @ .., reason] = &cells[..] else {
                continue;
            };
            let patterns: Vec<_> = patterns
                .iter()
                .map(|cell| cell.trim_matches('`').to_owned())
                .collect();
            let Ok(patterns) = <[String; 4]>::try_from(patterns) else {
                bail!("a row of the list has not five cells: {line}");
            };
            if reason.is_empty() {
                bail!("a row of the list has no reason: {line}");
            }
            rows.push(Self {
                patterns,
                reason: (*reason).to_owned(),
            });
        }
        Ok(rows)
    }

    /// Whether it explains a difference.
    pub fn explains(&self, difference: &Difference) -> bool {
        let Difference {
            case,
            call,
            ours,
            theirs,
        } = difference;
        let texts = [case, call, ours, theirs];
        self.patterns
            .iter()
            .zip(texts)
            .all(|(pattern, text)| matches(pattern, text))
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [case, call, ours, theirs] = &self.patterns;
        write!(f, "{case}: {call}: {ours} here, {theirs} there")
    }
}

/// Whether a text is as a pattern says.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let parts: Vec<_> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(lines: &[(&str, &str)]) -> Record {
        let lines = lines
            .iter()
            .map(|(call, outcome)| format!("c\tmain\t{call}\t{outcome}"));
        let text = lines.collect::<Vec<_>>().join("\n");
        Record::parse(&text).unwrap()
    }

    #[test]
    fn tells_what_differs_and_what_is_missing() {
        let ours = record(&[
            ("open", "ok"),
            ("a", "EINVAL"),
            ("b", "ok"),
            ("b", "ok"),
            ("d", "ok"),
        ]);
        let theirs = record(&[("open", "ok"), ("a", "ok"), ("x", "ok"), ("b", "ok"), ("d", "ok")]);
        let found: Vec<_> = differences(&ours, &theirs).into_iter().collect();
        let difference = |call: &str, ours: &str, theirs: &str| Difference {
            case: "c".into(),
            call: call.into(),
            ours: ours.into(),
            theirs: theirs.into(),
        };
        assert_eq!(
            found,
            [difference("a", "EINVAL", "ok"), difference("x", "-", "ok")]
        );
        assert!(differences(&ours, &ours).is_empty());
        assert!(Record::parse("a\tb\n").is_err());
    }

    #[test]
    fn a_row_explains_by_patterns() {
        let text = "# List\n| case | call | a | b | reason |\n|---|---|---|---|---|\n\
                    | `c*` | `ALLOC(*flags=*)` | `EINVAL` | `ok*` | kinder |\n";
        let rows = Row::parse_all(text).unwrap();
        let mut difference = Difference {
            case: "case".into(),
            call: "ALLOC(size=1 flags=2)".into(),
            ours: "EINVAL".into(),
            theirs: "ok handle=handle".into(),
        };
        assert!(rows[0].explains(&difference));
        difference.ours = "ENOMEM".into();
        assert!(!rows[0].explains(&difference));
        assert!(Row::parse_all("| `a` | `b` | `c` | `d` |  |").is_err());
        assert!(Row::parse_all("| `a` | `b` | `c` | why |").is_err());
    }

    #[test]
    fn patterns() {
        for (pattern, text) in [
            ("a", "a"),
            ("*", ""),
            ("a*c", "abc"),
            ("*b*", "abc"),
            ("a*b*c", "a1b2c"),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("a", "ab"), ("", "a"), ("a*c", "ab"), ("ab*bc", "abc")] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }
}
