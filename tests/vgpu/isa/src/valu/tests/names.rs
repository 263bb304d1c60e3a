// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The lists against the tables: nothing is missing, nothing is superfluous.

use crate::table::{Enc, Kind, TABLES};
use crate::valu::{find, OPS};
use std::collections::{BTreeSet, HashSet};

/// Run with `--nocapture` for the numbers of each encoding.
#[test]
fn every_instruction_has_an_executor() {
    let mut missing = Vec::new();
    let mut rows = HashSet::new();
    for (enc, table) in TABLES {
        let valu = table.iter().filter(|op| matches!(op.kind, Kind::Valu));
        let names: BTreeSet<&str> = valu.map(|op| op.name).collect();
        if names.is_empty() {
            continue;
        }
        assert!(matches!(
            enc,
            Enc::Vop1 | Enc::Vop2 | Enc::Vopc | Enc::Vop3 | Enc::Vop3p
        ));
        let done = names.iter().filter(|name| find(name).is_some()).count();
        println!("{enc:?}: {done} of {} instructions", names.len());
        missing.extend(names.iter().filter(|name| find(name).is_none()).copied());
        rows.extend(names);
    }
    assert!(missing.is_empty(), "without executor: {missing:?}");
    let listed = OPS.iter().flat_map(|list| list.iter()).map(|(name, _)| *name);
    let unknown: Vec<_> = listed.filter(|name| !rows.contains(name)).collect();
    assert!(unknown.is_empty(), "in no table: {unknown:?}");
}

#[test]
fn names_are_unique() {
    let mut seen = HashSet::new();
    for (name, _) in OPS.iter().flat_map(|list| list.iter()) {
        assert!(seen.insert(*name), "{name} appears twice");
    }
}
