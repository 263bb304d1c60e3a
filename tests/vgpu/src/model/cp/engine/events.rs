// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Ends of kernels, end-of-pipe events, interrupts, and packets that cannot be executed.

use super::super::bus::MemFault;
use super::super::dispatch_request::{DispatchEnd, Outcome};
use super::super::pm4::{opcode, Bad, Eop, EopData};
use super::super::queue::flight::Seq;
use super::super::queue::{Queue, State, Token};
use super::super::regs::{Hqd, ERROR_PQ_UTCL1};
use super::super::slot::Slot;
use super::{Engine, Step};
use crate::model::ih::{client, Iv};

/// Interrupt sources of the command processor (kernel ivsrcid/gfx/irqsrcs_gfx_9_0.h).
pub(super) mod source {
    /// CPC_INT_STATUS.GENERIC2.
    pub(crate) const GENERIC2: u8 = 178;
    /// End of pipe.
    pub(crate) const EOP: u8 = 181;
    /// Bad opcode.
    pub(crate) const BAD_OPCODE: u8 = 183;
    /// Privileged register.
    pub(crate) const PRIV_REG: u8 = 184;
}

/// Interrupt enables of a pipe.
pub(super) mod enable {
    crate::fields! {
        PRIV_REG = CPC_INT_CNTL.PRIV_REG_INT_ENABLE[23:23];
        OPCODE_ERROR = CPC_INT_CNTL.OPCODE_ERROR_INT_ENABLE[24:24];
        TIME_STAMP = CPC_INT_CNTL.TIME_STAMP_INT_ENABLE[26:26];
        GENERIC2 = CPC_INT_CNTL.GENERIC2_INT_ENABLE[29:29];
    }
}

/// Exception code of a packet that is not supported (kfd_ioctl.h: EC_QUEUE_PACKET_UNSUPPORTED).
const EC_UNSUPPORTED: u32 = 20;

impl Engine {
    /// Raises an interrupt of a queue's pipe, if it is enabled there.
    pub(super) fn interrupt(&self, q: &Queue, source: u8, enable: u32, context: u32) {
        if self.shared.regs.lock().int_cntl(q.slot) & enable == 0 {
            self.bus.count("cp_interrupt_masked");
            return;
        }
        self.bus.interrupt(Iv {
            client: client::GRBM_CP,
            source,
            ring_id: q.slot.ring_id(),
            vmid: q.vmid,
            vmid_src: 0,
            pasid: q.pasid,
            data: [context, 0, 0, 0],
        });
    }

    /// How interrupts name a queue: index of its 64-bit doorbell in the process's doorbell page, with an exception code.
    pub(super) fn exception_context(q: &Queue, code: u32) -> u32 {
        q.ident.doorbell / 2 & 0x3ff | code << 10
    }

    /// Carries out end-of-pipe events whose kernels have ended.
    pub(super) fn fire_events(&mut self, q: &mut Queue) {
        while q.state != State::Halted {
            let Some(event) = q.flight.due() else { return };
            if let Err(MemFault { va }) = self.fire(q, &event) {
                self.bad_packet(q, Some(opcode::RELEASE_MEM), Bad::Fault(va));
            }
        }
    }

    fn fire(&self, q: &Queue, e: &Eop) -> Result<(), MemFault> {
        match e.data {
            EopData::None => {}
            EopData::Low(v) => self.bus.write32(e.vmid, e.at, v)?,
            EopData::Wide(v) => self.bus.write64(e.vmid, e.at, v)?,
            EopData::Clock => self.bus.write64(e.vmid, e.at, self.bus.now())?,
        }
        if let Some(context) = e.interrupt {
            self.interrupt(q, source::EOP, enable::TIME_STAMP, context);
        }
        Ok(())
    }

    /// A kernel of a queue has ended.
    pub(super) fn kernel_ended(&mut self, slot: Slot, token: Token, seq: Seq, end: DispatchEnd) {
        if self.queue(slot).is_none_or(|q| q.token != token) {
            return;
        }
        let Some(mut q) = self.take(slot) else { return };
        if q.flight.ended(seq) {
            match end.outcome {
                Outcome::Done => {
                    self.aql_kernel_done(&mut q, seq, end);
                    q.wake();
                }
                Outcome::MemoryFault | Outcome::IllegalInstruction => {
                    self.bus.count("cp_queue_stopped_by_wave");
                    tracing::warn!(
                        "{slot} (pasid {:#x}) stops: a kernel ended with {:?}",
                        q.pasid,
                        end.outcome
                    );
                    q.state = State::Halted;
                }
                // the queue is being reset, or is gone
                Outcome::Killed => {}
            }
            self.fire_events(&mut q);
        }
        self.put(q);
    }

    /// Stops a queue at a packet that cannot be executed, and tells everybody concerned.
    pub(super) fn bad_packet(&mut self, q: &mut Queue, op: Option<u8>, bad: Bad) -> Step {
        q.state = State::Halted;
        let name = op.and_then(opcode::name).unwrap_or("packet");
        let text = format!("{} pasid {:#x} vmid {}: {name} {bad:x?}", q.slot, q.pasid, q.vmid);
        match bad {
            Bad::Fault(_) => {
                // the hub has reported it; the queue only stops
                tracing::warn!("{text}");
                self.bus.count("cp_queue_stopped_by_fault");
                self.hqd_error(q.slot, ERROR_PQ_UTCL1);
            }
            Bad::Privilege(_) => {
                self.bus.violation("pm4-privileged-register", text);
                self.interrupt(q, source::PRIV_REG, enable::PRIV_REG, 0);
            }
            Bad::Opcode(_) | Bad::Header(_) => {
                self.bus.unknown("pm4-opcode", text);
                self.bad_opcode(q);
            }
            Bad::Field { .. } => {
                self.bus.unknown("pm4-field", text);
                self.bad_opcode(q);
            }
            Bad::Length | Bad::Truncated | Bad::Launch(_) => {
                self.bus.violation("pm4-malformed", text);
                self.bad_opcode(q);
            }
        }
        Step::Stuck
    }

    fn bad_opcode(&self, q: &Queue) {
        let context = Self::exception_context(q, EC_UNSUPPORTED);
        self.interrupt(q, source::BAD_OPCODE, enable::OPCODE_ERROR, context);
    }

    /// Sets bits of CP_HQD_ERROR.
    pub(super) fn hqd_error(&self, slot: Slot, bits: u32) {
        let mut regs = self.shared.regs.lock();
        let bank = regs.bank_mut(slot);
        bank.set(Hqd::Error, bank.get(Hqd::Error) | bits);
    }

    /// Sets CP_HQD_PQ_RPTR; whether it changed.
    pub(super) fn show_rptr(&self, slot: Slot, rptr: u32) -> bool {
        let mut regs = self.shared.regs.lock();
        let bank = regs.bank_mut(slot);
        let changed = bank.get(Hqd::PqRptr) != rptr;
        bank.set(Hqd::PqRptr, rptr);
        changed
    }
}
