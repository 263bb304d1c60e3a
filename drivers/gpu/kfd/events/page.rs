// SPDX-License-Identifier: GPL-2.0
//! The event page: a buffer of the process with one 64-bit slot for each event that the GPU may signal.

use crate::{
    glue::ttm::{Bo, KernelMap},
    gpu::kfd::counters::{self, Alive},
};
use amdgpu_uapi::kfd::event::{limit::SIGNAL_EVENT_LIMIT, EVENT_PAGE_SIZE};
use kernel::prelude::*;

/// A slot without a signal. The GPU writes the event's number, or whatever the process made it write.
const NO_SIGNAL: u64 = u64::MAX;

/// A mapped event page.
pub(crate) struct EventPage(KernelMap, #[expect(dead_code, reason = "counts")] Alive);

impl EventPage {
    /// Makes `bo` an event page. `EINVAL` if it is too small.
    pub(crate) fn new(bo: &Bo) -> Result<Self> {
        if bo.size() < EVENT_PAGE_SIZE {
            return Err(EINVAL);
        }
        Ok(Self(KernelMap::new(bo)?, counters::EVENT_PAGES.one()))
    }

    /// Number of slots.
    pub(super) fn slots(&self) -> u32 {
        SIGNAL_EVENT_LIMIT
    }

    /// Takes all signals away.
    pub(super) fn clear(&self) -> Result {
        self.0.write_words(0, SIGNAL_EVENT_LIMIT as usize, |_| NO_SIGNAL)
    }

    /// Whether there is a signal in slot `id`.
    pub(super) fn is_signaled(&self, id: u32) -> bool {
        // a page that went with its GPU has no signals
        self.0
            .read64(u64::from(id).saturating_mul(8))
            .is_ok_and(|slot| slot != NO_SIGNAL)
    }

    /// Takes the signal in slot `id` away.
    pub(super) fn acknowledge(&self, id: u32) {
        // fails only for a page that went with its GPU
        let _ = self.0.write64(u64::from(id).saturating_mul(8), NO_SIGNAL);
    }
}
