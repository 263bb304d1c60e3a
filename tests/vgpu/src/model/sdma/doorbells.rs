// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which doorbells user queues have, and which were rung without a queue.
//!
//! A process may ring as soon as it has its queue's doorbell, which can be before the scheduler firmware has worked through the
//! run list that maps the queue: the write pointer is then read from memory when the queue is mapped. A doorbell that never gets
//! a queue is a mistake of whoever routed it.

use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

/// How long a queue may take to follow its doorbell.
const PATIENCE: Duration = Duration::from_secs(5);

/// BAR2 dword indices.
#[derive(Default)]
pub(super) struct Doorbells {
    known: HashSet<u32>,
    strays: BTreeMap<u32, Instant>,
}

impl Doorbells {
    /// A queue with this doorbell is mapped.
    pub(super) fn mapped(&mut self, index: u32) {
        self.known.insert(index);
        self.strays.remove(&index);
    }

    /// Rung while no queue has it. Returns whether a queue had it before.
    pub(super) fn rung_in_vain(&mut self, index: u32, now: Instant) -> bool {
        let known = self.known.contains(&index);
        if !known {
            self.strays.entry(index).or_insert(now);
        }
        known
    }

    /// Takes out the doorbells whose queue is overdue.
    pub(super) fn overdue(&mut self, now: Instant) -> Vec<u32> {
        let late = |since: &Instant| now.duration_since(*since) > PATIENCE;
        let overdue: Vec<u32> = self
            .strays
            .iter()
            .filter(|(_, s)| late(s))
            .map(|(i, _)| *i)
            .collect();
        self.strays.retain(|_, since| !late(since));
        overdue
    }

    /// Power-on state.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_may_follow_its_doorbell_but_not_for_ever() {
        let mut doorbells = Doorbells::default();
        let start = Instant::now();
        assert!(!doorbells.rung_in_vain(0xa00, start));
        assert!(!doorbells.rung_in_vain(0xa14, start));
        doorbells.mapped(0xa00);
        assert!(doorbells.rung_in_vain(0xa00, start));
        assert!(doorbells.overdue(start + PATIENCE).is_empty());
        assert_eq!(doorbells.overdue(start + PATIENCE * 2), [0xa14]);
        assert!(doorbells.overdue(start + PATIENCE * 2).is_empty());
    }
}
