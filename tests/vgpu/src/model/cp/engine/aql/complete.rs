// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Ends of packets: signals, slots given back, the read index.

use super::super::super::aql::amd_queue::AmdQueue;
use super::super::super::aql::fault::QueueError;
use super::super::super::aql::packet::{Scope, INVALID_HEADER};
use super::super::super::aql::signal;
use super::super::super::bus::MemFault;
use super::super::super::dispatch_request::DispatchEnd;
use super::super::super::pm4::Bad;
use super::super::super::queue::aql::{Started, Work};
use super::super::super::queue::flight::Seq;
use super::super::super::queue::Queue;
use super::super::events::{enable, source};
use super::super::Engine;

impl Engine {
    /// The PM4 buffer of a packet has been executed.
    pub(super) fn buffer_done(&mut self, q: &mut Queue) {
        let mark = q.flight.mark();
        if let Some(aql) = &mut q.aql {
            for s in aql.iter_mut() {
                if let Work::Buffer(first) = s.work {
                    s.work = Work::Kernels(first, mark);
                }
            }
        }
        self.complete_kernels(q, None);
    }

    /// A kernel of an AQL queue has ended normally.
    pub(in super::super) fn aql_kernel_done(&mut self, q: &mut Queue, seq: Seq, end: DispatchEnd) {
        if q.aql.is_some() {
            self.complete_kernels(q, Some((seq, end)));
        }
    }

    /// Completes packets that waited for this kernel, or for any kernels of a PM4 buffer.
    fn complete_kernels(&mut self, q: &mut Queue, ended: Option<(Seq, DispatchEnd)>) {
        let now = self.bus.now();
        let mut done = Vec::new();
        if let Some(aql) = &mut q.aql {
            for s in aql.iter_mut() {
                let times = match (s.work, ended) {
                    (Work::Kernel(seq), Some((e, end))) if seq == e => (end.started, end.ended),
                    (Work::Kernels(first, before), _) if !q.flight.running_between(first, before) => {
                        (s.start, now)
                    }
                    _ => continue,
                };
                s.work = Work::Done;
                done.push((*s, times));
            }
        }
        let mut result = self.retire(q);
        for (s, (start, end)) in &done {
            result = result.and_then(|()| self.complete(q, s, *start, *end));
        }
        if let Err(MemFault { va }) = result {
            self.bad_packet(q, None, Bad::Fault(va));
        }
        if done.iter().any(|(s, _)| s.reclaim_scratch) {
            self.reclaim_scratch(q);
        }
    }

    /// Signals the completion of a packet.
    pub(super) fn complete(&self, q: &Queue, s: &Started, start: u64, end: u64) -> Result<(), MemFault> {
        self.count_fence("cp_aql_release_agent", "cp_aql_release_system", s.release);
        if s.signal == 0 {
            return Ok(());
        }
        self.bus.count("cp_aql_completion");
        if let Some(event) = signal::complete(&*self.bus, q.vmid, s.signal, start, end)? {
            self.interrupt(q, source::EOP, enable::TIME_STAMP, event);
        }
        Ok(())
    }

    /// Gives the slots of completed packets back and moves the read index.
    pub(super) fn retire(&self, q: &mut Queue) -> Result<(), MemFault> {
        let Some(aql) = &mut q.aql else { return Ok(()) };
        let retired = aql.retire();
        if retired.is_empty() {
            return Ok(());
        }
        for index in retired.clone() {
            self.bus
                .write(q.vmid, q.ring.address(index), &INVALID_HEADER.to_le_bytes())?;
        }
        // the register counts dwords of the ring, 16 per packet
        let rptr = (retired.end & (q.ring.size() - 1)).wrapping_mul(16) as u32;
        self.show_rptr(q.slot, rptr);
        if q.rptr_report != 0 {
            self.bus.write64(q.vmid, q.rptr_report, retired.end)?;
        }
        Ok(())
    }

    /// Asks the runtime to take scratch back that was too large to keep.
    fn reclaim_scratch(&mut self, q: &mut Queue) {
        match AmdQueue::read(&*self.bus, q.vmid, q.rptr_report) {
            Ok(amd) => {
                self.queue_error(q, QueueError::LargeScratchReclaim, &amd);
            }
            Err(MemFault { va }) => {
                self.bad_packet(q, None, Bad::Fault(va));
            }
        }
    }

    pub(super) fn count_fence(&self, agent: &'static str, system: &'static str, scope: Scope) {
        match scope {
            Scope::None => {}
            Scope::Agent => self.bus.count(agent),
            Scope::System => self.bus.count(system),
        }
    }
}
