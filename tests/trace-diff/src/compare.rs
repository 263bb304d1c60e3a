// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What differs.

use std::collections::BTreeMap;

use registers::Headers;

use crate::names::{Names, Register};
use crate::read::{Event, Line};

/// How two drivers differ in a register, message or packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Only the reference does it.
    Missing,
    /// Both do it, with another value.
    Otherwise,
    /// Both do it, in another order.
    Order,
    /// Only the driver that is compared does it.
    Extra,
}

impl Kind {
    /// All kinds, in the order they are printed in.
    pub const ALL: [Self; 4] = [Self::Missing, Self::Otherwise, Self::Order, Self::Extra];

    /// The word for it in the list of differences.
    pub fn word(self) -> &'static str {
        match self {
            Self::Missing => "C driver only",
            Self::Otherwise => "otherwise",
            Self::Order => "order",
            Self::Extra => "ours only",
        }
    }
}

/// A difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where: a block and a register, or a kind of message and the message.
    pub at: Register,
    /// How.
    pub kind: Kind,
    /// The values written last, by the reference and by the driver that is compared. None for messages.
    pub values: (Option<u32>, Option<u32>),
}

/// What a driver did.
#[derive(Debug, Default)]
pub struct Deeds {
    /// The value written last, by register.
    pub registers: BTreeMap<Register, u32>,
    /// Messages and packets by their kind, each once, in the order they came first.
    pub streams: BTreeMap<String, Vec<String>>,
}

impl Deeds {
    /// What the lines of a trace say.
    pub fn of(lines: &[Line], headers: &Headers) -> Self {
        let mut names = Names::new(headers);
        let mut deeds = Self::default();
        for line in lines {
            match line {
                Line::Access(access) => {
                    let register = names.register(access);
                    if let Some(register) = register.filter(|_| access.write) {
                        deeds.registers.insert(register, access.value);
                    }
                }
                Line::Event(event) => {
                    if let Some((stream, what)) = stream(event) {
                        let stream = deeds.streams.entry(stream).or_default();
                        if !stream.contains(&what) {
                            stream.push(what);
                        }
                    }
                }
            }
        }
        deeds
    }

    /// Everything a row of the list may be about.
    pub fn places(&self) -> impl Iterator<Item = Register> + '_ {
        let messages = self
            .streams
            .iter()
            .flat_map(|(stream, all)| all.iter().map(|what| message(stream, what)));
        self.registers.keys().cloned().chain(messages)
    }
}

fn message(stream: &str, what: &str) -> Register {
    Register {
        block: stream.into(),
        name: what.into(),
        bank: String::new(),
    }
}

/// The kind of an event, and the event; `None` for what is not compared.
fn stream(event: &Event) -> Option<(String, String)> {
    let (first, rest) = event.what.split_once(' ').unwrap_or((&event.what, ""));
    let (block, what) = match (event.who.as_str(), first) {
        ("SMU", "message") => ("SMU messages".into(), rest),
        ("PSP", "boot") => ("PSP bootloader".into(), rest),
        ("PSP", "mailbox") => ("PSP mailbox".into(), rest),
        ("PSP", "command") => ("PSP commands".into(), rest),
        ("CP", "packet") => {
            let (queue, packet) = rest.split_once(' ')?;
            let block = match queue {
                "list" => "run list".into(),
                "ring" => "compute ring packets".into(),
                queue => format!("{queue} packets"),
            };
            (block, packet)
        }
        // which engine it is, is a matter of load
        (_, "packet") => ("SDMA packets".into(), rest.strip_prefix("ring ")?),
        ("IH", "iv") => ("interrupts".into(), rest),
        _ => return None,
    };
    Some((block, what.into()))
}

/// Kinds of messages whose order is part of what the card's firmware expects.
const HANDSHAKES: &[&str] = &[
    "PSP bootloader",
    "PSP mailbox",
    "PSP commands",
    "SMU messages",
    "KIQ packets",
];

/// What `ours` does otherwise than `reference`, by block.
pub fn compare(reference: &Deeds, ours: &Deeds) -> Vec<Difference> {
    let mut differences = registers(reference, ours);
    let none = Vec::new();
    let streams = reference.streams.keys().chain(ours.streams.keys());
    let mut streams: Vec<_> = streams.collect();
    streams.sort();
    streams.dedup();
    for stream in streams {
        let all = |deeds: &'_ Deeds| deeds.streams.get(stream).unwrap_or(&none).clone();
        let (theirs, mine) = (all(reference), all(ours));
        let mut add = |what: &str, kind| {
            differences.push(Difference {
                at: message(stream, what),
                kind,
                values: (None, None),
            });
        };
        theirs
            .iter()
            .filter(|w| !mine.contains(w))
            .for_each(|w| add(w, Kind::Missing));
        mine.iter()
            .filter(|w| !theirs.contains(w))
            .for_each(|w| add(w, Kind::Extra));
        if HANDSHAKES.contains(&stream.as_str()) {
            moved(&theirs, &mine)
                .into_iter()
                .for_each(|w| add(w, Kind::Order));
        }
    }
    differences
}

fn registers(reference: &Deeds, ours: &Deeds) -> Vec<Difference> {
    let (theirs, mine) = (&reference.registers, &ours.registers);
    let mut all: Vec<_> = theirs.keys().chain(mine.keys()).collect();
    all.sort();
    all.dedup();
    let difference = |at: &Register| {
        let values = (theirs.get(at).copied(), mine.get(at).copied());
        let kind = match values {
            (Some(theirs), Some(mine)) if theirs == mine => return None,
            (Some(_), Some(_)) => Kind::Otherwise,
            (Some(_), None) => Kind::Missing,
            (None, _) => Kind::Extra,
        };
        Some(Difference {
            at: at.clone(),
            kind,
            values,
        })
    };
    all.into_iter().filter_map(difference).collect()
}

/// The fewest of those in both that have to be moved to make the order the same.
fn moved<'a>(theirs: &[String], mine: &'a [String]) -> Vec<&'a str> {
    let common: Vec<(&str, usize)> = mine
        .iter()
        .filter_map(|what| Some((what.as_str(), theirs.iter().position(|w| w == what)?)))
        .collect();
    // the longest ascending sequence that ends at each place, and what comes before in it
    let mut best: Vec<(usize, Option<usize>)> = Vec::new();
    for (n, (_, at)) in common.iter().enumerate() {
        let before = (0..n).filter(|p| common[*p].1 < *at).max_by_key(|p| best[*p].0);
        best.push((before.map_or(1, |p| best[p].0 + 1), before));
    }
    let mut kept = vec![false; common.len()];
    let mut at = (0..common.len()).max_by_key(|n| best[*n].0);
    while let Some(n) = at {
        kept[n] = true;
        at = best[n].1;
    }
    common
        .iter()
        .zip(kept)
        .filter(|(_, kept)| !kept)
        .map(|((what, _), _)| *what)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deeds(registers: &[(&str, u32)], messages: &[&str]) -> Deeds {
        let register = |(name, value): &(&str, u32)| {
            let at = Register {
                block: "GC".into(),
                name: (*name).into(),
                bank: String::new(),
            };
            (at, *value)
        };
        Deeds {
            registers: registers.iter().map(register).collect(),
            streams: [(
                "SMU messages".into(),
                messages.iter().map(|m| (*m).into()).collect(),
            )]
            .into(),
        }
    }

    fn found(reference: &Deeds, ours: &Deeds) -> Vec<(String, Kind)> {
        compare(reference, ours)
            .into_iter()
            .map(|d| (d.at.name, d.kind))
            .collect()
    }

    #[test]
    fn registers_are_compared_by_their_last_value() {
        let (c, ours) = (
            deeds(&[("A", 1), ("B", 2), ("C", 3)], &[]),
            deeds(&[("B", 2), ("C", 4), ("D", 5)], &[]),
        );
        assert_eq!(
            found(&c, &ours),
            [
                ("A".into(), Kind::Missing),
                ("C".into(), Kind::Otherwise),
                ("D".into(), Kind::Extra)
            ]
        );
        assert!(found(&c, &c).is_empty());
    }

    #[test]
    fn messages_are_compared_as_a_set_and_by_order() {
        let c = deeds(&[], &["a", "b", "c", "d"]);
        assert_eq!(
            found(&c, &deeds(&[], &["a", "c", "d", "e"])),
            [("b".into(), Kind::Missing), ("e".into(), Kind::Extra)]
        );
        assert_eq!(
            found(&c, &deeds(&[], &["b", "c", "a", "d"])),
            [("a".into(), Kind::Order)]
        );
    }

    #[test]
    fn events_have_kinds() {
        let kind = |who: &str, what: &str| {
            stream(&Event {
                who: who.into(),
                what: what.into(),
            })
        };
        let some = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
        assert_eq!(
            kind("CP", "packet KIQ MAP_QUEUES slot=any"),
            some("KIQ packets", "MAP_QUEUES slot=any")
        );
        assert_eq!(kind("SDMA3", "packet ring FENCE"), some("SDMA packets", "FENCE"));
        assert_eq!(
            kind("PSP", "boot SecureOs -> 0x80000000"),
            some("PSP bootloader", "SecureOs -> 0x80000000")
        );
        assert_eq!(kind("IH", "msi"), None);
    }
}
