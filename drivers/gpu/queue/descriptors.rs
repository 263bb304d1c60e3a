// SPDX-License-Identifier: GPL-2.0
//! Memory for queue descriptors.
//!
//! The device reaches a descriptor through the GART, and memory that is bound there costs a flush of the kernel's
//! translations, as does its release. So memory for many is bound at once, and serves one queue after another.

use crate::gpu::mem::{Domain, KernelBo, Memory};
use amdgpu_logic::{mqd, slots::IdSet};
use kernel::{
    new_mutex, new_spinlock,
    prelude::*,
    sync::{Arc, Mutex, SpinLock},
};

/// All memory for descriptors on a GPU. It grows with the most queues there ever were at a time, and stays until the
/// GPU is given up.
#[pin_data]
pub(super) struct Descriptors {
    memory: Arc<Memory>,
    #[pin]
    chunks: Mutex<KVec<Arc<Chunk>>>,
}

/// Descriptors that one buffer has.
const PER_CHUNK: u32 = 64;

/// A buffer, and which of its descriptors are in use.
#[pin_data]
struct Chunk {
    bo: KernelBo,
    #[pin]
    taken: SpinLock<IdSet<1>>,
}

/// Memory for one descriptor. It may be dropped when the device has let go of the queue.
pub(super) struct Descriptor {
    chunk: Arc<Chunk>,
    slot: u32,
}

impl Descriptors {
    /// Memory for the first queues is there at once.
    pub(super) fn new(memory: &Arc<Memory>) -> Result<impl PinInit<Self>> {
        let mut chunks = KVec::new();
        chunks.push(Chunk::new(memory)?, GFP_KERNEL)?;
        let memory = memory.clone();
        Ok(pin_init!(Self {
            memory,
            chunks <- new_mutex!(chunks, "queue descriptors"),
        }))
    }

    /// Memory with any content. `ENOMEM` if there is no more.
    pub(super) fn take(&self) -> Result<Descriptor> {
        let mut chunks = self.chunks.lock();
        if let Some(descriptor) = chunks.iter().find_map(Chunk::take) {
            return Ok(descriptor);
        }
        let chunk = Chunk::new(&self.memory)?;
        chunks.push(chunk.clone(), GFP_KERNEL)?;
        Chunk::take(&chunk).ok_or(ENOMEM)
    }
}

impl Chunk {
    fn new(memory: &Memory) -> Result<Arc<Self>> {
        const BYTES: u64 = mqd::SIZE as u64 * PER_CHUNK as u64;
        let bo = KernelBo::new(memory, BYTES, 0, Domain::Gtt)?;
        let chunk = pin_init!(Self {
            bo,
            taken <- new_spinlock!(IdSet::new(), "queue descriptor chunk"),
        });
        Arc::pin_init(chunk, GFP_KERNEL)
    }

    fn take(self: &Arc<Self>) -> Option<Descriptor> {
        let slot = self.taken.lock().take_first(PER_CHUNK)?;
        let chunk = self.clone();
        Some(Descriptor { chunk, slot })
    }
}

impl Descriptor {
    /// The buffer that it is in.
    pub(super) fn memory(&self) -> &KernelBo {
        &self.chunk.bo
    }

    /// Where it begins there, in bytes.
    pub(super) fn offset(&self) -> u64 {
        u64::from(self.slot).wrapping_mul(mqd::SIZE as u64)
    }

    /// Address in VMID 0.
    pub(super) fn gpu_addr(&self) -> u64 {
        self.chunk.bo.gpu_addr().wrapping_add(self.offset())
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        self.chunk.taken.lock().release(self.slot);
    }
}
