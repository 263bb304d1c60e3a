// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A held piece of memory, for callers that access the same page many times.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::Arc;

use super::mapping::Mapping;

/// Some contiguous bytes of VRAM or guest memory. The bytes stay accessible while the span lives, even if the guest
/// unmaps them meanwhile; ask [`PhysMem::is_current`](super::PhysMem::is_current) before each use of a kept span.
#[derive(Clone, Debug)]
pub struct HostSpan {
    pub(super) mapping: Arc<Mapping>,
    /// Start within the mapping.
    pub(super) start: u64,
    pub(super) len: u64,
    pub(super) writable: bool,
    /// The DMA table's generation when the span was made; `None` for VRAM, which never goes away.
    pub(super) generation: Option<u64>,
}

impl HostSpan {
    /// Length in bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether it has no bytes; never true for a span handed out.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether stores are allowed.
    pub fn writable(&self) -> bool {
        self.writable
    }

    /// Start of the bytes, valid for [`len`](Self::len) bytes while the span lives. The guest changes them
    /// concurrently: use atomic or volatile access only, and no stores unless [`writable`](Self::writable).
    pub fn as_ptr(&self) -> Option<NonNull<u8>> {
        self.mapping.at(self.start, self.len)
    }

    /// Copies out from `off`; `false` if not all bytes are inside.
    pub fn read(&self, off: u64, buf: &mut [u8]) -> bool {
        self.inside(off, buf.len() as u64)
            .is_some_and(|at| self.mapping.read(at, buf))
    }

    /// Copies in at `off`; `false` if not all bytes are inside or the memory is read-only.
    pub fn write(&self, off: u64, data: &[u8]) -> bool {
        self.writable
            && self
                .inside(off, data.len() as u64)
                .is_some_and(|at| self.mapping.write(at, data))
    }

    /// The aligned 32-bit word at `off`. Do not store through it unless [`writable`](Self::writable).
    pub fn atomic32(&self, off: u64) -> Option<&AtomicU32> {
        self.mapping.atomic32(self.inside(off, 4)?)
    }

    /// The aligned 64-bit word at `off`. Do not store through it unless [`writable`](Self::writable).
    pub fn atomic64(&self, off: u64) -> Option<&AtomicU64> {
        self.mapping.atomic64(self.inside(off, 8)?)
    }

    fn inside(&self, off: u64, len: u64) -> Option<u64> {
        (off.checked_add(len)? <= self.len).then(|| self.start.checked_add(off))?
    }
}
