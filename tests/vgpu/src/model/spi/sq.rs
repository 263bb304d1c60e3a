// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Interrupts and messages of waves (source: kernel amdkfd/kfd_int_process_v9.c "GFX9 SQ Interrupts", device-contract 5.8).

use vgpu_isa::Wave;

use super::launch::Place;
use crate::ctx::Ctx;
use crate::model::cp::dispatch_request::DispatchRequest;
use crate::model::ih::{client, Iv};

/// Interrupt source of all SQ messages.
const SQ_MESSAGE: u8 = 239;

/// Message numbers of `s_sendmsg` (CDNA2 ISA "S_SENDMSG").
mod message {
    pub(super) const INTERRUPT: u16 = 1;
    pub(super) const STALL_WAVE_GEN: u16 = 5;
    pub(super) const HALT_WAVES: u16 = 6;
    pub(super) const EARLY_PRIM_DEALLOC: u16 = 8;
    pub(super) const GET_DOORBELL: u16 = 10;
}

/// What the hardware found wrong with a wave (KFD: SQ_INTERRUPT_ERROR_TYPE).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SqError {
    /// Illegal instruction.
    IllegalInstruction = 1,
}

/// Executes `s_sendmsg`; `index` is the wave's number in its workgroup.
pub(super) fn send_message(
    ctx: &Ctx,
    r: &DispatchRequest,
    place: Place,
    index: usize,
    w: &mut Wave,
    msg: u16,
    m0: u32,
) {
    match msg & 0xf {
        message::INTERRUPT => {
            let privileged = w.status() >> 5 & 1;
            ctx.report.count("sq_message_interrupt", 1);
            interrupt(ctx, r, place, index, 1, privileged, m0 & 0xff_ffff);
        }
        // the wave waits until bit 31 of EXEC_LO is clear; 9:0 is the doorbell within the process' page of 64-bit doorbells
        message::GET_DOORBELL => w.exec = w.exec >> 32 << 32 | u64::from(r.queue.doorbell / 2 & 0x3ff),
        message::STALL_WAVE_GEN | message::HALT_WAVES | message::EARLY_PRIM_DEALLOC => {}
        other => ctx.report.unknown(
            "sq-message",
            format!("s_sendmsg {other} (m0 {m0:#x}) at {:#x}", w.pc),
        ),
    }
}

/// Tells the driver of a wave's error.
pub(super) fn error(ctx: &Ctx, r: &DispatchRequest, place: Place, index: usize, privileged: u32, e: SqError) {
    interrupt(ctx, r, place, index, 2, privileged, (e as u32) << 20);
}

/// 44 bits: data 11:0, SH 12, PRIV 13, wave 17:14, SIMD 19:18, CU 23:20, SE 25:24, encoding 27:26, data 23:12 above.
fn interrupt(
    ctx: &Ctx,
    r: &DispatchRequest,
    place: Place,
    index: usize,
    encoding: u32,
    privileged: u32,
    data: u32,
) {
    let index = index as u32;
    let word0 = data & 0xfff
        | (privileged & 1) << 13
        | (index >> 2 & 0xf) << 14
        | (index & 3) << 18
        | (place.cu & 0xf) << 20
        | (place.se & 3) << 24
        | encoding << 26
        | (data >> 12 & 0xf) << 28;
    ctx.ih.send(Iv {
        client: client::SE_SH
            .get(place.se as usize & 3)
            .copied()
            .unwrap_or(client::GRBM_CP),
        source: SQ_MESSAGE,
        ring_id: 0,
        vmid: r.vmid,
        vmid_src: 0,
        pasid: r.pasid,
        data: [word0, data >> 16 & 0xff, 0, 0],
    });
}
