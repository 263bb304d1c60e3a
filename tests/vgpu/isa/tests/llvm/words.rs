// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instruction words at random, by encoding.

use vgpu_isa::table::flags::{self, Flags};
use vgpu_isa::table::{Enc, Op};

/// A small generator of reproducible numbers (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn word(&mut self) -> u32 {
        (self.next() >> 32) as u32
    }

    pub(crate) fn below(&mut self, n: u32) -> u32 {
        self.word() % n
    }
}

/// A form of an instruction: its fixed bits, and the fields that may vary as (word, low bit, width).
pub(crate) struct Form {
    pub(crate) base: [u32; 2],
    fields: &'static [(usize, u32, u32)],
}

const SOP1: &[(usize, u32, u32)] = &[(0, 0, 8), (0, 16, 7), (1, 0, 32)];
const SOP2: &[(usize, u32, u32)] = &[(0, 0, 8), (0, 8, 8), (0, 16, 7), (1, 0, 32)];
const SOPK: &[(usize, u32, u32)] = &[(0, 0, 16), (0, 16, 7), (1, 0, 32)];
const SOPC: &[(usize, u32, u32)] = &[(0, 0, 8), (0, 8, 8), (1, 0, 32)];
const SOPP: &[(usize, u32, u32)] = &[(0, 0, 16)];
const SMEM: &[(usize, u32, u32)] = &[
    (0, 0, 6),
    (0, 6, 7),
    (0, 14, 1),
    (0, 16, 1),
    (0, 17, 1),
    (1, 0, 7),
    (1, 7, 14),
    (1, 25, 7),
];
const VOP1: &[(usize, u32, u32)] = &[(0, 0, 9), (0, 17, 8), (1, 0, 32)];
const VOP2: &[(usize, u32, u32)] = &[(0, 0, 9), (0, 9, 8), (0, 17, 8), (1, 0, 32)];
const VOPC: &[(usize, u32, u32)] = &[(0, 0, 9), (0, 9, 8), (1, 0, 32)];
const SDWA: &[(usize, u32, u32)] = &[
    (0, 9, 8),
    (0, 17, 8),
    (1, 0, 8),
    (1, 8, 3),
    (1, 11, 2),
    (1, 13, 1),
    (1, 14, 2),
    (1, 16, 3),
    (1, 19, 3),
    (1, 23, 1),
    (1, 24, 3),
    (1, 27, 3),
    (1, 31, 1),
];
const DPP: &[(usize, u32, u32)] = &[
    (0, 9, 8),
    (0, 17, 8),
    (1, 0, 8),
    (1, 8, 9),
    (1, 19, 1),
    (1, 20, 2),
    (1, 22, 2),
    (1, 24, 4),
    (1, 28, 4),
];
const VOP3: &[(usize, u32, u32)] = &[
    (0, 0, 8),
    (0, 8, 3),
    (0, 11, 4),
    (0, 15, 1),
    (1, 0, 9),
    (1, 9, 9),
    (1, 18, 9),
    (1, 27, 2),
    (1, 29, 3),
];
const DS: &[(usize, u32, u32)] = &[
    (0, 0, 8),
    (0, 8, 8),
    (0, 16, 1),
    (0, 25, 1),
    (1, 0, 8),
    (1, 8, 8),
    (1, 16, 8),
    (1, 24, 8),
];
const FLAT: &[(usize, u32, u32)] = &[
    (0, 0, 12),
    (0, 12, 1),
    (0, 13, 1),
    (0, 16, 1),
    (0, 17, 1),
    (0, 25, 1),
    (1, 0, 8),
    (1, 8, 8),
    (1, 16, 7),
    (1, 23, 1),
    (1, 24, 8),
];
const MUBUF: &[(usize, u32, u32)] = &[
    (0, 0, 12),
    (0, 12, 2),
    (0, 14, 1),
    (0, 15, 1),
    (0, 16, 1),
    (0, 17, 1),
    (1, 0, 8),
    (1, 8, 8),
    (1, 16, 5),
    (1, 23, 1),
    (1, 24, 8),
];
const MTBUF: &[(usize, u32, u32)] = &[
    (0, 0, 12),
    (0, 12, 2),
    (0, 14, 1),
    (0, 19, 7),
    (1, 0, 8),
    (1, 8, 8),
    (1, 16, 5),
    (1, 21, 1),
    (1, 22, 1),
    (1, 23, 1),
    (1, 24, 8),
];

/// All forms of `op`.
pub(crate) fn forms(op: &Op) -> Vec<Form> {
    forms_of(op.enc, op.code.into(), op.flags)
}

/// The forms of number `code` in `enc` that `flags` allow.
pub(crate) fn forms_of(enc: Enc, code: u32, flags: Flags) -> Vec<Form> {
    let has = |flag| flags & flag != 0;
    let mut forms = Vec::new();
    let mut form = |w: u32, x: u32, fields| forms.push(Form { base: [w, x], fields });
    match enc {
        Enc::Sop1 => form(0xbe80_0000 | code << 8, 0, SOP1),
        Enc::Sop2 => form(0x8000_0000 | code << 23, 0, SOP2),
        Enc::Sopk => form(0xb000_0000 | code << 23, 0, SOPK),
        Enc::Sopc => form(0xbf00_0000 | code << 16, 0, SOPC),
        Enc::Sopp => form(0xbf80_0000 | code << 16, 0, SOPP),
        Enc::Smem => form(0xc000_0000 | code << 18, 0, SMEM),
        Enc::Vop1 | Enc::Vop2 | Enc::Vopc => {
            let (w, fields, long) = match enc {
                Enc::Vop1 => (0x7e00_0000 | code << 9, VOP1, 0x140),
                Enc::Vop2 => (code << 25, VOP2, 0x100),
                _ => (0x7c00_0000 | code << 17, VOPC, 0),
            };
            form(w, 0, fields);
            if has(flags::SDWA) {
                form(w | 249, 0, SDWA);
            }
            if has(flags::DPP) {
                form(w | 250, 0, DPP);
            }
            if !has(flags::NO_E64) {
                form(0xd000_0000 | (long + code) << 16, 0, VOP3);
            }
        }
        Enc::Vop3 => form(0xd000_0000 | code << 16, 0, VOP3),
        Enc::Vop3p => form(0xd380_0000 | code << 16, 0, VOP3),
        Enc::Ds => form(0xd800_0000 | code << 17, 0, DS),
        Enc::Mem => {
            for (flag, segment) in [(flags::FLAT, 0), (flags::SCRATCH, 1), (flags::GLOBAL, 2)] {
                if has(flag) {
                    form(0xdc00_0000 | code << 18 | segment << 14, 0, FLAT);
                }
            }
            if has(flags::MUBUF) {
                form(0xe000_0000 | code << 18, 0, MUBUF);
            }
            if has(flags::MTBUF) {
                form(0xe800_0000 | code << 15, 0, MTBUF);
            }
        }
    }
    forms
}

impl Form {
    /// Words with some fields at random, in ways that are likely to make sense.
    pub(crate) fn sample(&self, random: &mut Random) -> Vec<u32> {
        let mut words = [self.base[0], self.base[1], random.word()];
        // from all fields used to none
        let unused = random.below(9);
        for (word, low, width) in self.fields {
            // a register field of the short forms belongs to the opcode there
            let mask = (((1u64 << width) - 1) as u32) << low;
            if random.below(8) < unused {
                continue;
            }
            let value = match random.below(8) {
                0 => u32::MAX,
                1 | 2 => 8 << low,
                3 => random.below(8) << low,
                4 if *width == 9 => (256 + 2 * random.below(100)) << low,
                5 => (random.below(100) & !3) << low,
                _ => random.word(),
            };
            let fixed = if *word == 0 { self.opcode_bits() } else { 0 };
            words[*word] |= value & mask & !fixed;
        }
        words.to_vec()
    }

    /// Bits of the first word that belong to the opcode although a field of a sibling encoding covers them.
    fn opcode_bits(&self) -> u32 {
        match self.base[0] >> 25 {
            0x3f => 0x7f << 25 | 0xff << 9 | 0x1ff * u32::from(self.base[0] & 0x1ff != 0),
            0x3e => 0x7f << 25 | 0xff << 17 | 0x1ff * u32::from(self.base[0] & 0x1ff != 0),
            0..=0x3d => 0x7f << 25 | 0x1ff * u32::from(self.base[0] & 0x1ff != 0),
            _ => 0,
        }
    }
}
