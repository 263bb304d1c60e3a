// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The AQL packet processor.

use super::super::aql::amd_queue::AmdQueue;
use super::super::aql::descriptor::{Descriptor, DESCRIPTOR_BYTES};
use super::super::aql::fault::QueueError;
use super::super::aql::launch::{self, UserValues};
use super::super::aql::packet::{
    Body, Condition, KernelDispatch, Packet, Scope, SlotContent, Unsupported, INVALID_HEADER, PACKET_BYTES,
};
use super::super::aql::signal;
use super::super::bus::MemFault;
use super::super::dispatch_request::{AqlOrigin, DispatchEnd, DispatchRequest, ShMem, TrapHandler};
use super::super::pm4::{Bad, MAX_RUNNING};
use super::super::queue::aql::{Aql, Held, Started, Work};
use super::super::queue::flight::Seq;
use super::super::queue::{Ib, Queue, State};
use super::super::regs::{Reg, ERROR_AQL};
use super::events::{enable, source};
use super::pm4::completions;
use super::{Engine, Step};

/// COMPUTE_PGM_RSRC2.TRAP_PRESENT.
const TRAP_PRESENT: u32 = 1 << 6;
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

    /// Hands a kernel to the dispatcher; its number, and whether its scratch is to be given back afterwards.
    fn launch(&mut self, q: &mut Queue, index: u64, k: &KernelDispatch) -> Result<(Seq, bool), Halt> {
        if q.flight.running() >= MAX_RUNNING {
            return Err(Halt::Earlier);
        }
        let bus = &*self.bus;
        let amd = AmdQueue::read(bus, q.vmid, q.rptr_report)?;
        let error = |e| Halt::Error(e, amd);
        let shape = launch::shape(k).map_err(error)?;
        if k.kernel_object == 0 || k.kernel_object % DESCRIPTOR_BYTES as u64 != 0 {
            return Err(error(QueueError::InvalidCodeObject));
        }
        let mut bytes = [0; DESCRIPTOR_BYTES];
        bus.read(q.vmid, k.kernel_object, &mut bytes)?;
        let d = Descriptor::decode(&bytes, k.kernel_object);
        let lds_bytes = launch::lds_bytes(k, &d).map_err(error)?;
        launch::registers_fit(&shape, &d).map_err(error)?;
        let all_complete = q.aql.as_ref().is_some_and(Aql::all_complete);
        let lacks_scratch = launch::lacks_scratch(k, &amd);
        let reclaim = amd.use_once && k.private_bytes > 0;
        if (lacks_scratch || reclaim) && !all_complete {
            // nobody may use the scratch memory while it is exchanged
            return Err(Halt::Earlier);
        }
        if lacks_scratch {
            return Err(error(QueueError::InsufficientScratch));
        }
        let preload_at = k.kernarg.wrapping_add(u64::from(d.preload_offset) * 4);
        let preload = bus.read_dwords(q.vmid, preload_at, d.preload_dwords as usize)?;
        let values = UserValues {
            queue: &amd,
            packet_va: q.ring.address(index),
            packet_index: index,
            kernarg: k.kernarg,
            private_bytes: k.private_bytes,
            preload: &preload,
        };
        let user_sgprs = launch::user_sgprs(&d, &values).map_err(error)?;
        let state = bus.vmid_state(q.vmid);
        let (cu_mask, trap_present) = {
            let regs = self.shared.regs.lock();
            let compute = &regs.bank(q.slot).compute;
            (compute.cu_mask(), compute.get(Reg::PgmRsrc2) & TRAP_PRESENT)
        };
        let [rsrc1, rsrc2, rsrc3] = d.rsrc;
        let completion = completions(&self.shared, q);
        let seq = q.flight.launch();
        let id = bus.dispatch(DispatchRequest {
            queue: q.ident,
            vmid: q.vmid,
            pasid: q.pasid,
            aql: Some(AqlOrigin {
                packet_va: values.packet_va,
                packet_index: index,
            }),
            code: d.entry,
            pgm_rsrc1: rsrc1,
            pgm_rsrc2: rsrc2 | trap_present,
            pgm_rsrc3: rsrc3,
            workgroup: shape.workgroup,
            first_group: [0; 3],
            end_group: shape.groups,
            last_workgroup: shape.last,
            user_sgprs,
            scratch: amd.scratch,
            lds_bytes,
            sh_mem: ShMem {
                config: state.sh_mem_config,
                bases: state.sh_mem_bases,
            },
            trap: TrapHandler {
                tba: state.tba,
                tma: state.tma,
            },
            cu_mask,
            grid: k.grid,
            completion: completion(seq),
        });
        q.flight.launched(seq, id);
        self.bus.count("cp_aql_dispatch");
        Ok((seq, reclaim))
    }

    /// The PM4 buffer of a packet has been executed.
    fn buffer_done(&mut self, q: &mut Queue) {
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
    pub(super) fn aql_kernel_done(&mut self, q: &mut Queue, seq: Seq, end: DispatchEnd) {
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
    fn complete(&self, q: &Queue, s: &Started, start: u64, end: u64) -> Result<(), MemFault> {
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
    fn retire(&self, q: &mut Queue) -> Result<(), MemFault> {
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

    /// Stores a queue error where the runtime looks for it. The queue waits for the runtime, or stops for good.
    fn queue_error(&mut self, q: &mut Queue, error: QueueError, amd: &AmdQueue) -> Step {
        let code = error.signal_value();
        let recoverable = matches!(
            error,
            QueueError::InsufficientScratch | QueueError::LargeScratchReclaim
        );
        if recoverable {
            self.bus.count("cp_aql_scratch_request");
        } else {
            let text = format!(
                "{} pasid {:#x} packet {}: {error:?}",
                q.slot,
                q.pasid,
                q.ring.rptr()
            );
            self.bus.violation("aql-packet", text);
        }
        if amd.inactive_signal != 0 {
            match signal::store(&*self.bus, q.vmid, amd.inactive_signal, code) {
                Ok(Some(event)) => self.interrupt(q, source::EOP, enable::TIME_STAMP, event),
                Ok(None) => {}
                Err(MemFault { va }) => return self.bad_packet(q, None, Bad::Fault(va)),
            }
        }
        match &mut q.aql {
            Some(aql) if recoverable && amd.inactive_signal != 0 => {
                aql.held = Some(Held {
                    signal: amd.inactive_signal,
                    code,
                });
                q.poll(self.bus.now());
            }
            _ => {
                q.state = State::Halted;
                self.hqd_error(q.slot, ERROR_AQL);
                if let Some(exception) = error.exception_code() {
                    let context = Self::exception_context(q, exception);
                    self.interrupt(q, source::BAD_OPCODE, enable::OPCODE_ERROR, context);
                }
            }
        }
        Step::Stuck
    }

    fn count_fence(&self, agent: &'static str, system: &'static str, scope: Scope) {
        match scope {
            Scope::None => {}
            Scope::Agent => self.bus.count(agent),
            Scope::System => self.bus.count(system),
        }
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
