// SPDX-License-Identifier: GPL-2.0
//! MEC, micro engine compute: the two processors that run compute queues.
//!
//! MEC 1 runs the users' queues, in slots that the scheduler fills. MEC 2 runs the kernel's two: the KIQ, put there
//! by writing the registers of its slot, and the HIQ, mapped by the KIQ. The scheduler itself is MEC firmware.

use super::grbm::{Grbm, Slot};
use super::hal::Shape;
use super::regs::*;
use crate::gpu::hw::{Bars, RegisterIo};
use amdgpu_logic::mqd::Field;
use amdgpu_logic::slots::doorbell;
use kernel::{
    io::register::Array,
    prelude::*,
    time::{delay::fsleep, Delta},
};

/// Where the KIQ runs.
pub(super) const KIQ_SLOT: Slot = Slot {
    me: 2,
    pipe: 1,
    queue: 0,
};
/// Where the HIQ runs.
pub(crate) const HIQ_SLOT: Slot = Slot {
    me: 2,
    pipe: 0,
    queue: 0,
};

/// How long a queue may take to stop.
const DEQUEUE_DEADLINE: Delta = Delta::from_millis(100);

/// Dword of a descriptor that is the first register of a hardware queue.
const FIRST_QUEUE_DWORD: usize = 128;

/// Stops both processors and resets all pipes.
pub(super) fn halt(bars: &Bars) {
    bars.registers.write_reg(
        CP_MEC_CNTL::zeroed()
            .with_mec_invalidate_icache(true)
            .with_mec_me1_pipe0_reset(true)
            .with_mec_me1_pipe1_reset(true)
            .with_mec_me1_pipe2_reset(true)
            .with_mec_me1_pipe3_reset(true)
            .with_mec_me2_pipe0_reset(true)
            .with_mec_me2_pipe1_reset(true)
            .with_mec_me1_halt(true)
            .with_mec_me2_halt(true),
    );
    fsleep(Delta::from_micros(50));
}

/// Starts both processors.
pub(super) fn start(bars: &Bars) {
    bars.registers.write_reg(CP_MEC_CNTL::zeroed());
    fsleep(Delta::from_micros(50));
}

/// Enables interrupts of the pipes that run users' queues: ends of dispatches, and mistakes.
pub(super) fn enable_interrupts(bars: &Bars, grbm: &Grbm, shape: &Shape) -> Result {
    for pipe in 0..shape.pipes {
        grbm.of_queue(
            bars,
            Slot {
                me: 1,
                pipe,
                queue: 0,
            },
            |r| {
                r.write_reg(
                    CPC_INT_CNTL::zeroed()
                        .with_time_stamp_int_enable(true)
                        .with_opcode_error_int_enable(true)
                        .with_priv_reg_int_enable(true),
                );
            },
        )?;
    }
    Ok(())
}

/// Puts a kernel queue on the hardware by writing the registers of its slot from the fields of its descriptor.
pub(super) fn load(
    bars: &Bars,
    grbm: &Grbm,
    slot: Slot,
    fields: impl Iterator<Item = (Field, u32)>,
) -> Result {
    stop(bars, grbm, slot)?;
    grbm.of_queue(bars, slot, |r| {
        r.update(CP_PQ_WPTR_POLL_CNTL, |v| v.with_en(false));
        r.write_reg(CP_MEC_DOORBELL_RANGE_LOWER::from(doorbell::KIQ.byte()));
        r.write_reg(CP_MEC_DOORBELL_RANGE_UPPER::from(doorbell::MEC_LAST.byte()));
        for (field, value) in fields {
            let register = field.dword().checked_sub(FIRST_QUEUE_DWORD);
            if let Some(at) = register.and_then(CP_MQD_BASE_ADDR::try_at) {
                r.write(at, CP_MQD_BASE_ADDR::from(value));
            }
        }
        r.update(CP_PQ_STATUS, |v| v.with_doorbell_enable(true));
    })
}

/// Takes whatever runs in a slot off the hardware.
pub(super) fn stop(bars: &Bars, grbm: &Grbm, slot: Slot) -> Result {
    grbm.of_queue(bars, slot, |r| {
        if !r.read(CP_HQD_ACTIVE).active().into_bool() {
            return Ok(());
        }
        r.write_reg(CP_HQD_DEQUEUE_REQUEST::zeroed().with_const_dequeue_req::<1>());
        let stopped = bars.poll(
            "MEC: kernel queue off the hardware",
            DEQUEUE_DEADLINE,
            |r| r.read(CP_HQD_ACTIVE),
            |v| !v.active().into_bool(),
        );
        r.write_reg(CP_HQD_DEQUEUE_REQUEST::zeroed());
        stopped.map(|_| ())
    })?
}
