// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The instruction set as data: one row per instruction and encoding.

/// The encodings (CDNA2 ISA "Microcode formats").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Enc {
    Sop1,
    Sop2,
    Sopk,
    Sopc,
    Sopp,
    Smem,
    Vop1,
    Vop2,
    Vopc,
    Vop3,
    Vop3p,
    Ds,
    Flat,
    Global,
    Scratch,
    Mubuf,
    Mtbuf,
}

/// One instruction.
#[derive(Debug, PartialEq, Eq)]
pub struct Op {
    /// Mnemonic as LLVM prints it, without the suffix of the encoding.
    pub name: &'static str,
    /// Where its native form belongs.
    pub enc: Enc,
    /// Opcode in that encoding.
    pub code: u16,
}
