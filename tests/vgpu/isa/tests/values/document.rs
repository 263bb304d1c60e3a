// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `docs/isa-coverage.md`: what LLVM knows for gfx90a, what is executed, what is compared.

use super::inventory::{states, State, REFUSED, WITHOUT_VALUES};
use super::known::{images, known, ENCODINGS, LEFT_OUT};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/isa-coverage.md");

const HEAD: &str = "\
# Instruction coverage

Generated from the tests of `tests/vgpu/isa`; do not edit. `make docs` writes it, and a test fails when it is stale.

The columns: instructions that LLVM's disassembler knows for gfx90a, those the virtual GPU executes, and those whose results
the tests compare with a model that shares nothing with the executor (128-bit integers, LLVM's APFloat, host arithmetic, a
plain matrix product for the matrix cores). The others have no value: they wait, hint, or move data between caches. VOP3 has
the instructions without a shorter form; every VOP1, VOP2 and VOPC instruction is tested in that form, too. MUBUF has no
ADDR64 on this generation.

";

const MODELS: &str = "\
## What the models say

- Vector arithmetic follows MODE: one rounding per operation, in every rounding mode, with and without denormals.
- Transcendental functions are within a unit in the last place of the host's; their exact bits are not documented.
- Matrix cores do not follow MODE. Single and double precision are chains of FMAs along k with denormals; half precision and
  bfloat16 lose denormals, add products in groups of four (two) pairwise, and round every step to single precision (source:
  Xie et al., MMA-Sim, arXiv 2511.10909, measured on an MI200). Layouts are compared with plain products whose sums are exact
  in any order, rounding with sums that depend on it.
- Buffers: swizzling, strides, lane numbers, and loads of 0 and dropped stores outside, by the buffer descriptor of the ISA
  document.
- Traps, messages, barriers, halts and sleeps are tests of their own in `tests/vgpu/isa/tests/execute`.

";

fn document() -> String {
    let states = states();
    let mut text = HEAD.to_owned();
    text += "| encoding | LLVM | executed | compared |\n|---|---:|---:|---:|\n";
    let mut total = [0; 3];
    let mut refused: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (encoding, theirs) in ENCODINGS.iter().zip(known()) {
        let mut counts = [theirs.len(), 0, 0];
        for code in theirs.keys() {
            let Some(op) = encoding.row(*code) else { continue };
            match states.get(op.name) {
                Some(State::Compared) => counts = [counts[0], counts[1] + 1, counts[2] + 1],
                Some(State::Empty) => counts[1] += 1,
                Some(State::Refused) => refused.entry(op.name).or_default().push(encoding.name),
                None => {}
            }
        }
        let [llvm, executed, compared] = counts;
        writeln!(text, "| {} | {llvm} | {executed} | {compared} |", encoding.name).unwrap();
        (0..3).for_each(|i| total[i] += counts[i]);
    }
    let [llvm, executed, compared] = total;
    writeln!(
        text,
        "| **all** | **{llvm}** | **{executed}** | **{compared}** |\n"
    )
    .unwrap();
    text += MODELS;
    text += "## Not executed\n\nThe virtual GPU refuses these by name; a wave that meets one stops with an exception.\n\n";
    for (name, why) in REFUSED {
        let encodings = refused.get(name).cloned().unwrap_or_default().join(", ");
        writeln!(text, "- `{name}` ({encodings}): {why}").unwrap();
    }
    for (encoding, name, why) in LEFT_OUT {
        writeln!(text, "- `{name}` ({encoding}): {why}").unwrap();
    }
    text += "\n## Executed, without a value to compare\n\n";
    for (name, why) in WITHOUT_VALUES {
        writeln!(text, "- `{name}`: {why}").unwrap();
    }
    text += "\n## Not compute\n\n\
        - EXP, VINTRP: exports and interpolation need pixel hardware; LLVM does not know them for gfx90a.\n\
        - MIMG: images need the texture unit's tilings and filters, which are not modelled (HIP's linear textures are typed\n\
        \x20 buffers, which are). LLVM has ";
    let images: Vec<String> = images().iter().map(|name| format!("`{name}`")).collect();
    writeln!(text, "{} names: {}.", images.len(), images.join(", ")).unwrap();
    text
}

/// `FERROCK_DOCS=write` writes the file.
#[test]
fn the_document_is_fresh() {
    let text = document();
    if std::env::var("FERROCK_DOCS").is_ok_and(|what| what == "write") {
        let folder = Path::new(FILE).parent().unwrap();
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(FILE, &text).unwrap();
    }
    let file = std::fs::read_to_string(FILE).unwrap_or_default();
    let differs = text.lines().zip(file.lines()).find(|(new, old)| new != old);
    assert!(
        file == text,
        "docs/isa-coverage.md is stale (make docs): {differs:?}"
    );
}
