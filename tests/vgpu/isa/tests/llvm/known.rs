// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What LLVM knows for gfx90a, by trying every opcode number of every encoding.

use super::mc;
use super::words::{forms_of, Form, Random};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use vgpu_isa::table::flags::{Flags, DPP, FLAT, GLOBAL, MTBUF, MUBUF, NONE, SCRATCH, SDWA};
use vgpu_isa::table::{find, Enc, Op};

/// A set of instructions.
pub(crate) struct Encoding {
    /// Name.
    pub(crate) name: &'static str,
    /// Where the tables keep it.
    pub(crate) enc: Enc,
    /// The form that a row must have.
    pub(crate) form: Flags,
    /// Numbers that the opcode field can hold without being another encoding.
    pub(crate) codes: Range<u32>,
}

impl Encoding {
    const fn new(name: &'static str, enc: Enc, form: Flags, codes: Range<u32>) -> Self {
        Self {
            name,
            enc,
            form,
            codes,
        }
    }

    /// The row with number `code`.
    pub(crate) fn row(&self, code: u32) -> Option<&'static Op> {
        find(self.enc, code).filter(|op| op.has(self.form))
    }

    /// The forms of number `code` that belong here.
    fn forms(&self, code: u32) -> Vec<Form> {
        let mut forms = forms_of(self.enc, code, self.form);
        match self.form {
            SDWA => forms.retain(|form| form.base[0] & 0x1ff == 249),
            DPP => forms.retain(|form| form.base[0] & 0x1ff == 250),
            _ => {}
        }
        forms
    }
}

/// All of them.
#[rustfmt::skip]
pub(crate) const ENCODINGS: &[Encoding] = &[
    Encoding::new("SOP1", Enc::Sop1, NONE, 0..256), Encoding::new("SOP2", Enc::Sop2, NONE, 0..96),
    Encoding::new("SOPK", Enc::Sopk, NONE, 0..29), Encoding::new("SOPC", Enc::Sopc, NONE, 0..128),
    Encoding::new("SOPP", Enc::Sopp, NONE, 0..128), Encoding::new("SMEM", Enc::Smem, NONE, 0..256),
    Encoding::new("VOP1", Enc::Vop1, NONE, 0..128), Encoding::new("VOP1 SDWA", Enc::Vop1, SDWA, 0..128),
    Encoding::new("VOP1 DPP", Enc::Vop1, DPP, 0..128),
    Encoding::new("VOP2", Enc::Vop2, NONE, 0..62), Encoding::new("VOP2 SDWA", Enc::Vop2, SDWA, 0..62),
    Encoding::new("VOP2 DPP", Enc::Vop2, DPP, 0..62),
    Encoding::new("VOPC", Enc::Vopc, NONE, 0..256), Encoding::new("VOPC SDWA", Enc::Vopc, SDWA, 0..256),
    Encoding::new("VOP3", Enc::Vop3, NONE, 0x1c0..0x380), Encoding::new("VOP3P", Enc::Vop3p, NONE, 0..128),
    Encoding::new("DS", Enc::Ds, NONE, 0..256),
    Encoding::new("FLAT", Enc::Mem, FLAT, 0..128), Encoding::new("GLOBAL", Enc::Mem, GLOBAL, 0..128),
    Encoding::new("SCRATCH", Enc::Mem, SCRATCH, 0..128),
    Encoding::new("MUBUF", Enc::Mem, MUBUF, 0..128), Encoding::new("MTBUF", Enc::Mem, MTBUF, 0..16),
];

/// What LLVM knows and the tables do not have (encoding, mnemonic), and why.
pub(crate) const LEFT_OUT: &[(&str, &str, &str)] = &[
    ("VOP1 SDWA", "v_nop", NOTHING),
    ("VOP1 SDWA", "v_clrexcp", NOTHING),
    ("VOP1 DPP", "v_nop", NOTHING),
    ("VOP1 DPP", "v_clrexcp", NOTHING),
];

const NOTHING: &str = "no operands that could vary; compilers never emit the form";

/// Random words that are tried per number and form, after the usual ones.
const TRIES: usize = 12;

/// Whole dwords with SDWA; a permutation or a broadcast with DPP. At random there would be selectors that end LLVM's printer.
fn variations(form: Flags, words: [u32; 2]) -> Vec<Vec<u32>> {
    let [w, x] = words;
    match form {
        SDWA => [0x0606_0600, 0x0006_0600, 0x0606_0000]
            .map(|select| vec![w, x | select])
            .to_vec(),
        _ => vec![vec![w, x | 0xff00_e400], vec![w, x | 0xff01_5000]],
    }
}

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

/// The mnemonics by number, for each of [`ENCODINGS`].
pub(crate) fn known() -> Vec<BTreeMap<u32, String>> {
    let mut random = Random(7);
    let (mut items, mut of) = (Vec::new(), Vec::new());
    for (i, encoding) in ENCODINGS.iter().enumerate() {
        for code in encoding.codes.clone() {
            for form in encoding.forms(code) {
                if matches!(encoding.form, SDWA | DPP) {
                    let tried = variations(encoding.form, form.base);
                    of.extend(tried.iter().map(|_| (i, code)));
                    items.extend(tried);
                    continue;
                }
                let tried = usual(encoding.enc, &form);
                of.extend((0..tried.len() + TRIES).map(|_| (i, code)));
                items.extend(tried);
                items.extend((0..TRIES).map(|_| form.sample(&mut random)));
            }
        }
    }
    let mut known = vec![BTreeMap::new(); ENCODINGS.len()];
    for ((i, code), line) in of.into_iter().zip(mc::disassemble(&items)) {
        if let Some(line) = line.filter(|line| !line.doubtful) {
            let mnemonic = line.text.split(' ').next().unwrap_or_default().to_owned();
            known[i].entry(code).or_insert(mnemonic);
        }
    }
    known
}

/// The mnemonics of the image instructions, in order.
pub(crate) fn images() -> BTreeSet<String> {
    let mut items = Vec::new();
    for code in 0..128 {
        // the components that gather instructions and atomics want, with and without a 16-bit address or result
        for (components, more) in [(1, 0), (1, 1 << 15), (15, 0), (3, 0)] {
            items.push(vec![
                0xf000_0000 | code << 18 | components << 8 | more,
                0x0002_0008,
            ]);
        }
    }
    let lines = mc::disassemble(&items).into_iter().flatten();
    lines
        .filter(|line| !line.doubtful)
        .filter_map(|line| line.text.split(' ').next().map(str::to_owned))
        .filter(|name| name.starts_with("image_"))
        .collect()
}
