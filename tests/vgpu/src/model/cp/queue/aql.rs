// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bookkeeping of an AQL queue: packets that were started and not retired. Packets retire in order, when they and all
//! before them have completed: until then their slots in the ring must not be reused, for a kernel may read its packet.

use std::collections::VecDeque;

use super::super::aql::packet::Scope;
use super::flight::Seq;

/// What a started packet still waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// This kernel.
    Kernel(Seq),
    /// The PM4 buffer being executed; its kernels start at this number.
    Buffer(Seq),
    /// Kernels of a PM4 buffer: from the first number to before the second.
    Kernels(Seq, Seq),
    /// Nothing: it has completed.
    Done,
}

/// A started packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Started {
    /// What it waits for.
    pub(crate) work: Work,
    /// Completion signal (handle); 0 if none.
    pub(crate) signal: u64,
    /// Fence after it.
    pub(crate) release: Scope,
    /// Reference clock when it was started.
    pub(crate) start: u64,
    /// A kernel that used scratch that is to be given back.
    pub(crate) reclaim_scratch: bool,
}

/// The queue waits for the runtime to clear its error signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    /// The signal (handle).
    pub(crate) signal: u64,
    /// The value that was stored.
    pub(crate) code: u64,
}

/// State of an AQL queue beyond its ring.
#[derive(Debug)]
pub(crate) struct Aql {
    started: VecDeque<Started>,
    /// Index of the first packet that is not retired.
    retired: u64,
    /// The write index as last seen.
    pub(crate) write_index: u64,
    /// Waiting for the runtime.
    pub(crate) held: Option<Held>,
}

impl Aql {
    /// A queue whose next packet is `read_index`.
    pub(crate) fn new(read_index: u64, write_index: u64) -> Self {
        Self {
            started: VecDeque::new(),
            retired: read_index,
            write_index,
            held: None,
        }
    }

    /// Index of the first packet that is not retired: the queue's read index.
    pub(crate) fn read_index(&self) -> u64 {
        self.retired
    }

    /// Packets that can be started from `next` on in a ring of `size`. The write index may be far ahead: programs
    /// reserve slots first and wait for them to become free.
    pub(crate) fn available(&self, next: u64, size: u64) -> u64 {
        let written = self.write_index.saturating_sub(next);
        let free = self.retired.saturating_add(size).saturating_sub(next);
        written.min(free)
    }

    /// Whether every started packet has completed.
    pub(crate) fn all_complete(&self) -> bool {
        self.started.is_empty()
    }

    /// Adds a started packet.
    pub(crate) fn push(&mut self, started: Started) {
        self.started.push_back(started);
    }

    /// Started packets, oldest first.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Started> {
        self.started.iter_mut()
    }

    /// Takes completed packets from the front; returns their indices.
    pub(crate) fn retire(&mut self) -> std::ops::Range<u64> {
        let first = self.retired;
        while self.started.front().is_some_and(|s| s.work == Work::Done) {
            self.started.pop_front();
            self.retired = self.retired.wrapping_add(1);
        }
        first..self.retired
    }

    /// Forgets packets that were started and will not complete (queue reset): they are to be started again.
    pub(crate) fn forget(&mut self) {
        self.started.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(work: Work) -> Started {
        Started {
            work,
            signal: 0,
            release: Scope::None,
            start: 0,
            reclaim_scratch: false,
        }
    }

    #[test]
    fn packets_retire_in_order() {
        let mut a = Aql::new(7, 20);
        a.push(started(Work::Kernel(0)));
        a.push(started(Work::Done));
        assert_eq!(a.retire(), 7..7);
        for s in a.iter_mut() {
            s.work = Work::Done;
        }
        assert_eq!(a.retire(), 7..9);
        assert!(a.all_complete());
        assert_eq!(a.read_index(), 9);
    }

    #[test]
    fn slots_of_running_packets_are_not_read_again() {
        let mut a = Aql::new(0, 100);
        assert_eq!(a.available(0, 16), 16);
        for _ in 0..16 {
            a.push(started(Work::Kernel(0)));
        }
        assert_eq!(a.available(16, 16), 0);
        a.iter_mut().next().unwrap().work = Work::Done;
        a.retire();
        assert_eq!(a.available(16, 16), 1);
        a.write_index = 3;
        assert_eq!(a.available(16, 16), 0, "a write index that went back");
    }
}
