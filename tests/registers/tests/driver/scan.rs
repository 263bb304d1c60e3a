// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finds declarations of registers in source text, whatever macro they are in.

use std::collections::BTreeSet;
use std::path::Path;

use registers::{rust_files, without_comments};

/// The registers (`NAME`) and fields (`NAME.field`) declared in a folder.
pub(crate) fn declarations(folder: &Path) -> BTreeSet<String> {
    let files = rust_files(folder);
    files
        .iter()
        .flat_map(|(_, text)| in_text(&without_comments(text)))
        .collect()
}

/// A register is `NAME(u32)` and `@`, a field `high:low name` after a register.
fn in_text(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut register = None;
    for part in text.split(['{', '}', ';']) {
        if let Some(name) = register_name(part) {
            found.push(name.to_owned());
            register = Some(name);
        } else if let (Some(register), Some(field)) = (register, field_name(part)) {
            found.push(format!("{register}.{field}"));
        }
    }
    found
}

fn register_name(part: &str) -> Option<&str> {
    let (head, _) = part.split_once('@')?;
    let (head, _) = ["(u8)", "(u16)", "(u32)", "(u64)"]
        .iter()
        .find_map(|storage| head.split_once(storage))?;
    head.rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .next()
}

fn field_name(part: &str) -> Option<&str> {
    let mut words = part.split_whitespace();
    let (high, low) = words.next()?.split_once(':')?;
    let number = |text: &str| text.parse::<u32>().is_ok();
    words.next().filter(|_| number(high) && number(low))
}

#[test]
fn registers_and_fields_are_found() {
    let text = "use x; register! {\n pub(super) A(u32) @ 0x10 { 31:4 b; 0:0 c => bool; }\n\
                D(u32)[16, stride = 4] @ Base + 0x20 { 3:0 e; } }\nmatch v { f @ 1..=2 => {} }";
    assert_eq!(in_text(text), ["A", "A.b", "A.c", "D", "D.e"]);
}
