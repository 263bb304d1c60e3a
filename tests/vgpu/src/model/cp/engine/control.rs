// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What register writes and doorbells start.

use super::super::queue::ring::Overrun;
use super::super::queue::{Loaded, Queue, Role, Stop};
use super::super::regs::{Effect, Hqd};
use super::super::slot::Slot;
use super::events::{enable, source};
use super::Engine;

/// How long a doorbell of a queue that never was may precede its mapping (ticks of 10 ns).
const STRAY_LIMIT: u64 = 10 * crate::clock::HZ;
/// Doorbells remembered for queues that never were.
const STRAYS: usize = 1024;

/// CP_HQD_DEQUEUE_REQUEST values (kernel amdgpu_amdkfd_gfx_v9.c: hqd_dequeue_request_type).
mod dequeue {
    pub(super) const DRAIN_PIPE: u8 = 1;
    pub(super) const RESET_WAVES: u8 = 2;
}

impl Engine {
    /// Carries out what a register write asks for.
    pub(super) fn effect(&mut self, effect: Effect) {
        match effect {
            Effect::None => {}
            Effect::Active(slot, true) => self.activate(slot),
            Effect::Active(slot, false) => self.discard(slot),
            Effect::Dequeue(slot, request) => self.dequeue(slot, request),
            Effect::ResetWaves(slot) => self.reset_waves(slot),
            Effect::Wptr(slot) => self.doorbell(slot),
            Effect::PollWptr(mask) => {
                self.polls |= mask;
                for slot in Slot::all() {
                    self.poll_if_asked(slot);
                }
            }
            Effect::MecCntl { reset_pipes } => self.reset_pipes(reset_pipes),
            Effect::RaiseInterrupt(slot, bits) => self.raise(slot, bits),
        }
    }

    /// A queue set up by registers starts.
    fn activate(&mut self, slot: Slot) {
        if self.queue(slot).is_some() {
            let text = format!("{slot} is activated by register while a queue is mapped there");
            self.bus.violation("slot-occupied", text);
            return;
        }
        let (bank, kiq) = {
            let regs = self.shared.regs.lock();
            (regs.bank(slot).clone(), regs.kiq())
        };
        if !bank.active() {
            return;
        }
        let role = if kiq == Some(slot) {
            Role::Kiq
        } else {
            Role::Direct
        };
        let pasid = if bank.vmid() == 0 {
            0
        } else {
            self.bus.pasid(bank.vmid())
        };
        let at = bank.mqd_base();
        self.attach(slot, role, pasid, bank, Some(Loaded { at, image: None }));
        self.poll_if_asked(slot);
    }

    /// Carries out CP_PQ_WPTR_POLL_CNTL1 for a slot of ME1, once it has a queue.
    fn poll_if_asked(&mut self, slot: Slot) {
        let bit = if slot.me() == 1 { 1u32 << slot.index() } else { 0 };
        if self.polls & bit != 0 && self.queue(slot).is_some() {
            self.polls &= !bit;
            self.poll_wptr(slot);
        }
    }

    fn dequeue(&mut self, slot: Slot, request: u8) {
        if self.queue(slot).is_none() {
            // none, or one whose registers made no queue
            let mut regs = self.shared.regs.lock();
            regs.bank_mut(slot).set(Hqd::Active, 0);
            regs.bank_mut(slot).set(Hqd::DequeueRequest, 0);
            return;
        }
        match request {
            dequeue::DRAIN_PIPE => self.stop_queue(slot, Stop::Drain),
            dequeue::RESET_WAVES => self.stop_queue(slot, Stop::Reset),
            other => self.bus.unknown(
                "dequeue-request",
                format!("{slot}: CP_HQD_DEQUEUE_REQUEST {other}"),
            ),
        }
    }

    /// Ends a drain whose waves do not (kernel amdgpu_amdkfd_gfx_v9.c: kgd_gfx_v9_hqd_reset).
    fn reset_waves(&mut self, slot: Slot) {
        match self.queue(slot).map(|q| q.stop) {
            None => {}
            Some(Some(_)) => self.stop_queue(slot, Stop::Reset),
            Some(None) => self
                .bus
                .unknown("queue-reset", format!("{slot} without a dequeue request")),
        }
    }

    /// The write pointer of a queue changed.
    pub(super) fn doorbell(&mut self, slot: Slot) {
        let wptr = self.shared.regs.lock().bank(slot).wptr();
        let Some(mut q) = self.take(slot) else { return };
        if q.aql.is_some() {
            self.aql_write_index(&mut q, Some(wptr));
        } else {
            self.set_wptr(&mut q, wptr);
        }
        q.wake();
        self.put(q);
    }

    /// Looks at the write pointer in memory.
    fn poll_wptr(&mut self, slot: Slot) {
        let Some(mut q) = self.take(slot) else { return };
        if q.aql.is_some() {
            self.aql_write_index(&mut q, None);
        } else if q.wptr_poll != 0 {
            if let Ok(wptr) = self.bus.read64(q.vmid, q.wptr_poll) {
                self.shared.regs.lock().bank_mut(slot).set_wptr(wptr);
                self.set_wptr(&mut q, wptr);
            }
        }
        q.wake();
        self.put(q);
    }

    fn set_wptr(&self, q: &mut Queue, wptr: u64) {
        if let Err(Overrun { rptr, wptr, size }) = q.ring.set_wptr(wptr) {
            let text = format!(
                "{}: write pointer {wptr:#x}, read pointer {rptr:#x}, {size:#x} dwords",
                q.slot
            );
            self.bus.violation("ring-overrun", text);
        }
    }

    /// CP_MEC_CNTL was written: pipes 0..=3 of ME1, then 0 and 1 of ME2 may be reset.
    fn reset_pipes(&mut self, pipes: u8) {
        for slot in Slot::all() {
            if pipes >> slot.pipe_index() & 1 == 0 {
                continue;
            }
            if self.queue(slot).is_some() {
                self.bus.count("cp_pipe_reset_with_queue");
            }
            self.discard(slot);
        }
        if self.queues.iter().all(Option::is_none) {
            // nothing is scheduled any more
            self.forget_run_list();
        }
    }

    /// CPC_INT_STATUS was written.
    fn raise(&mut self, slot: Option<Slot>, bits: u32) {
        let Some(q) = slot.and_then(|s| self.queue(s)) else {
            return;
        };
        if bits & !enable::GENERIC2 != 0 {
            self.bus
                .unknown("cpc-int-status", format!("{}: {bits:#x}", q.slot));
        }
        if bits & enable::GENERIC2 != 0 {
            self.interrupt(q, source::GENERIC2, enable::GENERIC2, 0);
        }
    }

    /// A doorbell that no mapped queue has. It is fine for a queue that was mapped before, or will be soon: the write
    /// pointer is read from memory then.
    pub(super) fn stray_doorbell(&mut self, index: u32, value: u64) {
        if let Some(q) = self.queues.iter().flatten().find(|q| q.ident.doorbell == index) {
            // it was mapped while this message was under way, and may have missed it
            let slot = q.slot;
            self.poll_wptr(slot);
            return;
        }
        self.bus.count("cp_doorbell_while_unmapped");
        if self.known_doorbells.contains(&index) {
            self.hurry_rotation();
            return;
        }
        let limit = self.bus.now().saturating_add(STRAY_LIMIT);
        if self.stray_doorbells.len() < STRAYS {
            tracing::debug!("doorbell {index:#x} = {value:#x} has no queue yet");
            self.stray_doorbells.entry(index).or_insert(limit);
        } else {
            self.bus
                .violation("doorbell-unmapped", format!("doorbell {index:#x} = {value:#x}"));
        }
    }

    /// Doorbells whose queue never came.
    pub(super) fn judge_stray_doorbells(&mut self, now: u64) {
        let bus = &self.bus;
        self.stray_doorbells.retain(|index, limit| {
            let keep = *limit > now;
            if !keep {
                bus.violation(
                    "doorbell-unmapped",
                    format!("no queue ever had doorbell {index:#x}"),
                );
            }
            keep
        });
    }
}
