// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Vector registers, and sources that may be either kind.

use super::scalar::inline_float;
use super::{Value, Value64};
use crate::inst::Operand;
use crate::stop::Why;
use crate::wave::{Row, Wave, LANES};

impl Wave {
    /// Index in the register file of vector operand `op`, checked to leave room for `count` registers within its half.
    #[inline]
    pub fn vgpr_index(&self, op: Operand, count: usize) -> Result<usize, Why> {
        let n = usize::from(op.0);
        let arch = self.accum_offset.min(self.vgprs.len());
        let (index, end) = match n {
            256..=511 => (n - 256, arch),
            512..=767 => (arch + (n - 512), self.vgprs.len()),
            _ => return Err(Why::Owned(format!("operand {n} is not a vector register"))),
        };
        if index + count > end {
            let kind = if n < 512 { 'v' } else { 'a' };
            return Err(Why::Owned(format!(
                "{kind}{} is outside the wave's registers",
                n % 256 + count - 1
            )));
        }
        Ok(index)
    }

    /// The register of vector operand `op` plus `plus`.
    #[inline]
    pub fn vgpr(&self, op: Operand, plus: usize) -> Result<&Row, Why> {
        let index = self.vgpr_index(op, plus + 1)? + plus;
        self.vgprs
            .get(index)
            .ok_or(Why::Borrowed("vector register out of range"))
    }

    /// The same, to write to. Lanes that EXEC does not allow must be left alone by the caller.
    #[inline]
    pub fn vgpr_mut(&mut self, op: Operand, plus: usize) -> Result<&mut Row, Why> {
        let index = self.vgpr_index(op, plus + 1)? + plus;
        self.vgprs
            .get_mut(index)
            .ok_or(Why::Borrowed("vector register out of range"))
    }

    /// A 32-bit source, integer or single precision.
    #[inline]
    pub fn src32(&self, op: Operand, literal: u32) -> Result<Value<'_>, Why> {
        if op.is_vector() {
            return Ok(Value::Row(self.vgpr(op, 0)?));
        }
        Ok(Value::Uniform(self.scalar32(op, literal)?))
    }

    /// A 16-bit source; the value is in the low half of each dword, the high half is whatever the register holds. Inline
    /// floats are half precision; for integers (`float` false) they are the single-precision bits, of which the low half
    /// counts.
    #[inline]
    pub fn src16(&self, op: Operand, literal: u32, float: bool) -> Result<Value<'_>, Why> {
        if float && matches!(op.0, 240..=248) {
            return Ok(Value::Uniform(inline_float(op.0).map_or(0, |f| u32::from(f.0))));
        }
        self.src32(op, literal)
    }

    /// A 64-bit source. A literal is the high half of a double if `float`, otherwise zero-extended.
    #[inline]
    pub fn src64(&self, op: Operand, literal: u32, float: bool) -> Result<Value64<'_>, Why> {
        if op.is_vector() {
            self.vgpr_index(op, 2)?;
            return Ok(Value64::Rows(self.vgpr(op, 0)?, self.vgpr(op, 1)?));
        }
        if float && op == Operand::LITERAL {
            return Ok(Value64::Uniform(u64::from(literal) << 32));
        }
        Ok(Value64::Uniform(self.scalar64(op, literal)?))
    }

    /// Writes the active lanes of `row` to the vector register `dst`.
    #[inline]
    pub fn write32(&mut self, dst: Operand, row: &Row) -> Result<(), Why> {
        self.write32_at(dst, 0, row)
    }

    /// Writes the active lanes of `row` to the register `plus` after `dst`.
    #[inline]
    pub fn write32_at(&mut self, dst: Operand, plus: usize, row: &Row) -> Result<(), Why> {
        let exec = self.exec;
        merge(self.vgpr_mut(dst, plus)?, row, exec);
        Ok(())
    }

    /// Writes the active lanes of `row` to the register pair `dst`.
    #[inline]
    pub fn write64(&mut self, dst: Operand, row: &[u64; LANES]) -> Result<(), Why> {
        self.vgpr_index(dst, 2)?;
        let lo: Row = std::array::from_fn(|l| row[l] as u32);
        let hi: Row = std::array::from_fn(|l| (row[l] >> 32) as u32);
        self.write32_at(dst, 0, &lo)?;
        self.write32_at(dst, 1, &hi)
    }

    /// Writes a lane mask (compare result, carry out) to the scalar pair `dst`. Bits of inactive lanes become 0.
    #[inline]
    pub fn write_mask(&mut self, dst: Operand, mask: u64) -> Result<(), Why> {
        self.set_sgpr64(dst.0, mask & self.exec)
    }
}

/// Copies the lanes of `from` that `mask` names to `to`.
#[inline]
pub fn merge(to: &mut Row, from: &Row, mask: u64) {
    if mask == u64::MAX {
        *to = *from;
        return;
    }
    for (lane, (to, from)) in to.iter_mut().zip(from).enumerate() {
        // all ones or all zeros, so that the loop needs no branch
        let keep = ((mask >> lane) & 1).wrapping_sub(1) as u32;
        *to = *to & keep | *from & !keep;
    }
}
