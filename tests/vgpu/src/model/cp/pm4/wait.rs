// SPDX-License-Identifier: Apache-2.0 OR MIT
//! WAIT_REG_MEM: waits until a register or memory word compares; operation 1 writes a register first.

use super::exec::{Bad, Flow, Machine};
use super::Body;

/// What is done (soc15d.h: PACKET3_WAIT_REG_MEM__OPERATION).
mod operation {
    pub(super) const WAIT: u32 = 0;
    pub(super) const WRITE_WAIT: u32 = 1;
    pub(super) const WAIT_PREEMPTABLE: u32 = 3;
}

pub(super) fn wait_reg_mem(m: &mut Machine<'_>, b: Body<'_>) -> Result<Flow, Bad> {
    if b.len() < 6 {
        return Err(Bad::Length);
    }
    let (reference, mask) = (b.dw(3), b.dw(4));
    let memory = match b.bits(0, 5, 4) {
        0 => false,
        1 => true,
        other => return Err(Bad::field("mem_space", other)),
    };
    let (value, reference) = match (b.bits(0, 7, 6), memory) {
        (operation::WRITE_WAIT, false) => {
            // the write happens once, however often the answer is polled
            if *m.progress == 0 {
                m.reg_write(b.bits(1, 17, 0), reference)?;
                *m.progress = 1;
            }
            (m.reg_read(b.bits(2, 17, 0))?, reference & mask)
        }
        (operation::WAIT, false) => (m.reg_read(b.bits(1, 17, 0))?, reference),
        (operation::WAIT | operation::WAIT_PREEMPTABLE, true) => {
            (m.bus.read32(m.vmid, b.qw(1) & !3)?, reference)
        }
        (other, _) => return Err(Bad::field("operation", other)),
    };
    let value = value & mask;
    let done = match b.bits(0, 2, 0) {
        0 => true,
        1 => value < reference,
        2 => value <= reference,
        3 => value == reference,
        4 => value != reference,
        5 => value >= reference,
        6 => value > reference,
        other => return Err(Bad::field("function", other)),
    };
    Ok(if done { Flow::Next } else { Flow::Poll })
}
