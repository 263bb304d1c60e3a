// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Words to instructions.
//!
//! Decoding is strict: reserved bits must be 0, register groups aligned and within the file, modifiers permitted by the row.
//! What LLVM's disassembler would let pass beyond that is refused with one of the reasons in [`strict`].

mod memory;
mod operand;
mod scalar;
pub mod strict;
mod vop;
mod vop3;

use crate::inst::{Exec, Fields, Inst};
use crate::stop::Why;
use crate::table::{Kind, Op};
use crate::valu;

/// Bits `hi..=lo` of `word`.
const fn bits(word: u32, hi: u32, lo: u32) -> u32 {
    (word >> lo) & (u32::MAX >> (31 - (hi - lo)))
}

/// Bit `n` of `word`.
const fn bit(word: u32, n: u32) -> bool {
    word >> n & 1 != 0
}

/// The words of one instruction and how many of them it has used.
struct Words<'a> {
    words: &'a [u32],
    used: u8,
}

impl Words<'_> {
    /// The first word.
    fn first(&self) -> u32 {
        self.words.first().copied().unwrap_or(0)
    }

    /// The word after those used so far.
    fn next(&mut self) -> Result<u32, Why> {
        let word = self.words.get(usize::from(self.used)).copied();
        self.used += 1;
        word.ok_or(Why::Borrowed(
            "the instruction reaches into memory that is not there",
        ))
    }
}

/// Decodes the instruction at the start of `words`, which must reach as far as the code does (three dwords are enough).
pub fn decode(words: &[u32]) -> Result<Inst, Why> {
    let mut words = Words { words, used: 0 };
    let first = words.next()?;
    let (op, fields) = match first >> 26 {
        0b0..=0b011111 => vop::decode(&mut words)?,
        0b100000..=0b101111 => scalar::decode(&mut words)?,
        0b110000 => memory::smem(&mut words)?,
        0b110100 => vop3::decode(&mut words)?,
        0b110110 => memory::lds(&mut words)?,
        0b110111 => memory::flat(&mut words)?,
        0b111000 => memory::mubuf(&mut words)?,
        0b111010 => memory::mtbuf(&mut words)?,
        0b110001 => {
            return Err(Why::Borrowed(
                "EXP instructions need pixel hardware, which gfx90a lacks",
            ))
        }
        0b110101 => {
            return Err(Why::Borrowed(
                "VINTRP instructions need pixel hardware, which gfx90a lacks",
            ))
        }
        0b111100 => {
            return Err(Why::Borrowed(
                "MIMG instructions need image hardware, which gfx90a lacks",
            ))
        }
        _ => return Err(Why::Owned(format!("unknown encoding {first:#010x}"))),
    };
    let exec = match op.kind {
        Kind::Valu => valu::find(op.name).map_or(Exec::Missing, Exec::Valu),
        Kind::Salu(exec) => Exec::Salu(exec),
        Kind::Smem(_) | Kind::Ds(_) | Kind::Mem(_) => Exec::Memory,
    };
    let long = first >> 26 == 0b110100;
    Ok(Inst {
        op,
        words: words.used,
        long,
        fields,
        exec,
    })
}

/// The row of `enc` with number `code`, or an error that names both.
fn row(enc: crate::table::Enc, code: u32) -> Result<&'static Op, Why> {
    crate::table::find(enc, code).ok_or_else(|| Why::Owned(format!("{enc:?} has no instruction {code:#x}")))
}

/// Refuses `bits` that must be 0.
fn reserved(value: u32, what: &'static str) -> Result<(), Why> {
    match value {
        0 => Ok(()),
        _ => Err(Why::Owned(format!("reserved bits are set: {what}"))),
    }
}

/// The result of every decoder here.
type Decoded = Result<(&'static Op, Fields), Why>;

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(words: &[u32]) -> String {
        decode(words).unwrap_err().into_owned()
    }

    #[test]
    fn code_may_end_too_early() {
        assert!(refused(&[]).contains("not there"));
        // a literal, an SDWA word and the second half of a memory instruction are missing
        for first in [0xbe80_00ff, 0x7e00_02f9, 0xdc50_0000, 0x2e00_0100] {
            assert!(refused(&[first]).contains("not there"), "{first:#x}");
        }
    }

    #[test]
    fn missing_hardware_is_named() {
        assert!(refused(&[0xc400_0000, 0]).contains("EXP"));
        assert!(refused(&[0xd400_0000]).contains("VINTRP"));
        assert!(refused(&[0xf000_0000, 0]).contains("MIMG"));
        assert!(refused(&[0xf800_0000]).contains("unknown encoding"));
        assert!(refused(&[0xe0f4_0000, 0]).contains("buffer_store_lds_dword"));
        assert!(decode(&[0xe0f5_0000, 0]).is_ok());
    }

    #[test]
    fn lengths() {
        for (words, length) in [
            (&[0xbf81_0000u32][..], 1),
            (&[0xbe80_00ff, 7], 2),
            (&[0x7e00_02f9, 0x0006_0600], 2),
            (&[0xd101_0000, 0x0002_0100], 2),
            // the register field of s_setreg_imm32_b32 means nothing
            (&[0xba7f_f801, 7], 2),
        ] {
            assert_eq!(decode(words).map(|inst| inst.words), Ok(length), "{words:x?}");
        }
    }
}
