// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Accesses under way. An invalidation is acknowledged only when no access that may use an old translation is left,
//! as on silicon: the driver gives the page back right after. Accesses that begin later do not delay it.

use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

/// Keeps the translations of a VMID in a hub good until it is dropped.
#[must_use]
pub struct Hold<'a> {
    of: &'a Accesses,
    number: u64,
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        let mut inner = self.of.inner.lock();
        inner.running.retain(|a| a.number != self.number);
        if inner.waiters > 0 {
            self.of.ended.notify_all();
        }
    }
}

/// The accesses under way in one hub.
#[derive(Debug, Default)]
pub(crate) struct Accesses {
    inner: Mutex<Inner>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct Inner {
    /// Accesses so far.
    count: u64,
    /// A handful at most: one per engine and wave that runs at this moment.
    running: Vec<Running>,
    waiters: u32,
}

#[derive(Debug)]
struct Running {
    number: u64,
    vmid: u8,
}

/// A moment: all accesses of some VMIDs that began before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Before {
    number: u64,
    /// Bit n: VMID n.
    vmids: u32,
}

impl Before {
    /// Both.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            number: self.number.max(other.number),
            vmids: self.vmids | other.vmids,
        }
    }

    /// The VMIDs, bit n being VMID n.
    pub(crate) fn vmids(self) -> u32 {
        self.vmids
    }
}

impl Accesses {
    /// An access of `vmid` begins.
    pub(crate) fn hold(&self, vmid: u8) -> Hold<'_> {
        let mut inner = self.inner.lock();
        let number = inner.count;
        inner.count = number.wrapping_add(1);
        inner.running.push(Running { number, vmid });
        Hold { of: self, number }
    }

    /// The accesses of these VMIDs that have begun by now.
    pub(crate) fn until_now(&self, vmids: u32) -> Before {
        let number = self.inner.lock().count;
        Before { number, vmids }
    }

    /// Waits until all accesses `before` have ended, at most `limit`; says if they have.
    pub(crate) fn drained(&self, before: Before, limit: Duration) -> bool {
        let end = Instant::now() + limit;
        let mut inner = self.inner.lock();
        inner.waiters += 1;
        let mut late = false;
        let drained = loop {
            if !inner.has_any(before) {
                break true;
            }
            if late {
                break false;
            }
            late = self.ended.wait_until(&mut inner, end).timed_out();
        };
        inner.waiters -= 1;
        drained
    }
}

impl Inner {
    fn has_any(&self, before: Before) -> bool {
        self.running.iter().any(|a| {
            a.number < before.number && before.vmids.checked_shr(a.vmid.into()).unwrap_or(0) & 1 != 0
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn only_earlier_accesses_of_the_same_vmids_are_waited_for() {
        let a = Accesses::default();
        let _other = a.hold(3);
        let hold = a.hold(8);
        let before = a.until_now(1 << 8);
        let _later = a.hold(8);
        assert!(!a.drained(before, MS));
        drop(hold);
        assert!(a.drained(before, MS));
        assert!(!a.drained(a.until_now(1 << 8), MS));
        assert!(!a.drained(before.and(a.until_now(1 << 3)), MS));
    }

    #[test]
    fn the_end_of_the_last_one_wakes() {
        let a = Accesses::default();
        let begun = Barrier::new(2);
        std::thread::scope(|s| {
            s.spawn(|| {
                let hold = a.hold(8);
                begun.wait();
                std::thread::sleep(MS);
                drop(hold);
            });
            begun.wait();
            assert!(a.drained(a.until_now(u32::MAX), MS * 60_000));
        });
    }
}
