// SPDX-License-Identifier: Apache-2.0 OR MIT
//! SET_SH_REG, SET_UCONFIG_REG, SET_CONFIG_REG: consecutive registers of one space.

use super::exec::{Bad, Flow, Machine};
use super::Body;

/// First dword of each register space (soc15d.h: PACKET3_SET_*_REG_START).
mod start {
    pub(super) const CONFIG: u32 = 0x2000;
    pub(super) const SH: u32 = 0x2c00;
    pub(super) const UCONFIG: u32 = 0xc000;
}

/// The dispatch registers of the queue itself.
pub(super) fn set_sh_reg(m: &mut Machine<'_>, b: Body<'_>) -> Result<Flow, Bad> {
    let first = start::SH + b.bits(0, 15, 0);
    for (i, v) in b.from(1).iter().enumerate() {
        m.sh_write(first + i as u32, *v)?;
    }
    Ok(Flow::Next)
}

/// User configuration registers, for any queue.
pub(super) fn set_uconfig_reg(m: &mut Machine<'_>, b: Body<'_>) -> Result<Flow, Bad> {
    set(m, start::UCONFIG + b.bits(0, 15, 0), b.from(1))
}

/// Configuration registers, for kernel queues.
pub(super) fn set_config_reg(m: &mut Machine<'_>, b: Body<'_>) -> Result<Flow, Bad> {
    set(m, start::CONFIG + b.bits(0, 15, 0), b.from(1))
}

fn set(m: &mut Machine<'_>, first: u32, values: &[u32]) -> Result<Flow, Bad> {
    for (i, v) in values.iter().enumerate() {
        m.reg_write(first + i as u32, *v)?;
    }
    Ok(Flow::Next)
}
