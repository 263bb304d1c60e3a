// SPDX-License-Identifier: GPL-2.0
//! Events of a process: who waits for what, and what wakes them.
//!
//! | part | for |
//! |---|---|
//! | [`Events`] | all events of a process, behind one lock |
//! | `page` | the slots that the GPU writes |
//! | `waiter` | a thread that waits for some of them |
//! | `wait` | waiting |
//!
//! The lock is taken by the interrupt thread: it is held for short, never while userspace memory is touched, and no
//! other lock is taken under it.

mod page;
mod wait;
mod waiter;

pub(crate) use page::EventPage;
pub(crate) use wait::{News, Verdict, Wanted};

use super::counters::{self, Alive};
use amdgpu_logic::kfd::event::{candidates, Event, EventIds, Kind, Report};
use kernel::{
    new_mutex,
    prelude::*,
    rbtree::{RBTree, RBTreeNodeReservation},
    sync::{Arc, Mutex},
};
use waiter::{Waiter, Wakes};

/// All events of a process.
#[pin_data]
pub(crate) struct Events {
    #[pin]
    inner: Mutex<Inner>,
}

/// What the lock protects.
struct Inner {
    ids: EventIds,
    /// By number.
    entries: RBTree<u32, Entry>,
    page: Option<EventPage>,
}

/// An event and who waits for it.
struct Entry {
    event: Event,
    /// Waiters, each with the place that the event has among the events it waits for.
    waiters: KVec<(Arc<Waiter>, usize)>,
    _alive: Alive,
}

impl Entry {
    /// Something happened to the event: its waiters are told, and woken with `wakes`.
    fn told(&mut self, wakes: &mut Wakes, signal: impl FnOnce(&mut Event, bool)) {
        signal(&mut self.event, !self.waiters.is_empty());
        for (waiter, place) in &self.waiters {
            if waiter.activate(*place) {
                wakes.add(waiter);
            }
        }
    }
}

impl Events {
    /// No events.
    pub(crate) fn new() -> impl PinInit<Self> {
        pin_init!(Self {
            inner <- new_mutex!(Inner { ids: EventIds::new(), entries: RBTree::new(), page: None }, "kfd events"),
        })
    }

    /// Sets the event page. `EINVAL` if there is one.
    pub(crate) fn set_page(&self, page: EventPage) -> Result {
        page.clear()?;
        let mut inner = self.inner.lock();
        if inner.page.is_some() {
            return Err(EINVAL);
        }
        inner.page = Some(page);
        Ok(())
    }

    /// Makes an event and yields its number. `ENOMEM` for one that needs a slot while there is no event page,
    /// `ENOSPC` if there are too many.
    pub(crate) fn create(&self, kind: Kind, auto_reset: bool) -> Result<u32> {
        let node = RBTreeNodeReservation::new(GFP_KERNEL)?;
        let entry = Entry {
            event: Event::new(kind, auto_reset),
            waiters: KVec::new(),
            _alive: counters::EVENTS.one(),
        };
        let mut inner = self.inner.lock();
        let slots = match (&inner.page, kind.has_slot()) {
            (Some(page), _) => page.slots(),
            (None, false) => 0,
            (None, true) => return Err(ENOMEM),
        };
        let id = inner.ids.take(kind, slots).ok_or(ENOSPC)?;
        if let (Some(page), true) = (&inner.page, kind.has_slot()) {
            page.acknowledge(id);
        }
        inner.entries.insert(node.into_node(id, entry));
        Ok(id)
    }

    /// Ends an event; its waiters fail. `EINVAL` if there is none.
    pub(crate) fn destroy(&self, id: u32) -> Result {
        let mut inner = self.inner.lock();
        let entry = inner.entries.remove(&id).ok_or(EINVAL)?;
        inner.ids.release(id);
        drop(inner);
        for (waiter, place) in &entry.waiters {
            waiter.destroy(*place);
        }
        Ok(())
    }

    /// Ends all events and gives up the event page.
    pub(crate) fn destroy_all(&self) {
        let mut inner = self.inner.lock();
        let entries = core::mem::replace(&mut inner.entries, RBTree::new());
        let page = inner.page.take();
        inner.ids = EventIds::new();
        drop(inner);
        for (waiter, place) in entries.values().flat_map(|entry| &entry.waiters) {
            waiter.destroy(*place);
        }
        drop(page);
    }

    /// The CPU signals an event. `EINVAL` if it may not.
    pub(crate) fn set(&self, id: u32) -> Result {
        let mut wakes = Wakes::default();
        self.by_cpu(id, |entry| entry.told(&mut wakes, Event::signal))
    }

    /// The CPU takes a signal back. `EINVAL` if it may not.
    pub(crate) fn reset(&self, id: u32) -> Result {
        self.by_cpu(id, |entry| entry.event.reset())
    }

    fn by_cpu(&self, id: u32, f: impl FnOnce(&mut Entry)) -> Result {
        let mut inner = self.inner.lock();
        let entry = inner.entries.get_mut(&id).ok_or(EINVAL)?;
        if !entry.event.kind().cpu_may_signal() {
            return Err(EINVAL);
        }
        f(entry);
        Ok(())
    }

    /// The GPU interrupted, with the lowest `bits` bits of an event's number. If that event has no signal in its
    /// slot, all slots are looked through.
    pub(crate) fn interrupt(&self, id: u32, bits: u32) {
        counters::EVENT_INTERRUPTS.again();
        let mut wakes = Wakes::default();
        let mut inner = self.inner.lock();
        let Inner {
            entries,
            page: Some(page),
            ..
        } = &mut *inner
        else {
            return;
        };
        let hit = candidates(id, bits)
            .find(|&id| page.is_signaled(id) && entries.get(&id).is_some_and(|e| e.event.kind().has_slot()));
        match hit.and_then(|id| Some((id, entries.get_mut(&id)?))) {
            Some((id, entry)) => entry.raised(page, id, &mut wakes),
            None => Entry::scan(entries, page, &mut wakes),
        }
    }

    /// Interrupts may have been lost: looks for signals in all slots.
    pub(crate) fn scan(&self) {
        let mut wakes = Wakes::default();
        let mut inner = self.inner.lock();
        if let Inner {
            entries,
            page: Some(page),
            ..
        } = &mut *inner
        {
            Entry::scan(entries, page, &mut wakes);
        }
    }

    /// Signals all events of a kind, with what there is to tell. Yields how many there are.
    pub(crate) fn report(&self, kind: Kind, report: Report) -> usize {
        let mut wakes = Wakes::default();
        let mut inner = self.inner.lock();
        let of_kind = inner
            .entries
            .values_mut()
            .filter(|entry| entry.event.kind() == kind);
        of_kind
            .map(|entry| {
                entry.told(&mut wakes, |event, waited_for| {
                    event.signal_with(report, waited_for)
                })
            })
            .count()
    }
}

impl Entry {
    /// The GPU has signalled it through its slot.
    fn raised(&mut self, page: &EventPage, id: u32, wakes: &mut Wakes) {
        counters::EVENTS_RAISED.again();
        page.acknowledge(id);
        self.told(wakes, Event::signal);
    }

    fn scan(entries: &mut RBTree<u32, Entry>, page: &EventPage, wakes: &mut Wakes) {
        counters::SLOT_SCANS.again();
        for (&id, entry) in entries.iter_mut() {
            if entry.event.kind().has_slot() && page.is_signaled(id) {
                entry.raised(page, id, wakes);
            }
        }
    }
}
