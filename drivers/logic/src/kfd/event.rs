// SPDX-License-Identifier: GPL-2.0
//! The life of an event, and the numbers of events.
//!
//! An event is signalled or not, and has an age that counts its signals. A thread that begins to wait either finds
//! what it waits for, or is noted as a waiter and told by the next signal. Auto-reset events are consumed by those
//! who find or are told of the signal.

use crate::slots::IdSet;
use amdgpu_uapi::kfd::event::{event_type, limit, HwExceptionData, MemoryExceptionData};

/// What an event tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Raised by the GPU through its slot, or by SET_EVENT.
    Signal,
    /// Raised by the GPU through its slot.
    Debug,
    /// A GPU page fault.
    Memory,
    /// A GPU reset or hardware error.
    HwException,
    /// Any other number: can be waited for, is never raised.
    Other(u32),
}

impl Kind {
    /// From the ABI's number; all numbers are accepted.
    pub const fn from_abi(number: u32) -> Self {
        match number {
            event_type::SIGNAL => Self::Signal,
            event_type::DEBUG_EVENT => Self::Debug,
            event_type::MEMORY => Self::Memory,
            event_type::HW_EXCEPTION => Self::HwException,
            other => Self::Other(other),
        }
    }

    /// Whether it owns a slot of the event page.
    pub const fn has_slot(self) -> bool {
        matches!(self, Self::Signal | Self::Debug)
    }

    /// Whether SET_EVENT and RESET_EVENT may be used on it.
    pub const fn cpu_may_signal(self) -> bool {
        matches!(self, Self::Signal)
    }
}

/// What came with the last signal of an event that is not a plain one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    /// Of [`Kind::Memory`].
    Memory(MemoryExceptionData),
    /// Of [`Kind::HwException`].
    HwException(HwExceptionData),
}

/// An event without its waiters.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    kind: Kind,
    auto_reset: bool,
    signaled: bool,
    age: u64,
    report: Option<Report>,
}

/// What a thread finds that begins to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The event has happened: no need to wait for it.
    pub activated: bool,
    /// The thread wants to know the age afterwards.
    pub wants_age: bool,
}

impl Event {
    /// Age of an event that was never signalled. 0 in a request means that ages do not count.
    const FIRST_AGE: u64 = 1;

    /// An event that has not happened.
    pub const fn new(kind: Kind, auto_reset: bool) -> Self {
        Self {
            kind,
            auto_reset,
            signaled: false,
            age: Self::FIRST_AGE,
            report: None,
        }
    }

    /// What it tells.
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// Signals seen, plus 1.
    pub const fn age(&self) -> u64 {
        self.age
    }

    /// What came with the last signal.
    pub const fn report(&self) -> Option<&Report> {
        self.report.as_ref()
    }

    /// It happens. `waited_for` says whether threads will be told now: they consume an auto-reset event.
    pub fn signal(&mut self, waited_for: bool) {
        self.signaled = !(self.auto_reset && waited_for);
        self.age = match self.age.checked_add(1) {
            Some(age) => age,
            // not one of the two that mean something else
            None => Self::FIRST_AGE + 1,
        };
    }

    /// It happens, and this came with it.
    pub fn signal_with(&mut self, report: Report, waited_for: bool) {
        self.report = Some(report);
        self.signal(waited_for);
    }

    /// It has not happened after all.
    pub fn reset(&mut self) {
        self.signaled = false;
    }

    /// A thread begins to wait that has seen `age` (0: does not count ages).
    pub fn begin_wait(&mut self, age: u64) -> Found {
        let signaled = self.signaled;
        self.signaled = signaled && !self.auto_reset;
        let wants_age = self.kind == Kind::Signal && age != 0;
        Found {
            activated: signaled || wants_age && age != self.age,
            wants_age,
        }
    }

    /// A wait that had seen the event happen is taken back, because it will be repeated from the start.
    pub fn give_back(&mut self, others_wait: bool) {
        if self.auto_reset {
            self.signal(others_wait);
        }
    }
}

/// The numbers of a process's events.
#[derive(Clone, Debug)]
pub struct EventIds {
    /// Numbers of events with a slot, equal to the slot. 0 is never used: interrupts with 0 mean nothing.
    slots: IdSet<64>,
    /// Numbers of other events, counted from [`FIRST_OTHER`].
    others: IdSet<64>,
}

/// First number of an event without slot (kernel `amdkfd/kfd_events.h`).
const FIRST_OTHER: u32 = (i32::MAX >> 1) as u32 + 1;

/// Events without slot that a process may have. The kernel's own driver has no limit but its memory.
const MOST_OTHERS: u32 = 4096;

impl EventIds {
    /// All free.
    pub fn new() -> Self {
        let mut slots = IdSet::new();
        slots.take(0);
        Self {
            slots,
            others: IdSet::new(),
        }
    }

    /// Takes a number for an event; `None` if there is none left. `slots` is the number of slots in the event
    /// page, of which at most [`limit::SIGNAL_EVENT_LIMIT`] are used.
    pub fn take(&mut self, kind: Kind, slots: u32) -> Option<u32> {
        if kind.has_slot() {
            self.slots.take_first(slots.min(limit::SIGNAL_EVENT_LIMIT))
        } else {
            self.others
                .take_first(MOST_OTHERS)
                .and_then(|n| n.checked_add(FIRST_OTHER))
        }
    }

    /// Gives a number back; false if it was not taken.
    pub fn release(&mut self, id: u32) -> bool {
        match id.checked_sub(FIRST_OTHER) {
            Some(other) => self.others.release(other),
            None => id != 0 && self.slots.release(id),
        }
    }

    /// Events with a slot.
    pub fn slots_taken(&self) -> u32 {
        self.slots.count().saturating_sub(1)
    }
}

impl Default for EventIds {
    fn default() -> Self {
        Self::new()
    }
}

/// The slots whose number an interrupt may mean that carries the lowest `bits` bits of it: `id`, and all numbers
/// that end in the same bits.
pub fn candidates(id: u32, bits: u32) -> impl Iterator<Item = u32> {
    let step = 1u32.checked_shl(bits).unwrap_or(u32::MAX).max(1);
    (id..limit::SIGNAL_EVENT_LIMIT).step_by(step as usize)
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_kfd_event))]
mod tests {
    use super::*;
    #[cfg(test)]
    use proptest::prelude::*;

    #[test]
    fn manual_events_stay_until_reset() {
        let mut e = Event::new(Kind::Signal, false);
        assert!(!e.begin_wait(0).activated);
        e.signal(true);
        assert!(e.begin_wait(0).activated && e.begin_wait(0).activated);
        e.reset();
        assert!(!e.begin_wait(0).activated);
        assert_eq!(e.age(), 2);
    }

    #[test]
    fn auto_reset_events_are_consumed_once() {
        let mut e = Event::new(Kind::Signal, true);
        e.signal(false);
        assert!(e.begin_wait(0).activated && !e.begin_wait(0).activated);
        // told to waiters: nothing is left for those who come later
        e.signal(true);
        assert!(!e.begin_wait(0).activated);
        e.give_back(false);
        assert!(e.begin_wait(0).activated);
    }

    #[test]
    fn another_age_ends_a_wait_at_once() {
        let mut e = Event::new(Kind::Signal, true);
        assert_eq!(
            e.begin_wait(1),
            Found {
                activated: false,
                wants_age: true
            }
        );
        e.signal(true);
        assert_eq!(
            e.begin_wait(1),
            Found {
                activated: true,
                wants_age: true
            }
        );
        assert_eq!(
            e.begin_wait(2),
            Found {
                activated: false,
                wants_age: true
            }
        );
        let mut other = Event::new(Kind::Memory, true);
        assert_eq!(
            other.begin_wait(7),
            Found {
                activated: false,
                wants_age: false
            }
        );
    }

    #[test]
    fn ages_do_not_wrap_to_reserved_ones() {
        let mut e = Event::new(Kind::Signal, false);
        e.age = u64::MAX;
        e.signal(false);
        assert_eq!(e.age(), 2);
    }

    #[test]
    fn numbers() {
        let mut ids = EventIds::new();
        assert!(core::iter::from_fn(|| ids.take(Kind::Signal, u32::MAX)).eq(1..=4095));
        assert_eq!(ids.take(Kind::Debug, u32::MAX), None);
        assert_eq!(ids.take(Kind::Memory, 0), Some(0x4000_0000));
        assert!(ids.release(17) && !ids.release(17) && !ids.release(0));
        assert_eq!(ids.take(Kind::Debug, 4096), Some(17));
        assert!(ids.release(0x4000_0000) && !ids.release(0x4000_0000) && !ids.release(u32::MAX));
        assert_eq!(EventIds::new().take(Kind::Signal, 1), None);
    }

    #[test]
    fn partial_numbers() {
        assert!(candidates(5, 32).eq([5]));
        assert!(candidates(5, 28).eq([5]));
        assert!(candidates(5, 11).eq([5, 5 + 2048]));
        assert_eq!(candidates(4096, 24).count(), 0);
        assert_eq!(candidates(0, 0).count(), 4096);
    }

    #[cfg(test)]
    proptest! {
        /// No wake-up is lost: a waiter that repeats with the age it saw sees every later signal.
        #[test]
        fn ages_see_every_signal(signals in proptest::collection::vec(any::<bool>(), 0..50), auto: bool) {
            let mut e = Event::new(Kind::Signal, auto);
            let mut seen = e.age();
            for happens in signals {
                if happens {
                    e.signal(false);
                }
                // consume the state bit, so that only the age is left to go by
                e.reset();
                let found = e.begin_wait(seen);
                prop_assert_eq!(found.activated, happens);
                seen = e.age();
            }
        }
    }
}
