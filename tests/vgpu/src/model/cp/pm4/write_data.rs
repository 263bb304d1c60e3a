// SPDX-License-Identifier: Apache-2.0 OR MIT
//! WRITE_DATA: stores immediate dwords to registers or memory.

use super::exec::{Bad, Flow, Machine};
use super::Body;

/// Destination of the data (kfd_pm4_headers_ai.h: WRITE_DATA_dst_sel_enum; soc15d.h names 1 memory through GRBM).
mod dst {
    pub(super) const REGISTER: u32 = 0;
    pub(super) const MEMORY_SYNC: u32 = 1;
    pub(super) const TC_L2: u32 = 2;
    pub(super) const MEMORY: u32 = 5;
}

pub(super) fn write_data(m: &mut Machine<'_>, b: Body<'_>) -> Result<Flow, Bad> {
    if b.len() < 4 {
        return Err(Bad::Length);
    }
    let step = if b.bits(0, 16, 16) == 0 { 1 } else { 0 };
    let data = b.from(3);
    match b.bits(0, 11, 8) {
        dst::REGISTER => {
            let mut reg = b.bits(1, 17, 0);
            for v in data {
                m.reg_write(reg, *v)?;
                reg += step;
            }
        }
        dst::MEMORY_SYNC | dst::TC_L2 | dst::MEMORY => {
            let at = b.qw(1) & !3;
            if step == 1 {
                let bytes: Vec<u8> = data.iter().flat_map(|d| d.to_le_bytes()).collect();
                m.bus.write(m.vmid, at, &bytes)?;
            } else {
                for v in data {
                    m.bus.write32(m.vmid, at, *v)?;
                }
            }
        }
        other => return Err(Bad::field("dst_sel", other)),
    }
    Ok(Flow::Next)
}
