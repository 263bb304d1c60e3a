// SPDX-License-Identifier: GPL-2.0
//! What the hardware knows of an address space: its name, and cached translations.

use super::pasid::{Pasid, Pasids};
use crate::{
    glue::wait::Wakeable,
    gpu::{
        hw::gmc::{Tlb, Translations},
        mem::Memory,
    },
};
use core::sync::atomic::{AtomicBool, Ordering};
use kernel::{prelude::*, sync::Arc};

/// Shared by an address space and by what was unmapped from it: the PASID is free again when the last is gone.
#[pin_data]
pub(super) struct Space {
    pasid: Pasid,
    #[pin]
    translations: Translations,
    /// Whether the hardware was given the page tables.
    given: AtomicBool,
}

impl Space {
    pub(super) fn new(pasids: &Arc<Pasids>) -> Result<Arc<Self>> {
        let pasid = pasids.take()?;
        let number = pasid.number();
        let space = try_pin_init!(Self {
            pasid,
            translations <- Translations::of_process(number),
            given: AtomicBool::new(false),
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
            true => Ok(()),
            false => Err(EIO),
        }
    }

    /// The last flush, with whatever GPU there still is.
    pub(super) fn forget(&self, memory: &Memory) -> Result {
        memory
            .tlb()
            .map_or(Ok(()), |tlb| self.flush(&tlb, Wakeable::Never))
    }
}
