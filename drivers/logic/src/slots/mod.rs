// SPDX-License-Identifier: GPL-2.0
//! Who holds which of the hardware's numbered, scarce things: doorbells and SDMA queues.
//!
//! Managers here are plain sets. They hand out numbers; that a number is free again only after the hardware has
//! let go of it is the caller's duty, since only the caller sees the hardware.

pub mod doorbell;
mod sdma;

pub use sdma::{SdmaEngines, SdmaKind, SdmaQueueId, SdmaSlots};

/// A set of the numbers `0..64 * WORDS`, from which the lowest free one is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdSet<const WORDS: usize> {
    taken: [u64; WORDS],
}

impl<const WORDS: usize> IdSet<WORDS> {
    /// All numbers free.
    pub const fn new() -> Self {
        Self { taken: [0; WORDS] }
    }

    /// Takes the lowest free number below `limit` that satisfies `suits`.
    pub fn take_where(&mut self, limit: u32, suits: impl Fn(u32) -> bool) -> Option<u32> {
        let id = (0..limit).find(|&id| !self.is_taken(id) && suits(id))?;
        self.take(id).then_some(id)
    }

    /// Takes the lowest free number below `limit`.
    pub fn take_first(&mut self, limit: u32) -> Option<u32> {
        self.take_where(limit, |_| true)
    }

    /// Takes `id`; false if it is taken or there is no such number.
    pub fn take(&mut self, id: u32) -> bool {
        let Some((word, bit)) = self.place(id) else {
            return false;
        };
        let free = *word & bit == 0;
        *word |= bit;
        free
    }

    /// Gives `id` back; false if it was not taken.
    pub fn release(&mut self, id: u32) -> bool {
        let Some((word, bit)) = self.place(id) else {
            return false;
        };
        let taken = *word & bit != 0;
        *word &= !bit;
        taken
    }

    /// Whether `id` is taken. Numbers that do not exist are.
    pub fn is_taken(&self, id: u32) -> bool {
        let (word, bit) = split(id);
        self.taken.get(word).is_none_or(|w| w & bit != 0)
    }

    /// How many numbers are taken.
    pub fn count(&self) -> u32 {
        self.taken.iter().map(|w| w.count_ones()).sum()
    }

    fn place(&mut self, id: u32) -> Option<(&mut u64, u64)> {
        let (word, bit) = split(id);
        Some((self.taken.get_mut(word)?, bit))
    }
}

impl<const WORDS: usize> Default for IdSet<WORDS> {
    fn default() -> Self {
        Self::new()
    }
}

/// Word and bit of number `id`.
const fn split(id: u32) -> (usize, u64) {
    ((id / 64) as usize, 1 << (id % 64))
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_slots))]
mod tests {
    use super::*;
    #[cfg(test)]
    use proptest::prelude::*;

    #[test]
    fn limits() {
        let mut set = IdSet::<1>::new();
        assert!(set.take(63) && !set.take(63) && !set.take(64));
        assert!(set.is_taken(64));
        assert!(set.release(63) && !set.release(63) && !set.release(64));
        assert_eq!(set.take_first(0), None);
        assert_eq!(set.take_where(10, |id| id > 4), Some(5));
        assert_eq!(set.count(), 1);
    }

    #[cfg(test)]
    proptest! {
        #[test]
        fn behaves_like_a_set(steps in proptest::collection::vec((any::<bool>(), 0u32..130), 0..200)) {
            let mut set = IdSet::<2>::new();
            let mut model = std::collections::BTreeSet::new();
            for (take, id) in steps {
                if take {
                    prop_assert_eq!(set.take(id), id < 128 && model.insert(id));
                } else {
                    prop_assert_eq!(set.release(id), model.remove(&id));
                }
                prop_assert_eq!(set.count() as usize, model.len());
            }
            let first = (0..128).find(|id| !model.contains(id));
            prop_assert_eq!(set.take_first(128), first);
        }
    }
}
