// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Accesses under way. An invalidation is acknowledged only when no access that may use an old translation is left,
//! as on silicon: the driver gives the page back right after.

use std::cell::Cell;
use std::time::Duration;

use parking_lot::{RwLock, RwLockReadGuard};

use super::types::HubId;

thread_local! {
    /// How many holds of each hub this thread has.
    static HELD: [Cell<u32>; 2] = const { [Cell::new(0), Cell::new(0)] };
}

/// Keeps translations of a hub good until it is dropped. Belongs to the thread that took it.
#[must_use]
pub struct Hold<'a> {
    hub: HubId,
    _guard: Option<RwLockReadGuard<'a, ()>>,
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        HELD.with(|h| cell(h, self.hub).set(cell(h, self.hub).get().saturating_sub(1)));
    }
}

fn cell(held: &[Cell<u32>; 2], hub: HubId) -> &Cell<u32> {
    let [gfx, mm] = held;
    match hub {
        HubId::Gfx => gfx,
        HubId::Mm => mm,
    }
}

/// The accesses under way in one hub.
#[derive(Debug, Default)]
pub(crate) struct Accesses(RwLock<()>);

impl Accesses {
    /// Enters; inner holds of the same thread cost nothing and cannot deadlock.
    pub(crate) fn hold(&self, hub: HubId) -> Hold<'_> {
        let first = HELD.with(|h| {
            let c = cell(h, hub);
            c.set(c.get().saturating_add(1));
            c.get() == 1
        });
        Hold {
            hub,
            _guard: first.then(|| self.0.read()),
        }
    }

    /// Waits until all accesses that were under way have ended, at most `limit`; says if they have.
    /// Never true on a thread that holds the hub itself.
    pub(crate) fn drained(&self, hub: HubId, limit: Duration) -> bool {
        HELD.with(|h| cell(h, hub).get() == 0) && self.0.try_write_for(limit).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn drained_waits_for_others_and_refuses_own_holds() {
        let a = Arc::new(Accesses::default());
        let ms = Duration::from_millis(1);
        assert!(a.drained(HubId::Gfx, ms));
        let outer = a.hold(HubId::Gfx);
        let inner = a.hold(HubId::Gfx);
        drop(inner);
        assert!(!a.drained(HubId::Gfx, ms));
        let other = a.clone();
        let refused = Arc::new(std::sync::Barrier::new(2));
        let seen = refused.clone();
        let t = std::thread::spawn(move || {
            assert!(!other.drained(HubId::Gfx, ms));
            seen.wait();
            other.drained(HubId::Gfx, ms * 60_000)
        });
        refused.wait();
        drop(outer);
        assert!(t.join().unwrap());
    }
}
