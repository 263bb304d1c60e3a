// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Scratch slots: which wave uses which part of a queue's scratch memory.

use std::collections::HashMap;

/// The scratch memory of a queue: its VMID and address.
pub(super) type Backing = (u8, u64);

/// Slots in use, per scratch memory.
#[derive(Debug, Default)]
pub(super) struct ScratchSlots {
    used: HashMap<Backing, Vec<u64>>,
}

impl ScratchSlots {
    /// Takes the lowest `count` free slots of `limit`; `None`, and nothing taken, if there are not so many.
    pub(super) fn take(&mut self, backing: Backing, limit: u32, count: usize) -> Option<Vec<u32>> {
        let used = self.used.entry(backing).or_default();
        let mut taken = Vec::with_capacity(count);
        for slot in (0..limit).filter(|slot| !is_set(used, *slot)) {
            if taken.len() == count {
                break;
            }
            taken.push(slot);
        }
        if taken.len() < count {
            self.tidy(backing);
            return None;
        }
        for slot in &taken {
            let word = *slot as usize / 64;
            if used.len() <= word {
                used.resize(word + 1, 0);
            }
            if let Some(w) = used.get_mut(word) {
                *w |= 1 << (slot % 64);
            }
        }
        Some(taken)
    }

    /// Gives slots back.
    pub(super) fn give_back(&mut self, backing: Backing, slots: &[u32]) {
        if let Some(used) = self.used.get_mut(&backing) {
            for slot in slots {
                if let Some(w) = used.get_mut(*slot as usize / 64) {
                    *w &= !(1 << (slot % 64));
                }
            }
        }
        self.tidy(backing);
    }

    fn tidy(&mut self, backing: Backing) {
        if self
            .used
            .get(&backing)
            .is_some_and(|used| used.iter().all(|w| *w == 0))
        {
            self.used.remove(&backing);
        }
    }
}

fn is_set(used: &[u64], slot: u32) -> bool {
    used.get(slot as usize / 64)
        .is_some_and(|w| w >> (slot % 64) & 1 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_exclusive_and_come_back() {
        let mut s = ScratchSlots::default();
        let a = s.take((3, 0x1000), 100, 70).unwrap();
        assert_eq!(a, (0..70).collect::<Vec<_>>());
        assert_eq!(s.take((3, 0x1000), 100, 31), None);
        assert_eq!(
            s.take((3, 0x1000), 100, 30).unwrap(),
            (70..100).collect::<Vec<_>>()
        );
        assert_eq!(s.take((4, 0x1000), 100, 1).unwrap(), [0], "other address space");
        s.give_back((3, 0x1000), &a[10..12]);
        assert_eq!(s.take((3, 0x1000), 100, 2).unwrap(), [10, 11]);
    }

    #[test]
    fn nothing_is_kept_for_idle_queues() {
        let mut s = ScratchSlots::default();
        let a = s.take((3, 0), 8, 8).unwrap();
        s.give_back((3, 0), &a);
        assert_eq!(s.take((3, 0), 4, 5), None);
        assert!(s.used.is_empty());
    }
}
