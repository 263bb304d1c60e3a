// SPDX-License-Identifier: Apache-2.0 OR MIT
//! ACQUIRE_MEM, EVENT_WRITE and INVALIDATE_TLBS: caches, waves and translations.

use super::exec::{Bad, Flow, Machine};
use super::Body;
use crate::model::cp::bus::TlbFlush;

/// CP_COHER_CNTL.SH_ICACHE_ACTION_ENA.
const SH_ICACHE: u32 = 1 << 29;
/// EVENT_WRITE.event_type: wait for the waves of the queue (vega10_enum.h: CS_PARTIAL_FLUSH).
const CS_PARTIAL_FLUSH: u32 = 7;
/// EVENT_WRITE.event_index of partial flushes.
const INDEX_PARTIAL_FLUSH: u32 = 4;
/// INVALIDATE_TLBS.dst_sel: by PASID.
const BY_PASID: u32 = 1;

/// Data caches are not modelled (all memory is coherent here); instructions decoded earlier are.
pub(super) fn acquire_mem(m: &mut Machine<'_>, b: Body<'_>) -> Result<Flow, Bad> {
    if b.len() < 6 {
        return Err(Bad::Length);
    }
    m.bus.count("cp_acquire_mem");
    if b.dw(0) & SH_ICACHE != 0 {
        m.bus.invalidate_instructions();
    }
    Ok(Flow::Next)
}

pub(super) fn event_write(m: &mut Machine<'_>, b: Body<'_>) -> Result<Flow, Bad> {
    match (b.bits(0, 5, 0), b.bits(0, 11, 8)) {
        (CS_PARTIAL_FLUSH, INDEX_PARTIAL_FLUSH) if m.flight.running() > 0 => Ok(Flow::UntilIdle),
        (CS_PARTIAL_FLUSH, INDEX_PARTIAL_FLUSH) => Ok(Flow::Next),
        (CS_PARTIAL_FLUSH, index) => Err(Bad::field("event_index", index)),
        (event, _) => Err(Bad::field("event_type", event)),
    }
}

pub(super) fn invalidate_tlbs(m: &mut Machine<'_>, b: Body<'_>) -> Result<Flow, Bad> {
    match b.bits(0, 3, 0) {
        BY_PASID => {}
        other => return Err(Bad::field("dst_sel", other)),
    }
    let flush = TlbFlush {
        pasid: b.bits(0, 20, 5) as u16,
        all_hubs: b.bits(0, 4, 4) == 1,
        kind: b.bits(0, 31, 29) as u8,
    };
    m.bus.count("cp_invalidate_tlbs");
    m.bus.flush_tlb(flush);
    Ok(Flow::Next)
}
