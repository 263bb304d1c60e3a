// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Who asks for a translation, and what comes back.

use crate::mem::{MemError, PhysAddr};

/// One of the two translation hubs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HubId {
    /// GFXHUB: command processor, shader, texture caches.
    Gfx,
    /// MMHUB: SDMA, HDP, PSP.
    Mm,
}

impl HubId {
    /// AMD's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Gfx => "GFXHUB",
            Self::Mm => "MMHUB",
        }
    }
}

/// The block that accesses memory, and in whose address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Client {
    /// Which hub it sits behind.
    pub hub: HubId,
    /// Address space, 0..=15; 0 is the kernel's.
    pub vmid: u8,
    /// Public name ("CP", "TCP", "SDMA0"), for logs and the fault status.
    pub name: &'static str,
}

/// What an access wants to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Load.
    Read,
    /// Store.
    Write,
    /// Instruction fetch.
    Execute,
    /// Read-modify-write.
    Atomic,
}

/// A translated address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// Where the byte at the virtual address is.
    pub at: PhysAddr,
    /// Bytes from there to the end of the contiguous translated block, at least 1.
    pub len: u64,
    /// Memory type of the entry: 0 NC, 1 RW, 2 CC, 3 UC.
    pub mtype: u8,
    /// Partially resident: reads give 0, writes are dropped, `at` means nothing.
    pub prt: bool,
}

/// Why there is no translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The VMID's context is not enabled.
    ContextDisabled,
    /// Outside the context's START..END, or for VMID 0 outside the system aperture and the GART.
    OutOfRange,
    /// An entry with V=0, at this level (0 is the leaf table).
    NotValid {
        /// Level of the entry.
        level: u8,
    },
    /// The entry does not allow the access.
    Permission,
    /// An entry that the walker cannot follow: F without a block fragment, or a block fragment beyond its table.
    BadEntry {
        /// The entry.
        entry: u64,
    },
    /// The entry points to memory that does not exist, or the table itself cannot be read.
    Walker(MemError),
    /// The entry is good, but the memory behind it refused the access (not mapped for DMA, no atomics).
    Memory(MemError),
}

/// A failed translation or access; [`Gmc::report_fault`](super::Gmc::report_fault) tells the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Virtual address of the first byte that failed.
    pub va: u64,
    /// What was wanted.
    pub access: Access,
    /// Why not.
    pub kind: FaultKind,
    /// The entry forbids replaying the access ("terminate without retry").
    pub no_retry: bool,
}
