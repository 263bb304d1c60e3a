// SPDX-License-Identifier: GPL-2.0
//! Memory between two worlds: not mapped any more, not yet known to be out of the GPU's reach.

use super::{
    backing::Held,
    space::Space,
    tables::{Table, Tree},
};
use crate::{
    glue::wait::Wakeable,
    gpu::{hw::gmc::Tlb, mem::Memory},
};
use amdgpu_logic::pagetable::VaRange;
use kernel::{prelude::*, sync::Arc};

/// What was unmapped from an address space. The GPU may go on using it until [`Unmapped::release`] has flushed the
/// translations.
///
/// Dropping it without that keeps the memory, pinned and allocated, for good: better lost than used by two.
#[must_use = "the memory is lost unless released"]
pub(crate) struct Unmapped {
    memory: Arc<Memory>,
    space: Arc<Space>,
    tables: KVec<KBox<Table>>,
    held: KVec<Held>,
}

impl Unmapped {
    pub(super) fn new(memory: &Arc<Memory>, space: &Arc<Space>) -> Self {
        Self {
            memory: memory.clone(),
            space: space.clone(),
            tables: KVec::new(),
            held: KVec::new(),
        }
    }

    /// Makes room for what unmapping `range` hands over.
    pub(super) fn reserve(&mut self, range: VaRange) -> Result {
        self.tables.reserve(Tree::tables_of(range), GFP_KERNEL)?;
        self.held.reserve(1, GFP_KERNEL)?;
        Ok(())
    }

    /// The address space that it was unmapped from.
    pub(super) fn pasid(&self) -> u16 {
        self.space.pasid()
    }

    /// Where unlinked tables go.
    pub(super) fn tables(&mut self) -> &mut KVec<KBox<Table>> {
        &mut self.tables
    }

    /// Takes over memory that was mapped.
    pub(super) fn keep(&mut self, held: Held) {
        // There is room; else it stays pinned for good.
        let _ = self.held.push_within_capacity(held).map_err(core::mem::forget);
    }

    /// Waits until the GPU has dropped the translations, then gives up tables and unpins memory.
    ///
    /// On an error (`ETIMEDOUT`, or `ERESTARTSYS` for a signal that `wakeable` admits) everything is as before, and
    /// the caller may try again, at the latest after the GPU was reset.
    pub(crate) fn release(mut self, tlb: &Tlb, wakeable: Wakeable) -> Result<(), (Error, Self)> {
        if !self.is_empty() {
            if let Err(e) = self.space.flush(tlb, wakeable) {
                return Err((e, self));
            }
        }
        while let Some(table) = self.tables.pop() {
            self.space.keep_spare(table);
        }
        self.held.clear();
        Ok(())
    }

    /// [`Self::release`] by whatever way there is, whether the caller is dying or the GPU gone. If the GPU does not
    /// confirm, the memory is kept.
    pub(crate) fn release_or_keep(self) {
        let Some(tlb) = self.memory.tlb() else { return };
        if let Err((_, left)) = self.release(&tlb, Wakeable::ByKill) {
            // The wait has its deadline.
            let _ = left.release(&tlb, Wakeable::Never);
        }
    }

    fn is_empty(&self) -> bool {
        self.tables.is_empty() && self.held.is_empty()
    }
}

impl Drop for Unmapped {
    fn drop(&mut self) {
        // Without translation there is no GPU that could reach anything.
        if self.is_empty() || self.memory.tlb().is_none() {
            return;
        }
        pr_err!(
            "vm: the GPU did not confirm that it forgot {} mappings; they are kept\n",
            self.held.len()
        );
        core::mem::forget(self.space.clone());
        core::mem::forget(core::mem::take(&mut self.tables));
        core::mem::forget(core::mem::take(&mut self.held));
    }
}
