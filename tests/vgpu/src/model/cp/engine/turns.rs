// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Executing a run list: address spaces and slots for its queues, turns if not all fit.

use super::super::bus::SdmaQueue;
use super::super::hws::list::List;
use super::super::hws::packets::{Engine as For, MapProcess, MapQueues, Select};
use super::super::hws::plan::{Place, Turns};
use super::super::queue::Role;
use super::super::slot::Slot;
use super::unmap::Then;
use super::Engine;
use crate::clock::HZ;
use crate::model::grbm::VmidState;

/// Ticks of the reference clock per millisecond.
const MS: u64 = HZ / 1000;
/// The longest time slice while nothing happens.
const IDLE_SLICE: u64 = 100 * MS;

/// Global wave sync resources of the card (kernel gfx_v9_0.c: gfx_v9_0_set_gds_init, gws_size).
const GWS: u8 = 64;

/// A run list being executed.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) list: List,
    pub(super) turns: Turns,
    /// Processes to run at a time.
    processes: usize,
    /// When the next ones get their turn, if not all fit.
    pub(super) slice_end: Option<u64>,
    /// Length of the current slice.
    slice: u64,
    /// Packets executed by scheduled queues when the slice began.
    packets: u64,
}

impl Run {
    /// The time slice the driver asked for, in ticks.
    fn quantum(list: &List) -> u64 {
        let ms = list.processes.iter().map(|p| p.map.quantum).max().unwrap_or(0);
        u64::from(ms.max(1)) * MS
    }
}

impl Engine {
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
            // a queue for cooperative launches; waves that use the resource are the executor's matter
            let without_gws = |m: &MapQueues| m.gws && !(1..=GWS).contains(&p.map.gws);
            for m in p.queues.iter().filter(|m| without_gws(m) || m.slot.is_some()) {
                self.bus.unknown(
                    "map-queues",
                    format!("pasid {:#x} doorbell {:#x}", p.map.pasid, m.doorbell),
                );
            }
        }
        let turns = Turns::new(&list);
        self.scheduler.run = Some(Run {
            turns,
            processes: if processes == 0 { 16 } else { processes.into() },
            slice_end: None,
            slice: Run::quantum(&list),
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
        if self.is_mapped(m) {
            // static, or not stopped in time
            return true;
        }
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

    fn is_mapped(&self, m: &MapQueues) -> bool {
        let mut compute = self.queues.iter().flatten();
        let scheduled = |role| matches!(role, Role::Scheduled { .. });
        compute.any(|q| scheduled(q.role) && q.ident.doorbell == m.doorbell)
            || self.scheduler.sdma.iter().any(|s| s.doorbell == m.doorbell)
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
        let quantum = Run::quantum(&run.list);
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
        let quantum = Run::quantum(&run.list);
        run.slice = quantum;
        run.slice_end = run.slice_end.map(|end| end.min(now.saturating_add(quantum)));
    }
}
