// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finds the names of registers in the source of the virtual GPU.

use std::path::Path;

use registers::{rust_files, without_comments, Headers};

/// A name that is declared somewhere.
pub(crate) struct Found {
    pub(crate) name: String,
    pub(crate) file: String,
    /// Its offset, if it is a constant of its own that no table repeats.
    pub(crate) constant: Option<u32>,
}

/// Names in tables of offset and name, and constants that have a register's name.
pub(crate) fn in_source(folder: &Path, headers: &Headers) -> Vec<Found> {
    let mut found = Vec::new();
    for (path, text) in rust_files(folder) {
        let file = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
        let names = in_text(&without_comments(&text), |name| {
            headers.find(name).next().is_some()
        });
        found.extend(names.into_iter().map(|(name, constant)| Found {
            name,
            constant,
            file: file.clone(),
        }));
    }
    found
}

fn in_text(text: &str, is_register: impl Fn(&str) -> bool) -> Vec<(String, Option<u32>)> {
    let number = |text: &str| u32::from_str_radix(&text.trim().strip_prefix("0x")?.replace('_', ""), 16).ok();
    // (0x10, "NAME") and Fixed(0x10, "NAME", 0)
    let tables = text.split('(').filter_map(|row| {
        let (offset, rest) = row.split_once(',')?;
        let name = rest.trim_start().strip_prefix('"')?.split('"').next()?;
        number(offset).map(|_| (name.to_owned(), None))
    });
    // NAME = 0x10; in `registers!`, const NAME: u32 = 0x10; elsewhere
    let constants = text.split([';', '{']).filter_map(|statement| {
        let (head, offset) = statement.rsplit_once('=')?;
        let offset = number(offset)?;
        let constant = head.contains("const ").then_some(offset);
        let name = head.split(':').next()?.split_whitespace().next_back()?;
        is_register(name).then(|| (name.to_owned(), constant))
    });
    tables.chain(constants).collect()
}

#[test]
fn tables_and_constants_are_found() {
    let text = "const T: &[(u32, &str)] = &[(0x8_000, \"A\")];\nFixed(0x10, \"B\", 0),\nregisters! { C = 0x14; E = 0x18; }\n\
                pub const D: u32 = 0x3_f; const F: u32 = 0x2; match_it(\"G\", 0)";
    let names = in_text(text, |name| !["E", "F"].contains(&name));
    let expected = [("A", None), ("B", None), ("C", None), ("D", Some(0x3f))];
    assert_eq!(names, expected.map(|(name, at)| (name.to_owned(), at)));
}
