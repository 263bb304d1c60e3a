// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Fetching and executing PM4 packets from a ring or an indirect buffer.

use super::super::bus::{dword, Bus, MemFault};
use super::super::pm4::header::Header;
use super::super::pm4::{execute, opcode, Bad, Body, Flow, IbCall, Machine};
use super::super::queue::{Ib, Queue, State};
use super::super::shared::{Message, Shared};
use super::{record, unit, Engine, Step};
use crate::inject::event::{Event, Point, Verdict};

/// A packet as fetched.
struct Fetched {
    /// Header and payload.
    dwords: Vec<u32>,
    /// What the header says.
    header: Header,
}

/// What fetching found.
enum Fetch {
    /// No packet, or not all of one yet.
    None,
    /// A packet.
    Some(Fetched),
    /// Something that is no packet.
    Bad(Bad),
}

impl Engine {
    /// Executes one packet of a PM4 ring, or of the indirect buffer a queue is in.
    pub(super) fn step_pm4(&mut self, q: &mut Queue) -> Step {
        let fetched = match fetch(&*self.bus, q) {
            Ok(Fetch::Some(f)) => f,
            Ok(Fetch::None) => {
                q.state = State::Idle;
                return Step::Stuck;
            }
            Ok(Fetch::Bad(bad)) => return self.bad_packet(q, None, bad),
            Err(MemFault { va }) => return self.bad_packet(q, None, Bad::Fault(va)),
        };
        let count = fetched.header.dwords();
        let Header::Packet { opcode: op, .. } = fetched.header else {
            consume(q, count);
            return Step::Progress;
        };
        let packet = Event::new(Point::Packet, unit(q), opcode::name(op).unwrap_or("")).of(q.vmid);
        match self.bus.fault(packet) {
            Verdict::Hold(_) => {
                q.poll(self.bus.now());
                return Step::Stuck;
            }
            Verdict::Lose => {
                consume(q, count);
                return Step::Progress;
            }
            _ => {}
        }
        let body = Body(fetched.dwords.get(1..).unwrap_or(&[]));
        record::packet(&*self.bus, q, op, body);
        match self.execute(q, op, body) {
            Ok(Flow::Next) => consume(q, count),
            Ok(Flow::Again) => {}
            Ok(Flow::Poll) => {
                q.poll(self.bus.now());
                return Step::Stuck;
            }
            Ok(Flow::UntilIdle) => {
                q.state = State::Blocked;
                return Step::Stuck;
            }
            Ok(Flow::Call(call)) => {
                consume(q, count);
                enter(q, call);
            }
            Ok(Flow::Scheduler) => match self.scheduler_packet(q, op, body) {
                Ok(()) => consume(q, count),
                Err(bad) => return self.bad_packet(q, Some(op), bad),
            },
            Err(bad) => return self.bad_packet(q, Some(op), bad),
        }
        self.fire_events(q);
        Step::Progress
    }

    fn execute(&mut self, q: &mut Queue, op: u8, body: Body<'_>) -> Result<Flow, Bad> {
        let mut effects = Vec::new();
        let completion = completions(&self.shared, q);
        let in_ib = q.ib;
        let vmid = in_ib.map_or(q.vmid, |ib| ib.vmid);
        let mut machine = Machine {
            bus: &*self.bus,
            regs: &self.shared.regs,
            slot: q.slot,
            ident: q.ident,
            vmid,
            pasid: q.pasid,
            // a buffer in a process's address space has no more rights than the process
            privileged: q.privileged && vmid == q.vmid,
            in_ib: in_ib.is_some(),
            flight: &mut q.flight,
            progress: &mut q.progress,
            atomic_return: &mut q.atomic_return,
            effects: &mut effects,
            completion: &completion,
        };
        let flow = execute(&mut machine, op, body);
        for effect in effects {
            // after the packet: the queue itself may be meant
            self.shared.post(Message::Effect(effect));
        }
        if flow.is_ok() && op != opcode::NOP {
            self.bus.count("cp_pm4_packet");
        }
        flow
    }

    /// Tells memory and the registers how far a PM4 ring has been read.
    pub(super) fn report_rptr(&mut self, q: &mut Queue) {
        if q.aql.is_some() {
            return;
        }
        let rptr = q.ring.wrapped_rptr() as u32;
        let changed = self.show_rptr(q.slot, rptr);
        if changed && q.reports_rptr && q.rptr_report != 0 {
            if let Err(MemFault { va }) = self.bus.write32(q.vmid, q.rptr_report, rptr) {
                self.bad_packet(q, None, Bad::Fault(va));
            }
        }
    }
}

/// Makes completions of kernels that tell the engine.
pub(super) fn completions(
    shared: &std::sync::Arc<Shared>,
    q: &Queue,
) -> impl Fn(u64) -> super::super::dispatch_request::Completion {
    let (shared, slot, token) = (shared.clone(), q.slot, q.token);
    move |seq| {
        let shared = shared.clone();
        Box::new(move |end| shared.post(Message::Ended(slot, token, seq, end)))
    }
}

fn fetch(bus: &dyn Bus, q: &Queue) -> Result<Fetch, MemFault> {
    let available = match &q.ib {
        Some(ib) => u64::from(ib.dwords.saturating_sub(ib.at)),
        None => q.ring.available(),
    };
    if available == 0 {
        return Ok(Fetch::None);
    }
    let mut head = [0; 4];
    read(bus, q, &mut head)?;
    let header = Header::decode(dword(&head));
    if header == Header::Bad {
        return Ok(Fetch::Bad(Bad::Header(dword(&head))));
    }
    let count = u64::from(header.dwords());
    if count > available {
        let never = q.ib.is_some() || count > q.ring.size();
        return Ok(if never {
            Fetch::Bad(Bad::Truncated)
        } else {
            Fetch::None
        });
    }
    let mut bytes = vec![0; header.dwords() as usize * 4];
    read(bus, q, &mut bytes)?;
    Ok(Fetch::Some(Fetched {
        dwords: bytes.chunks_exact(4).map(dword).collect(),
        header,
    }))
}

fn read(bus: &dyn Bus, q: &Queue, buf: &mut [u8]) -> Result<(), MemFault> {
    match &q.ib {
        Some(ib) => bus.read(ib.vmid, ib.base.wrapping_add(u64::from(ib.at) * 4), buf),
        None => q.ring.read(bus, q.ring.rptr(), buf),
    }
}

fn consume(q: &mut Queue, dwords: u32) {
    q.packet_done();
    match &mut q.ib {
        Some(ib) => {
            ib.at = ib.at.saturating_add(dwords);
            if ib.at >= ib.dwords {
                q.ib = None;
            }
        }
        None => q.ring.consume(dwords.into()),
    }
}

fn enter(q: &mut Queue, call: IbCall) {
    if call.dwords > 0 {
        q.ib = Some(Ib {
            base: call.base,
            dwords: call.dwords,
            at: 0,
            vmid: call.vmid,
        });
    } else if call.chain {
        q.ib = None;
    }
}
