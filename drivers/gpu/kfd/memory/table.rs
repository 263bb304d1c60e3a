// SPDX-License-Identifier: GPL-2.0
//! The buffers of a process that live on one GPU, by number.

use super::{Buffer, Kept};
use crate::gpu::{drm::Part, kfd::process::Binding};
use amdgpu_logic::{fault::Allocation, pagetable::VaRange};
use kernel::{
    prelude::*,
    rbtree::{RBTree, RBTreeNodeReservation},
    sync::Arc,
};

/// The buffers of a process that live on one GPU, by number.
pub(crate) struct Buffers {
    by_index: RBTree<u32, Arc<Buffer>>,
    /// The number given out last. Numbers are not given out again soon, so that a stale one hits nothing.
    last: u32,
}

/// Numbers go from 1 to this.
const LAST_INDEX: u32 = i32::MAX as u32;

impl Buffers {
    /// None.
    pub(in crate::gpu::kfd) fn new() -> Self {
        Self {
            by_index: RBTree::new(),
            last: 0,
        }
    }

    /// Adds a buffer and yields its number.
    pub(in crate::gpu::kfd) fn add(
        &mut self,
        buffer: Arc<Buffer>,
        node: RBTreeNodeReservation<u32, Arc<Buffer>>,
    ) -> u32 {
        let mut index = self.last;
        loop {
            index = if index >= LAST_INDEX {
                1
            } else {
                index.saturating_add(1)
            };
            // memory ends long before the numbers do
            if self.by_index.get(&index).is_none() {
                break;
            }
        }
        self.last = index;
        self.by_index.insert(node.into_node(index, buffer));
        index
    }

    /// The buffer with a number.
    pub(in crate::gpu::kfd) fn get(&self, index: u32) -> Option<Arc<Buffer>> {
        self.by_index.get(&index).cloned()
    }

    /// Takes a buffer out that was [freed](Self::free).
    pub(in crate::gpu::kfd) fn remove(&mut self, index: u32) {
        let buffer = self.by_index.remove(&index);
        drop(buffer);
    }

    /// Ends a buffer of the process with `binding` here; it is to be removed then.
    pub(in crate::gpu::kfd) fn free(buffer: &Buffer, binding: &Binding) -> Result {
        buffer.free(binding)
    }

    /// All of them.
    pub(in crate::gpu::kfd) fn iter(&self) -> impl Iterator<Item = &Arc<Buffer>> {
        self.by_index.values()
    }

    /// The buffer that is mapped on a GPU at all of `len` bytes from `addr`, kept mapped.
    pub(in crate::gpu::kfd) fn keep(&self, gpu_id: u32, addr: u64, len: u64) -> Option<Kept> {
        let end = addr.checked_add(len)?;
        let covers = |range: VaRange| range.start() <= addr && end <= range.end();
        self.by_index
            .values()
            .filter(|buffer| buffer.range.is_some_and(covers))
            .find_map(|buffer| buffer.keep(gpu_id))
    }

    /// The buffer whose place is nearest to the page at `addr`: for messages.
    pub(in crate::gpu::kfd) fn nearest(&self, addr: u64) -> Option<Allocation> {
        let allocation = |buffer: &Arc<Buffer>| {
            buffer.range.map(|range| Allocation {
                range,
                what: buffer.kind.word(),
            })
        };
        self.iter()
            .filter_map(allocation)
            .reduce(|a, b| Allocation::nearer(Some(a), Some(b), addr).unwrap_or(a))
    }

    /// Adds them to the memory of a process. `ENOMEM`.
    pub(in crate::gpu::kfd) fn add_to(&self, parts: &mut KVec<Part>) -> Result {
        for buffer in self.iter() {
            let part = match buffer.bo() {
                Some(bo) => Part::Object(bo.clone()),
                None => Part::OfProcess(buffer.size()),
            };
            parts.push(part, GFP_KERNEL)?;
        }
        Ok(())
    }

    /// The process leaves. `binding` is its own here.
    pub(in crate::gpu::kfd) fn leave(&self, binding: &Binding) {
        self.iter().for_each(|buffer| buffer.leave(binding));
    }
}
