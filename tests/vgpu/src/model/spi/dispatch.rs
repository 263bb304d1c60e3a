// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A dispatch under way: which workgroups are still to be started, and how it ends.

use std::sync::atomic::{AtomicU8, Ordering};

use parking_lot::Mutex;

use super::launch::{self, Resources};
use crate::model::cp::dispatch_request::{Completion, DispatchEnd, DispatchId, DispatchRequest, Outcome};

/// What all workgroups of a dispatch share.
pub(super) struct Dispatch {
    pub(super) id: DispatchId,
    /// What was asked for; its completion is kept apart.
    pub(super) request: DispatchRequest,
    completion: Mutex<Option<Completion>>,
    /// 0 while it runs, else the [`Outcome`] that stopped it early, see [`code`].
    stop: AtomicU8,
}

impl Dispatch {
    /// A dispatch that runs.
    pub(super) fn new(id: DispatchId, mut request: DispatchRequest) -> Self {
        let completion = std::mem::replace(&mut request.completion, Box::new(|_| ()));
        Self {
            id,
            request,
            completion: Mutex::new(Some(completion)),
            stop: AtomicU8::new(0),
        }
    }

    /// Tells the CP; only the first call does.
    pub(super) fn complete(&self, end: DispatchEnd) {
        let completion = self.completion.lock().take();
        if let Some(completion) = completion {
            completion(end);
        }
    }

    /// Stops it early; `true` for the first caller.
    pub(super) fn stop(&self, outcome: Outcome) -> bool {
        self.stop
            .compare_exchange(0, code(outcome), Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }

    /// Why it was stopped early.
    pub(super) fn stopped(&self) -> Option<Outcome> {
        let stop = self.stop.load(Ordering::Relaxed);
        STOPS.into_iter().find(|outcome| code(*outcome) == stop)
    }

    /// Workgroups in all.
    pub(super) fn groups(&self) -> u64 {
        self.request.workgroups()
    }

    /// The id of workgroup number `index`, x running fastest.
    pub(super) fn group_id(&self, index: u64) -> [u32; 3] {
        let (first, end) = (self.request.first_group, self.request.end_group);
        let [nx, ny, _] = std::array::from_fn(|d| extent(&first, &end, d));
        let at = [index % nx, index / nx % ny, index / nx / ny];
        std::array::from_fn(|d| {
            let into = at.get(d).copied().unwrap_or(0) as u32;
            first.get(d).copied().unwrap_or(0).wrapping_add(into)
        })
    }

    /// What workgroup `id` takes of the card.
    pub(super) fn needs(&self, id: [u32; 3]) -> Needs {
        let waves = launch::wave_count(launch::group_size(&self.request, id)) as u64;
        let resources = Resources::of(&self.request);
        Needs {
            waves,
            rows: waves * resources.vgprs() as u64,
            lds: u64::from(self.request.lds_bytes),
            slots: if resources.scratch() && self.request.scratch.wave_bytes != 0 {
                waves
            } else {
                0
            },
        }
    }

    /// Why no workgroup of it can ever start: more than the card has.
    pub(super) fn impossible(&self) -> Option<String> {
        let r = &self.request;
        let items = r
            .workgroup
            .iter()
            .fold(1u64, |n, s| n.saturating_mul(u64::from(*s)));
        if !(1..=1024).contains(&items) || r.lds_bytes > 1 << 16 {
            return Some(format!(
                "workgroup of {:?}, {} bytes of LDS",
                r.workgroup, r.lds_bytes
            ));
        }
        let needs = self.needs(self.request.first_group);
        if !Needs::default().add(needs) {
            return Some(format!(
                "a workgroup needs {needs:?}, the card has {:?}",
                Needs::CARD
            ));
        }
        let slots = u64::from(self.request.scratch.waves);
        (needs.slots > slots)
            .then(|| format!("a workgroup needs scratch for {} waves of {slots}", needs.slots))
    }
}

const STOPS: [Outcome; 3] = [Outcome::MemoryFault, Outcome::IllegalInstruction, Outcome::Killed];

fn code(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Done => 0,
        Outcome::MemoryFault => 1,
        Outcome::IllegalInstruction => 2,
        Outcome::Killed => 3,
    }
}

fn extent(first: &[u32; 3], end: &[u32; 3], d: usize) -> u64 {
    let (first, end) = (
        first.get(d).copied().unwrap_or(0),
        end.get(d).copied().unwrap_or(0),
    );
    u64::from(end.saturating_sub(first)).max(1)
}

/// Resources of a workgroup, or of all that are resident.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    /// Waves.
    pub(super) waves: u64,
    /// Vector registers (rows of 64 dwords) of all waves together.
    pub(super) rows: u64,
    /// Bytes of LDS.
    pub(super) lds: u64,
    /// Scratch slots.
    pub(super) slots: u64,
}

impl Needs {
    /// What the card has: 104 compute units with 4 SIMDs of 8 waves and 512 registers, and 64 KiB of LDS each.
    const CARD: Self = Self {
        waves: 104 * 4 * 8,
        rows: 104 * 4 * 512,
        lds: 104 << 16,
        slots: u64::MAX,
    };

    /// Adds `more` if the card has room for it.
    pub(super) fn add(&mut self, more: Self) -> bool {
        let sum = Self {
            waves: self.waves + more.waves,
            rows: self.rows + more.rows,
            lds: self.lds + more.lds,
            slots: self.slots + more.slots,
        };
        let card = Self::CARD;
        let fits = sum.waves <= card.waves && sum.rows <= card.rows && sum.lds <= card.lds;
        if fits {
            *self = sum;
        }
        fits
    }

    /// Takes `less` away.
    pub(super) fn remove(&mut self, less: Self) {
        self.waves = self.waves.saturating_sub(less.waves);
        self.rows = self.rows.saturating_sub(less.rows);
        self.lds = self.lds.saturating_sub(less.lds);
        self.slots = self.slots.saturating_sub(less.slots);
    }
}
