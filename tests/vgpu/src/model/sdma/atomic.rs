// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The ATOMIC packet.

use super::exec::POLL_FIRST;
use super::packet::{Atomic, AtomicOp, Width};
use super::run::{Runner, Step, Trouble};

impl Runner<'_> {
    pub(super) fn atomic(&mut self, a: Atomic) -> Result<Step, Trouble> {
        let client = self.client();
        let bytes = if a.width == Width::W64 { 8 } else { 4 };
        self.aligned("ATOMIC", a.addr, bytes)?;
        self.canonical(a.addr)?;
        let old = match a.width {
            Width::W64 => self
                .ctx
                .gmc
                .rmw64(client, a.addr, |v| apply64(a.op, v, a.src, a.cmp)),
            Width::W32 => self
                .ctx
                .gmc
                .rmw32(client, a.addr, |v| apply32(a.op, v, a.src as u32, a.cmp as u32))
                .map(u64::from),
        };
        let old = old.map_err(|f| Trouble::Fault(client, f))?;
        self.job.preop = Some(old);
        let expected = if a.width == Width::W64 {
            a.cmp
        } else {
            a.cmp & 0xffff_ffff
        };
        if a.repeat && a.op == AtomicOp::CompareSwap && old != expected {
            self.job.tries = self.job.tries.saturating_add(1);
            return Ok(Step::Retry(POLL_FIRST));
        }
        Ok(Step::Next)
    }
}

fn apply64(op: AtomicOp, v: u64, src: u64, cmp: u64) -> u64 {
    match op {
        AtomicOp::Swap => src,
        AtomicOp::CompareSwap if v == cmp => src,
        AtomicOp::CompareSwap => v,
        AtomicOp::Add => v.wrapping_add(src),
        AtomicOp::Sub => v.wrapping_sub(src),
        AtomicOp::SMin => (v as i64).min(src as i64) as u64,
        AtomicOp::UMin => v.min(src),
        AtomicOp::SMax => (v as i64).max(src as i64) as u64,
        AtomicOp::UMax => v.max(src),
        AtomicOp::And => v & src,
        AtomicOp::Or => v | src,
        AtomicOp::Xor => v ^ src,
        AtomicOp::Inc if v >= src => 0,
        AtomicOp::Inc => v.wrapping_add(1),
        AtomicOp::Dec if v == 0 || v > src => src,
        AtomicOp::Dec => v.wrapping_sub(1),
    }
}

fn apply32(op: AtomicOp, v: u32, src: u32, cmp: u32) -> u32 {
    match op {
        AtomicOp::SMin => (v as i32).min(src as i32) as u32,
        AtomicOp::SMax => (v as i32).max(src as i32) as u32,
        _ => apply64(op, u64::from(v), u64::from(src), u64::from(cmp)) as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_atomics_wrap_at_32_bits() {
        assert_eq!(apply32(AtomicOp::Add, u32::MAX, 1, 0), 0);
        assert_eq!(apply32(AtomicOp::Sub, 0, 1, 0), u32::MAX);
        assert_eq!(apply32(AtomicOp::SMin, u32::MAX, 1, 0), u32::MAX);
        assert_eq!(apply32(AtomicOp::UMin, u32::MAX, 1, 0), 1);
        assert_eq!(apply32(AtomicOp::Dec, 0, 7, 0), 7);
        assert_eq!(apply32(AtomicOp::Inc, 7, 7, 0), 0);
        assert_eq!(apply64(AtomicOp::CompareSwap, 5, 9, 5), 9);
        assert_eq!(apply64(AtomicOp::CompareSwap, 6, 9, 5), 6);
    }
}
