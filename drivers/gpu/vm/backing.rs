// SPDX-License-Identifier: GPL-2.0
//! What can be mapped into an address space.

use super::{
    mapping::Place,
    tables::{Pages, Source},
};
use crate::{
    glue::{
        dma::{BarMapping, PageList, Run},
        mm::UserPages,
        ttm::{Bo, Domain, PeerPages, Pinned, Span},
    },
    gpu::{drm::Guard, mem::Memory},
};
use amdgpu_logic::pagetable::{pieces, Memory as Kind};
use kernel::{prelude::*, sync::Arc};

/// Memory that an address space can map.
#[derive(Clone)]
pub(crate) enum Backing {
    /// A buffer object.
    Bo(Bo),
    /// Pages of the process's own memory.
    User(Arc<UserPages>),
}

impl Backing {
    /// Bytes, a whole number of pages.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Self::Bo(bo) => bo.size(),
            Self::User(pages) => pages.len(),
        }
    }

    /// Keeps the memory where it is, for a mapping on `gpu`. `ENOMEM` if there is no room for it, `ERESTARTSYS` if a
    /// signal comes, `EINVAL` if it is on another card, and what [`UserPages::look_up`] says.
    pub(super) fn hold(&self, gpu: &Guard<'_>) -> Result<Held> {
        let mappings = gpu.mappings();
        match self {
            Self::Bo(bo) if !bo.is_of(gpu.device()) => Ok(Held::Peer(bo.pin()?.for_peer(mappings)?)),
            Self::Bo(bo) => {
                let pinned = bo.pin()?;
                let mut bar = None;
                // A BAR is reached over the bus, like system memory.
                if let Domain::Doorbell | Domain::MmioRemap = bo.domain() {
                    pinned.spans(0, bo.size(), |span| {
                        if let Span::Bar { at, len } = span {
                            bar = Some(BarMapping::new(mappings, at, len)?);
                        }
                        Ok(())
                    })?;
                }
                Ok(Held::Bo(pinned, bar))
            }
            Self::User(pages) => Ok(Held::User(pages.clone(), pages.look_up(mappings)?)),
        }
    }
}

/// Memory that stays where it is. For the process's own memory: as it was when looked up; the process may have it
/// elsewhere since, and then the GPU is stopped until it is looked up again.
pub(super) enum Held {
    /// A pinned buffer object, with its place on the bus if it is part of a BAR.
    Bo(Pinned, Option<BarMapping>),
    /// A pinned buffer object in system memory, of another GPU.
    Peer(PeerPages),
    /// Pages of the process.
    User(Arc<UserPages>, Arc<PageList>),
}

impl Held {
    /// Whether the process has had its memory moved since it was looked up.
    pub(super) fn is_stale(&self) -> bool {
        match self {
            Self::Bo(..) | Self::Peer(_) => false,
            Self::User(pages, list) => !pages.is_current(list),
        }
    }

    /// The contiguous pieces of the bytes `offset..offset + len`.
    fn spans(&self, offset: u64, len: u64, mut f: impl FnMut(Span) -> Result) -> Result {
        match self {
            Self::Bo(pinned, None) => pinned.spans(offset, len, f),
            Self::Bo(_, Some(bar)) => f(Span::Bus {
                at: bar.bus().checked_add(offset).ok_or(EINVAL)?,
                len,
            }),
            Self::Peer(pages) => run_spans(pages.runs(), offset, len, f),
            Self::User(_, list) => run_spans(list.runs(), offset, len, f),
        }
    }
}

/// The contiguous pieces of the bytes `offset..offset + len` of these runs. `EINVAL` if they are shorter.
fn run_spans(runs: &[Run], offset: u64, len: u64, mut f: impl FnMut(Span) -> Result) -> Result {
    let (mut skip, mut left) = (offset, len);
    for run in runs {
        let behind = (run.len as u64).saturating_sub(skip);
        let piece = behind.min(left);
        if piece > 0 {
            let at = run.bus.checked_add(skip).ok_or(EINVAL)?;
            f(Span::Bus { at, len: piece })?;
        }
        skip = skip.saturating_sub(run.len as u64);
        left = left.saturating_sub(piece);
        if left == 0 {
            return Ok(());
        }
    }
    Err(EINVAL)
}

/// How the GPU is to cache memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cache {
    /// Coherent with the CPU and other devices while kernels run.
    pub(crate) coherent: bool,
    /// Not cached at all.
    pub(crate) uncached: bool,
}

/// Held memory at an address, ready to be written to page tables.
pub(super) struct Placed<'a> {
    pub(super) memory: &'a Memory,
    pub(super) held: &'a Held,
    pub(super) place: Place,
}

impl Source for Placed<'_> {
    fn pages(&self, f: &mut dyn FnMut(Pages) -> Result) -> Result {
        let Place {
            range,
            offset,
            access,
            cache,
        } = self.place;
        let mut va = range.start();
        self.held.spans(offset, range.len(), |span| {
            let (address, len, system) = match span {
                Span::Vram { at, len } => (
                    self.memory.layout().vram_entry_address(at).ok_or(EINVAL)?,
                    len,
                    false,
                ),
                Span::Bus { at, len } => (at, len, true),
                Span::Bar { .. } => return Err(EINVAL),
            };
            let kind = Kind::gfx90a(system, cache.coherent, cache.uncached);
            for piece in pieces(va, address, len) {
                f(Pages { piece, access, kind })?;
            }
            va = va.checked_add(len).ok_or(EINVAL)?;
            Ok(())
        })
    }
}
