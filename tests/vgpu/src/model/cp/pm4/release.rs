// SPDX-License-Identifier: Apache-2.0 OR MIT
//! RELEASE_MEM: once everything launched before has ended, writes data and raises an interrupt.

use super::exec::{Bad, Flow, Machine};
use super::Body;

/// What an end-of-pipe event writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EopData {
    /// Nothing.
    None,
    /// The low 32 bits of the data.
    Low(u32),
    /// All 64 bits of the data.
    Wide(u64),
    /// The reference clock when it happens.
    Clock,
}

/// An end-of-pipe event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Eop {
    /// Address space of the write.
    pub(crate) vmid: u8,
    /// Where the data goes.
    pub(crate) at: u64,
    /// What is written.
    pub(crate) data: EopData,
    /// Context id of the interrupt, if one is wanted.
    pub(crate) interrupt: Option<u32>,
}

/// Pipe events this stands for: end of pipe, and shader done (kfd_pm4_headers_ai.h: mec_release_mem_event_index_enum).
const END_OF_PIPE: u32 = 5;
const SHADER_DONE: u32 = 6;

/// `int_sel` values.
mod int {
    pub(super) const NONE: u32 = 0;
    pub(super) const INTERRUPT_ONLY: u32 = 1;
    pub(super) const INTERRUPT_AFTER_WRITE: u32 = 2;
    pub(super) const DATA_AFTER_WRITE: u32 = 3;
    pub(super) const INTERRUPT_ALWAYS: u32 = 4;
}

pub(super) fn release_mem(m: &mut Machine<'_>, b: Body<'_>) -> Result<Flow, Bad> {
    if b.len() < 6 {
        return Err(Bad::Length);
    }
    match b.bits(0, 11, 8) {
        END_OF_PIPE | SHADER_DONE => {}
        other => return Err(Bad::field("event_index", other)),
    }
    match b.bits(1, 17, 16) {
        // memory controller or L2: the same memory here
        0 | 1 => {}
        other => return Err(Bad::field("dst_sel", other)),
    }
    let (data, align) = match b.bits(1, 31, 29) {
        0 => (EopData::None, 0),
        1 => (EopData::Low(b.dw(4)), 3),
        2 => (EopData::Wide(b.qw(4)), 7),
        3 => (EopData::Clock, 7),
        other => return Err(Bad::field("data_sel", other)),
    };
    let interrupt = match b.bits(1, 26, 24) {
        int::NONE | int::DATA_AFTER_WRITE => None,
        int::INTERRUPT_ONLY | int::INTERRUPT_AFTER_WRITE | int::INTERRUPT_ALWAYS => Some(b.dw(6)),
        other => return Err(Bad::field("int_sel", other)),
    };
    m.bus.count("cp_release_mem");
    m.flight.post(Eop {
        vmid: m.vmid,
        at: b.qw(2) & !align,
        data,
        interrupt,
    });
    Ok(Flow::Next)
}
