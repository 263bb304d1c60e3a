// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the card can reach: its own VRAM and the guest memory that the platform mapped for DMA.
//!
//! The guest changes this memory at any time, so nothing here hands out Rust references to it: all access goes
//! through raw pointers with relaxed atomic loads and stores (naturally aligned 1, 2, 4 and 8 byte pieces are single
//! accesses), and through [`HostSpan`] where a caller wants to skip the lookup.

mod dma;
mod mapping;
mod phys;
mod span;

pub use dma::MessageDma;
pub use phys::PhysMem;
pub use span::HostSpan;

/// Which memory an address means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// The card's own memory; addresses are offsets from its start.
    Vram,
    /// Guest memory; addresses are bus addresses.
    System,
}

/// An address after all translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PhysAddr {
    /// Which memory.
    pub space: Space,
    /// Offset into VRAM, or bus address.
    pub addr: u64,
}

impl PhysAddr {
    /// An offset into VRAM.
    pub const fn vram(addr: u64) -> Self {
        Self {
            space: Space::Vram,
            addr,
        }
    }

    /// A bus address of the guest.
    pub const fn system(addr: u64) -> Self {
        Self {
            space: Space::System,
            addr,
        }
    }

    /// The address `by` bytes further; wraps, and a wrapped address fails when it is used.
    pub const fn offset(self, by: u64) -> Self {
        Self {
            space: self.space,
            addr: self.addr.wrapping_add(by),
        }
    }
}

/// Why an access to physical memory did not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemError {
    /// Beyond the end of VRAM.
    #[error("VRAM offset {addr:#x}+{len:#x} is beyond the end of VRAM")]
    BeyondVram {
        /// Offset into VRAM.
        addr: u64,
        /// Bytes.
        len: u64,
    },
    /// The platform mapped no memory there for this card.
    #[error("bus address {0:#x} is not mapped for DMA")]
    Unmapped(u64),
    /// The platform mapped it for reading only.
    #[error("bus address {0:#x} is mapped read-only")]
    ReadOnly(u64),
    /// An atomic operation needs natural alignment.
    #[error("atomic access to {0:#x} is not naturally aligned")]
    Misaligned(u64),
    /// Memory that is reachable by messages only cannot be changed atomically (no PCIe atomics).
    #[error("bus address {0:#x} does not take atomic operations")]
    NoAtomics(u64),
    /// The platform refused a DMA message.
    #[error("DMA message for bus address {addr:#x} failed, errno {errno}")]
    Message {
        /// Bus address.
        addr: u64,
        /// Linux errno.
        errno: i32,
    },
}
