// SPDX-License-Identifier: Apache-2.0 OR MIT
//! DMA_DATA: copies or fills memory by the CP itself, a piece per step.

use super::exec::{Bad, Flow, Machine};
use super::Body;

/// Bytes moved per step, so that other queues get their turn.
const PIECE: u64 = 1 << 20;

/// Sources (soc15d.h: PACKET3_DMA_DATA_SRC_SEL).
mod src {
    pub(super) const ADDRESS: u32 = 0;
    pub(super) const DATA: u32 = 2;
    pub(super) const ADDRESS_L2: u32 = 3;
}

pub(super) fn dma_data(m: &mut Machine<'_>, b: Body<'_>) -> Result<Flow, Bad> {
    if b.len() < 6 {
        return Err(Bad::Length);
    }
    match b.bits(0, 21, 20) {
        0 | 3 => {}
        other => return Err(Bad::field("dst_sel", other)),
    }
    // SAS, DAS: register space; SAIC, DAIC: addresses stand still
    let modes = b.bits(5, 29, 26);
    if modes != 0 {
        return Err(Bad::field("command", modes));
    }
    let total = u64::from(b.bits(5, 25, 0));
    let done = *m.progress;
    let count = total.saturating_sub(done).min(PIECE);
    let mut piece = vec![0; count as usize];
    match b.bits(0, 30, 29) {
        src::ADDRESS | src::ADDRESS_L2 => m.bus.read(m.vmid, b.qw(1).wrapping_add(done), &mut piece)?,
        src::DATA => {
            // a piece starts at a multiple of 4 bytes from the start
            for (i, byte) in piece.iter_mut().enumerate() {
                *byte = (b.dw(1) >> (i % 4 * 8)) as u8;
            }
        }
        other => return Err(Bad::field("src_sel", other)),
    }
    m.bus.write(m.vmid, b.qw(3).wrapping_add(done), &piece)?;
    *m.progress = done.saturating_add(count);
    Ok(if *m.progress >= total {
        Flow::Next
    } else {
        Flow::Again
    })
}
