// SPDX-License-Identifier: GPL-2.0
//! An address space: which memory is mapped where.

use super::{
    around,
    backing::{Backing, Cache, Held, Placed},
    space::Space,
    tables::Tree,
    unmapped::Unmapped,
};
use crate::{
    glue::trace,
    gpu::{
        drm::Guard,
        hw::gmc::Tlb,
        mem::{Bo, Memory},
    },
};
use amdgpu_logic::{
    fault::Past,
    pagetable::{Access, VaRange},
};
use kernel::{
    new_mutex,
    prelude::*,
    rbtree::{RBTree, RBTreeNodeReservation},
    sync::{Arc, Mutex},
};

/// The address space of one process on one GPU.
///
/// Locking: `inner` comes after the locks of the process and before all locks of memory. It is held while tables
/// are written, never while waiting for the GPU.
#[pin_data(PinnedDrop)]
pub(crate) struct Vm {
    memory: Arc<Memory>,
    space: Arc<Space>,
    #[pin]
    pub(super) inner: Mutex<Inner>,
}

/// What the lock protects.
pub(super) struct Inner {
    tree: Tree,
    /// By first address; they do not overlap.
    pub(super) mappings: RBTree<u64, Mapping>,
    /// What was unmapped last, for reports.
    pub(super) past: KBox<Past>,
}

/// Where and how to map.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// Addresses.
    pub(crate) range: VaRange,
    /// First byte of the memory, a multiple of the page size.
    pub(crate) offset: u64,
    /// What the GPU may do.
    pub(crate) access: Access,
    /// How it caches.
    pub(crate) cache: Cache,
}

/// Memory at an address.
pub(super) struct Mapping {
    pub(super) place: Place,
    pub(super) backing: Backing,
    /// Whether a file's ioctl made it. Such mappings end with the file's handle of the buffer object.
    by_file: bool,
    /// `None` while nothing is mapped there, for the process has no memory there any more.
    pub(super) held: Option<Held>,
}

impl Mapping {
    /// Whether the process's own memory has moved, so that what is mapped is wrong.
    fn is_stale(&self) -> bool {
        self.held.as_ref().is_some_and(Held::is_stale)
    }

    fn is_of_file(&self, bo: &Bo) -> bool {
        self.by_file && matches!(&self.backing, Backing::Bo(mine) if mine.is(bo))
    }
}

impl Vm {
    /// An address space without mappings.
    pub(crate) fn new(memory: &Arc<Memory>) -> Result<Arc<Self>> {
        let space = Space::new(memory.pasids())?;
        let tree = Tree::new(memory, &space)?;
        let past = KBox::new(Past::new(), GFP_KERNEL)?;
        let vm = try_pin_init!(Self {
            memory: memory.clone(),
            space,
            inner <- new_mutex!(Inner { tree, mappings: RBTree::new(), past }),
        });
        Arc::pin_init(vm, GFP_KERNEL)
    }

    /// The number by which the hardware names it.
    pub(crate) fn pasid(&self) -> u16 {
        self.space.pasid()
    }

    /// The page-table base, as the hardware is given it. From this call on the hardware is taken to use it,
    /// until [`Self::take_back`].
    pub(crate) fn root(&self) -> Result<u64> {
        self.space.give();
        // what was unmapped until now was not flushed, for there were no translations
        self.memory.flush_hdp();
        Ok(self.inner.lock().tree.root()?.0)
    }

    /// The hardware runs nothing in it any more, and never will. It is made to forget it, so that what is unmapped from
    /// now on comes back without a flush. On an error, `ETIMEDOUT`, all is as before.
    pub(crate) fn take_back(&self, tlb: &Tlb) -> Result {
        self.space.take_back(tlb)
    }

    /// Maps memory. The GPU sees it when this returns.
    ///
    /// `EINVAL` if something is mapped there or the memory is shorter, `ENOMEM`, `ERESTARTSYS`, and what
    /// [`crate::glue::mm::UserPages::look_up`] says.
    pub(crate) fn map(&self, gpu: &Guard<'_>, backing: &Backing, place: Place) -> Result {
        self.map_as(gpu, backing, place, false)
    }

    /// [`Self::map`], until [`Self::unmap_of_file`] or [`Self::unmap_all_of_file`].
    pub(crate) fn map_of_file(&self, gpu: &Guard<'_>, bo: &Bo, place: Place) -> Result {
        self.map_as(gpu, &Backing::Bo(bo.clone()), place, true)
    }

    fn map_as(&self, gpu: &Guard<'_>, backing: &Backing, place: Place, by_file: bool) -> Result {
        let end = place.offset.checked_add(place.range.len()).ok_or(EINVAL)?;
        if end > backing.size() {
            return Err(EINVAL);
        }
        let node = RBTreeNodeReservation::new(GFP_KERNEL)?;
        let mut mapping = Mapping {
            place,
            backing: backing.clone(),
            by_file,
            held: None,
        };
        let mut inner = self.inner.lock();
        if inner.overlaps(place.range) {
            return Err(EINVAL);
        }
        inner.tree.enter(&self.memory, gpu, &mut mapping)?;
        inner
            .mappings
            .insert(node.into_node(place.range.start(), mapping));
        trace::map(self.pasid().into(), place.range.start(), place.range.len());
        Ok(())
    }

    /// Unmaps what was mapped at exactly this range; `EINVAL` if there is no such mapping.
    pub(crate) fn unmap(&self, range: VaRange) -> Result<Unmapped> {
        let mut unmapped = Unmapped::new(&self.memory, &self.space);
        let mut inner = self.inner.lock();
        match inner.mappings.get(&range.start()) {
            Some(mapping) if mapping.place.range == range => {}
            _ => return Err(EINVAL),
        }
        inner.remove(range.start(), &mut unmapped)?;
        Ok(unmapped)
    }

    /// Unmaps what [`Self::map_of_file`] mapped of `bo` from `start` on; `ENOENT` if there is no such mapping.
    pub(crate) fn unmap_of_file(&self, bo: &Bo, start: u64) -> Result<Unmapped> {
        let mut unmapped = Unmapped::new(&self.memory, &self.space);
        let mut inner = self.inner.lock();
        if !inner
            .mappings
            .get(&start)
            .is_some_and(|mapping| mapping.is_of_file(bo))
        {
            return Err(ENOENT);
        }
        inner.remove(start, &mut unmapped)?;
        Ok(unmapped)
    }

    /// Unmaps all that [`Self::map_of_file`] mapped of `bo`. What was unmapped must be released, also after an
    /// error, which is `ENOMEM`.
    pub(crate) fn unmap_all_of_file(&self, bo: &Bo) -> (Unmapped, Result) {
        self.unmap_all(|mapping| mapping.is_of_file(bo))
    }

    /// Unmaps all that [`Self::map`] mapped. What was unmapped must be released, also after an error, which is
    /// `ENOMEM`.
    pub(crate) fn unmap_all_of_process(&self) -> (Unmapped, Result) {
        self.unmap_all(|mapping| !mapping.by_file)
    }

    fn unmap_all(&self, which: impl Fn(&Mapping) -> bool) -> (Unmapped, Result) {
        let mut unmapped = Unmapped::new(&self.memory, &self.space);
        let mut inner = self.inner.lock();
        let mut from = 0;
        loop {
            let Some(at) = inner.mappings.cursor_lower_bound(&from) else {
                return (unmapped, Ok(()));
            };
            let (&start, mapping) = at.current();
            let Some(next) = start.checked_add(1) else {
                return (unmapped, Ok(()));
            };
            from = next;
            if !which(mapping) {
                continue;
            }
            if let Err(e) = inner.remove(start, &mut unmapped) {
                return (unmapped, Err(e));
            }
        }
    }

    /// Maps the process's own memory as it is now, wherever it has moved. Where the process has no memory any more,
    /// nothing is mapped. To be called while the GPU does not run the process. What was mapped before must be
    /// released, also after an error. `ESRCH` if the process is at its end: then it must not run any more.
    pub(crate) fn look_up_again(&self, gpu: &Guard<'_>) -> (Unmapped, Result) {
        let mut unmapped = Unmapped::new(&self.memory, &self.space);
        let mut inner = self.inner.lock();
        let Inner { tree, mappings, .. } = &mut *inner;
        for mapping in mappings.values_mut() {
            if mapping.held.is_some() && !mapping.is_stale() {
                continue;
            }
            let range = mapping.place.range;
            if let Err(e) = unmapped.reserve(range) {
                return (unmapped, Err(e));
            }
            if let Some(held) = mapping.held.take() {
                tree.erase(range, held, &mut unmapped);
            }
            match tree.enter(&self.memory, gpu, mapping) {
                Err(e) if e != EFAULT => return (unmapped, Err(e)),
                _ => {}
            }
        }
        (unmapped, Ok(()))
    }
}

impl Inner {
    /// Takes the mapping that begins at `start` out of tables and records. `ENOMEM` if that is not possible now.
    fn remove(&mut self, start: u64, to: &mut Unmapped) -> Result {
        let range = self.mappings.get(&start).ok_or(EINVAL)?.place.range;
        to.reserve(range)?;
        let mapping = self.mappings.remove(&start).ok_or(EINVAL)?;
        trace::unmap(to.pasid().into(), range.start(), range.len());
        self.past.unmapped(mapping.allocation(), around::now_ms());
        if let Some(held) = mapping.held {
            self.tree.erase(range, held, to);
        }
        Ok(())
    }

    fn overlaps(&self, range: VaRange) -> bool {
        // The first mapping that begins in the range or behind, and the one before it.
        let Some(at) = self.mappings.cursor_lower_bound(&range.start()) else {
            let last = self.mappings.cursor_back();
            return last.is_some_and(|last| last.current().1.place.range.overlaps(&range));
        };
        let overlaps = |(_, mapping): (&u64, &Mapping)| mapping.place.range.overlaps(&range);
        overlaps(at.current()) || at.peek_prev().is_some_and(overlaps)
    }
}

impl Tree {
    /// Holds the memory of `mapping` and writes its entries.
    fn enter(&mut self, memory: &Memory, gpu: &Guard<'_>, mapping: &mut Mapping) -> Result {
        let held = mapping.backing.hold(gpu)?;
        let placed = Placed {
            memory,
            held: &held,
            place: mapping.place,
        };
        let mut stock = self.provide(memory, &placed)?;
        self.map(memory, &mut stock, mapping.place.range, &placed)?;
        mapping.held = Some(held);
        Ok(())
    }

    /// Empties the entries of `range`, and hands over what must stay until the GPU has forgotten them.
    fn erase(&mut self, range: VaRange, held: Held, to: &mut Unmapped) {
        if let Err(e) = self.unmap(range, to.tables()) {
            // The GPU is gone: nobody reads the entries.
            pr_debug!("vm: {:#x} is unmapped without a GPU: {:?}\n", range.start(), e);
        }
        to.keep(held);
    }
}

#[pinned_drop]
impl PinnedDrop for Vm {
    fn drop(self: Pin<&mut Self>) {
        if self.space.forget(&self.memory).is_ok() {
            return;
        }
        pr_err!(
            "vm: the GPU did not confirm that it forgot address space {}; it is kept\n",
            self.pasid()
        );
        core::mem::forget(self.space.clone());
        let mut inner = self.inner.lock();
        inner.tree.leak();
        for mapping in inner.mappings.values_mut() {
            core::mem::forget(mapping.held.take());
        }
    }
}
