// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Faults on request.
//!
//! The blocks of the card ask [`Inject::at`] at the [`event::Point`]s where something can go wrong. [`faults`] has the faults by
//! name, [`spec`] the text that asks for one with its trigger and its scope. Without a fault an event pays one branch.

pub mod event;
pub mod faults;
pub mod spec;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::device::Gpu;
use crate::model::ih::IrqSink;
use event::{Act, Event, Point, Verdict};
use faults::Kind;
use spec::{Spec, While};

/// The faults asked for.
#[derive(Default)]
pub struct Inject {
    any: AtomicBool,
    queues: AtomicBool,
    armed: Mutex<Vec<Armed>>,
    changed: Condvar,
    gpu: OnceLock<Weak<Gpu>>,
}

struct Armed {
    spec: Spec,
    number: u64,
    /// Events until it begins.
    ahead: u64,
    /// How often it has acted.
    acted: u64,
    /// What it holds back at present, by unit.
    held: BTreeMap<&'static str, Instant>,
}

/// A fault and how often it acted.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Status {
    /// As it was asked for.
    pub fault: String,
    /// Number of events or actions.
    pub acted: u64,
}

impl Inject {
    /// The card whose faults these are.
    pub(crate) fn attach(&self, gpu: Weak<Gpu>) {
        let _ = self.gpu.set(gpu);
    }

    /// Arms a fault.
    pub fn arm(self: &Arc<Self>, spec: Spec) {
        tracing::warn!("fault armed: {}", spec.text);
        let action = match spec.fault.kind {
            Kind::Action(action) => Some(action),
            Kind::Events(_) => None,
        };
        let mut armed = self.armed.lock();
        let number = armed.last().map_or(0, |last| last.number + 1);
        let ahead = spec.at.map_or(0, |(_, nth)| nth);
        armed.push(Armed {
            spec,
            number,
            ahead,
            acted: 0,
            held: BTreeMap::new(),
        });
        self.any.store(true, Ordering::Release);
        drop(armed);
        if let Some(action) = action {
            let inject = self.clone();
            thread::spawn(move || inject.act(number, action));
        }
    }

    /// Takes all faults back; says how often each acted.
    pub fn heal(&self) -> Vec<Status> {
        let status = self.status();
        let mut armed = self.armed.lock();
        if !armed.is_empty() {
            tracing::warn!("faults healed: {status:?}");
        }
        armed.clear();
        self.any.store(false, Ordering::Release);
        self.changed.notify_all();
        status
    }

    /// The faults that are armed.
    pub fn status(&self) -> Vec<Status> {
        let armed = self.armed.lock();
        let status = armed.iter().map(|a| Status {
            fault: a.spec.text.clone(),
            acted: a.acted,
        });
        status.collect()
    }

    /// Whether queues of processes are mapped.
    pub(crate) fn set_queues(&self, mapped: bool) {
        self.queues.store(mapped, Ordering::Relaxed);
    }

    /// What is to become of an event.
    pub fn at(&self, event: Event) -> Verdict {
        if !self.any.load(Ordering::Acquire) {
            return Verdict::Go;
        }
        let queues = self.queues.load(Ordering::Relaxed);
        let mut armed = self.armed.lock();
        let verdicts = armed.iter_mut().map(|a| a.at(&event, queues));
        let verdict = verdicts.fold(Verdict::Go, |first, next| match first {
            Verdict::Go => next,
            _ => first,
        });
        self.changed.notify_all();
        verdict
    }

    /// Does something with the card after a while, unless it is gone by then.
    pub(crate) fn later(&self, after: Duration, work: impl FnOnce(&Gpu) + Send + 'static) {
        let Some(gpu) = self.gpu.get().cloned() else {
            return;
        };
        thread::spawn(move || {
            thread::sleep(after);
            if let Some(gpu) = gpu.upgrade() {
                work(&gpu);
            }
        });
    }

    /// Does an action whenever it is due, until it is over or healed.
    fn act(&self, number: u64, action: fn(&Gpu)) {
        loop {
            let pause = {
                let mut armed = self.armed.lock();
                let queues = self.queues.load(Ordering::Relaxed);
                let Some(a) = armed.iter_mut().find(|a| a.number == number) else {
                    return;
                };
                if a.ahead > 0 || !a.holds(queues) {
                    self.changed.wait_for(&mut armed, Duration::from_millis(10));
                    continue;
                }
                if a.acted >= a.spec.times.unwrap_or(1) {
                    return;
                }
                a.acted += 1;
                a.spec.late.unwrap_or(Duration::from_millis(1))
            };
            let Some(gpu) = self.gpu.get().and_then(Weak::upgrade) else {
                return;
            };
            action(&gpu);
            drop(gpu);
            thread::sleep(pause);
        }
    }

    /// A way for interrupt messages to `sink` on which they may be lost or repeated.
    pub fn irq_sink(self: &Arc<Self>, sink: Arc<dyn IrqSink>) -> Arc<dyn IrqSink> {
        Arc::new(Lossy {
            inject: self.clone(),
            sink,
        })
    }
}

impl Armed {
    /// Whether its condition holds.
    fn holds(&self, queues: bool) -> bool {
        match self.spec.condition {
            Some(While::Queues(mapped)) => mapped == queues,
            None => true,
        }
    }

    fn at(&mut self, event: &Event, queues: bool) -> Verdict {
        if self.ahead > 0 && self.spec.at.is_some_and(|(point, _)| point == event.point) {
            self.ahead -= 1;
        }
        let Kind::Events(events) = self.spec.fault.kind else {
            return Verdict::Go;
        };
        let on = events.iter().find(|on| on.covers(event));
        let Some(on) = on.filter(|_| self.ahead == 0 && self.holds(queues) && self.spec.covers(event)) else {
            return Verdict::Go;
        };
        if self.spec.times.is_some_and(|times| self.acted >= times) && !self.held.contains_key(event.unit) {
            return Verdict::Go;
        }
        match on.act {
            Act::Hold if event.point != Point::Command => return self.hold(event.unit),
            _ => self.acted += 1,
        }
        match on.act {
            Act::Lose => Verdict::Lose,
            Act::Repeat => Verdict::Repeat,
            Act::Garble => Verdict::Garble,
            Act::Hold => Verdict::Hold(self.spec.late),
            Act::Crash => {
                tracing::warn!("the card dies as asked for");
                // nothing is said to the client, nothing is cleaned up
                std::process::abort();
            }
        }
    }

    /// Something is tried, again and again until it is let go.
    fn hold(&mut self, unit: &'static str) -> Verdict {
        let acted = &mut self.acted;
        let since = *self.held.entry(unit).or_insert_with(|| {
            *acted += 1;
            Instant::now()
        });
        if self.spec.late.is_some_and(|late| since.elapsed() >= late) {
            self.held.remove(unit);
            return Verdict::Go;
        }
        Verdict::Hold(self.spec.late)
    }
}

struct Lossy {
    inject: Arc<Inject>,
    sink: Arc<dyn IrqSink>,
}

impl IrqSink for Lossy {
    fn signal(&self, vector: u32) -> bool {
        match self.inject.at(Event::new(Point::Message, "IH", "")) {
            Verdict::Lose => return true,
            Verdict::Repeat => {
                self.sink.signal(vector);
            }
            _ => {}
        }
        self.sink.signal(vector)
    }
}

#[cfg(test)]
mod tests;
