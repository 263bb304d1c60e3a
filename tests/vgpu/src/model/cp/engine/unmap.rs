// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Taking sets of queues off hardware: UNMAP_QUEUES, and the end of a time slice. The packet that asked waits until
//! the last of them has stopped, or gives up after the latency that SET_RESOURCES allows.

use super::super::hws::list::List;
use super::super::hws::packets::Select;
use super::super::mqd::{DOORBELL_ID0, DOORBELL_IDS};
use super::super::queue::{Role, State, Stop, Token};
use super::super::shared::Message;
use super::super::slot::Slot;
use super::Engine;
use crate::clock::HZ;

/// After this long a drain is worth a line in the log.
const SLOW: u64 = 2 * HZ;

/// Queues to take off.
#[derive(Clone, Debug, Default)]
pub(super) struct Targets {
    compute: Vec<(Slot, Token)>,
    /// Engine and doorbell.
    sdma: Vec<(u8, u32)>,
}

/// What follows when all have stopped.
#[derive(Debug)]
pub(super) enum Then {
    /// Nothing.
    Nothing,
    /// The next turn of an over-subscribed run list.
    NextTurn,
    /// This run list.
    Start(List, u8),
}

/// A set of queues being taken off.
#[derive(Debug)]
pub(super) struct Unmap {
    /// Names it in messages of SDMA engines.
    number: u64,
    compute: Vec<(Slot, Token)>,
    /// SDMA queues that have not stopped.
    sdma: usize,
    /// The queue whose packet waits.
    waiter: Option<(Slot, Token)>,
    then: Then,
    /// When to give up, or to say that it is slow.
    pub(super) deadline: Option<u64>,
    give_up: bool,
}

impl Engine {
    /// Queues of the run list that a packet means.
    pub(super) fn scheduled_targets(&self, select: &Select) -> Targets {
        let wanted = |pasid: u16, doorbell: u32, is_static: bool| match select {
            Select::All => true,
            Select::NonStatic => !is_static,
            Select::Pasid(p) => *p == pasid,
            Select::Doorbells(d) => d.contains(&Some(doorbell)),
        };
        let compute = self.queues.iter().flatten().filter(|q| match q.role {
            Role::Scheduled { is_static } => wanted(q.pasid, q.ident.doorbell, is_static),
            _ => false,
        });
        let sdma = self
            .scheduler
            .sdma
            .iter()
            .filter(|s| wanted(s.pasid, s.doorbell, false));
        Targets {
            compute: compute.map(|q| (q.slot, q.token)).collect(),
            sdma: sdma.map(|s| (s.engine, s.doorbell)).collect(),
        }
    }

    fn anything_scheduled(&self) -> bool {
        let mut compute = self.queues.iter().flatten();
        !self.scheduler.sdma.is_empty() || compute.any(|q| matches!(q.role, Role::Scheduled { .. }))
    }

    /// Queues of any kind with these doorbells.
    pub(super) fn doorbell_targets(&self, doorbells: &[Option<u32>; 4]) -> Targets {
        let mut targets = Targets::default();
        for d in doorbells.iter().flatten() {
            match self.queues.iter().flatten().find(|q| q.ident.doorbell == *d) {
                Some(q) => {
                    if q.role == Role::Hiq && self.anything_scheduled() {
                        let text = "the scheduler queue goes while queues of its run list are mapped";
                        self.bus.violation("unmap-queues", text.into());
                    }
                    targets.compute.push((q.slot, q.token));
                }
                None => {
                    self.bus
                        .violation("unmap-queues", format!("no queue with doorbell {d:#x} is mapped"));
                }
            }
        }
        targets
    }

    /// Starts taking queues off.
    pub(super) fn begin_unmap(&mut self, t: Targets, reset: bool, waiter: Option<(Slot, Token)>, then: Then) {
        let number = self.next_token;
        self.next_token = number.wrapping_add(1);
        let how = if reset { Stop::Reset } else { Stop::Drain };
        for (slot, _) in &t.compute {
            self.bus.count("cp_preempt_queue");
            self.stop_queue(*slot, how);
        }
        for (engine, doorbell) in &t.sdma {
            self.scheduler
                .sdma
                .retain(|s| (s.engine, s.doorbell) != (*engine, *doorbell));
            let shared = self.shared.clone();
            let stopped = Box::new(move || shared.post(Message::SdmaStopped(number)));
            self.bus.sdma_unmap(*engine, *doorbell, reset, stopped);
        }
        // only the scheduler queue has a latency to keep; others wait as long as it takes
        let latency = match self.scheduler.unmap_latency {
            0 => None,
            ticks => waiter.map(|_| ticks),
        };
        let now = self.bus.now();
        self.unmaps.push(Unmap {
            number,
            compute: t.compute,
            sdma: t.sdma.len(),
            waiter,
            then,
            deadline: Some(now.saturating_add(latency.unwrap_or(SLOW))),
            give_up: latency.is_some(),
        });
    }

    /// A SDMA queue has stopped.
    pub(super) fn sdma_stopped(&mut self, number: u64) {
        if let Some(u) = self.unmaps.iter_mut().find(|u| u.number == number) {
            u.sdma = u.sdma.saturating_sub(1);
        }
    }

    /// Goes on with what waited for queues that have stopped, or have not in time.
    pub(super) fn finish_unmaps(&mut self, now: u64) {
        let mut i = 0;
        while i < self.unmaps.len() {
            let Some(u) = self.unmaps.get(i) else { return };
            let late: Vec<Slot> = u
                .compute
                .iter()
                .filter(|(s, t)| self.queue(*s).is_some_and(|q| q.token == *t))
                .map(|(s, _)| *s)
                .collect();
            let done = late.is_empty() && u.sdma == 0;
            let expired = u.deadline.is_some_and(|d| d <= now);
            if !(done || expired && u.give_up) {
                if expired {
                    tracing::info!("waiting for {late:?} and {} SDMA queues to stop", u.sdma);
                    if let Some(u) = self.unmaps.get_mut(i) {
                        u.deadline = None;
                    }
                }
                i += 1;
                continue;
            }
            let u = self.unmaps.remove(i);
            if !done {
                self.abandon(&u, &late);
            }
            self.release_vmids();
            match u.then {
                Then::Nothing => {}
                Then::NextTurn => self.map_turn(),
                Then::Start(list, processes) => self.start_list(list, processes),
            }
            if let Some((slot, token)) = u.waiter {
                if let Some(q) = self.queue_mut(slot) {
                    if q.token == token && q.state == State::Scheduler {
                        q.state = State::Ready;
                    }
                }
            }
        }
    }

    /// Gives up on queues: their doorbells go into the scheduler queue's descriptor, where the driver looks for them.
    fn abandon(&mut self, u: &Unmap, late: &[Slot]) {
        self.bus.count("hws_preemption_failed");
        tracing::warn!(
            "{late:?} and {} SDMA queues do not stop; giving up on them",
            u.sdma
        );
        let Some(at) = u
            .waiter
            .and_then(|(s, _)| self.queue(s))
            .and_then(|q| q.loaded.as_ref())
            .map(|l| l.at)
        else {
            return;
        };
        for (n, slot) in late.iter().enumerate().take(DOORBELL_IDS) {
            let Some(doorbell) = self.queue(*slot).map(|q| q.ident.doorbell) else {
                continue;
            };
            let field = at.wrapping_add((DOORBELL_ID0 + n) as u64 * 4);
            // a fault has been reported by the hub
            let _ = self.bus.write32(0, field, doorbell);
        }
    }
}
