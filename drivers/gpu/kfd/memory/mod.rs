// SPDX-License-Identifier: GPL-2.0
//! Buffers of a process: each lives on one GPU, and can be mapped on others.

mod places;
mod table;

pub(super) use table::Buffers;

use super::counters::{self, Alive};
use super::process::{Binding, Doorbells, ProcessDevice};
use crate::{
    glue::{
        mm::{Stop, UserPages},
        ttm::{Bo, Create, Domain},
    },
    gpu::{
        drm::Guard,
        vm::{Backing, Cache, Place},
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
    sync::{Arc, Mutex},
};
use places::Places;

/// A buffer.
#[pin_data]
pub(crate) struct Buffer {
    /// The GPU where it lives.
    home: u32,
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
#[derive(Default)]
struct State {
    places: Places,
    /// It does not exist any more.
    freed: bool,
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
                let pages = user_pages(addr, request.size, request.access.write, binding)?;
                pages.look_up(guard.mappings())?;
                Backing::User(pages)
            }
            Kind::Doorbell => Backing::Bo(doorbells.as_ref().ok_or(ENOMEM)?.bo().clone()),
            Kind::MmioRemap => Backing::Bo(guard.memory().mmio_remap()?),
            Kind::Vram { .. } | Kind::Gtt => Backing::Bo(new_object(guard, request)?),
        };
        let access = Access {
            read: true,
            write: request.access.write,
            execute: request.access.execute,
        };
        let cache = Cache {
            coherent: request.access.coherence >= Coherence::Coherent,
            uncached: request.access.coherence == Coherence::Uncached,
        };
        let state = State::default();
        let buffer = pin_init!(Self {
            home: device.node().gpu_id(),
            kind: request.kind,
            backing,
            _doorbells: doorbells,
            range: request.range,
            access,
            cache,
            state <- new_mutex!(state, "kfd buffer"),
            _alive: counters::BUFFERS.one(),
        });
        let buffer = Arc::pin_init(buffer, GFP_KERNEL)?;
        // last: nothing but `hide` undoes it
        buffer.show(binding)?;
        Ok(buffer)
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

    /// Whether GPU `gpu_id` can reach it: system memory from everywhere, the rest only where it lives.
    pub(super) fn is_in_reach(&self, gpu_id: u32) -> bool {
        gpu_id == self.home || matches!(self.kind, Kind::Gtt | Kind::Userptr(_))
    }

    /// Maps it on a GPU that it is in reach of. Nothing happens if it is mapped there. `ENOMEM` if it does not exist
    /// any more, `EINVAL` if it has no address or something else is there.
    pub(super) fn map(&self, gpu_id: u32, binding: &Binding, guard: &Guard<'_>) -> Result {
        let mut state = self.state.lock();
        let State { places, freed } = &mut *state;
        if *freed {
            return Err(ENOMEM);
        }
        if places.is_mapped(gpu_id) {
            return Ok(());
        }
        places.finish(gpu_id, guard)?;
        places.reserve()?;
        let place = Place {
            range: self.range.ok_or(EINVAL)?,
            offset: 0,
            access: self.access,
            cache: self.cache,
        };
        binding
            .vm()
            .map(guard, &self.backing_on(gpu_id, binding)?, place)?;
        places.mapped(gpu_id)
    }

    /// What it is made of, as GPU `gpu_id` is to use it: each GPU is stopped by itself when the process's memory moves.
    fn backing_on(&self, gpu_id: u32, binding: &Binding) -> Result<Backing> {
        match self.kind {
            Kind::Userptr(addr) if gpu_id != self.home => {
                user_pages(addr, self.size(), self.access.write, binding).map(Backing::User)
            }
            _ => Ok(self.backing.clone()),
        }
    }

    /// Unmaps it on a GPU. `EINVAL` if it is mapped on none, `EBUSY` if a queue needs it. After `ERESTARTSYS` it must
    /// be called again.
    pub(super) fn unmap(&self, gpu_id: u32, binding: &Binding, guard: &Guard<'_>) -> Result {
        let mut state = self.state.lock();
        let places = &mut state.places;
        if places.is_needed(gpu_id) {
            return Err(EBUSY);
        }
        if places.is_mapped(gpu_id) {
            let unmapped = binding.vm().unmap(self.range.ok_or(EINVAL)?)?;
            places.leaving(gpu_id, unmapped);
        } else if !places.knows(gpu_id) && !places.any_mapped() {
            return Err(EINVAL);
        }
        places.finish(gpu_id, guard)
    }

    /// The GPU where it lives is about to be unbound: no other reaches it from now on.
    pub(super) fn withdraw(&self, gpu_id: u32, binding: &Binding) {
        let mut state = self.state.lock();
        if !state.places.is_mapped(gpu_id) {
            return;
        }
        let Some(Ok(unmapped)) = self.range.map(|range| binding.vm().unmap(range)) else {
            return;
        };
        state.places.leaving(gpu_id, unmapped);
        state.places.finish_on(gpu_id);
    }

    /// Ends it. `EBUSY` if it is mapped, `EINVAL` if it does not exist any more. `binding` is that of its home.
    fn free(&self, binding: &Binding) -> Result {
        let mut state = self.state.lock();
        if state.freed {
            return Err(EINVAL);
        }
        if state.places.any_mapped() {
            return Err(EBUSY);
        }
        state.places.finish_all();
        state.freed = true;
        drop(state);
        self.hide(binding);
        Ok(())
    }

    /// Ends it with its process, whose address spaces let go of it by themselves.
    fn leave(&self, binding: &Binding) {
        let mut state = self.state.lock();
        state.places.finish_all();
        state.freed = true;
        drop(state);
        self.hide(binding);
    }

    /// Lets the render node map it.
    fn show(&self, binding: &Binding) -> Result {
        match (&self.backing, self.kind.shows_on_render_node()) {
            (Backing::Bo(bo), true) => bo.allow(binding.file().file()),
            _ => Ok(()),
        }
    }

    /// The render node cannot map it any more; existing mappings stay.
    fn hide(&self, binding: &Binding) {
        if let (Backing::Bo(bo), true) = (&self.backing, self.kind.shows_on_render_node()) {
            bo.forbid(binding.file().file());
        }
    }

    /// Keeps it mapped on a GPU as long as the result lives; `None` if it is not mapped there.
    fn keep(self: &Arc<Self>, gpu_id: u32) -> Option<Kept> {
        self.state.lock().places.need(gpu_id)?;
        Some(Kept(self.clone(), gpu_id))
    }
}

/// Memory of the current process, for the GPU of `binding`.
fn user_pages(addr: u64, size: u64, write: bool, binding: &Binding) -> Result<Arc<UserPages>> {
    let stopper: Arc<dyn Stop> = binding.stopper().clone();
    UserPages::new(addr, size, write, stopper)
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

/// A buffer that stays mapped on a GPU.
pub(crate) struct Kept(Arc<Buffer>, u32);

impl Drop for Kept {
    fn drop(&mut self) {
        self.0.state.lock().places.need_no_more(self.1);
    }
}
