// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Rust sources as text, to find declarations without compiling them.

use std::path::{Path, PathBuf};

/// All Rust files below a folder and their texts, in a fixed order. Panics if they cannot be read.
pub fn rust_files(folder: &Path) -> Vec<(PathBuf, String)> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("a folder entry").path())
        .collect();
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            files.push((path, text));
        }
    }
    files
}

/// The text without its line comments.
pub fn without_comments(text: &str) -> String {
    let code = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    text.lines().map(code).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_go_and_code_stays() {
        assert_eq!(
            without_comments("//! a(b) @ 1\nc; /// d\n  // e\nf"),
            "\nc; \n  \nf"
        );
    }

    #[test]
    fn this_file_is_found() {
        let files = rust_files(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")));
        assert!(files.iter().any(|(path, _)| path.ends_with("source.rs")));
    }
}
