// SPDX-License-Identifier: Apache-2.0 OR MIT
//! COPY_DATA: moves one or two dwords between registers, memory, immediates and the clock.

use super::exec::{Bad, Flow, Machine};
use super::Body;

/// Sources (soc15d.h: PACKET3_COPY_DATA__SRC_SEL).
mod src {
    pub(super) const REGISTER: u32 = 0;
    pub(super) const MEMORY: u32 = 1;
    pub(super) const TC_L2: u32 = 2;
    pub(super) const PERFCOUNTER: u32 = 4;
    pub(super) const IMMEDIATE: u32 = 5;
    pub(super) const ATOMIC_RETURN: u32 = 6;
    pub(super) const CLOCK: u32 = 9;
}

/// Destinations (soc15d.h: PACKET3_COPY_DATA__DST_SEL).
mod dst {
    pub(super) const REGISTER: u32 = 0;
    pub(super) const TC_L2: u32 = 2;
    pub(super) const PERFCOUNTER: u32 = 4;
    pub(super) const MEMORY: u32 = 5;
}

pub(super) fn copy_data(m: &mut Machine<'_>, b: Body<'_>) -> Result<Flow, Bad> {
    if b.len() < 5 {
        return Err(Bad::Length);
    }
    let wide = b.bits(0, 16, 16) == 1;
    let value = match b.bits(0, 3, 0) {
        src::REGISTER | src::PERFCOUNTER => {
            let reg = b.bits(1, 17, 0);
            let low = u64::from(m.reg_read(reg)?);
            if wide {
                low | u64::from(m.reg_read(reg + 1)?) << 32
            } else {
                low
            }
        }
        src::MEMORY | src::TC_L2 if wide => m.bus.read64(m.vmid, b.qw(1) & !7)?,
        src::MEMORY | src::TC_L2 => u64::from(m.bus.read32(m.vmid, b.qw(1) & !3)?),
        src::IMMEDIATE => b.qw(1),
        src::ATOMIC_RETURN => *m.atomic_return,
        src::CLOCK => m.bus.now(),
        other => return Err(Bad::field("src_sel", other)),
    };
    match b.bits(0, 11, 8) {
        dst::REGISTER | dst::PERFCOUNTER => {
            let reg = b.bits(3, 17, 0);
            m.reg_write(reg, value as u32)?;
            if wide {
                m.reg_write(reg + 1, (value >> 32) as u32)?;
            }
        }
        dst::TC_L2 | dst::MEMORY if wide => m.bus.write64(m.vmid, b.qw(3) & !7, value)?,
        dst::TC_L2 | dst::MEMORY => m.bus.write32(m.vmid, b.qw(3) & !3, value as u32)?,
        other => return Err(Bad::field("dst_sel", other)),
    }
    Ok(Flow::Next)
}
