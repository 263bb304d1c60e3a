// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The engine: gives every mapped queue its turn, a few packets at a time. Runs on one thread and never waits inside a
//! turn; a queue that has to wait says until when, and the thread sleeps if all do.
//!
//! - `pm4`, `aql`: executing packets of the two kinds of rings.
//! - `events`: ends of kernels, end-of-pipe events, interrupts, errors.
//! - `attach`: putting queues on slots and taking them off.
//! - `control`: what register writes and doorbells start.
//! - `schedule`, `turns`, `unmap`: the scheduler firmware.
//! - `record`: packets in the trace.

mod aql;
mod attach;
mod control;
mod events;
mod pm4;
mod record;
mod schedule;
mod turns;
mod unmap;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::bus::Bus;
use super::queue::{Queue, Role, State, Token};
use super::regs::RegFile;
use super::shared::{Message, Shared};
use super::slot::{Slot, SLOTS};
use crate::inject::event::{Event, Point, Verdict};
use schedule::Scheduler;
use unmap::Unmap;

/// Packets a queue executes in one turn.
const BURST: usize = 16;

/// What came of a step of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// A packet got through, or part of one.
    Progress,
    /// The queue cannot go on now; its state says why.
    Stuck,
}

/// Whether the engine goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Sleep until there is news, or until this time.
    Sleep(Option<u64>),
    /// The thread is to end.
    Quit,
}

/// The packet processors of both micro engines and their firmware.
pub(crate) struct Engine {
    bus: Arc<dyn Bus>,
    shared: Arc<Shared>,
    queues: Vec<Option<Queue>>,
    next_token: Token,
    scheduler: Scheduler,
    unmaps: Vec<Unmap>,
    /// Doorbells of queues that were mapped at some time.
    known_doorbells: BTreeSet<u32>,
    /// Slots whose write pointer is to be read from memory as soon as a queue is there (CP_PQ_WPTR_POLL_CNTL1).
    polls: u32,
    /// Doorbells rung for no queue that ever was, and when they become a violation.
    stray_doorbells: BTreeMap<u32, u64>,
    /// Resets in this turn.
    resets: u64,
}

impl Engine {
    /// The power-on state.
    pub(crate) fn new(bus: Arc<dyn Bus>, shared: Arc<Shared>) -> Self {
        Self {
            bus,
            shared,
            queues: (0..SLOTS).map(|_| None).collect(),
            next_token: 1,
            scheduler: Scheduler::default(),
            unmaps: Vec::new(),
            known_doorbells: BTreeSet::new(),
            polls: 0,
            stray_doorbells: BTreeMap::new(),
            resets: 0,
        }
    }

    /// Whether there is something to do; news of what a reset has ended is not.
    pub(crate) fn has_work(&self) -> bool {
        self.queues.iter().any(Option::is_some)
            || !self.unmaps.is_empty()
            || self.scheduler.run.is_some()
            || self.shared.is_called()
    }

    /// Resets since the last call.
    pub(crate) fn take_resets(&mut self) -> u64 {
        std::mem::take(&mut self.resets)
    }

    /// Works until nothing can go on.
    pub(crate) fn turn(&mut self) -> Turn {
        loop {
            while let Some(message) = self.shared.next() {
                if message == Message::Quit {
                    self.drop_everything();
                    return Turn::Quit;
                }
                self.handle(message);
            }
            let now = self.bus.now();
            self.time_slice(now);
            self.finish_stops();
            self.finish_unmaps(now);
            self.judge_stray_doorbells(now);
            let mut progress = false;
            for slot in Slot::all() {
                progress |= self.run_queue(slot, now);
                if self.shared.has_news() {
                    progress = true;
                    break;
                }
            }
            if !progress && !self.shared.has_news() {
                self.show_busy();
                return Turn::Sleep(self.next_deadline());
            }
        }
    }

    fn handle(&mut self, message: Message) {
        match message {
            Message::Doorbell(slot) => self.doorbell(slot),
            Message::Unattached(index, value) => self.stray_doorbell(index, value),
            Message::Effect(effect) => self.effect(effect),
            Message::Ended(slot, token, seq, end) => self.kernel_ended(slot, token, seq, end),
            Message::SdmaStopped(unmap) => self.sdma_stopped(unmap),
            Message::Reset => {
                self.drop_everything();
                *self.shared.regs.lock() = RegFile::new();
                self.resets += 1;
            }
            // handled where messages are taken
            Message::Quit => {}
        }
    }

    /// Lets a queue execute some packets; whether it did.
    fn run_queue(&mut self, slot: Slot, now: u64) -> bool {
        if !self.queue(slot).is_some_and(|q| q.runnable(now)) || !self.shared.regs.lock().running(slot) {
            return false;
        }
        let Some(mut q) = self.take(slot) else {
            return false;
        };
        q.state = State::Ready;
        let turn = Event::new(Point::Turn, unit(&q), "").of(q.vmid);
        if self.bus.fault(turn) != Verdict::Go {
            q.poll(now);
            self.put(q);
            return false;
        }
        let mut progress = false;
        for _ in 0..BURST {
            let step = if q.aql.is_some() {
                self.step_aql(&mut q)
            } else {
                self.step_pm4(&mut q)
            };
            progress |= step == Step::Progress;
            if step == Step::Stuck || q.state != State::Ready {
                break;
            }
        }
        self.report_rptr(&mut q);
        self.put(q);
        progress
    }

    /// The earliest time at which something is to be looked at again.
    fn next_deadline(&self) -> Option<u64> {
        let polls = self
            .queues
            .iter()
            .flatten()
            .filter(|q| q.stop.is_none())
            .filter_map(|q| match q.state {
                State::Poll(at) => Some(at),
                _ => None,
            });
        let unmaps = self.unmaps.iter().filter_map(|u| u.deadline);
        let strays = self.stray_doorbells.values().copied();
        polls
            .chain(unmaps)
            .chain(strays)
            .chain(self.scheduler.run.as_ref().and_then(|r| r.slice_end))
            .min()
    }

    fn show_busy(&self) {
        self.bus.show_queues(self.scheduler.run.is_some());
        let busy = |me: u8| {
            let mut queues = self.queues.iter().flatten().filter(|q| q.slot.me() == me);
            queues.any(|q| !matches!(q.state, State::Idle | State::Halted) || q.flight.running() > 0)
        };
        let (me1, me2) = (busy(1), busy(2));
        self.shared.regs.lock().show_busy(me1, me2);
    }

    /// Forgets all queues and kills their kernels.
    fn drop_everything(&mut self) {
        for q in self.queues.iter_mut().filter_map(Option::take) {
            for id in q.flight.ids() {
                self.bus.kill(id);
            }
        }
        self.scheduler = Scheduler::default();
        self.unmaps.clear();
        self.known_doorbells.clear();
        self.stray_doorbells.clear();
        self.polls = 0;
    }

    fn queue(&self, slot: Slot) -> Option<&Queue> {
        self.queues.get(slot.index()).and_then(Option::as_ref)
    }

    fn queue_mut(&mut self, slot: Slot) -> Option<&mut Queue> {
        self.queues.get_mut(slot.index()).and_then(Option::as_mut)
    }

    fn take(&mut self, slot: Slot) -> Option<Queue> {
        self.queues.get_mut(slot.index()).and_then(Option::take)
    }

    fn put(&mut self, q: Queue) {
        if let Some(place) = self.queues.get_mut(q.slot.index()) {
            *place = Some(q);
        }
    }
}

/// What a queue is called where faults are asked for.
fn unit(q: &Queue) -> &'static str {
    match q.role {
        Role::Kiq => "KIQ",
        Role::Hiq => "HIQ",
        Role::Direct | Role::Scheduled { .. } => "CP",
    }
}

#[cfg(test)]
mod tests;
