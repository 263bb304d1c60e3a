// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The scheduler firmware's packets: resources, run lists, mapping, status.

use super::super::bus::SdmaQueue;
use super::super::hws::list::List;
use super::super::hws::packets::{
    decode, Engine as For, MapProcess, MapQueues, Packet, QueryStatus, ResourcesFor, RunList, Select,
    SetResources, UnmapQueues,
};
use super::super::hws::plan::{Place, Turns};
use super::super::hws::vmids::Vmids;
use super::super::pm4::{Bad, Body};
use super::super::queue::{Queue, Role, State};
use super::super::slot::Slot;
use super::unmap::{Targets, Then};
use super::Engine;
use crate::clock::HZ;
use crate::model::grbm::VmidState;

/// Ticks of the reference clock per millisecond.
const MS: u64 = HZ / 1000;
/// Dwords of the longest run list read: 2 MiB.
const LIST_LIMIT: u32 = 1 << 19;
/// The longest time slice while nothing happens.
const IDLE_SLICE: u64 = 100 * MS;

/// A run list being executed.
#[derive(Debug)]
pub(super) struct Run {
    list: List,
    turns: Turns,
    /// Processes to run at a time.
    processes: usize,
    /// When the next ones get their turn, if not all fit.
    slice_end: Option<u64>,
    /// Length of the current slice.
    slice: u64,
    /// Packets executed by scheduled queues when the slice began.
    packets: u64,
}

/// What the firmware knows.
#[derive(Debug, Default)]
pub(super) struct Scheduler {
    pub(super) vmids: Vmids,
    queue_mask: u64,
    kiq_mask: u64,
    /// How long a queue may take to stop, in ticks.
    pub(super) unmap_latency: u64,
    pub(super) run: Option<Run>,
    /// SDMA queues handed to their engines.
    pub(super) sdma: Vec<SdmaQueue>,
}

impl Scheduler {
    pub(super) fn slice_end(&self) -> Option<u64> {
        self.run.as_ref().and_then(|r| r.slice_end)
    }
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
        self.scheduler.unmap_latency = u64::from(r.unmap_latency) * 100 * MS;
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
            self.interrupt(
                q,
                super::events::source::EOP,
                super::events::enable::TIME_STAMP,
                context,
            );
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

    /// Executes a run list; nothing of an earlier one is mapped.
    pub(super) fn start_list(&mut self, list: List, processes: u8) {
        for p in &list.processes {
            if let Some(field) = p.map.unsupported {
                self.bus
                    .unknown("map-process", format!("pasid {:#x}: {field}", p.map.pasid));
            }
            if p.queues.len() > usize::from(p.map.num_queues) {
                let text = format!(
                    "pasid {:#x}: {} queues, says {}",
                    p.map.pasid,
                    p.queues.len(),
                    p.map.num_queues
                );
                self.bus.violation("map-process", text);
            }
            for m in p.queues.iter().filter(|m| m.gws || m.slot.is_some()) {
                self.bus.unknown(
                    "map-queues",
                    format!("pasid {:#x} doorbell {:#x}", p.map.pasid, m.doorbell),
                );
            }
        }
        let quantum = list.processes.iter().map(|p| p.map.quantum).max().unwrap_or(0);
        let turns = Turns::new(&list);
        self.scheduler.run = Some(Run {
            turns,
            processes: if processes == 0 { 16 } else { processes.into() },
            slice_end: None,
            slice: u64::from(quantum.max(1)) * MS,
            packets: 0,
            list,
        });
        self.map_turn();
    }

    /// Maps as many queues of the run list as fit, beginning where the last turn stopped.
    pub(super) fn map_turn(&mut self) {
        let Some(mut run) = self.scheduler.run.take() else {
            return;
        };
        let mut turns = std::mem::take(&mut run.turns);
        let mut mapped = 0usize;
        let all = turns.turn(|place| {
            let room = self.map_place(&run, place);
            mapped += usize::from(room);
            room
        });
        run.turns = turns;
        run.packets = self.scheduled_packets();
        run.slice_end = (!all).then(|| self.bus.now().saturating_add(run.slice));
        if !all && run.list.chain.is_none() {
            self.bus
                .violation("run-list", "more queues than fit, and no chained list".into());
        }
        if !all && mapped == 0 {
            let text = format!(
                "{} VMIDs, slots {:#x}",
                self.scheduler.vmids.allowed(),
                self.scheduler.queue_mask
            );
            self.bus
                .violation("hws-resources", format!("not one queue fits: {text}"));
            run.slice_end = None;
        }
        self.scheduler.run = Some(run);
    }

    /// Maps one queue; `false` if there is no room for it now. A queue that cannot be mapped at all is passed over.
    fn map_place(&mut self, run: &Run, place: Place) -> bool {
        let Some(p) = run.list.processes.get(place.process) else {
            return true;
        };
        let Some(m) = p.queues.get(place.queue) else {
            return true;
        };
        let new = self.scheduler.vmids.of(p.map.pasid).is_none();
        if new && self.active_processes() >= run.processes {
            return false;
        }
        let slot = match m.engine {
            For::Compute => match self.free_slot() {
                Some(slot) => Some(slot),
                None => return false,
            },
            For::Sdma(_) => None,
            For::Hiq => {
                self.bus
                    .unknown("map-queues", "a run list maps the scheduler queue".into());
                return true;
            }
        };
        let Some(vmid) = self.scheduler.vmids.acquire(p.map.pasid) else {
            return false;
        };
        if new {
            self.bind(vmid, &p.map);
        }
        match (slot, m.engine) {
            (Some(slot), _) => {
                let role = Role::Scheduled {
                    is_static: m.is_static,
                };
                self.map_queue(m, slot, role, vmid, p.map.pasid);
                true
            }
            (None, For::Sdma(engine)) => {
                let queue = SdmaQueue {
                    engine,
                    mqd: m.mqd,
                    doorbell: m.doorbell,
                    wptr: m.wptr,
                    vmid,
                    pasid: p.map.pasid,
                };
                match self.bus.sdma_map(queue) {
                    Ok(()) => self.scheduler.sdma.push(queue),
                    Err(why) => self.bus.violation("hws-sdma", why),
                }
                true
            }
            (None, _) => true,
        }
    }

    fn bind(&mut self, vmid: u8, p: &MapProcess) {
        self.bus.count("hws_map_process");
        let state = VmidState {
            sh_mem_config: p.sh_mem_config,
            sh_mem_bases: p.sh_mem_bases,
            tba: p.tba,
            tma: p.tma,
        };
        self.bus.bind_vmid(vmid, p.page_table_base, p.pasid, state);
    }

    fn active_processes(&self) -> usize {
        (self.scheduler.vmids.allowed() as usize).saturating_sub(self.scheduler.vmids.free())
    }

    fn free_slot(&self) -> Option<Slot> {
        let regs = self.shared.regs.lock();
        let free = |s: &Slot| self.queue(*s).is_none() && !regs.bank(*s).active();
        Slot::all().find(|s| self.scheduler.queue_mask >> s.index() & 1 == 1 && free(s))
    }

    /// Gives back the VMIDs of processes that have no mapped queue.
    pub(super) fn release_vmids(&mut self) {
        let mut used: Vec<u16> = self.scheduler.sdma.iter().map(|s| s.pasid).collect();
        let compute = self.queues.iter().flatten();
        used.extend(
            compute
                .filter(|q| matches!(q.role, Role::Scheduled { .. }))
                .map(|q| q.pasid),
        );
        self.scheduler.vmids.retain(|pasid| used.contains(&pasid));
    }

    fn scheduled_packets(&self) -> u64 {
        let compute = self.queues.iter().flatten();
        compute
            .filter(|q| matches!(q.role, Role::Scheduled { .. }))
            .fold(0, |n, q| n.wrapping_add(q.packets))
    }

    /// The time slice of an over-subscribed list is over: others get their turn.
    pub(super) fn time_slice(&mut self, now: u64) {
        let packets = self.scheduled_packets();
        let Some(run) = &mut self.scheduler.run else {
            return;
        };
        if run.slice_end.is_none_or(|end| end > now) {
            return;
        }
        run.slice_end = None;
        // an idle card changes turns less and less often
        let quantum = run
            .list
            .processes
            .iter()
            .map(|p| u64::from(p.map.quantum.max(1)) * MS)
            .max()
            .unwrap_or(MS);
        let busy = packets != run.packets;
        run.slice = if busy {
            quantum
        } else {
            run.slice.saturating_mul(2).min(IDLE_SLICE.max(quantum))
        };
        self.bus.count("hws_rotation");
        let targets = self.scheduled_targets(&Select::NonStatic);
        self.begin_unmap(targets, false, None, Then::NextTurn);
    }

    /// A doorbell of a queue that waits for its turn: do not let it wait for a long idle slice.
    pub(super) fn hurry_rotation(&mut self) {
        let now = self.bus.now();
        let Some(run) = &mut self.scheduler.run else {
            return;
        };
        let quantum = run
            .list
            .processes
            .iter()
            .map(|p| u64::from(p.map.quantum.max(1)) * MS)
            .max()
            .unwrap_or(MS);
        run.slice = quantum;
        run.slice_end = run.slice_end.map(|end| end.min(now.saturating_add(quantum)));
    }
}
