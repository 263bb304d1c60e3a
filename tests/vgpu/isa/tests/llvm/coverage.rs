// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every opcode number: what LLVM knows for gfx90a, the tables must have.

use super::known::{known, ENCODINGS, LEFT_OUT};

/// Run with `--nocapture` for the numbers of each encoding.
#[test]
fn coverage() {
    let mut missing = Vec::new();
    for (encoding, theirs) in ENCODINGS.iter().zip(known()) {
        let ours: Vec<u32> = encoding
            .codes
            .clone()
            .filter(|code| encoding.row(*code).is_some())
            .collect();
        println!("{:9} {:4} of {:4}", encoding.name, ours.len(), theirs.len());
        // otherwise the tries would not find what is missing, either
        let unseen: Vec<&u32> = ours.iter().filter(|code| !theirs.contains_key(code)).collect();
        assert!(
            unseen.is_empty(),
            "{}: LLVM takes no word of {unseen:#x?}",
            encoding.name
        );
        for (code, mnemonic) in theirs.iter().filter(|(code, _)| !ours.contains(code)) {
            let left_out = LEFT_OUT
                .iter()
                .any(|(name, left, _)| *name == encoding.name && left == mnemonic);
            if left_out {
                continue;
            }
            missing.push(format!("{} {code:#x} {mnemonic}", encoding.name));
        }
    }
    assert!(missing.is_empty(), "not in the tables: {missing:#?}");
}
