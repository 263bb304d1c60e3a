// SPDX-License-Identifier: GPL-2.0
//! Which flush covers which change.
//!
//! Something is cached by the device (translations of an address space), and flushing it takes a while. A change
//! made before a flush *began* is covered by it; a change made while one is running needs another. So changes are
//! stamped with the number of the next flush to begin, concurrent callers share flushes, and a change that some
//! later flush has covered already costs nothing.

/// The number of a flush, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp(u64);

/// Flushes of one cached thing: begun and done. One runs at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Epochs {
    begun: u64,
    done: u64,
    running: bool,
}

/// What a caller who needs a flush is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Nothing: the change is covered.
    Covered,
    /// Run this flush, then report it by [`Epochs::end`].
    Run(Stamp),
    /// Wait until the flush that is running has ended, then ask again.
    Wait,
}

impl Epochs {
    /// Nothing begun.
    pub const fn new() -> Self {
        Self {
            begun: 0,
            done: 0,
            running: false,
        }
    }

    /// The flush that will cover everything changed until now.
    pub const fn stamp(&self) -> Stamp {
        Stamp(self.begun.wrapping_add(1))
    }

    /// Whether a flush that covers `stamp` is done.
    pub const fn covers(&self, stamp: Stamp) -> bool {
        self.done >= stamp.0
    }

    /// What to do for a change that was stamped `stamp`.
    pub fn turn(&mut self, stamp: Stamp) -> Turn {
        if self.covers(stamp) {
            Turn::Covered
        } else if self.running {
            Turn::Wait
        } else {
            self.running = true;
            self.begun = self.begun.wrapping_add(1);
            Turn::Run(Stamp(self.begun))
        }
    }

    /// The running flush has ended, well or not.
    pub fn end(&mut self, flush: Stamp, well: bool) {
        self.running = false;
        if well {
            self.done = self.done.max(flush.0);
        }
    }

    /// Whether a flush is running.
    pub const fn is_running(&self) -> bool {
        self.running
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_epoch))]
mod tests {
    use super::*;
    #[cfg(test)]
    use proptest::prelude::*;

    #[test]
    fn a_change_during_a_flush_needs_another() -> Result<(), &'static str> {
        let mut e = Epochs::new();
        let before = e.stamp();
        let Turn::Run(first) = e.turn(before) else {
            return Err("nothing runs, so this turn has to");
        };
        let during = e.stamp();
        assert_eq!(e.turn(during), Turn::Wait);
        e.end(first, true);
        assert!(e.covers(before) && !e.covers(during));
        assert_eq!(e.turn(before), Turn::Covered);
        assert!(matches!(e.turn(during), Turn::Run(_)));
        Ok(())
    }

    #[test]
    fn a_failed_flush_covers_nothing() -> Result<(), &'static str> {
        let mut e = Epochs::new();
        let stamp = e.stamp();
        let Turn::Run(flush) = e.turn(stamp) else {
            return Err("nothing runs, so this turn has to");
        };
        e.end(flush, false);
        assert!(!e.covers(stamp) && !e.is_running());
        Ok(())
    }

    #[cfg(test)]
    proptest! {
        /// A model cache: it holds the changes not yet flushed. No change counts as covered while it is in there.
        #[test]
        fn covered_means_flushed(steps in proptest::collection::vec(0u8..4, 0..200)) {
            let mut e = Epochs::new();
            let mut stale = std::vec::Vec::new();
            let mut flush: Option<(Stamp, usize)> = None;
            for step in steps {
                match (step, flush) {
                    (0, _) => stale.push(e.stamp()),
                    (1, None) => {
                        if let Turn::Run(f) = e.turn(e.stamp()) {
                            flush = Some((f, stale.len()));
                        }
                    }
                    (2, Some((f, n))) => {
                        stale.drain(..n);
                        e.end(f, true);
                        flush = None;
                    }
                    (3, Some((f, _))) => {
                        e.end(f, false);
                        flush = None;
                    }
                    _ => {}
                }
                prop_assert!(stale.iter().all(|&s| !e.covers(s)));
            }
        }
    }
}
