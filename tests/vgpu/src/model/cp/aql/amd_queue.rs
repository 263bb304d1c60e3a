// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The queue structure that the runtime and the packet processor share (amd_hsa_queue.h: amd_queue_t). It is found from
//! the address where the read index is reported: the field behind it says how far into the structure it is.

use super::super::bus::{Bus, Mem};
use super::super::dispatch_request::Scratch;
use super::super::pm4::tmpring;
use super::packet::{u32_at, u64_at};

/// Byte offsets of fields.
mod at {
    /// read_dispatch_id_field_base_byte_offset, behind read_dispatch_id.
    pub(super) const BASE_OFFSET_FROM_RPTR: u64 = 8;
    pub(super) const COMPUTE_TMPRING_SIZE: u64 = 0x8c;
    // from COMPUTE_TMPRING_SIZE on:
    pub(super) const SRD: usize = 0x90 - 0x8c;
    pub(super) const BACKING_LOCATION: usize = 0xa0 - 0x8c;
    pub(super) const LANE_BYTES: usize = 0xb0 - 0x8c;
    pub(super) const PROPERTIES: usize = 0xb4 - 0x8c;
    pub(super) const INACTIVE_SIGNAL: usize = 0xc0 - 0x8c;
    pub(super) const LENGTH: usize = 0xc8 - 0x8c;
}

/// queue_properties: scratch is to be given back after the dispatch.
const USE_SCRATCH_ONCE: u32 = 1 << 4;

/// What the packet processor reads of the structure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct AmdQueue {
    /// Address of the structure.
    pub(crate) base: u64,
    /// Scratch backing memory.
    pub(crate) scratch: Scratch,
    /// Buffer resource of the scratch memory, for kernels that ask for it.
    pub(crate) srd: [u32; 4],
    /// Scratch bytes there are per lane of a 64-lane wave.
    pub(crate) lane_bytes: u32,
    /// Whether the runtime wants the scratch back after each dispatch.
    pub(crate) use_once: bool,
    /// Signal (handle) that takes queue errors; 0 if none.
    pub(crate) inactive_signal: u64,
}

impl AmdQueue {
    /// Reads the structure whose read index is at `rptr_report`.
    pub(crate) fn read(bus: &dyn Bus, vmid: u8, rptr_report: u64) -> Mem<Self> {
        let offset = bus.read32(vmid, rptr_report.wrapping_add(at::BASE_OFFSET_FROM_RPTR))?;
        let base = rptr_report.wrapping_sub(offset.into());
        let mut b = [0; at::LENGTH];
        bus.read(vmid, base.wrapping_add(at::COMPUTE_TMPRING_SIZE), &mut b)?;
        let word = |n: usize| u32_at(&b, at::SRD + 4 * n);
        Ok(Self {
            base,
            scratch: tmpring(u32_at(&b, 0), u64_at(&b, at::BACKING_LOCATION)),
            srd: [word(0), word(1), word(2), word(3)],
            lane_bytes: u32_at(&b, at::LANE_BYTES),
            use_once: u32_at(&b, at::PROPERTIES) & USE_SCRATCH_ONCE != 0,
            inactive_signal: u64_at(&b, at::INACTIVE_SIGNAL),
        })
    }
}
