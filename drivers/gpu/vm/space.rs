// SPDX-License-Identifier: GPL-2.0
//! What the hardware knows of an address space: its name, and cached translations.

use super::{
    pasid::{Pasid, Pasids},
    tables::Table,
};
use crate::{
    glue::{trace, wait::Wakeable},
    gpu::{
        hw::gmc::{Tlb, Translations},
        mem::Memory,
    },
};
use amdgpu_logic::pagetable::Level;
use core::sync::atomic::{AtomicBool, Ordering};
use kernel::{
    new_mutex,
    prelude::*,
    sync::{Arc, Mutex},
};

/// Shared by an address space and by what was unmapped from it: the PASID is free again when the last is gone.
#[pin_data]
pub(super) struct Space {
    pasid: Pasid,
    #[pin]
    translations: Translations,
    /// Whether the hardware was given the page tables, and has not forgotten them again.
    given: AtomicBool,
    /// Empty tables, for mappings that need one: a new one must be cleared, and that must be in VRAM before it is linked.
    /// There is room for [`SPARES`].
    #[pin]
    spares: Mutex<KVec<KBox<Table>>>,
}

/// Tables that an address space keeps for later, 4 KiB each: as many as the mappings that a process changes all
/// the time may need.
const SPARES: usize = 32;

impl Space {
    pub(super) fn new(pasids: &Arc<Pasids>) -> Result<Arc<Self>> {
        let pasid = pasids.take()?;
        let number = pasid.number();
        let spares = KVec::with_capacity(SPARES, GFP_KERNEL)?;
        let space = try_pin_init!(Self {
            pasid,
            translations <- Translations::of_process(number),
            given: AtomicBool::new(false),
            spares <- new_mutex!(spares),
        });
        Arc::pin_init(space, GFP_KERNEL)
    }

    pub(super) fn pasid(&self) -> u16 {
        self.pasid.number()
    }

    /// The hardware is about to be given the page tables.
    pub(super) fn give(&self) {
        self.given.store(true, Ordering::Release);
    }

    /// Waits until the hardware has dropped all translations of before.
    pub(super) fn flush(&self, tlb: &Tlb, wakeable: Wakeable) -> Result {
        if !self.given.load(Ordering::Acquire) {
            return Ok(());
        }
        let stamp = self.translations.stamp();
        match tlb.flush_to(&self.translations, stamp, wakeable)?.covers(stamp) {
            true => {
                trace::flush(self.pasid().into());
                Ok(())
            }
            false => Err(EIO),
        }
    }

    /// The hardware runs nothing in it any more, and never will: after a last flush there are no translations of it.
    pub(super) fn take_back(&self, tlb: &Tlb) -> Result {
        self.flush(tlb, Wakeable::Never)?;
        self.given.store(false, Ordering::Release);
        Ok(())
    }

    /// A table of a level that served before, empty.
    pub(super) fn take_spare(&self, level: Level) -> Option<KBox<Table>> {
        let mut spares = self.spares.lock();
        let at = spares.iter().position(|table| table.level() == level)?;
        spares.remove(at).ok()
    }

    /// Keeps a table that the GPU does not read any more, if it can serve again and there is room.
    pub(super) fn keep_spare(&self, table: KBox<Table>) {
        if table.is_as_new() {
            // whatever there is no room for is freed when the lock is free again
            let _left = self.spares.lock().push_within_capacity(table);
        }
    }

    /// The last flush, with whatever GPU there still is.
    pub(super) fn forget(&self, memory: &Memory) -> Result {
        memory.tlb().map_or(Ok(()), |tlb| self.take_back(&tlb))
    }
}
