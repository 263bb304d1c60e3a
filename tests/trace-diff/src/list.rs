// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The list of differences and their reasons: rows of a table in Markdown,
//! `| block | register or message | difference | reason |`.
//!
//! In the first two, `*` stands for any text. A row without copy (`vmid3`, `me1.pipe0.queue0`) is about all copies. The
//! difference is a word of [`Kind::word`], or [`NOT_COMPARED`].

use anyhow::{bail, Result};

use crate::compare::{Deeds, Difference, Kind};
use crate::names::Register;

/// The difference of rows about registers whose values are each driver's own.
pub const NOT_COMPARED: &str = "not compared";

/// What a row says of its places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// They differ like this.
    Differs(Kind),
    /// They may differ or not.
    NotCompared,
}

/// A row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Line in the file, from 1.
    pub line: usize,
    /// Pattern of the block.
    pub block: String,
    /// Pattern of the register or message.
    pub name: String,
    /// What is said of them.
    pub verdict: Verdict,
    /// Why.
    pub reason: String,
}

/// Reads all tables with these four columns.
pub fn read(text: &str) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (text, line) in text.lines().zip(1..) {
        let Some(cells) = text.trim().strip_prefix('|').and_then(|t| t.strip_suffix('|')) else {
            continue;
        };
        let cells: Vec<_> = cells
            .split('|')
            .map(|cell| cell.trim().trim_matches('`'))
            .collect();
        let [block, name, word, reason] = cells[..] else {
            continue;
        };
        if word == "Difference" || word.starts_with("--") {
            continue;
        }
        let kind = Kind::ALL.into_iter().find(|kind| kind.word() == word);
        let verdict = match kind {
            Some(kind) => Verdict::Differs(kind),
            None if word == NOT_COMPARED => Verdict::NotCompared,
            None => bail!("line {line}: \"{word}\" is no difference"),
        };
        if reason.is_empty() {
            bail!("line {line}: no reason");
        }
        rows.push(Row {
            line,
            block: block.into(),
            name: name.into(),
            verdict,
            reason: reason.into(),
        });
    }
    Ok(rows)
}

impl Row {
    /// Whether the row is about a difference.
    pub fn covers(&self, difference: &Difference) -> bool {
        let same = match self.verdict {
            Verdict::Differs(kind) => kind == difference.kind,
            Verdict::NotCompared => true,
        };
        same && self.names(&difference.at)
    }

    /// Whether the row is about a place.
    fn names(&self, at: &Register) -> bool {
        let copy = format!("{} {}", at.name, at.bank);
        matches(&self.block, &at.block) && (matches(&self.name, &at.name) || matches(&self.name, &copy))
    }

    /// Whether there is still something that the row is about.
    pub fn is_needed(&self, differences: &[Difference], drivers: [&Deeds; 2]) -> bool {
        match self.verdict {
            Verdict::Differs(_) => differences.iter().any(|d| self.covers(d)),
            Verdict::NotCompared => drivers.iter().any(|d| d.places().any(|at| self.names(&at))),
        }
    }
}

/// Whether a text is as a pattern says, in which `*` stands for any text.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((head, tail)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(rest) = text.strip_prefix(head) else {
        return false;
    };
    rest.char_indices()
        .map(|(at, _)| at)
        .chain([rest.len()])
        .any(|at| matches(tail, &rest[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str =
        "# Heading\n\n| Block | Register or message | Difference | Reason |\n|---|---|---|---|\n\
        | GFXHUB | `VM_CONTEXT*_BASE_*` | not compared | its own tables |\n\
        | CP | `CP_HQD_VMID me1.*` | otherwise | why not |\n\n| a | table | of others |\n";

    fn difference(block: &str, name: &str, bank: &str, kind: Kind) -> Difference {
        Difference {
            at: Register {
                block: block.into(),
                name: name.into(),
                bank: bank.into(),
            },
            kind,
            values: (None, None),
        }
    }

    #[test]
    fn rows_cover_by_pattern_and_kind() {
        let rows = read(LIST).unwrap();
        assert_eq!(rows.iter().map(|r| r.line).collect::<Vec<_>>(), [5, 6]);
        let base = difference("GFXHUB", "VM_CONTEXT3_BASE_LO32", "", Kind::Extra);
        assert!(rows[0].covers(&base) && !rows[1].covers(&base));
        let vmid = |bank, kind| rows[1].covers(&difference("CP", "CP_HQD_VMID", bank, kind));
        assert!(vmid("me1.pipe0.queue0", Kind::Otherwise));
        assert!(!vmid("me2.pipe0.queue0", Kind::Otherwise) && !vmid("me1.pipe0.queue0", Kind::Missing));
    }

    #[test]
    fn rows_that_nothing_needs_are_found() {
        let rows = read(LIST).unwrap();
        let mut deeds = Deeds::default();
        let none = Deeds::default();
        assert!(!rows[0].is_needed(&[], [&deeds, &none]));
        let at = difference("GFXHUB", "VM_CONTEXT0_BASE_LO32", "", Kind::Extra).at;
        deeds.registers.insert(at, 0);
        assert!(rows[0].is_needed(&[], [&none, &deeds]));
        assert!(!rows[1].is_needed(
            &[difference("CP", "CP_HQD_VMID", "me2", Kind::Otherwise)],
            [&none, &none]
        ));
    }

    #[test]
    fn a_row_needs_a_known_difference_and_a_reason() {
        assert!(read("| a | b | ours | why |").is_err());
        assert!(read("| a | b | ours only | |").is_err());
    }

    #[test]
    fn stars_stand_for_any_text() {
        for (pattern, text) in [
            ("*", ""),
            ("a*c", "abc"),
            ("a*", "a"),
            ("*b*d", "abcd"),
            ("x", "x"),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("a*c", "ab"), ("", "a"), ("a", "ab"), ("*b", "abc")] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }
}
