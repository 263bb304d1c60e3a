// SPDX-License-Identifier: GPL-2.0
//! What there is around an address: for the report of a page fault.

use super::{
    backing::{Backing, Held},
    mapping::{Mapping, Vm},
};
use crate::{glue::machine, gpu::mem::Domain};
use amdgpu_logic::fault::{Allocation, Gone, Mapped};

/// What an address space has around an address.
#[derive(Clone, Copy)]
pub(crate) struct Around {
    /// What is mapped at the address.
    pub(crate) mapped: Option<Mapped>,
    /// The mapping that is nearest.
    pub(crate) nearest: Option<Allocation>,
    /// What was mapped there until not long ago.
    pub(crate) gone: Option<Gone>,
}

impl Vm {
    /// Looks around the page at `addr`. Waits while memory is mapped.
    pub(crate) fn around(&self, addr: u64) -> Around {
        let inner = self.inner.lock();
        // the first mapping that begins behind the address, and the one before it
        let behind = inner.mappings.cursor_lower_bound(&addr.saturating_add(1));
        let (before, behind) = match &behind {
            Some(at) => (at.peek_prev().map(|(_, m)| m), Some(at.current().1)),
            None => (None, None),
        };
        let last = inner.mappings.cursor_back();
        let before = match behind {
            Some(_) => before,
            None => last.as_ref().map(|at| at.current().1),
        };
        let mapped = before.filter(|mapping| mapping.allocation().covers(addr));
        let nearest = Allocation::nearer(
            before.map(Mapping::allocation),
            behind.map(Mapping::allocation),
            addr,
        );
        Around {
            mapped: mapped.map(|mapping| Mapped {
                allocation: mapping.allocation(),
                rights: mapping.place.access,
                present: mapping.held.as_ref().is_some_and(|held| !Held::is_stale(held)),
            }),
            nearest,
            gone: inner.past.at(addr, now_ms()),
        }
    }
}

impl Mapping {
    /// Where it is and of what kind.
    pub(super) fn allocation(&self) -> Allocation {
        Allocation {
            range: self.place.range,
            what: match &self.backing {
                Backing::Bo(bo) => match bo.domain() {
                    Domain::Vram => "VRAM",
                    Domain::Gtt => "GTT",
                    Domain::Doorbell => "doorbells",
                    Domain::MmioRemap => "MMIO remap page",
                    Domain::System => "system memory",
                },
                Backing::User(_) => "userptr",
            },
        }
    }
}

/// The clock of [`Gone`].
pub(super) fn now_ms() -> u64 {
    machine::raw_ns() / 1_000_000
}
