// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which workgroup runs next. Plain data behind the pool's lock: nothing here runs waves or calls back.
//!
//! Workgroups that had their turn and new ones are served alternately, so that a kernel that waits for a later workgroup or
//! another queue's kernel gets what it waits for, as long as the card has room, as on silicon.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::dispatch::{Dispatch, Needs};
use super::group::{Group, Rest};
use super::launch::Place;
use super::slots::ScratchSlots;
use crate::model::cp::dispatch_request::{DispatchEnd, DispatchId, DispatchRequest, Outcome};
use crate::model::grbm::{CU_PER_SE, SHADER_ENGINES};

/// First rest of a workgroup whose waves all sleep; doubles up to [`SLEEP_MAX`].
const SLEEP_FIRST: Duration = Duration::from_micros(10);
/// Longest rest of a workgroup whose waves all sleep.
const SLEEP_MAX: Duration = Duration::from_micros(500);

/// A dispatch whose completion has not been called.
struct Active {
    dispatch: Arc<Dispatch>,
    /// Number of the next workgroup to start.
    next: u64,
    /// Workgroups started and not ended.
    running: u64,
    /// Reference clock at the first start.
    started: Option<u64>,
}

/// What a worker does next.
pub(super) enum Task {
    /// Start a workgroup.
    Start(Arc<Dispatch>, [u32; 3], Place, Vec<u32>),
    /// Go on with one.
    Resume(Group),
}

/// What a worker finds.
pub(super) enum Next {
    Task(Task),
    /// Nothing before this time.
    WaitUntil(Instant),
    /// Nothing before something changes.
    Wait,
}

/// A dispatch that has ended: its completion is to be called without the lock.
pub(super) struct Ended {
    pub(super) dispatch: Arc<Dispatch>,
    pub(super) end: DispatchEnd,
}

/// All dispatches and resident workgroups.
#[derive(Default)]
pub(super) struct Schedule {
    active: HashMap<DispatchId, Active>,
    /// Dispatches with workgroups to start, in turn.
    startable: VecDeque<DispatchId>,
    ready: VecDeque<Group>,
    asleep: Vec<(Instant, Group)>,
    halted: Vec<Group>,
    scratch: ScratchSlots,
    resident: Needs,
    next_id: u64,
    next_place: u32,
    /// The last task was a new workgroup.
    started_last: bool,
}

impl Schedule {
    /// Adds a dispatch. One without workgroups has ended at once, and so has one that is impossible.
    pub(super) fn submit(&mut self, request: DispatchRequest, now: u64) -> (DispatchId, Option<Ended>) {
        self.next_id = self.next_id.wrapping_add(1);
        let id = DispatchId(self.next_id);
        let dispatch = Arc::new(Dispatch::new(id, request));
        if dispatch.groups() == 0 {
            let end = DispatchEnd {
                outcome: Outcome::Done,
                started: now,
                ended: now,
            };
            return (id, Some(Ended { dispatch, end }));
        }
        if dispatch.impossible().is_some() {
            dispatch.stop(Outcome::Killed);
            let end = DispatchEnd {
                outcome: Outcome::Killed,
                started: now,
                ended: now,
            };
            return (id, Some(Ended { dispatch, end }));
        }
        self.active.insert(
            id,
            Active {
                dispatch,
                next: 0,
                running: 0,
                started: None,
            },
        );
        self.startable.push_back(id);
        (id, None)
    }

    /// The next task at the time `now` (reference clock `ticks`).
    pub(super) fn next(&mut self, now: Instant, ticks: u64) -> Next {
        self.wake(now);
        let task = if self.started_last {
            self.resume().or_else(|| self.start(ticks))
        } else {
            self.start(ticks).or_else(|| self.resume())
        };
        if let Some(task) = task {
            self.started_last = matches!(task, Task::Start(..));
            return Next::Task(task);
        }
        match self.asleep.iter().map(|(then, _)| *then).min() {
            Some(then) => Next::WaitUntil(then),
            None => Next::Wait,
        }
    }

    fn wake(&mut self, now: Instant) {
        let mut i = 0;
        while let Some((then, _)) = self.asleep.get(i) {
            if *then <= now {
                let (_, group) = self.asleep.swap_remove(i);
                self.ready.push_back(group);
            } else {
                i += 1;
            }
        }
    }

    fn resume(&mut self) -> Option<Task> {
        self.ready.pop_front().map(Task::Resume)
    }

    /// Starts a workgroup of the dispatch whose turn it is, or of the next one that fits.
    fn start(&mut self, ticks: u64) -> Option<Task> {
        for _ in 0..self.startable.len() {
            let id = self.startable.pop_front()?;
            let Some(active) = self.active.get_mut(&id) else {
                continue;
            };
            let dispatch = active.dispatch.clone();
            let group = dispatch.group_id(active.next);
            let needs = dispatch.needs(group);
            let mut resident = self.resident;
            let slots = resident
                .add(needs)
                .then(|| {
                    self.scratch.take(
                        backing(&dispatch),
                        dispatch.request.scratch.waves,
                        needs.slots as usize,
                    )
                })
                .flatten();
            let Some(slots) = slots else {
                self.startable.push_back(id);
                continue;
            };
            self.resident = resident;
            active.started.get_or_insert(ticks);
            active.running += 1;
            active.next += 1;
            if active.next < dispatch.groups() {
                self.startable.push_front(id);
                // the next one has its turn after a few workgroups: neighbours share code and data
                if active.next % 16 == 0 {
                    self.startable.rotate_left(1);
                }
            }
            let place = self.place(&dispatch.request);
            return Some(Task::Start(dispatch, group, place, slots));
        }
        None
    }

    /// The compute units in turn, as far as the queue may use them.
    fn place(&mut self, request: &DispatchRequest) -> Place {
        self.next_place = self.next_place.wrapping_add(1);
        let n = self.next_place;
        let se = n % SHADER_ENGINES;
        let mask = request.cu_mask.get(se as usize).copied().unwrap_or(0) & ((1 << CU_PER_SE) - 1);
        let allowed: Vec<u32> = (0..CU_PER_SE).filter(|cu| mask >> cu & 1 != 0).collect();
        let round = n / SHADER_ENGINES;
        let cu = allowed
            .get(round as usize % allowed.len().max(1))
            .copied()
            .unwrap_or(0);
        Place {
            se,
            cu,
            tg: round / CU_PER_SE & 0xf,
        }
    }

    /// Takes a workgroup back after its turn.
    pub(super) fn put_back(
        &mut self,
        mut group: Group,
        rest: Rest,
        now: Instant,
        ticks: u64,
    ) -> Option<Ended> {
        match rest {
            Rest::Done | Rest::Failed(_) => return self.retire(group, ticks),
            _ if group.dispatch.stopped().is_some() => return self.retire(group, ticks),
            Rest::Again => self.ready.push_back(group),
            Rest::Halted => self.halted.push(group),
            Rest::Asleep => {
                let wait = SLEEP_FIRST
                    .saturating_mul(1 << group.sleeps.min(10))
                    .min(SLEEP_MAX);
                group.sleeps = group.sleeps.saturating_add(1);
                self.asleep.push((now + wait, group));
            }
        }
        None
    }

    /// A workgroup has ended or is removed.
    fn retire(&mut self, group: Group, ticks: u64) -> Option<Ended> {
        let dispatch = group.dispatch.clone();
        self.scratch.give_back(backing(&dispatch), &group.slots);
        self.resident.remove(group.needs());
        let active = self.active.get_mut(&dispatch.id)?;
        active.running = active.running.saturating_sub(1);
        if dispatch.stopped().is_some() {
            return self.stopped(dispatch.id, ticks);
        }
        self.end_if_over(dispatch.id, ticks)
    }

    /// A dispatch was stopped early: nothing more of it starts, and its resting workgroups go.
    pub(super) fn stopped(&mut self, id: DispatchId, ticks: u64) -> Option<Ended> {
        let active = self.active.get_mut(&id)?;
        active.next = active.dispatch.groups();
        self.startable.retain(|other| *other != id);
        let mut gone: Vec<Group> = Vec::new();
        let of = |group: &Group| group.dispatch.id == id;
        for group in std::mem::take(&mut self.ready) {
            if of(&group) {
                gone.push(group)
            } else {
                self.ready.push_back(group)
            }
        }
        for (then, group) in std::mem::take(&mut self.asleep) {
            if of(&group) {
                gone.push(group)
            } else {
                self.asleep.push((then, group))
            }
        }
        for group in std::mem::take(&mut self.halted) {
            if of(&group) {
                gone.push(group)
            } else {
                self.halted.push(group)
            }
        }
        for group in gone {
            self.scratch.give_back(backing(&group.dispatch), &group.slots);
            self.resident.remove(group.needs());
            if let Some(active) = self.active.get_mut(&id) {
                active.running = active.running.saturating_sub(1);
            }
        }
        self.end_if_over(id, ticks)
    }

    fn end_if_over(&mut self, id: DispatchId, ticks: u64) -> Option<Ended> {
        let active = self.active.get(&id)?;
        if active.running > 0 || active.next < active.dispatch.groups() {
            return None;
        }
        let active = self.active.remove(&id)?;
        let outcome = active.dispatch.stopped().unwrap_or(Outcome::Done);
        let end = DispatchEnd {
            outcome,
            started: active.started.unwrap_or(ticks),
            ended: ticks,
        };
        Some(Ended {
            dispatch: active.dispatch,
            end,
        })
    }

    /// A dispatch that has not ended.
    pub(super) fn dispatch(&self, id: DispatchId) -> Option<Arc<Dispatch>> {
        self.active.get(&id).map(|a| a.dispatch.clone())
    }

    /// All dispatches that have not ended.
    pub(super) fn dispatches(&self) -> Vec<DispatchId> {
        self.active.keys().copied().collect()
    }
}

fn backing(dispatch: &Dispatch) -> (u8, u64) {
    (dispatch.request.vmid, dispatch.request.scratch.base)
}
