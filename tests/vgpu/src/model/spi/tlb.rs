// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The translation cache in front of a worker's memory accesses (UTCL1), one for loads, one for stores, one for atomics.
//!
//! Its entries are good only while the worker holds the hub's translations ([`Gmc::hold`](crate::model::gmc::Gmc::hold)):
//! whoever takes a new hold calls [`Tlb::forget`] first. So no invalidation is missed, and the first use of a page after each
//! hold goes through the hub's own cache, which notices stale entries.

use crate::mem::{HostSpan, PhysMem};
use crate::model::gmc::Page;

/// Pages per kind of access.
const ENTRIES: usize = 64;
/// Entries are found by 4 KiB page.
const PAGE_SHIFT: u32 = 12;
const PAGE: u64 = 1 << PAGE_SHIFT;

/// Where a page's bytes are.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// Host memory.
    Span(HostSpan),
    /// Guest memory that only messages reach.
    Remote,
    /// Reads give 0, writes are dropped.
    Prt,
}

/// One cached page, or what of it is contiguous.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Virtual address of the first byte.
    pub(super) start: u64,
    /// Bytes.
    pub(super) len: u64,
    /// Where they are.
    pub(super) target: Target,
}

impl Entry {
    /// What the hub says about the page at `start`.
    pub(super) fn new(mem: &PhysMem, start: u64, page: &Page) -> Self {
        let len = page.len.min(PAGE);
        if page.prt {
            return Self {
                start,
                len,
                target: Target::Prt,
            };
        }
        match mem.host_span(page.at, len) {
            Some(span) => Self {
                start,
                len: span.len(),
                target: Target::Span(span),
            },
            None => Self {
                start,
                len,
                target: Target::Remote,
            },
        }
    }

    /// How far `va` is into the entry and how many bytes follow, if it is inside.
    #[inline]
    pub(super) fn at(&self, va: u64) -> Option<(u64, u64)> {
        let off = va.wrapping_sub(self.start);
        (off < self.len).then(|| (off, self.len - off))
    }
}

/// A direct-mapped cache of pages.
#[derive(Debug)]
pub(super) struct Tlb {
    entries: Vec<Option<Entry>>,
    used: bool,
}

impl Tlb {
    /// An empty cache.
    pub(super) fn new() -> Self {
        Self {
            entries: vec![None; ENTRIES],
            used: false,
        }
    }

    /// First address of the page around `va`.
    pub(super) fn page_start(va: u64) -> u64 {
        va & !(PAGE - 1)
    }

    fn slot(va: u64) -> usize {
        (va >> PAGE_SHIFT) as usize % ENTRIES
    }

    /// The entry that holds `va`, if its memory is still mapped.
    #[inline]
    pub(super) fn find(&self, mem: &PhysMem, va: u64) -> Option<&Entry> {
        let entry = self.entries.get(Self::slot(va))?.as_ref()?;
        entry.at(va)?;
        match &entry.target {
            Target::Span(span) if !mem.is_current(span) => None,
            _ => Some(entry),
        }
    }

    /// Caches an entry.
    pub(super) fn insert(&mut self, entry: Entry) {
        self.used = true;
        let slot = Self::slot(entry.start);
        if let Some(e) = self.entries.get_mut(slot) {
            *e = Some(entry);
        }
    }

    /// Drops everything.
    pub(super) fn forget(&mut self) {
        if std::mem::take(&mut self.used) {
            self.entries.fill(None);
        }
    }
}
