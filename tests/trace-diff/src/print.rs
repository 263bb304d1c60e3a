// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The differences for people: by block, values with their fields.

use std::collections::BTreeMap;
use std::fmt::Write;

use registers::{Headers, Mask};

use crate::compare::{Difference, Kind};
use crate::fold::{fold, Group};
use crate::list::{Row, Verdict};

/// Fields shown of a value.
const SHOWN: usize = 12;

/// The text. Of differences that are listed, the line of the list is named; others are marked. What is not compared is
/// left out.
pub fn print(differences: &[Difference], rows: &[Row], headers: &Headers) -> String {
    let mut blocks: BTreeMap<String, Vec<Group>> = BTreeMap::new();
    let is_own = |d: &&Difference| {
        rows.iter()
            .any(|row| row.verdict == Verdict::NotCompared && row.covers(d))
    };
    let compared = differences.iter().filter(|d| !is_own(d)).cloned();
    for group in fold(compared.collect()) {
        blocks.entry(group.at.block.clone()).or_default().push(group);
    }
    let mut out = String::new();
    for (block, groups) in blocks {
        let _ = writeln!(out, "{block}");
        for kind in Kind::ALL {
            let of_kind = groups.iter().filter(|g| g.members.iter().any(|d| d.kind == kind));
            for (n, group) in of_kind.enumerate() {
                if n == 0 {
                    let _ = writeln!(out, "  {}", kind.word());
                }
                let _ = writeln!(out, "    {}", line(group, rows, headers));
            }
        }
    }
    out
}

fn line(group: &Group, rows: &[Row], headers: &Headers) -> String {
    let mut text = format!("{} {}", group.at.name, group.at.bank)
        .trim_end()
        .to_owned();
    let Some(first) = group.members.first() else {
        return text;
    };
    // the fields of one are those of all
    let fields = fields(headers, &first.at.name);
    let _ = match first.values {
        (Some(c), Some(ours)) => {
            let differ: Vec<_> = fields
                .iter()
                .filter(|(_, m)| c & m.0 != ours & m.0)
                .cloned()
                .collect();
            write!(text, " C: {}, ours: {}", value(c, &differ), value(ours, &differ))
        }
        (Some(v), None) | (None, Some(v)) => write!(text, " = {}", value(v, &fields)),
        (None, None) => Ok(()),
    };
    let listed = |d: &Difference| rows.iter().find(|row| row.covers(d));
    let unlisted = group.members.iter().filter(|d| listed(d).is_none()).count();
    let _ = match (unlisted, listed(first)) {
        (0, Some(row)) => write!(text, "  (line {}: {})", row.line, row.reason),
        (n, _) if n == group.members.len() => write!(text, "  NOT LISTED"),
        (n, _) => write!(text, "  {n} of {} NOT LISTED", group.members.len()),
    };
    text
}

/// The fields of a register, lowest first.
fn fields(headers: &Headers, register: &str) -> Vec<(String, Mask)> {
    let mut found = headers.find(register);
    let mut fields = found
        .next()
        .map_or_else(Vec::new, |(block, _)| block.fields(register));
    fields.sort_by_key(|(name, mask)| (mask.0.trailing_zeros(), name.clone()));
    fields
}

/// A value with its fields: those that are 0 are left out, unless few are asked for.
fn value(value: u32, fields: &[(String, Mask)]) -> String {
    let all = fields.len() <= 3;
    let texts: Vec<_> = fields
        .iter()
        .filter(|(_, mask)| mask.0 != u32::MAX && (all || value & mask.0 != 0))
        .map(|(name, mask)| format!("{name} {:#x}", (value & mask.0) >> mask.0.trailing_zeros()))
        .collect();
    let more = if texts.len() > SHOWN { ", ..." } else { "" };
    let shown = texts.get(..SHOWN).unwrap_or(&texts).join(", ");
    match shown.is_empty() {
        true => format!("{value:#x}"),
        false => format!("{value:#x} ({shown}{more})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_show_the_fields_that_matter() {
        let fields: Vec<_> = (0..4)
            .map(|n| (format!("F{n}"), Mask::of(8 * n + 7, 8 * n).unwrap()))
            .collect();
        assert_eq!(value(0x0002_0100, &fields), "0x20100 (F1 0x1, F2 0x2)");
        assert_eq!(value(0x0002_0100, &fields[..1]), "0x20100 (F0 0x0)");
        assert_eq!(value(7, &[]), "0x7");
        assert_eq!(value(7, &[("ALL".into(), Mask(u32::MAX))]), "0x7");
    }
}
