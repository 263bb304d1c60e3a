// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a queue has started and not finished: kernels in the dispatcher, and end-of-pipe events waiting for them.

use std::collections::{BTreeMap, VecDeque};

use super::super::dispatch_request::DispatchId;

/// Numbers the kernels of a queue in the order they were launched.
pub(crate) type Seq = u64;

/// Kernels running and events waiting, of one queue.
#[derive(Debug)]
pub(crate) struct Flight<E> {
    next: Seq,
    running: BTreeMap<Seq, Option<DispatchId>>,
    events: VecDeque<(Seq, E)>,
}

impl<E> Default for Flight<E> {
    fn default() -> Self {
        Self {
            next: 0,
            running: BTreeMap::new(),
            events: VecDeque::new(),
        }
    }
}

impl<E> Flight<E> {
    /// Reserves the number of a kernel about to be handed to the dispatcher.
    pub(crate) fn launch(&mut self) -> Seq {
        let seq = self.next;
        self.next = seq.wrapping_add(1);
        self.running.insert(seq, None);
        seq
    }

    /// Notes the dispatcher's name of a kernel, if it has not ended meanwhile.
    pub(crate) fn launched(&mut self, seq: Seq, id: DispatchId) {
        if let Some(slot) = self.running.get_mut(&seq) {
            *slot = Some(id);
        }
    }

    /// A kernel has ended; `false` if it is not one of this queue's.
    pub(crate) fn ended(&mut self, seq: Seq) -> bool {
        self.running.remove(&seq).is_some()
    }

    /// The number the next kernel will get.
    pub(crate) fn mark(&self) -> Seq {
        self.next
    }

    /// Whether a kernel launched before `mark` still runs.
    pub(crate) fn running_before(&self, mark: Seq) -> bool {
        self.running.keys().next().is_some_and(|first| *first < mark)
    }

    /// Whether a kernel with a number from `first` to before `mark` still runs.
    pub(crate) fn running_between(&self, first: Seq, mark: Seq) -> bool {
        first < mark && self.running.range(first..mark).next().is_some()
    }

    /// Number of running kernels.
    pub(crate) fn running(&self) -> usize {
        self.running.len()
    }

    /// Whether nothing runs and no event waits.
    pub(crate) fn idle(&self) -> bool {
        self.running.is_empty() && self.events.is_empty()
    }

    /// Queues an event behind everything launched so far.
    pub(crate) fn post(&mut self, event: E) {
        self.events.push_back((self.next, event));
    }

    /// The next event whose kernels have all ended.
    pub(crate) fn due(&mut self) -> Option<E> {
        let (mark, _) = self.events.front()?;
        if self.running_before(*mark) {
            return None;
        }
        self.events.pop_front().map(|(_, e)| e)
    }

    /// Drops waiting events (queue reset).
    pub(crate) fn drop_events(&mut self) {
        self.events.clear();
    }

    /// Names of the running kernels.
    pub(crate) fn ids(&self) -> Vec<DispatchId> {
        self.running.values().flatten().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_wait_for_what_was_launched_before_them_only() {
        let mut f = Flight::default();
        f.post("a");
        assert_eq!(f.due(), Some("a"));
        let (k0, k1) = (f.launch(), f.launch());
        f.launched(k0, DispatchId(70));
        f.post("b");
        let k2 = f.launch();
        f.post("c");
        assert_eq!(f.due(), None);
        assert!(f.ended(k0) && !f.ended(k0));
        assert_eq!(f.due(), None);
        assert!(f.ended(k1));
        assert_eq!(f.due(), Some("b"));
        assert_eq!(f.due(), None);
        assert!(f.ended(k2));
        assert_eq!(f.due(), Some("c"));
        assert!(f.idle());
    }

    #[test]
    fn a_late_event_never_overtakes_an_earlier_one() {
        let mut f = Flight::default();
        let k = f.launch();
        f.post(1);
        f.post(2);
        assert!(f.ended(k));
        assert_eq!((f.due(), f.due(), f.due()), (Some(1), Some(2), None));
    }
}
