// SPDX-License-Identifier: GPL-2.0
//! What differs between generations of the interrupt handler.

use super::super::ip::IpVersion;
use crate::glue::mmio::Registers;
use amdgpu_logic::mqd::RingSize;
use amdgpu_logic::slots::doorbell::Doorbell;
use kernel::prelude::*;

mod v4_4;

/// Ring 0, in system memory by bus addresses.
#[derive(Clone, Copy)]
pub(super) struct RingSetUp {
    /// 256-byte aligned ring.
    pub(super) base: u64,
    /// Its size.
    pub(super) size: RingSize,
    /// Where the write pointer is to be written to memory.
    pub(super) write_pointer: u64,
    /// Doorbell for the read pointer.
    pub(super) doorbell: Doorbell,
}

pub(super) trait IhHal: Sync {
    /// Stops interrupts and empties the ring.
    fn stop(&self, r: &Registers);

    /// Programs ring 0 and starts interrupts. The ring is stopped. `EOVERFLOW` if an address is too long.
    fn start(&self, r: &Registers, ring: &RingSetUp) -> Result;

    /// The write pointer with its overflow flag, from the register.
    fn write_pointer(&self, r: &Registers) -> u32;

    /// Clears the overflow flag, so that further overflows are noticed.
    fn acknowledge_overflow(&self, r: &Registers);
}

/// The generation with that version.
pub(super) fn of(version: IpVersion) -> Option<&'static dyn IhHal> {
    match version {
        IpVersion(4, 4, 0) => Some(&v4_4::V4_4),
        _ => None,
    }
}
