// SPDX-License-Identifier: Apache-2.0 OR MIT
//! ATOMIC_MEM: one atomic operation on memory, or the same again and again until a comparison holds.

use super::exec::{Bad, Flow, Machine};
use super::Body;

/// Operation numbers with the size and return bits removed (vega10_enum.h: TC_OP_ATOMIC_*).
mod op {
    pub(super) const SWAP: u32 = 0x07;
    pub(super) const CMPSWAP: u32 = 0x08;
    pub(super) const ADD: u32 = 0x0f;
    pub(super) const SUB: u32 = 0x10;
    pub(super) const SMIN: u32 = 0x11;
    pub(super) const UMIN: u32 = 0x12;
    pub(super) const SMAX: u32 = 0x13;
    pub(super) const UMAX: u32 = 0x14;
    pub(super) const AND: u32 = 0x15;
    pub(super) const OR: u32 = 0x16;
    pub(super) const XOR: u32 = 0x17;
    pub(super) const INC: u32 = 0x18;
    pub(super) const DEC: u32 = 0x19;
    /// 64-bit operands.
    pub(super) const WIDE: u32 = 0x20;
    /// No value returned.
    pub(super) const NO_RETURN: u32 = 0x40;
}

/// Commands (soc15d.h: PACKET3_ATOMIC_MEM__COMMAND).
mod command {
    pub(super) const SINGLE: u32 = 0;
    pub(super) const LOOP: u32 = 1;
}

pub(super) fn atomic_mem(m: &mut Machine<'_>, b: Body<'_>) -> Result<Flow, Bad> {
    if b.len() < 8 {
        return Err(Bad::Length);
    }
    let code = b.bits(0, 6, 0);
    let (at, data, compare) = (b.qw(1), b.qw(3), b.qw(5));
    let wide = code & op::WIDE != 0;
    let operation = code & !(op::WIDE | op::NO_RETURN);
    if apply64(operation, 0, 0, 0).is_none() {
        return Err(Bad::field("atomic", code));
    }
    let old = if wide {
        let mut f = |v| apply64(operation, v, data, compare).unwrap_or(v);
        m.bus.rmw64(m.vmid, at & !7, &mut f)?
    } else {
        let mut f = |v| apply32(operation, v, data as u32, compare as u32).unwrap_or(v);
        u64::from(m.bus.rmw32(m.vmid, at & !3, &mut f)?)
    };
    if code & op::NO_RETURN == 0 {
        *m.atomic_return = old;
    }
    let compare = if wide { compare } else { compare & 0xffff_ffff };
    match b.bits(0, 11, 8) {
        command::SINGLE => Ok(Flow::Next),
        command::LOOP if old == compare => Ok(Flow::Next),
        command::LOOP => Ok(Flow::Poll),
        other => Err(Bad::field("command", other)),
    }
}

/// The new value of a 64-bit operation; `None` if there is no such operation.
fn apply64(operation: u32, old: u64, data: u64, compare: u64) -> Option<u64> {
    Some(match operation {
        op::SWAP => data,
        op::CMPSWAP => {
            if old == compare {
                data
            } else {
                old
            }
        }
        op::ADD => old.wrapping_add(data),
        op::SUB => old.wrapping_sub(data),
        op::SMIN => (old as i64).min(data as i64) as u64,
        op::UMIN => old.min(data),
        op::SMAX => (old as i64).max(data as i64) as u64,
        op::UMAX => old.max(data),
        op::AND => old & data,
        op::OR => old | data,
        op::XOR => old ^ data,
        op::INC => {
            if old >= data {
                0
            } else {
                old.wrapping_add(1)
            }
        }
        op::DEC => {
            if old == 0 || old > data {
                data
            } else {
                old.wrapping_sub(1)
            }
        }
        _ => return None,
    })
}

/// The new value of a 32-bit operation.
fn apply32(operation: u32, old: u32, data: u32, compare: u32) -> Option<u32> {
    Some(match operation {
        op::SMIN => (old as i32).min(data as i32) as u32,
        op::SMAX => (old as i32).max(data as i32) as u32,
        // the others do the same on zero-extended operands
        _ => apply64(operation, old.into(), data.into(), compare.into())? as u32,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations() {
        assert_eq!(apply64(op::ADD, u64::MAX, 2, 0), Some(1));
        assert_eq!(apply32(op::ADD, u32::MAX, 2, 0), Some(1));
        assert_eq!(apply32(op::SUB, 0, 1, 0), Some(u32::MAX));
        assert_eq!(apply32(op::SMIN, 1, u32::MAX, 0), Some(u32::MAX));
        assert_eq!(apply32(op::UMIN, 1, u32::MAX, 0), Some(1));
        assert_eq!(apply64(op::SMAX, 1, u64::MAX, 0), Some(1));
        assert_eq!(apply64(op::CMPSWAP, 5, 9, 5), Some(9));
        assert_eq!(apply64(op::CMPSWAP, 6, 9, 5), Some(6));
        assert_eq!(
            (apply32(op::INC, 3, 3, 0), apply32(op::INC, 2, 3, 0)),
            (Some(0), Some(3))
        );
        assert_eq!(
            (apply32(op::DEC, 0, 3, 0), apply32(op::DEC, 4, 3, 0)),
            (Some(3), Some(3))
        );
        assert_eq!(apply64(0, 0, 0, 0), None);
    }
}
