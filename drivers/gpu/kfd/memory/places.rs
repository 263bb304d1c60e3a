// SPDX-License-Identifier: GPL-2.0
//! On which GPUs a buffer is mapped.

use crate::glue::wait::Wakeable;
use crate::gpu::{drm::Guard, vm::Unmapped};
use kernel::prelude::*;

/// Whether a buffer is mapped on a GPU.
enum Mapping {
    /// It is.
    Mapped,
    /// It was, and the GPU may still reach it.
    Leaving(Unmapped),
}

/// A buffer on a GPU.
struct Place {
    gpu_id: u32,
    mapping: Mapping,
    /// Queues on that GPU that need it mapped.
    queues: u32,
}

/// The GPUs that know a buffer.
#[derive(Default)]
pub(super) struct Places(KVec<Place>);

impl Places {
    fn find(&mut self, gpu_id: u32) -> Option<&mut Place> {
        self.0.iter_mut().find(|place| place.gpu_id == gpu_id)
    }

    /// Whether it is mapped anywhere.
    pub(super) fn any_mapped(&self) -> bool {
        self.0
            .iter()
            .any(|place| matches!(place.mapping, Mapping::Mapped))
    }

    /// Whether it is mapped on a GPU.
    pub(super) fn is_mapped(&mut self, gpu_id: u32) -> bool {
        self.find(gpu_id)
            .is_some_and(|place| matches!(place.mapping, Mapping::Mapped))
    }

    /// Whether a GPU may still reach it.
    pub(super) fn knows(&mut self, gpu_id: u32) -> bool {
        self.find(gpu_id).is_some()
    }

    /// Makes room for one more GPU.
    pub(super) fn reserve(&mut self) -> Result {
        Ok(self.0.reserve(1, GFP_KERNEL)?)
    }

    /// It is mapped on a GPU that did not know it. There is room.
    pub(super) fn mapped(&mut self, gpu_id: u32) -> Result {
        let place = Place {
            gpu_id,
            mapping: Mapping::Mapped,
            queues: 0,
        };
        self.0.push_within_capacity(place).map_err(|_| ENOMEM)
    }

    /// Whether a queue on a GPU needs it.
    pub(super) fn is_needed(&mut self, gpu_id: u32) -> bool {
        self.find(gpu_id).is_some_and(|place| place.queues > 0)
    }

    /// One more queue on a GPU needs it; not if it is not mapped there.
    pub(super) fn need(&mut self, gpu_id: u32) -> Option<()> {
        let place = self.find(gpu_id)?;
        match place.mapping {
            Mapping::Mapped => place.queues = place.queues.checked_add(1)?,
            Mapping::Leaving(_) => return None,
        }
        Some(())
    }

    /// A queue on a GPU needs it no more.
    pub(super) fn need_no_more(&mut self, gpu_id: u32) {
        if let Some(place) = self.find(gpu_id) {
            place.queues = place.queues.saturating_sub(1);
        }
    }

    /// It was unmapped on a GPU, which is to forget it.
    pub(super) fn leaving(&mut self, gpu_id: u32, unmapped: Unmapped) {
        if let Some(place) = self.find(gpu_id) {
            place.mapping = Mapping::Leaving(unmapped);
        }
    }

    /// Waits until a GPU has forgotten what was unmapped there. On an error it must be called again.
    pub(super) fn finish(&mut self, gpu_id: u32, guard: &Guard<'_>) -> Result {
        let leaving = |place: &Place| place.gpu_id == gpu_id && matches!(place.mapping, Mapping::Leaving(_));
        let Some(at) = self.0.iter().position(leaving) else {
            return Ok(());
        };
        let place = self.0.remove(at).map_err(|_| EINVAL)?;
        let Mapping::Leaving(unmapped) = place.mapping else {
            return Ok(());
        };
        unmapped
            .release(guard.tlb(), Wakeable::ByKill)
            .map_err(|(e, unmapped)| {
                // there is room: it was taken out above
                let _ = self.0.push_within_capacity(Place {
                    mapping: Mapping::Leaving(unmapped),
                    ..place
                });
                e
            })
    }

    /// Waits, by whatever way there is, until a GPU has forgotten what was unmapped there. If it does not confirm, the
    /// memory is kept, and that is reported.
    pub(super) fn finish_on(&mut self, gpu_id: u32) {
        let Some(at) = self.0.iter().position(|place| place.gpu_id == gpu_id) else {
            return;
        };
        if let Ok(Place {
            mapping: Mapping::Leaving(unmapped),
            ..
        }) = self.0.remove(at)
        {
            unmapped.release_or_keep();
        }
    }

    /// Waits, by whatever way there is, until all GPUs have forgotten what was unmapped. What they do not confirm is
    /// kept, and reported.
    pub(super) fn finish_all(&mut self) {
        for place in core::mem::take(&mut self.0) {
            if let Mapping::Leaving(unmapped) = place.mapping {
                unmapped.release_or_keep();
            }
        }
    }
}
