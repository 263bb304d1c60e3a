// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The instruction set as data: one row per instruction.
//!
//! Opcode numbers, operand widths and permitted modifiers are those of LLVM's assembler for gfx90a; `tests/llvm` compares
//! every row with it.

pub mod ds;
pub mod flags;
pub mod mem;
pub mod smem;
pub mod ty;
pub mod vop1;
pub mod vop2;
pub mod vop3;
pub mod vop3p;
pub mod vopc;

use crate::salu;
use flags::Flags;
use std::sync::LazyLock;
pub use ty::Ty;

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
    /// FLAT, GLOBAL, SCRATCH, MUBUF and MTBUF: they share their numbers.
    Mem,
}

/// What executes an instruction.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A function of [`valu`](crate::valu), found by the mnemonic.
    Valu,
    /// A function of [`salu`].
    Salu(salu::Exec),
    /// Scalar memory.
    Smem(smem::Kind),
    /// Local data share.
    Ds(ds::Kind),
    /// Vector memory.
    Mem(mem::Kind),
}

/// One instruction.
#[derive(Debug)]
pub struct Op {
    /// Mnemonic as LLVM prints it, without the suffix of the encoding. Rows of [`Enc::Mem`] have no prefix either:
    /// `load_dword` is `flat_load_dword`, `buffer_load_dword`...
    pub name: &'static str,
    /// Where its native form belongs.
    pub enc: Enc,
    /// Opcode in that encoding.
    pub code: u16,
    /// Destination.
    pub dst: Ty,
    /// Second destination.
    pub sdst: Ty,
    /// Sources, in the order of the encoding.
    pub src: &'static [Ty],
    /// Variations.
    pub flags: Flags,
    /// What it does.
    pub kind: Kind,
}

impl Op {
    /// A vector instruction.
    pub const fn vop(
        enc: Enc,
        code: u16,
        name: &'static str,
        dst: Ty,
        sdst: Ty,
        src: &'static [Ty],
        flags: Flags,
    ) -> Self {
        Self {
            name,
            enc,
            code,
            dst,
            sdst,
            src,
            flags,
            kind: Kind::Valu,
        }
    }

    /// Whether the row has all of `flags`.
    pub const fn has(&self, flags: Flags) -> bool {
        self.flags & flags == flags
    }

    /// Whether it is a cache instruction of MUBUF, which has no operands.
    pub(crate) const fn is_cache(&self) -> bool {
        matches!(self.kind, Kind::Mem(mem::Kind::Cache))
    }

    /// Whether it is the store of MUBUF whose data is in LDS.
    pub(crate) const fn stores_lds(&self) -> bool {
        matches!(self.kind, Kind::Mem(mem::Kind::StoreLds))
    }

    /// Type of source `i`, [`Ty::No`] past the end.
    pub fn src_ty(&self, i: usize) -> Ty {
        self.src.get(i).copied().unwrap_or(Ty::No)
    }
}

/// All tables.
pub static TABLES: [(Enc, &[Op]); 13] = [
    (Enc::Sop1, salu::sop1::SOP1),
    (Enc::Sop2, salu::sop2::SOP2),
    (Enc::Sopk, salu::sopk::SOPK),
    (Enc::Sopc, salu::sopc::SOPC),
    (Enc::Sopp, salu::sopp::SOPP),
    (Enc::Smem, smem::SMEM),
    (Enc::Vop1, vop1::VOP1),
    (Enc::Vop2, vop2::VOP2),
    (Enc::Vopc, vopc::VOPC),
    (Enc::Vop3, vop3::VOP3),
    (Enc::Vop3p, vop3p::VOP3P),
    (Enc::Ds, ds::DS),
    (Enc::Mem, mem::MEM),
];

/// The rows by encoding and opcode, built once.
static INDEX: LazyLock<[Vec<Option<&'static Op>>; 13]> = LazyLock::new(|| {
    TABLES.map(|(_, rows)| {
        let mut index = Vec::new();
        for op in rows {
            let code = usize::from(op.code);
            if index.len() <= code {
                index.resize(code + 1, None);
            }
            index[code] = Some(op);
        }
        index
    })
});

/// The instruction with number `code` in `enc`.
pub fn find(enc: Enc, code: u32) -> Option<&'static Op> {
    let slot = TABLES.iter().position(|(e, _)| *e == enc)?;
    INDEX
        .get(slot)?
        .get(usize::try_from(code).ok()?)
        .copied()
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn rows_are_unique() {
        for (enc, rows) in TABLES {
            let mut codes = HashSet::new();
            let mut names = HashSet::new();
            for op in rows {
                assert_eq!(op.enc, enc, "{}", op.name);
                assert!(codes.insert(op.code), "{} repeats {:#x}", op.name, op.code);
                assert!(names.insert(op.name), "{} appears twice", op.name);
                assert!(std::ptr::eq(find(enc, op.code.into()).unwrap(), op));
            }
        }
    }

    #[test]
    fn find_refuses_unknown_numbers() {
        assert!(find(Enc::Sop1, 0x2f).is_none());
        assert!(find(Enc::Vop3, 0x3ff).is_none());
        assert!(find(Enc::Sopp, u32::MAX).is_none());
    }
}
