// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Taking turns: which queues of a run list come next when not all fit at once.

use super::list::List;

/// A queue of a run list: index of its process, and of the queue in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Process in the list.
    pub(crate) process: usize,
    /// Queue in the process.
    pub(crate) queue: usize,
}

/// All queues of a list in order, and where the next turn starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Turns {
    places: Vec<Place>,
    next: usize,
}

impl Turns {
    /// Starts at the front of the list.
    pub(crate) fn new(list: &List) -> Self {
        let queues = list.processes.iter().enumerate();
        let places =
            queues.flat_map(|(process, p)| (0..p.queues.len()).map(move |queue| Place { process, queue }));
        Self {
            places: places.collect(),
            next: 0,
        }
    }

    /// One turn: offers each queue once, beginning where the last turn stopped, until `take` refuses one. Returns
    /// whether all were taken.
    pub(crate) fn turn(&mut self, mut take: impl FnMut(Place) -> bool) -> bool {
        let count = self.places.len();
        for i in 0..count {
            let at = (self.next + i) % count;
            let Some(place) = self.places.get(at) else {
                return true;
            };
            if !take(*place) {
                self.next = at;
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn turns(count: usize) -> Turns {
        Turns {
            places: (0..count).map(|queue| Place { process: 0, queue }).collect(),
            next: 0,
        }
    }

    #[test]
    fn all_fit() {
        let mut seen = Vec::new();
        assert!(turns(3).turn(|p| {
            seen.push(p.queue);
            true
        }));
        assert_eq!(seen, [0, 1, 2]);
        assert!(turns(0).turn(|_| false));
    }

    proptest! {
        /// However many fit at a time, nobody waits longer than it takes to serve everybody else once.
        #[test]
        fn everybody_gets_a_turn(count in 1usize..40, room in 1usize..8) {
            let mut t = turns(count);
            let mut served = vec![0; count];
            for _ in 0..count.div_ceil(room) {
                let mut free = room;
                t.turn(|p| {
                    if free == 0 { return false; }
                    free -= 1;
                    served[p.queue] += 1;
                    true
                });
            }
            prop_assert!(served.iter().all(|n| *n >= 1), "{:?}", served);
        }
    }
}
