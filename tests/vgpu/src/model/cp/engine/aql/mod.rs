// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The AQL packet processor: taking packets from the ring and starting them.
//!
//! - `launch`: kernels. `complete`: ends of packets. `error`: packets that cannot be executed.

mod complete;
mod error;
mod launch;

use super::super::aql::amd_queue::AmdQueue;
use super::super::aql::fault::QueueError;
use super::super::aql::packet::{Body, Condition, Packet, SlotContent, Unsupported, PACKET_BYTES};
use super::super::aql::signal;
use super::super::bus::MemFault;
use super::super::pm4::Bad;
use super::super::queue::aql::{Started, Work};
use super::super::queue::{Ib, Queue, State};
use super::{Engine, Step};

/// Packets of a queue started and not retired at a time.
const MAX_STARTED: u64 = 256;

/// Why a packet did not get through.
enum Halt {
    /// It has to wait for memory: look again later.
    Poll,
    /// It has to wait for earlier packets of the queue.
    Earlier,
    /// A queue error, and where to store it.
    Error(QueueError, AmdQueue),
    /// A memory access of the processor failed.
    Fault(u64),
}

impl From<MemFault> for Halt {
    fn from(f: MemFault) -> Self {
        Self::Fault(f.va)
    }
}

impl Engine {
    /// Executes the next packet of an AQL ring, or the next of the PM4 buffer it is in.
    pub(super) fn step_aql(&mut self, q: &mut Queue) -> Step {
        if q.ib.is_some() {
            let step = self.step_pm4(q);
            if q.ib.is_none() && q.state != State::Halted {
                self.buffer_done(q);
            }
            return step;
        }
        match self.next_packet(q) {
            Ok(Some(())) => Step::Progress,
            Ok(None) => {
                q.state = State::Idle;
                Step::Stuck
            }
            Err(Halt::Poll) => {
                q.poll(self.bus.now());
                Step::Stuck
            }
            Err(Halt::Earlier) => {
                q.state = State::Blocked;
                Step::Stuck
            }
            Err(Halt::Error(error, amd)) => self.queue_error(q, error, &amd),
            Err(Halt::Fault(va)) => self.bad_packet(q, None, Bad::Fault(va)),
        }
    }

    fn next_packet(&mut self, q: &mut Queue) -> Result<Option<()>, Halt> {
        let Some(aql) = &mut q.aql else { return Ok(None) };
        if let Some(held) = aql.held {
            if signal::value(&*self.bus, q.vmid, held.signal)? != 0 {
                return Err(Halt::Poll);
            }
            aql.held = None;
        }
        let next = q.ring.rptr();
        if aql.available(next, q.ring.size()) == 0 {
            return Ok(None);
        }
        if next.wrapping_sub(aql.read_index()) >= MAX_STARTED {
            return Err(Halt::Earlier);
        }
        let mut bytes = [0; PACKET_BYTES];
        q.ring.read(&*self.bus, next, &mut bytes)?;
        let packet = match SlotContent::decode(&bytes) {
            // reserved, but not written yet: the doorbell of a later packet may have come first
            SlotContent::Invalid => return Err(Halt::Poll),
            SlotContent::Packet(p) => p,
            SlotContent::Unsupported(why) => {
                let error = match why {
                    Unsupported::Vendor(_) => QueueError::InvalidVendorFormat,
                    Unsupported::Kind(_) | Unsupported::Scope(_) => QueueError::InvalidFormat,
                };
                tracing::warn!("{} pasid {:#x}: packet {next}: {why:x?}", q.slot, q.pasid);
                return Err(Halt::Error(
                    error,
                    AmdQueue::read(&*self.bus, q.vmid, q.rptr_report)?,
                ));
            }
        };
        if packet.header.barrier && !aql.all_complete() {
            return Err(Halt::Earlier);
        }
        let started = self.start(q, next, &packet)?;
        if let Some(aql) = &mut q.aql {
            aql.push(started);
        }
        q.ring.consume(1);
        q.packet_done();
        self.bus.count("cp_aql_packet");
        self.retire(q)?;
        if started.work == Work::Done {
            self.complete(q, &started, started.start, started.start)?;
        }
        Ok(Some(()))
    }

    /// Starts a packet; one that needs nothing more is complete at once.
    fn start(&mut self, q: &mut Queue, index: u64, p: &Packet) -> Result<Started, Halt> {
        let start = self.bus.now();
        let mut started = Started {
            work: Work::Done,
            signal: p.completion,
            release: p.header.release,
            start,
            reclaim_scratch: false,
        };
        match p.body {
            Body::Kernel(k) => {
                let (seq, reclaim) = self.launch(q, index, &k)?;
                started.work = Work::Kernel(seq);
                started.reclaim_scratch = reclaim;
            }
            Body::BarrierAnd(signals) => {
                if !self.all_zero(q, &signals)? {
                    return Err(Halt::Poll);
                }
            }
            Body::BarrierOr(signals) => {
                if !self.one_zero(q, &signals)? {
                    return Err(Halt::Poll);
                }
            }
            Body::BarrierValue {
                signal,
                value,
                mask,
                condition,
            } => {
                if signal != 0 {
                    let found = signal::value(&*self.bus, q.vmid, signal)? & mask;
                    let met = match condition {
                        Condition::Eq => found == value,
                        Condition::Ne => found != value,
                        Condition::Lt => found < value,
                        Condition::Ge => found >= value,
                    };
                    if !met {
                        return Err(Halt::Poll);
                    }
                }
            }
            Body::Pm4Ib { base, dwords } if dwords > 0 => {
                started.work = Work::Buffer(q.flight.mark());
                q.ib = Some(Ib {
                    base,
                    dwords,
                    at: 0,
                    vmid: q.vmid,
                });
            }
            Body::Pm4Ib { .. } => {}
        }
        self.count_fence("cp_aql_acquire_agent", "cp_aql_acquire_system", p.header.acquire);
        Ok(started)
    }

    fn all_zero(&self, q: &Queue, signals: &[u64; 5]) -> Result<bool, MemFault> {
        for s in signals.iter().filter(|s| **s != 0) {
            if signal::value(&*self.bus, q.vmid, *s)? != 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// One of the signals is 0; true if there are none.
    fn one_zero(&self, q: &Queue, signals: &[u64; 5]) -> Result<bool, MemFault> {
        let mut any = false;
        for s in signals.iter().filter(|s| **s != 0) {
            any = true;
            if signal::value(&*self.bus, q.vmid, *s)? == 0 {
                return Ok(true);
            }
        }
        Ok(!any)
    }

    /// A doorbell of an AQL queue, or its mapping: takes over the write index. Doorbells carry the index of the last
    /// packet; memory has the index behind it, and is what counts.
    pub(super) fn aql_write_index(&mut self, q: &mut Queue, doorbell: Option<u64>) {
        let memory = match q.wptr_poll {
            0 => None,
            at => match self.bus.read64(q.vmid, at) {
                Ok(v) => Some(v),
                Err(MemFault { va }) => {
                    self.bad_packet(q, None, Bad::Fault(va));
                    return;
                }
            },
        };
        let Some(aql) = &mut q.aql else { return };
        aql.write_index = match (memory, doorbell) {
            (Some(m), Some(d)) if d > m => {
                let text = format!("{}: doorbell {d} is beyond the write index {m}", q.slot);
                self.bus.violation("aql-doorbell-beyond-write-index", text);
                d.saturating_add(1)
            }
            (Some(m), _) => m,
            (None, Some(d)) => d.saturating_add(1).max(aql.write_index),
            (None, None) => aql.write_index,
        };
    }
}
