// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Scalar arithmetic and control flow: rows with their executors.

mod fork;
pub mod hwreg;
pub mod sop1;
pub mod sop2;
pub mod sopc;
pub mod sopk;
pub mod sopp;
pub mod trap;

use crate::inst::Scalar;
use crate::stop::{Stop, Why};
use crate::wave::Wave;

/// Executes one scalar instruction. On entry the wave's `pc` is the address of the next instruction.
pub type Exec = fn(&mut Wave, &Scalar) -> Result<Flow, Why>;

/// Where to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flow {
    /// At `pc`.
    Next,
    /// Elsewhere.
    Jump(u64),
    /// At `pc`, after the code cache has been emptied.
    InvalidateCode,
    /// Later, at `pc`.
    Stop(Stop),
    /// In the trap handler, or stop if there is none.
    Trap {
        /// TRAP_ID.
        id: u8,
    },
}

/// The 32-bit sources.
fn src32(w: &Wave, s: &Scalar) -> Result<[u32; 2], Why> {
    Ok([w.scalar32(s.src[0], s.literal)?, w.scalar32(s.src[1], s.literal)?])
}

/// One 32-bit source; the result goes to the destination, the flag (if any) to SCC.
fn unary32(w: &mut Wave, s: &Scalar, f: impl Fn(u32) -> (u32, Option<bool>)) -> Result<Flow, Why> {
    let (value, scc) = f(w.scalar32(s.src[0], s.literal)?);
    w.set_sgpr(s.dst.0, value)?;
    w.scc = scc.unwrap_or(w.scc);
    Ok(Flow::Next)
}

/// One 64-bit source, 64-bit result.
fn unary64(w: &mut Wave, s: &Scalar, f: impl Fn(u64) -> (u64, Option<bool>)) -> Result<Flow, Why> {
    let (value, scc) = f(w.scalar64(s.src[0], s.literal)?);
    w.set_sgpr64(s.dst.0, value)?;
    w.scc = scc.unwrap_or(w.scc);
    Ok(Flow::Next)
}

/// One 64-bit source, 32-bit result.
fn narrow(w: &mut Wave, s: &Scalar, f: impl Fn(u64) -> (u32, Option<bool>)) -> Result<Flow, Why> {
    let (value, scc) = f(w.scalar64(s.src[0], s.literal)?);
    w.set_sgpr(s.dst.0, value)?;
    w.scc = scc.unwrap_or(w.scc);
    Ok(Flow::Next)
}

/// Two 32-bit sources, result and flag.
fn binary32(w: &mut Wave, s: &Scalar, f: impl Fn(u32, u32) -> (u32, Option<bool>)) -> Result<Flow, Why> {
    let [a, b] = src32(w, s)?;
    let (value, scc) = f(a, b);
    w.set_sgpr(s.dst.0, value)?;
    w.scc = scc.unwrap_or(w.scc);
    Ok(Flow::Next)
}

/// Two 64-bit sources, result and flag.
fn binary64(w: &mut Wave, s: &Scalar, f: impl Fn(u64, u64) -> (u64, Option<bool>)) -> Result<Flow, Why> {
    let a = w.scalar64(s.src[0], s.literal)?;
    let b = w.scalar64(s.src[1], s.literal)?;
    let (value, scc) = f(a, b);
    w.set_sgpr64(s.dst.0, value)?;
    w.scc = scc.unwrap_or(w.scc);
    Ok(Flow::Next)
}

/// A 64-bit and a 32-bit source (shift amount, bit field), 64-bit result and flag.
fn shift64(w: &mut Wave, s: &Scalar, f: impl Fn(u64, u32) -> (u64, Option<bool>)) -> Result<Flow, Why> {
    let a = w.scalar64(s.src[0], s.literal)?;
    let b = w.scalar32(s.src[1], s.literal)?;
    let (value, scc) = f(a, b);
    w.set_sgpr64(s.dst.0, value)?;
    w.scc = scc.unwrap_or(w.scc);
    Ok(Flow::Next)
}

/// The same for a signed first source.
fn shift64_signed(
    w: &mut Wave,
    s: &Scalar,
    f: impl Fn(i64, u32) -> (u64, Option<bool>),
) -> Result<Flow, Why> {
    let a = w.scalar64_signed(s.src[0], s.literal)?;
    let b = w.scalar32(s.src[1], s.literal)?;
    let (value, scc) = f(a, b);
    w.set_sgpr64(s.dst.0, value)?;
    w.scc = scc.unwrap_or(w.scc);
    Ok(Flow::Next)
}

/// The result with SCC telling whether it is not 0.
fn nz32(value: u32) -> (u32, Option<bool>) {
    (value, Some(value != 0))
}

/// See [`nz32`].
fn nz64(value: u64) -> (u64, Option<bool>) {
    (value, Some(value != 0))
}

/// The target of a branch by `imm` dwords from the next instruction.
fn branch_target(w: &Wave, imm: u16) -> u64 {
    w.pc.wrapping_add_signed(i64::from(imm as i16) * 4)
}

#[cfg(test)]
pub(crate) mod testing {
    //! Runs one scalar instruction by its mnemonic.

    use super::*;
    use crate::inst::Operand;
    use crate::table::{Kind, TABLES};

    /// A wave with s0 to s7 set to `sgprs`, at the instruction after 0x1000.
    pub(crate) fn wave(sgprs: [u32; 8]) -> Wave {
        let mut wave = Wave::new(0x1004, 8, 8);
        wave.sgprs[..8].copy_from_slice(&sgprs);
        wave
    }

    /// dst = s[4:5], sources s[0:1] and s[2:3].
    pub(crate) fn operands() -> Scalar {
        Scalar {
            dst: Operand(4),
            src: [Operand(0), Operand(2)],
            literal: 0,
            imm: 0,
        }
    }

    /// Executes `name` on `wave`.
    pub(crate) fn exec(name: &str, wave: &mut Wave, s: Scalar) -> Result<Flow, Why> {
        let op = TABLES
            .iter()
            .flat_map(|(_, rows)| rows.iter())
            .find(|op| op.name == name)
            .unwrap();
        let Kind::Salu(exec) = op.kind else {
            panic!("{name} is not scalar")
        };
        exec(wave, &s)
    }

    /// 64-bit sources `a`, `b`; returns the 64-bit destination and SCC.
    pub(crate) fn run64(name: &str, a: u64, b: u64, scc: bool) -> (u64, bool) {
        let mut w = wave([a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32, 0, 0, 0, 0]);
        w.scc = scc;
        exec(name, &mut w, operands()).unwrap();
        (w.sgpr64(4).unwrap(), w.scc)
    }

    /// 32-bit sources `a`, `b`; returns the 32-bit destination and SCC.
    pub(crate) fn run32(name: &str, a: u32, b: u32, scc: bool) -> (u32, bool) {
        let (value, scc) = run64(name, a.into(), b.into(), scc);
        (value as u32, scc)
    }
}
