// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every opcode number: what LLVM knows for gfx90a, the tables must have.

use super::mc;
use super::words::{forms_of, Form, Random};
use std::collections::BTreeSet;
use std::ops::Range;
use vgpu_isa::table::flags::{FLAT, GLOBAL, MTBUF, MUBUF, SCRATCH};
use vgpu_isa::table::{find, Enc};

/// Name, encoding, form, and the numbers that the opcode field can hold without being another encoding.
#[rustfmt::skip]
const ENCODINGS: &[(&str, Enc, u32, Range<u32>)] = &[
    ("SOP1", Enc::Sop1, 0, 0..256), ("SOP2", Enc::Sop2, 0, 0..96), ("SOPK", Enc::Sopk, 0, 0..29),
    ("SOPC", Enc::Sopc, 0, 0..128), ("SOPP", Enc::Sopp, 0, 0..128), ("SMEM", Enc::Smem, 0, 0..256),
    ("VOP1", Enc::Vop1, 0, 0..128), ("VOP2", Enc::Vop2, 0, 0..62), ("VOPC", Enc::Vopc, 0, 0..256),
    ("VOP3", Enc::Vop3, 0, 0x1c0..0x380), ("VOP3P", Enc::Vop3p, 0, 0..128), ("DS", Enc::Ds, 0, 0..256),
    ("FLAT", Enc::Mem, FLAT, 0..128), ("GLOBAL", Enc::Mem, GLOBAL, 0..128), ("SCRATCH", Enc::Mem, SCRATCH, 0..128),
    ("MUBUF", Enc::Mem, MUBUF, 0..128), ("MTBUF", Enc::Mem, MTBUF, 0..16),
];

/// What LLVM knows and the tables do not have, and why.
const LEFT_OUT: &[(&str, &str)] = &[(
    "buffer_store_lds_dword",
    "stores from LDS without registers; compilers never emit it, and the decoder refuses it by name",
)];

/// Random words that are tried per number and form, after the usual ones.
const TRIES: usize = 12;

/// Words that suit most instructions: VGPR sources; one to three of them in VOP3 and VOP3P, or the constant 0 as the third; the
/// bit GDS of DS, LDS of MUBUF.
fn usual(enc: Enc, form: &Form) -> Vec<Vec<u32>> {
    let [w, x] = form.base;
    let (a, b, c) = (256, 258 << 9, 260 << 18);
    match enc {
        Enc::Vop3 | Enc::Vop3p => [a, a | b, a | b | c, a | b | 128 << 18]
            .map(|sources| vec![w | 64, x | sources])
            .to_vec(),
        Enc::Vop1 => vec![vec![w, x], vec![w | a, x]],
        Enc::Ds | Enc::Mem => vec![vec![w, x], vec![w | 1 << 16, x]],
        _ => vec![vec![w, x]],
    }
}

/// Run with `--nocapture` for the numbers of each encoding.
#[test]
fn coverage() {
    let mut random = Random(7);
    let (mut items, mut of) = (Vec::new(), Vec::new());
    for (i, (_, enc, flags, codes)) in ENCODINGS.iter().enumerate() {
        for code in codes.clone() {
            for form in forms_of(*enc, code, *flags) {
                let tried = usual(*enc, &form);
                of.extend((0..tried.len() + TRIES).map(|_| (i, code)));
                items.extend(tried);
                items.extend((0..TRIES).map(|_| form.sample(&mut random)));
            }
        }
    }
    let mut theirs = vec![BTreeSet::new(); ENCODINGS.len()];
    let mut missing = BTreeSet::new();
    for ((i, code), line) in of.into_iter().zip(mc::disassemble(&items)) {
        let Some(line) = line.filter(|line| !line.doubtful) else {
            continue;
        };
        let (name, enc, flags, _) = &ENCODINGS[i];
        theirs[i].insert(code);
        let known = find(*enc, code).is_some_and(|op| op.has(*flags));
        let mnemonic = line.text.split(' ').next().unwrap_or_default().to_owned();
        if !known && !LEFT_OUT.iter().any(|(left, _)| *left == mnemonic) {
            missing.insert(format!("{name} {code:#x} {mnemonic}"));
        }
    }
    for ((name, enc, flags, codes), theirs) in ENCODINGS.iter().zip(&theirs) {
        let ours: BTreeSet<u32> = codes
            .clone()
            .filter(|code| find(*enc, *code).is_some_and(|op| op.has(*flags)))
            .collect();
        println!("{name:8} {:4} of {:4}", ours.len(), theirs.len());
        // otherwise the tries would not find what is missing, either
        let unseen: Vec<&u32> = ours.difference(theirs).collect();
        assert!(unseen.is_empty(), "{name}: LLVM takes no word of {unseen:#x?}");
    }
    assert!(missing.is_empty(), "not in the tables: {missing:#?}");
}
