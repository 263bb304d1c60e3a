// SPDX-License-Identifier: GPL-2.0
//! GPUVM: the address space that one process has on one GPU.
//!
//! | part | for |
//! |---|---|
//! | [`Vm`] | mappings and page tables of an address space, under one lock |
//! | [`Backing`] | what can be mapped: buffer objects and the process's own memory |
//! | [`Unmapped`] | memory that is not mapped any more, but which the GPU may still reach |
//! | `tables` | the page tables in VRAM, and the tree by which the driver finds them |
//! | `around` | what there is around an address, for reports |
//! | `space`, `pasid` | what the hardware knows of an address space, and the number by which it names it |
//!
//! Memory that is mapped is pinned. It comes back only from an [`Unmapped`], for which a completed flush of the
//! address space's translations must be shown.

mod around;
mod backing;
mod mapping;
mod pasid;
mod space;
mod tables;
mod unmapped;

pub(crate) use backing::{Backing, Cache};
pub(crate) use mapping::{Place, Vm};
pub(crate) use pasid::Pasids;
pub(crate) use unmapped::Unmapped;
