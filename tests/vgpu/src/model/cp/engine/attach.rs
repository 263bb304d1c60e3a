// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Putting queues on hardware slots, and taking them off.

use super::super::aql::packet::{Scope, SlotContent, PACKET_BYTES};
use super::super::bus::MemFault;
use super::super::dispatch_request::QueueIdent;
use super::super::hws::packets::MapQueues;
use super::super::mqd::{Mqd, SavedIb, MQD_DWORDS, MQD_HEADER};
use super::super::queue::aql::{Aql, Started, Work};
use super::super::queue::ring::Ring;
use super::super::queue::{Loaded, Queue, Role, Setup, Stop};
use super::super::regs::{Bank, Hqd};
use super::super::slot::Slot;
use super::Engine;

/// Dwords of an AQL packet.
const PACKET_DWORDS: u64 = 16;

impl Engine {
    /// Loads a queue from its descriptor onto a slot (MAP_QUEUES); `false` if that is not possible, which is reported.
    pub(super) fn map_queue(&mut self, m: &MapQueues, slot: Slot, role: Role, vmid: u8, pasid: u16) -> bool {
        let mqd = match self.bus.read_dwords(0, m.mqd, MQD_DWORDS) {
            Ok(d) => Mqd(d),
            Err(MemFault { va }) => {
                tracing::warn!("{slot}: the queue descriptor at {va:#x} cannot be read");
                self.bus.count("cp_map_failed");
                return false;
            }
        };
        if mqd.get(0) != MQD_HEADER {
            let text = format!("{slot}: descriptor at {:#x} starts with {:#x}", m.mqd, mqd.get(0));
            self.bus.violation("mqd-header", text);
            return false;
        }
        let mut bank = mqd.bank();
        if mqd.doorbell() != m.doorbell {
            let text = format!(
                "{slot}: MAP_QUEUES says {:#x}, the descriptor {:#x}",
                m.doorbell,
                mqd.doorbell()
            );
            self.bus.violation("mqd-doorbell", text);
        }
        bank.set(Hqd::MqdBaseLo, m.mqd as u32);
        bank.set(Hqd::MqdBaseHi, (m.mqd >> 32) as u32);
        bank.set(Hqd::Vmid, vmid.into());
        bank.enable_doorbell(m.doorbell);
        if !bank.aql() && m.wptr != 0 {
            // doorbells rung while the queue was not mapped are not lost: memory has the write pointer
            match self.bus.read64(vmid, m.wptr) {
                Ok(wptr) => bank.set_wptr(wptr),
                Err(MemFault { va }) => {
                    tracing::warn!("{slot}: the write pointer at {va:#x} cannot be read");
                    self.bus.count("cp_map_failed");
                    return false;
                }
            }
        }
        bank.set(Hqd::WptrPollLo, m.wptr as u32);
        bank.set(Hqd::WptrPollHi, (m.wptr >> 32) as u32);
        bank.set(Hqd::Active, 1);
        self.attach(
            slot,
            role,
            pasid,
            bank,
            Some(Loaded {
                at: m.mqd,
                image: Some(mqd),
            }),
        )
    }

    /// Puts a queue on its slot as its registers say.
    pub(super) fn attach(
        &mut self,
        slot: Slot,
        role: Role,
        pasid: u16,
        bank: Bank,
        loaded: Option<Loaded>,
    ) -> bool {
        let Some(dwords) = bank.pq_dwords() else {
            let text = format!("{slot}: CP_HQD_PQ_CONTROL {:#x}", bank.get(Hqd::PqControl));
            self.bus.violation("ring-size", text);
            return false;
        };
        let doorbell = bank.doorbell().unwrap_or(0);
        if bank.doorbell().is_some() {
            if let Some(other) = self
                .queues
                .iter()
                .flatten()
                .find(|q| q.ident.doorbell == doorbell)
            {
                let text = format!("{slot} and {} have doorbell {doorbell:#x}", other.slot);
                self.bus.violation("doorbell-shared", text);
            }
            self.known_doorbells.insert(doorbell);
            self.stray_doorbells.remove(&doorbell);
        }
        let vmid = bank.vmid();
        let image = loaded.as_ref().and_then(|l| l.image.as_ref());
        let saved_ib = image.and_then(Mqd::saved_ib);
        let (ring, aql) = if bank.aql() {
            let read = match image {
                Some(mqd) => Ok(mqd.read_index()),
                // set up by registers, which have no 64-bit index
                None => self.bus.read64(vmid, bank.rptr_report()),
            };
            let Ok(read) = read else { return false };
            let size = (dwords / PACKET_DWORDS).max(1);
            (
                Ring::new(bank.pq_base(), vmid, size, PACKET_DWORDS * 4, read, read),
                Some(Aql::new(read, read)),
            )
        } else {
            let wptr = bank.wptr();
            let rptr = Ring::unwrap_rptr(dwords, bank.get(Hqd::PqRptr).into(), wptr);
            (Ring::new(bank.pq_base(), vmid, dwords, 4, rptr, wptr), None)
        };
        let token = self.next_token;
        self.next_token = token.wrapping_add(1);
        let mut q = Queue::new(Setup {
            slot,
            token,
            ident: QueueIdent {
                me: slot.me(),
                pipe: slot.pipe(),
                queue: slot.queue(),
                doorbell,
            },
            role,
            vmid,
            pasid,
            privileged: bank.privileged(),
            ring,
            aql,
            // a buffer of the process is in the address space it has now
            ib: saved_ib.map(|ib| SavedIb {
                vmid: if bank.privileged() { ib.vmid } else { vmid },
                ..ib
            }),
            rptr_report: bank.rptr_report(),
            reports_rptr: bank.reports_rptr(),
            wptr_poll: bank.wptr_poll(),
            loaded,
        });
        tracing::debug!("{slot} {role:?} vmid {vmid} pasid {pasid:#x} doorbell {doorbell:#x} mapped");
        *self.shared.regs.lock().bank_mut(slot) = bank;
        if q.aql.is_some() {
            self.resume_buffer(&mut q);
            self.aql_write_index(&mut q, None);
        }
        self.put(q);
        self.bus.count("cp_map_queue");
        true
    }

    /// An AQL queue that was taken off inside a PM4 buffer goes on in it: its packet counts as started.
    fn resume_buffer(&mut self, q: &mut Queue) {
        if q.ib.is_none() {
            return;
        }
        let mut bytes = [0; PACKET_BYTES];
        let index = q.ring.rptr();
        let content = q
            .ring
            .read(&*self.bus, index, &mut bytes)
            .map(|()| SlotContent::decode(&bytes));
        let (Ok(SlotContent::Packet(p)), Some(aql)) = (content, &mut q.aql) else {
            q.ib = None;
            return;
        };
        aql.push(Started {
            work: Work::Buffer(q.flight.mark()),
            signal: p.completion,
            release: Scope::None,
            start: self.bus.now(),
            reclaim_scratch: false,
        });
        q.ring.consume(1);
    }

    /// Begins to take a queue off its slot; a reset overrules a drain.
    pub(super) fn stop_queue(&mut self, slot: Slot, how: Stop) {
        let Some(q) = self.queue_mut(slot) else { return };
        if q.stop != Some(Stop::Reset) {
            q.stop = Some(how);
        }
        if how == Stop::Reset {
            q.flight.drop_events();
            let ids = q.flight.ids();
            for id in ids {
                self.bus.kill(id);
            }
        }
    }

    /// Takes queues off whose last kernel has ended.
    pub(super) fn finish_stops(&mut self) {
        for slot in Slot::all() {
            if self.queue(slot).is_some_and(Queue::stopped) {
                if let Some(q) = self.take(slot) {
                    self.detach(q);
                }
            }
        }
    }

    /// Writes a queue's state back into its descriptor and frees its slot.
    fn detach(&mut self, mut q: Queue) {
        self.report_rptr(&mut q);
        if let Some(aql) = &mut q.aql {
            aql.forget();
        }
        let bank = {
            let mut regs = self.shared.regs.lock();
            let bank = regs.bank_mut(q.slot);
            if q.aql.is_none() {
                bank.set_wptr(q.ring.wptr());
            }
            bank.set(Hqd::Active, 0);
            bank.set(Hqd::DequeueRequest, 0);
            bank.clone()
        };
        self.save(&q, &bank);
        tracing::debug!("{} pasid {:#x} unmapped", q.slot, q.pasid);
        self.bus.count("cp_unmap_queue");
    }

    fn save(&self, q: &Queue, bank: &Bank) {
        let Some(loaded) = q.loaded.as_ref().filter(|l| l.at != 0) else {
            return;
        };
        let Ok(dwords) = self.bus.read_dwords(0, loaded.at, MQD_DWORDS) else {
            return;
        };
        let mut mqd = Mqd(dwords);
        if mqd.get(0) != MQD_HEADER {
            if loaded.image.is_some() {
                let text = format!("{}: descriptor at {:#x} is gone", q.slot, loaded.at);
                self.bus.violation("mqd-changed-while-mapped", text);
            }
            return;
        }
        if let Some(image) = loaded
            .image
            .as_ref()
            .filter(|_| matches!(q.role, Role::Scheduled { .. }))
        {
            if let Some(((d, was), (_, is))) =
                image.driver_part().zip(mqd.driver_part()).find(|(a, b)| a != b)
            {
                let text = format!(
                    "{}: dword {d} of {:#x} was {was:#x}, is {is:#x}",
                    q.slot, loaded.at
                );
                self.bus.violation("mqd-changed-while-mapped", text);
            }
        }
        let read_index = q.aql.as_ref().map_or(0, Aql::read_index);
        mqd.save(bank, read_index, q.ib);
        let _ = self.bus.write(0, loaded.at, &mqd.to_bytes());
    }

    /// Forgets a queue at once and writes nothing: the driver has cleared CP_HQD_ACTIVE, or reset the pipe.
    pub(super) fn discard(&mut self, slot: Slot) {
        let Some(q) = self.take(slot) else { return };
        for id in q.flight.ids() {
            self.bus.kill(id);
        }
    }
}
