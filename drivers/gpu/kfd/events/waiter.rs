// SPDX-License-Identifier: GPL-2.0
//! A thread that waits for some events.

use crate::glue::wait::{new_wait_queue, WaitError, WaitQueue, Wakeable};
use crate::gpu::kfd::counters::{self, Alive};
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use kernel::{prelude::*, sync::Arc, time::Delta};

/// What it waits for, and how much of that has happened.
#[pin_data]
pub(super) struct Waiter {
    /// One for each event: whether it has happened.
    activated: KVVec<AtomicBool>,
    /// How many have.
    count: AtomicU32,
    /// How many must.
    needed: u32,
    /// One of them does not exist any more.
    destroyed: AtomicBool,
    #[pin]
    queue: WaitQueue,
    _alive: Alive,
}

impl Waiter {
    /// For `events` events, of which all must happen, or any.
    pub(super) fn new(events: usize, all: bool) -> Result<Arc<Self>> {
        let mut activated = KVVec::with_capacity(events, GFP_KERNEL)?;
        for _ in 0..events {
            activated.push(AtomicBool::new(false), GFP_KERNEL)?;
        }
        let needed = if all {
            u32::try_from(events)?
        } else {
            events.min(1) as u32
        };
        let waiter = pin_init!(Self {
            activated,
            count: AtomicU32::new(0),
            needed,
            destroyed: AtomicBool::new(false),
            queue <- new_wait_queue!(),
            _alive: counters::WAITERS.one(),
        });
        Arc::pin_init(waiter, GFP_KERNEL)
    }

    /// The event at `place` has happened. Yields whether that was what the thread still waited for, so that it is to be
    /// woken.
    pub(super) fn activate(&self, place: usize) -> bool {
        let first = |a: &AtomicBool| !a.swap(true, Ordering::AcqRel);
        self.activated.get(place).is_some_and(first)
            && self.count.fetch_add(1, Ordering::AcqRel).saturating_add(1) == self.needed
    }

    /// The event at `place` does not exist any more.
    pub(super) fn destroy(&self, _place: usize) {
        self.destroyed.store(true, Ordering::Release);
        self.queue.wake_all();
    }

    /// Whether the event at `place` has happened.
    pub(super) fn is_activated(&self, place: usize) -> bool {
        self.activated
            .get(place)
            .is_some_and(|a| a.load(Ordering::Acquire))
    }

    /// Whether one of the events does not exist any more.
    pub(super) fn is_destroyed(&self) -> bool {
        self.destroyed.load(Ordering::Acquire)
    }

    /// Whether enough has happened.
    pub(super) fn is_satisfied(&self) -> bool {
        self.count.load(Ordering::Acquire) >= self.needed
    }

    /// Sleeps until enough has happened or an event is gone.
    pub(super) fn sleep(&self, timeout: Delta) -> Result<(), WaitError> {
        self.queue.wait(Wakeable::BySignal, timeout, || {
            self.is_destroyed() || self.is_satisfied()
        })
    }
}

/// Threads that are to be woken. They are when this is dropped: after the lock of the events, which they need at once.
#[derive(Default)]
pub(super) struct Wakes([Option<Arc<Waiter>>; 8]);

impl Wakes {
    /// One more, which is woken now if there is no room.
    pub(super) fn add(&mut self, waiter: &Arc<Waiter>) {
        match self.0.iter_mut().find(|place| place.is_none()) {
            Some(place) => *place = Some(waiter.clone()),
            None => waiter.queue.wake_all(),
        }
    }
}

impl Drop for Wakes {
    fn drop(&mut self) {
        for waiter in self.0.iter().flatten() {
            waiter.queue.wake_all();
        }
    }
}
