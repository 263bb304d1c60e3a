// SPDX-License-Identifier: GPL-2.0
//! Finds entries whose interrupt was lost: the device raises no other until the driver has read the ring.

use super::Ih;
use crate::glue::work::{new_later, Job, Later};
use core::sync::atomic::{AtomicU32, Ordering};
use kernel::{dev_err, dev_warn, prelude::*, sync::Arc, time::Delta};

/// Time between two looks at the ring, which is in system memory. Entries that lie there for that long have been told by
/// no interrupt.
const INTERVAL: Delta = Delta::from_millis(500);

/// Looks at the ring until it is dropped.
pub(crate) struct Watch(#[expect(dead_code)] Pin<KBox<Later<Look>>>);

struct Look {
    ih: Arc<Ih>,
    /// Read pointer at the last look, if entries waited there; [`NONE`] otherwise.
    seen: AtomicU32,
}

/// No entry waited.
const NONE: u32 = u32::MAX;

impl Watch {
    /// Begins.
    pub(crate) fn new(ih: Arc<Ih>) -> Result<Self> {
        let look = Look {
            ih,
            seen: AtomicU32::new(NONE),
        };
        let later = KBox::pin_init(new_later!(look), GFP_KERNEL)?;
        later.schedule(INTERVAL);
        Ok(Self(later))
    }
}

impl Job for Look {
    fn run(&self) -> Option<Delta> {
        let waits = self.ih.oldest_waiting().ok().flatten().unwrap_or(NONE);
        let before = self.seen.swap(waits, Ordering::Relaxed);
        if waits != NONE && waits == before {
            dev_warn!(self.ih.bars.dev, "IH: an interrupt was lost\n");
            if let Err(e) = self.ih.drain() {
                dev_err!(self.ih.bars.dev, "IH: the ring cannot be read: {:?}\n", e);
            }
        }
        Some(INTERVAL)
    }
}
