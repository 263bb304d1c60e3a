// SPDX-License-Identifier: GPL-2.0
//! Buffer objects on the kernel's own memory manager, TTM, of which the kernel crate has nothing.
//!
//! | part | for |
//! |---|---|
//! | [`Device`] | one card's managers: VRAM on gpu_buddy, system memory for the GPU (GTT), doorbell pages, the remap page |
//! | [`Bo`] | a counted buffer object; its memory may move unless it is pinned |
//! | [`Pinned`] | one that stays where it is, for the GPU or the kernel to use |
//! | [`PeerPages`] | a pinned one in system memory, for another card to use |
//! | [`KernelMap`] | the kernel's access to its contents |
//!
//! Locking: the reservation lock of a buffer object ranks below the locks of the driver's own structures and above
//! the VRAM manager's lock. Two reservation locks are never held at once.
//!
//! Contents: a new buffer object reads as zeroes. System pages are allocated zeroed; VRAM is cleared when an object
//! without contents is placed there, before anybody can map it. Freed VRAM keeps its contents until then.

mod bo;
mod callbacks;
mod device;
mod kmap;
mod manager;
mod moves;
mod peer;
mod pinned;
mod vram;

pub(crate) use bo::{Bo, Create, Label};
pub(crate) use device::{Copier, Device, Layout, Place, Usage};
pub(crate) use kmap::KernelMap;
pub(crate) use peer::PeerPages;
pub(crate) use pinned::{Pinned, Span};

use super::bindings as b;

/// Where the memory of a buffer object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Domain {
    /// System pages that the GPU does not reach: evicted or swapped out.
    System,
    /// System pages that the GPU can reach by their bus addresses.
    Gtt,
    /// The card's own memory.
    Vram,
    /// Pages of the doorbell BAR.
    Doorbell,
    /// The page of the register BAR through which userspace flushes the HDP cache.
    MmioRemap,
}

impl Domain {
    const fn mem_type(self) -> u32 {
        match self {
            Self::System => b::TTM_PL_SYSTEM,
            Self::Gtt => b::TTM_PL_TT,
            Self::Vram => b::TTM_PL_VRAM,
            Self::Doorbell => b::TTM_PL_PRIV,
            Self::MmioRemap => b::TTM_PL_PRIV + 1,
        }
    }

    const fn from_mem_type(mem_type: u32) -> Self {
        match mem_type {
            b::TTM_PL_TT => Self::Gtt,
            b::TTM_PL_VRAM => Self::Vram,
            t if t == Self::Doorbell.mem_type() => Self::Doorbell,
            t if t == Self::MmioRemap.mem_type() => Self::MmioRemap,
            _ => Self::System,
        }
    }
}
