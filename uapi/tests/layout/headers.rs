// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finds the names a C header defines. It understands just enough C for the headers it is used on.

use std::path::Path;

/// What a header defines.
pub(crate) struct Header {
    /// Tags of structs.
    pub(crate) structs: Vec<String>,
    /// Macros with a value, function-like macros, enumerators.
    pub(crate) numbers: Vec<String>,
}

impl Header {
    /// Reads a file.
    pub(crate) fn read(path: &Path) -> Self {
        let text = without_comments(&read(path)).replace("\\\n", " ");
        let numbers = text
            .lines()
            .filter_map(macro_name)
            .chain(enumerators(&text))
            .map(str::to_owned)
            .collect();
        let header = Self {
            structs: struct_tags(&text),
            numbers,
        };
        assert!(
            !header.numbers.is_empty(),
            "no definitions found in {}",
            path.display()
        );
        header
    }
}

/// The text of a file.
pub(crate) fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("/*") {
        out.push_str(&rest[..start]);
        let end = rest[start..].find("*/").expect("comment ends") + start + 2;
        rest = &rest[end..];
    }
    out + rest
}

/// The name in `#define NAME value`; include guards have no value.
fn macro_name(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("#define")?.trim();
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    Some(&rest[..end])
}

/// Names in all `enum { A, B = 1 }`.
fn enumerators(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for part in text.split("enum ").skip(1) {
        let (Some(open), semicolon) = (part.find('{'), part.find(';').unwrap_or(part.len())) else {
            continue;
        };
        if open > semicolon {
            continue;
        }
        let body = &part[open + 1..part.find('}').expect("enum ends")];
        names.extend(
            body.split(',')
                .filter_map(|e| e.split('=').next())
                .map(str::trim)
                .filter(|n| !n.is_empty()),
        );
    }
    names
}

/// Tags of all `struct tag {`.
fn struct_tags(text: &str) -> Vec<String> {
    text.split("struct ")
        .skip(1)
        .filter_map(|part| part.split_once('{').map(|(tag, _)| tag.trim()))
        .filter(|tag| !tag.is_empty() && tag.chars().all(|c| c.is_alphanumeric() || c == '_'))
        .map(str::to_owned)
        .collect()
}

/// Property names a function of kfd_topology.c prints, in order.
pub(crate) fn property_names(source: &str, function: &str) -> Vec<String> {
    let start = source
        .find(&format!("ssize_t {function}("))
        .unwrap_or_else(|| panic!("no function {function}"));
    let body = &source[start..];
    let body = &body[..body.find("\n}\n").expect("function ends")];
    body.split(['"'])
        .collect::<Vec<_>>()
        .windows(2)
        .filter(|w| w[0].ends_with("offs, ") || w[1] == "sibling_map ")
        .map(|w| w[1].trim().to_owned())
        .filter(|name| !name.contains('%'))
        .collect()
}
