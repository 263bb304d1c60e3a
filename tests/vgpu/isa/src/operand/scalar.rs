// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Scalar registers and constants.

use crate::inst::Operand;
use crate::stop::Why;
use crate::wave::Wave;

/// 1/(2*pi), operand 248, in half, single and double precision (source: CDNA2 ISA "Scalar source operands").
const INV_2PI: (u16, u32, u64) = (0x3118, 0x3e22_f983, 0x3fc4_5f30_6dc9_c882);
/// Operands 240 to 247.
const FLOATS: [(u16, u32, u64); 9] = [
    (0x3800, 0x3f00_0000, 0x3fe0_0000_0000_0000),
    (0xb800, 0xbf00_0000, 0xbfe0_0000_0000_0000),
    (0x3c00, 0x3f80_0000, 0x3ff0_0000_0000_0000),
    (0xbc00, 0xbf80_0000, 0xbff0_0000_0000_0000),
    (0x4000, 0x4000_0000, 0x4000_0000_0000_0000),
    (0xc000, 0xc000_0000, 0xc000_0000_0000_0000),
    (0x4400, 0x4080_0000, 0x4010_0000_0000_0000),
    (0xc400, 0xc080_0000, 0xc010_0000_0000_0000),
    INV_2PI,
];

/// The integer that operand `n` (128 to 208) stands for.
const fn inline_int(n: u16) -> i32 {
    if n <= 192 {
        n as i32 - 128
    } else {
        192 - n as i32
    }
}

/// The inline float that operand `n` (240 to 248) stands for, in three widths.
pub(super) fn inline_float(n: u16) -> Option<(u16, u32, u64)> {
    FLOATS.get(usize::from(n.checked_sub(240)?)).copied()
}

impl Wave {
    /// Scalar register `n` (0 to 127: SGPRs, FLAT_SCRATCH, XNACK_MASK, VCC, ttmps, M0, EXEC).
    #[inline]
    pub fn sgpr(&self, n: u16) -> Result<u32, Why> {
        let half = |v: u64| if n & 1 == 0 { v as u32 } else { (v >> 32) as u32 };
        Ok(match n {
            0..=101 => self.sgprs[usize::from(n)],
            102 | 103 => half(self.flat_scratch),
            104 | 105 => half(self.xnack_mask),
            106 | 107 => half(self.vcc),
            108..=123 => self.ttmps[usize::from(n - 108)],
            124 => self.m0,
            126 | 127 => half(self.exec),
            _ => return Err(Why::Owned(format!("scalar register {n} does not exist"))),
        })
    }

    /// Sets scalar register `n` (0 to 127). The ttmps change only while the trap handler runs.
    #[inline]
    pub fn set_sgpr(&mut self, n: u16, value: u32) -> Result<(), Why> {
        let half = |v: &mut u64| {
            let shift = u32::from(n & 1) * 32;
            *v = *v & !(0xffff_ffff << shift) | (u64::from(value) << shift);
        };
        match n {
            0..=101 => self.sgprs[usize::from(n)] = value,
            102 | 103 => half(&mut self.flat_scratch),
            104 | 105 => half(&mut self.xnack_mask),
            106 | 107 => half(&mut self.vcc),
            108..=123 => {
                if self.status_bits & crate::wave::status::PRIV != 0 {
                    self.ttmps[usize::from(n - 108)] = value;
                }
            }
            124 => self.m0 = value,
            126 | 127 => half(&mut self.exec),
            _ => return Err(Why::Owned(format!("scalar register {n} cannot be written"))),
        }
        Ok(())
    }

    /// The scalar register pair at `n`, which must be even.
    #[inline]
    pub fn sgpr64(&self, n: u16) -> Result<u64, Why> {
        match n {
            102 => return Ok(self.flat_scratch),
            104 => return Ok(self.xnack_mask),
            106 => return Ok(self.vcc),
            126 => return Ok(self.exec),
            _ if n & 1 != 0 => return Err(Why::Owned(format!("scalar register pair {n} is odd"))),
            _ => {}
        }
        Ok(u64::from(self.sgpr(n)?) | (u64::from(self.sgpr(n + 1)?) << 32))
    }

    /// Sets the scalar register pair at `n`, which must be even.
    #[inline]
    pub fn set_sgpr64(&mut self, n: u16, value: u64) -> Result<(), Why> {
        if n & 1 != 0 {
            return Err(Why::Owned(format!("scalar register pair {n} is odd")));
        }
        self.set_sgpr(n, value as u32)?;
        self.set_sgpr(n + 1, (value >> 32) as u32)
    }

    /// The dword that a scalar operand (not a VGPR) stands for.
    #[inline]
    pub fn scalar32(&self, op: Operand, literal: u32) -> Result<u32, Why> {
        Ok(match op.0 {
            0..=127 => self.sgpr(op.0)?,
            128..=208 => inline_int(op.0) as u32,
            235..=238 => self.aperture(op.0) as u32,
            251 => u32::from(self.vcc == 0),
            252 => u32::from(self.exec == 0),
            253 => u32::from(self.scc),
            255 => literal,
            n => match inline_float(n) {
                Some((_, bits, _)) => bits,
                None => return Err(Why::Owned(format!("operand {n} is not a scalar source"))),
            },
        })
    }

    /// The qword that a scalar operand stands for. Inline integers are sign-extended; a literal is zero-extended, unless
    /// the operand is signed ([`Wave::scalar64_signed`]) or a double ([`Wave::src64`]) (source: RDNA3 ISA "Literal
    /// constants", LLVM prints them so).
    #[inline]
    pub fn scalar64(&self, op: Operand, literal: u32) -> Result<u64, Why> {
        Ok(match op.0 {
            0..=127 => self.sgpr64(op.0)?,
            128..=208 => i64::from(inline_int(op.0)) as u64,
            235..=238 => self.aperture(op.0),
            240..=248 => inline_float(op.0).map(|f| f.2).unwrap_or_default(),
            _ => u64::from(self.scalar32(op, literal)?),
        })
    }

    /// The same for signed operands, whose literal is sign-extended.
    #[inline]
    pub fn scalar64_signed(&self, op: Operand, literal: u32) -> Result<i64, Why> {
        match op {
            Operand::LITERAL => Ok(i64::from(literal as i32)),
            _ => Ok(self.scalar64(op, literal)? as i64),
        }
    }

    /// SHARED_BASE, SHARED_LIMIT, PRIVATE_BASE, PRIVATE_LIMIT (operands 235 to 238): an aperture of 4 GiB each.
    fn aperture(&self, n: u16) -> u64 {
        let base = if n < 237 {
            self.shared_base
        } else {
            self.private_base
        };
        let limit = if n & 1 == 0 { 0xffff_ffff } else { 0 };
        (u64::from(base) << 32) | limit
    }
}
