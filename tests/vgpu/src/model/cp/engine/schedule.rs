// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The scheduler firmware's packets: resources, run lists, mapping, status.

use super::super::bus::SdmaQueue;
use super::super::hws::list::List;
use super::super::hws::packets::{
    decode, Engine as For, MapQueues, Packet, QueryStatus, ResourcesFor, RunList, Select, SetResources,
    UnmapQueues,
};
use super::super::hws::plan::Turns;
use super::super::hws::vmids::Vmids;
use super::super::pm4::{Bad, Body};
use super::super::queue::{Queue, Role, State};
use super::events::{enable, source};
use super::turns::Run;
use super::unmap::{Targets, Then};
use super::{record, Engine};
use crate::clock::HZ;

/// Dwords of the longest run list read: 2 MiB.
const LIST_LIMIT: u32 = 1 << 19;

/// What the firmware knows.
#[derive(Debug, Default)]
pub(super) struct Scheduler {
    pub(super) vmids: Vmids,
    /// Slots for queues of run lists (bit n: slot n).
    pub(super) queue_mask: u64,
    /// Slots for queues mapped by KIQ packet.
    kiq_mask: u64,
    /// How long a queue may take to stop, in ticks.
    pub(super) unmap_latency: u64,
    /// The run list being executed.
    pub(super) run: Option<Run>,
    /// SDMA queues handed to their engines.
    pub(super) sdma: Vec<SdmaQueue>,
}

impl Engine {
    /// Executes a packet for the firmware. The queue it is in waits if the packet takes time.
    pub(super) fn scheduler_packet(&mut self, q: &mut Queue, op: u8, body: Body<'_>) -> Result<(), Bad> {
        let packet = decode(op, body)?;
        if q.role == Role::Direct && self.shared.regs.lock().kiq() == Some(q.slot) {
            // named as the kernel interface queue after it was started
            q.role = Role::Kiq;
        }
        match (q.role, packet) {
            (Role::Kiq, Packet::SetResources(r)) if r.queue_type == ResourcesFor::Kiq => {
                self.scheduler.kiq_mask = r.queue_mask;
            }
            (Role::Hiq, Packet::SetResources(r)) if r.queue_type == ResourcesFor::Hiq => {
                self.set_resources(&r)
            }
            (Role::Kiq, Packet::MapQueues(m)) => self.map_kernel_queue(&m),
            (Role::Kiq | Role::Hiq, Packet::UnmapQueues(u)) => self.unmap_packet(q, &u),
            (Role::Kiq | Role::Hiq, Packet::QueryStatus(s)) => self.query_status(q, &s)?,
            (Role::Hiq, Packet::RunList(r)) => self.run_list(q, &r)?,
            _ => return Err(Bad::Opcode(op)),
        }
        Ok(())
    }

    fn set_resources(&mut self, r: &SetResources) {
        self.scheduler.vmids.allow(r.vmid_mask);
        self.scheduler.queue_mask = r.queue_mask;
        self.scheduler.unmap_latency = u64::from(r.unmap_latency) * (HZ / 10);
        if r.vmid_mask & 1 != 0 {
            self.bus
                .violation("hws-resources", format!("VMID 0 in vmid_mask {:#x}", r.vmid_mask));
        }
    }

    /// MAP_QUEUES of the kernel interface queue: a kernel queue, or the scheduler queue.
    fn map_kernel_queue(&mut self, m: &MapQueues) {
        let Some(slot) = m.slot else {
            self.bus.unknown(
                "kiq-map-queues",
                "queue_sel leaves the slot to the firmware".into(),
            );
            return;
        };
        let role = match m.engine {
            For::Compute => Role::Direct,
            For::Hiq => Role::Hiq,
            For::Sdma(n) => {
                self.bus.unknown("kiq-map-queues", format!("SDMA{n}"));
                return;
            }
        };
        if self.shared.regs.lock().bank(slot).active() {
            self.bus.violation(
                "slot-occupied",
                format!("MAP_QUEUES to {slot}, where a queue is mapped"),
            );
            return;
        }
        if role == Role::Direct && self.scheduler.kiq_mask >> slot.index() & 1 == 0 {
            let text = format!(
                "MAP_QUEUES to {slot}, not in the mask {:#x}",
                self.scheduler.kiq_mask
            );
            self.bus.violation("kiq-map-queues", text);
        }
        self.map_queue(m, slot, role, 0, 0);
    }

    fn query_status(&mut self, q: &Queue, s: &QueryStatus) -> Result<(), Bad> {
        if s.fence {
            self.bus.write64(0, s.addr, s.data)?;
        }
        if let Some(context) = s.interrupt {
            self.interrupt(q, source::EOP, enable::TIME_STAMP, context);
        }
        Ok(())
    }

    fn unmap_packet(&mut self, q: &mut Queue, u: &UnmapQueues) {
        let targets = match q.role {
            Role::Hiq => self.scheduled_targets(&u.select),
            _ => match u.select {
                Select::Doorbells(d) => self.doorbell_targets(&d),
                other => {
                    self.bus.unknown("kiq-unmap-queues", format!("{other:x?}"));
                    Targets::default()
                }
            },
        };
        if q.role == Role::Hiq {
            self.bus.count(if u.reset {
                "hws_reset_queues"
            } else {
                "hws_unmap_queues"
            });
            self.forget_targets(&u.select);
        }
        q.state = State::Scheduler;
        self.begin_unmap(targets, u.reset, Some((q.slot, q.token)), Then::Nothing);
    }

    /// Takes queues out of the run list, so that they are not mapped again.
    fn forget_targets(&mut self, select: &Select) {
        let Some(run) = &mut self.scheduler.run else {
            return;
        };
        match select {
            Select::All | Select::NonStatic => {
                self.scheduler.run = None;
                return;
            }
            Select::Pasid(pasid) => run.list.processes.retain(|p| p.map.pasid != *pasid),
            Select::Doorbells(d) => {
                for p in &mut run.list.processes {
                    p.queues.retain(|m| !d.contains(&Some(m.doorbell)));
                }
            }
        }
        run.turns = Turns::new(&run.list);
    }

    /// Forgets the run list and every address space given out.
    pub(super) fn forget_run_list(&mut self) {
        self.scheduler.run = None;
        self.release_vmids();
    }

    fn run_list(&mut self, q: &mut Queue, r: &RunList) -> Result<(), Bad> {
        if r.dwords > LIST_LIMIT {
            return Err(Bad::Field {
                name: "ib_size",
                value: r.dwords,
            });
        }
        self.bus.count("hws_run_list");
        let dwords = self.bus.read_dwords(0, r.base, r.dwords as usize)?;
        let list = match List::parse(&dwords) {
            Ok(list) => list,
            Err(e) => {
                self.bus
                    .violation("run-list", format!("list at {:#x}: {e:x?}", r.base));
                return Err(Bad::Launch("the run list is not one"));
            }
        };
        if let Some(trace) = self.bus.trace() {
            record::list(trace, &list);
        }
        if list.chain.is_some_and(|c| c.base != r.base) {
            self.bus
                .violation("run-list", "the chained list is another one".into());
        }
        if self.scheduler.run.is_none() {
            self.start_list(list, r.processes);
            return Ok(());
        }
        self.bus
            .violation("run-list", "RUN_LIST while another one is being executed".into());
        self.scheduler.run = None;
        q.state = State::Scheduler;
        let targets = self.scheduled_targets(&Select::All);
        self.begin_unmap(
            targets,
            false,
            Some((q.slot, q.token)),
            Then::Start(list, r.processes),
        );
        Ok(())
    }
}
