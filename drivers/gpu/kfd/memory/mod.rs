// SPDX-License-Identifier: GPL-2.0
//! Buffers of a process on one GPU, and whether they are mapped.

use super::counters::{self, Alive};
use super::process::{Binding, Doorbells, ProcessDevice};
use crate::{
    glue::{
        mm::{Stop, UserPages},
        ttm::{Bo, Create, Domain},
        wait::Wakeable,
    },
    gpu::{
        drm::{Device, Guard},
        vm::{Backing, Cache, Place, Unmapped},
    },
};
use amdgpu_logic::{
    kfd::memory::{AllocRequest, Coherence, Kind},
    pagetable::{Access, VaRange, LARGE_PAGE},
};
use amdgpu_uapi::drm::gem::create_flags;
use kernel::{
    new_mutex,
    prelude::*,
    rbtree::{RBTree, RBTreeNodeReservation},
    sync::{Arc, Mutex},
};

/// A buffer.
#[pin_data]
pub(crate) struct Buffer {
    kind: Kind,
    backing: Backing,
    /// Keeps the doorbells that the buffer shows.
    _doorbells: Option<Arc<Doorbells>>,
    /// Where it is mapped when it is; `None` for one that cannot be.
    range: Option<VaRange>,
    access: Access,
    cache: Cache,
    #[pin]
    state: Mutex<State>,
    _alive: Alive,
}

/// What changes about a buffer.
struct State {
    mapping: Mapping,
    /// Queues that need it mapped.
    queues: u32,
}

/// Whether a buffer is mapped.
enum Mapping {
    /// It is not.
    None,
    /// It is.
    Mapped,
    /// It was, and the GPU may still reach it.
    Leaving(Unmapped),
    /// It does not exist any more.
    Freed,
}

impl Buffer {
    /// Makes a buffer of the current process.
    ///
    /// `ENOMEM` if there is no room, `EFAULT` if the process has no memory at the address of a userptr.
    pub(super) fn new(
        device: &ProcessDevice,
        binding: &Binding,
        guard: &Guard<'_>,
        request: &AllocRequest,
    ) -> Result<Arc<Self>> {
        let doorbells = matches!(request.kind, Kind::Doorbell)
            .then(|| device.doorbells())
            .transpose()?;
        let backing = match request.kind {
            Kind::Userptr(addr) => {
                let stopper: Arc<dyn Stop> = binding.stopper().clone();
                let pages = UserPages::new(addr, request.size, request.access.write, stopper)?;
                pages.look_up(guard.bound())?;
                Backing::User(pages)
            }
            Kind::Doorbell => Backing::Bo(doorbells.as_ref().ok_or(ENOMEM)?.bo().clone()),
            Kind::MmioRemap => Backing::Bo(guard.memory().mmio_remap()?),
            Kind::Vram { .. } | Kind::Gtt => Backing::Bo(new_object(guard, request)?),
        };
        if let (Backing::Bo(bo), true) = (&backing, request.kind.shows_on_render_node()) {
            bo.allow(binding.file().file())?;
        }
        let access = Access {
            read: true,
            write: request.access.write,
            execute: request.access.execute,
        };
        let cache = Cache {
            coherent: request.access.coherence >= Coherence::Coherent,
            uncached: request.access.coherence == Coherence::Uncached,
        };
        let state = State {
            mapping: Mapping::None,
            queues: 0,
        };
        let buffer = pin_init!(Self {
            kind: request.kind,
            backing,
            _doorbells: doorbells,
            range: request.range,
            access,
            cache,
            state <- new_mutex!(state, "kfd buffer"),
            _alive: counters::BUFFERS.one(),
        });
        Arc::pin_init(buffer, GFP_KERNEL)
    }

    /// What it is.
    pub(super) fn kind(&self) -> Kind {
        self.kind
    }

    /// Bytes.
    pub(super) fn size(&self) -> u64 {
        self.backing.size()
    }

    /// Where it is when it is mapped.
    pub(super) fn range(&self) -> Option<VaRange> {
        self.range
    }

    /// The buffer object, unless it is memory of the process.
    pub(super) fn bo(&self) -> Option<&Bo> {
        match &self.backing {
            Backing::Bo(bo) => Some(bo),
            Backing::User(_) => None,
        }
    }

    /// Maps it. Nothing happens if it is mapped. `ENOMEM` if it does not exist any more, `EINVAL` if it has no
    /// address or something else is there.
    pub(super) fn map(&self, binding: &Binding, guard: &Guard<'_>) -> Result {
        let mut state = self.state.lock();
        match state.mapping {
            Mapping::Mapped => return Ok(()),
            Mapping::Freed => return Err(ENOMEM),
            Mapping::None | Mapping::Leaving(_) => state.finish(guard)?,
        }
        let range = self.range.ok_or(EINVAL)?;
        let place = Place {
            range,
            offset: 0,
            access: self.access,
            cache: self.cache,
        };
        binding.vm().map(guard, &self.backing, place)?;
        state.mapping = Mapping::Mapped;
        Ok(())
    }

    /// Unmaps it. `EINVAL` if it is not mapped, `EBUSY` if a queue needs it. After `ERESTARTSYS` it must be called
    /// again.
    pub(super) fn unmap(&self, binding: &Binding, guard: &Guard<'_>) -> Result {
        let mut state = self.state.lock();
        match state.mapping {
            Mapping::Mapped if state.queues > 0 => return Err(EBUSY),
            Mapping::Mapped => {
                let unmapped = binding.vm().unmap(self.range.ok_or(EINVAL)?)?;
                state.mapping = Mapping::Leaving(unmapped);
            }
            Mapping::Leaving(_) => {}
            Mapping::None | Mapping::Freed => return Err(EINVAL),
        }
        state.finish(guard)
    }

    /// Ends it. `EBUSY` if it is mapped, `EINVAL` if it does not exist any more.
    fn free(&self, binding: &Binding, guard: &Guard<'_>) -> Result {
        let mut state = self.state.lock();
        match state.mapping {
            Mapping::Mapped => return Err(EBUSY),
            Mapping::Freed => return Err(EINVAL),
            Mapping::None | Mapping::Leaving(_) => state.finish(guard)?,
        }
        state.mapping = Mapping::Freed;
        drop(state);
        self.hide(binding);
        Ok(())
    }

    /// The render node cannot map it any more; existing mappings stay.
    fn hide(&self, binding: &Binding) {
        if let (Backing::Bo(bo), true) = (&self.backing, self.kind.shows_on_render_node()) {
            bo.forbid(binding.file().file());
        }
    }

    /// Keeps it mapped as long as the result lives; `None` if it is not mapped.
    fn keep(self: &Arc<Self>) -> Option<Kept> {
        let mut state = self.state.lock();
        match state.mapping {
            Mapping::Mapped => {
                state.queues = state.queues.checked_add(1)?;
                Some(Kept(self.clone()))
            }
            _ => None,
        }
    }
}

/// Objects of 2 MiB and more are aligned so that large pages can map them.
fn new_object(guard: &Guard<'_>, request: &AllocRequest) -> Result<Bo> {
    let (domain, contiguous) = match request.kind {
        Kind::Vram { contiguous, .. } => (Domain::Vram, contiguous),
        _ => (Domain::Gtt, false),
    };
    let align = if domain == Domain::Vram && request.size >= LARGE_PAGE {
        LARGE_PAGE
    } else {
        0
    };
    let how = Create {
        size: request.size,
        domain,
        align,
        contiguous,
        user: true,
    };
    // the render node maps it with the same caching
    let flags = match request.access.coherence {
        Coherence::None => 0,
        Coherence::Coherent => create_flags::COHERENT,
        Coherence::Extended => create_flags::EXT_COHERENT,
        Coherence::Uncached => create_flags::UNCACHED,
    };
    Bo::with_flags(guard.device(), how, flags)
}

impl State {
    /// Waits until the GPU has forgotten a mapping that was removed.
    fn finish(&mut self, guard: &Guard<'_>) -> Result {
        match core::mem::replace(&mut self.mapping, Mapping::None) {
            Mapping::Leaving(unmapped) => {
                unmapped
                    .release(guard.tlb(), Wakeable::ByKill)
                    .map_err(|(e, unmapped)| {
                        self.mapping = Mapping::Leaving(unmapped);
                        e
                    })
            }
            other => {
                self.mapping = other;
                Ok(())
            }
        }
    }
}

/// A buffer that stays mapped.
pub(crate) struct Kept(Arc<Buffer>);

impl Drop for Kept {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        state.queues = state.queues.saturating_sub(1);
    }
}

/// The buffers of a process on one GPU, by number.
pub(crate) struct Buffers {
    by_index: RBTree<u32, Arc<Buffer>>,
    /// The number given out last. Numbers are not given out again soon, so that a stale one hits nothing.
    last: u32,
}

/// Numbers go from 1 to this.
const LAST_INDEX: u32 = i32::MAX as u32;

impl Buffers {
    /// None.
    pub(super) fn new() -> Self {
        Self {
            by_index: RBTree::new(),
            last: 0,
        }
    }

    /// Adds a buffer and yields its number.
    pub(super) fn add(&mut self, buffer: Arc<Buffer>, node: RBTreeNodeReservation<u32, Arc<Buffer>>) -> u32 {
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
    pub(super) fn get(&self, index: u32) -> Option<Arc<Buffer>> {
        self.by_index.get(&index).cloned()
    }

    /// Takes a buffer out that was [freed](Self::free).
    pub(super) fn remove(&mut self, index: u32) {
        let buffer = self.by_index.remove(&index);
        drop(buffer);
    }

    /// Ends a buffer; it is to be removed then.
    pub(super) fn free(buffer: &Buffer, binding: &Binding, guard: &Guard<'_>) -> Result {
        buffer.free(binding, guard)
    }

    /// The buffer that is mapped at all of `len` bytes from `addr`, kept mapped.
    pub(super) fn keep(&self, addr: u64, len: u64) -> Option<Kept> {
        let end = addr.checked_add(len)?;
        let covers = |range: VaRange| range.start() <= addr && end <= range.end();
        self.by_index
            .values()
            .filter(|buffer| buffer.range.is_some_and(covers))
            .find_map(Buffer::keep)
    }

    /// The buffer whose place is nearest to `addr`: for messages.
    pub(super) fn nearest(&self, addr: u64) -> Option<Arc<Buffer>> {
        let distance = |range: VaRange| match addr {
            a if a < range.start() => range.start() - a,
            a if a >= range.end() => a - range.end() + 1,
            _ => 0,
        };
        let with_place = self
            .by_index
            .values()
            .filter_map(|b| Some((distance(b.range?), b)));
        with_place
            .min_by_key(|(distance, _)| *distance)
            .map(|(_, buffer)| buffer.clone())
    }

    /// The process leaves: nothing of it stays mapped in the address space, which others may keep alive.
    pub(super) fn leave(&self, device: &Device, binding: &Binding) {
        for buffer in self.by_index.values() {
            let mut state = buffer.state.lock();
            if let Mapping::Leaving(unmapped) = core::mem::replace(&mut state.mapping, Mapping::Freed) {
                if let Ok(guard) = device.enter() {
                    // what is not released is kept, and reported
                    drop(unmapped.release(guard.tlb(), Wakeable::Never));
                }
            }
            drop(state);
            buffer.hide(binding);
        }
        let (unmapped, all) = binding.vm().unmap_all_of_process();
        unmapped.release_or_keep();
        if let Err(e) = all {
            pr_warn!("kfd: buffers stay mapped until their render node is closed: {e:?}\n");
        }
    }
}
