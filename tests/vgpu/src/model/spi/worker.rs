// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The threads that run workgroups.

use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::code::CodeCache;
use super::group::Group;
use super::memory::{Caches, WaveMemory};
use super::schedule::{Ended, Next, Schedule, Task};
use crate::ctx::Ctx;
use crate::model::cp::dispatch_request::{DispatchId, DispatchRequest, Outcome};
use crate::model::grbm::Unit;
use crate::report::Counter;

/// How long a reset may wait for waves: they look up every few thousand instructions.
const STOP: Duration = Duration::from_secs(5);

#[derive(Default)]
struct State {
    schedule: Schedule,
    quit: bool,
}

/// What the workers share.
pub(super) struct Pool {
    ctx: Ctx,
    code: CodeCache,
    state: Mutex<State>,
    /// There may be something to do.
    work: Condvar,
    /// A dispatch has ended.
    ended: Condvar,
    dispatches: Counter,
    workgroups: Counter,
    instructions: Counter,
}

impl Pool {
    /// Nothing to do yet; somebody has to call [`Pool::serve`] on threads.
    pub(super) fn new(ctx: Ctx) -> Self {
        Self {
            code: CodeCache::new(),
            state: Mutex::default(),
            work: Condvar::new(),
            ended: Condvar::new(),
            dispatches: ctx.report.counter("dispatch"),
            workgroups: ctx.report.counter("workgroup"),
            instructions: ctx.report.counter("wave_instruction"),
            ctx,
        }
    }

    /// A worker's life: runs workgroups until [`Pool::quit`].
    pub(super) fn serve(&self) {
        let mut caches = Caches::new();
        while let Some(task) = self.next() {
            let mut group = match task {
                Task::Resume(group) => group,
                Task::Start(dispatch, id, place, slots) => {
                    self.workgroups.add(1);
                    Group::start(dispatch, id, place, slots)
                }
            };
            let mut executed = 0;
            let mut memory = WaveMemory::new(&self.ctx, group.dispatch.request.vmid, &self.code, &mut caches);
            let busy = self.ctx.grbm.busy(Unit::Spi);
            let rest = group.run(&self.ctx, &mut memory, &mut executed);
            drop(busy);
            drop(memory);
            self.instructions.add(executed);
            let ended =
                self.state
                    .lock()
                    .schedule
                    .put_back(group, rest, Instant::now(), self.ctx.clock.now());
            // room for another workgroup, or one more that is ready
            self.work.notify_one();
            self.tell(ended);
        }
    }

    /// Waits for something to do; `None` to quit.
    fn next(&self) -> Option<Task> {
        let mut s = self.state.lock();
        while !s.quit {
            match s.schedule.next(Instant::now(), self.ctx.clock.now()) {
                Next::Task(task) => {
                    // others may find more
                    self.work.notify_one();
                    return Some(task);
                }
                Next::WaitUntil(then) => {
                    self.work.wait_until(&mut s, then);
                }
                Next::Wait => self.work.wait(&mut s),
            }
        }
        None
    }

    /// Calls the completion of a dispatch that has ended.
    fn tell(&self, ended: Option<Ended>) {
        if let Some(Ended { dispatch, end }) = ended {
            tracing::debug!("dispatch {} ends: {:?}", dispatch.id.0, end);
            dispatch.complete(end);
            self.ended.notify_all();
        }
    }

    /// Takes a dispatch.
    pub(super) fn submit(&self, request: DispatchRequest) -> DispatchId {
        tracing::debug!("{request:?}");
        self.dispatches.add(1);
        let (id, ended) = self.state.lock().schedule.submit(request, self.ctx.clock.now());
        if let Some(why) = ended
            .as_ref()
            .and_then(|e| e.dispatch.impossible().filter(|_| e.dispatch.groups() > 0))
        {
            self.ctx.report.violation("dispatch-impossible", why);
        }
        self.work.notify_all();
        self.tell(ended);
        id
    }

    /// Ends a dispatch early.
    pub(super) fn stop(&self, id: DispatchId, outcome: Outcome) {
        let mut s = self.state.lock();
        let ended = s.schedule.dispatch(id).and_then(|dispatch| {
            dispatch.stop(outcome);
            s.schedule.stopped(id, self.ctx.clock.now())
        });
        drop(s);
        self.tell(ended);
    }

    /// Code may have changed.
    pub(super) fn invalidate_instructions(&self) {
        self.code.invalidate();
    }

    /// Removes all waves; returns when none touches memory any more.
    pub(super) fn reset(&self) {
        let ids = self.state.lock().schedule.dispatches();
        for id in ids {
            self.stop(id, Outcome::Killed);
        }
        self.code.invalidate();
        let deadline = Instant::now() + STOP;
        let mut s = self.state.lock();
        while !s.schedule.dispatches().is_empty() {
            if self.ended.wait_until(&mut s, deadline).timed_out() {
                self.ctx.report.violation("model-failure", "waves do not stop");
                return;
            }
        }
    }

    /// Ends the workers after the turns they are in.
    pub(super) fn quit(&self) {
        let mut s = self.state.lock();
        s.quit = true;
        for id in s.schedule.dispatches() {
            if let Some(dispatch) = s.schedule.dispatch(id) {
                dispatch.stop(Outcome::Killed);
            }
        }
        drop(s);
        self.work.notify_all();
    }
}
