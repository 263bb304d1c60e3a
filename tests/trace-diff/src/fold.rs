// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Folding differences that repeat for every VMID, shader engine, queue or engine into one line.

use crate::compare::Difference;
use crate::names::Register;

/// Differences that are the same but for numbers in their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Their place, with `{1..15}` for numbers that vary.
    pub at: Register,
    /// All of them.
    pub members: Vec<Difference>,
}

/// Groups differences, in the order of the first of each group.
pub fn fold(differences: Vec<Difference>) -> Vec<Group> {
    let mut groups: Vec<(Vec<String>, Group)> = Vec::new();
    for difference in differences {
        let skeleton = skeleton(&text(&difference.at)).0;
        let same = |(other, group): &&mut (Vec<String>, Group)| {
            let first = group.members.first();
            *other == skeleton
                && first.is_some_and(|d| d.kind == difference.kind && d.values == difference.values)
        };
        match groups.iter_mut().find(same) {
            Some((_, group)) => group.members.push(difference),
            None => {
                let at = difference.at.clone();
                let members = vec![difference];
                groups.push((skeleton, Group { at, members }));
            }
        }
    }
    groups.into_iter().map(|(_, group)| named(group)).collect()
}

/// Block, name and bank in one, with a character between that none of them has.
fn text(at: &Register) -> String {
    format!("{}\t{}\t{}", at.block, at.name, at.bank)
}

/// The text between numbers, and the numbers. Hexadecimal ones are text.
fn skeleton(text: &str) -> (Vec<String>, Vec<u64>) {
    let mut between = vec![String::new()];
    let mut numbers = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let hex = rest.starts_with("0x");
        let taken = match (hex, digits) {
            (true, _) => {
                2 + rest[2..]
                    .find(|c: char| !c.is_ascii_hexdigit())
                    .unwrap_or(rest.len() - 2)
            }
            (false, 0) => c.len_utf8(),
            (false, digits) => digits,
        };
        let (part, after) = rest.split_at(taken);
        match part.parse() {
            Ok(number) if !hex && digits > 0 => {
                numbers.push(number);
                between.push(String::new());
            }
            _ => between.last_mut().expect("there is a first").push_str(part),
        }
        rest = after;
    }
    (between, numbers)
}

/// Gives a group the name of all its members.
fn named(mut group: Group) -> Group {
    let all: Vec<Vec<u64>> = group.members.iter().map(|d| skeleton(&text(&d.at)).1).collect();
    let (between, first) = skeleton(&text(&group.at));
    let mut name = String::new();
    for (n, part) in between.iter().enumerate() {
        name.push_str(part);
        if n < first.len() {
            name.push_str(&ranges(
                all.iter().filter_map(|numbers| numbers.get(n).copied()).collect(),
            ));
        }
    }
    let mut parts = name.split('\t').map(str::to_owned);
    let mut next = || parts.next().unwrap_or_default();
    group.at = Register {
        block: next(),
        name: next(),
        bank: next(),
    };
    group
}

/// `3`, or `{0..4,7}` for several.
fn ranges(mut numbers: Vec<u64>) -> String {
    numbers.sort_unstable();
    numbers.dedup();
    let mut spans: Vec<(u64, u64)> = Vec::new();
    for n in numbers {
        match spans.last_mut() {
            Some((_, last)) if *last + 1 == n => *last = n,
            _ => spans.push((n, n)),
        }
    }
    let texts: Vec<_> = spans
        .iter()
        .map(|(first, last)| match first == last {
            true => first.to_string(),
            false => format!("{first}..{last}"),
        })
        .collect();
    match spans[..] {
        [(first, last)] if first == last => texts.concat(),
        _ => format!("{{{}}}", texts.join(",")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Kind;

    fn difference(block: &str, name: &str, bank: &str, value: u32) -> Difference {
        Difference {
            at: Register {
                block: block.into(),
                name: name.into(),
                bank: bank.into(),
            },
            kind: Kind::Missing,
            values: (Some(value), None),
        }
    }

    fn names(differences: Vec<Difference>) -> Vec<String> {
        let name = |g: Group| format!("{} {} {} ({})", g.at.block, g.at.name, g.at.bank, g.members.len());
        fold(differences).into_iter().map(name).collect()
    }

    #[test]
    fn what_differs_in_numbers_only_is_one() {
        let context = |n: u32, value| difference("GFXHUB", &format!("VM_CONTEXT{n}_BASE_LO32"), "", value);
        assert_eq!(
            names(vec![context(1, 7), context(2, 7), context(3, 8), context(5, 7)]),
            [
                "GFXHUB VM_CONTEXT{1..2,5}_BASE_LO32  (3)",
                "GFXHUB VM_CONTEXT3_BASE_LO32  (1)"
            ]
        );
    }

    #[test]
    fn banks_and_blocks_fold_as_well() {
        let all = (0..3).map(|n| difference("GRBM", "SH_MEM_CONFIG", &format!("vmid{n}"), 1));
        assert_eq!(names(all.collect()), ["GRBM SH_MEM_CONFIG vmid{0..2} (3)"]);
        let all = (0..2).map(|n| difference(&format!("SDMA{n} packets"), "FENCE", "", 0));
        assert_eq!(names(all.collect()), ["SDMA{0..1} packets FENCE  (2)"]);
    }

    #[test]
    fn arguments_do_not_fold() {
        let all = [1, 2].map(|n| difference("SMU messages", &format!("Set {n:#x}"), "", 0));
        assert_eq!(names(all.into()).len(), 2);
    }
}
