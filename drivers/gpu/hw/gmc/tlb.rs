// SPDX-License-Identifier: GPL-2.0
//! Dropping cached translations, and proof of it.
//!
//! The device goes on using a translation until it is told to drop it. So a page may be given to someone else only
//! once the translations that lead to it are known to be gone: [`Flushed`] is that knowledge, and nothing but a
//! completed flush makes it.
//!
//! A flush drops everything of an address space. Callers that need one at the same time share it, and changes that
//! a later flush has covered already need none (see [`amdgpu_logic::epoch`]).

use super::{Bars, Gmc};
use crate::glue::wait::{new_wait_queue, WaitQueue, Wakeable};
use crate::gpu::hw::gfx::Kiq;
use crate::gpu::hw::hdp::Hdp;
use amdgpu_logic::epoch::{Epochs, Stamp, Turn};
use amdgpu_logic::pm4::{FlushType, InvalidateTlbs};
use kernel::{
    new_mutex, new_spinlock,
    prelude::*,
    sync::{Arc, Mutex, SpinLock},
    time::Delta,
};

/// The translations of one address space, as far as the device has them cached.
#[pin_data]
pub(crate) struct Translations {
    /// `None` for the kernel's own (VMID 0).
    pasid: Option<u16>,
    #[pin]
    epochs: SpinLock<Epochs>,
    /// Woken when a flush has ended.
    #[pin]
    ended: WaitQueue,
}

/// Proof that the device has dropped all translations of an address space that are older than a stamp.
#[must_use]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flushed(Stamp);

impl Flushed {
    /// Whether what was changed before `stamp` was taken has been dropped.
    pub(crate) fn covers(self, stamp: Stamp) -> bool {
        self.0 >= stamp
    }
}

impl Translations {
    /// Those of a process address space.
    pub(crate) fn of_process(pasid: u16) -> impl PinInit<Self> {
        Self::new(Some(pasid))
    }

    fn new(pasid: Option<u16>) -> impl PinInit<Self> {
        pin_init!(Self {
            pasid,
            epochs <- new_spinlock!(Epochs::new(), "tlb epochs"),
            ended <- new_wait_queue!(),
        })
    }

    /// The flush that covers all page-table changes made until now. Take it after changing entries.
    pub(crate) fn stamp(&self) -> Stamp {
        self.epochs.lock().stamp()
    }
}

/// The way to flush.
#[pin_data]
pub(crate) struct Tlb {
    bars: Arc<Bars>,
    gmc: Gmc,
    hdp: Hdp,
    #[pin]
    way: Mutex<Way>,
    #[pin]
    kernel: Translations,
}

/// How translations of processes are flushed.
enum Way {
    /// Not at all: no process can have any yet.
    NotYet,
    /// By the KIQ.
    Kiq(Arc<Kiq>),
    /// Not at all: the engines are stopped. Only the kernel's own are still in use.
    KernelAlone,
    /// Not at all: nothing uses any translation any more.
    Off,
}

/// How long one waits for a flush that somebody else runs. Longer than any of them may take.
const TURN_DEADLINE: Delta = Delta::from_secs(5);

impl Tlb {
    /// Flushes of the kernel's address space work from now on, those of processes once the KIQ is known.
    pub(crate) fn new(bars: Arc<Bars>, gmc: Gmc, hdp: Hdp) -> impl PinInit<Self> {
        pin_init!(Self {
            bars,
            gmc,
            hdp,
            way <- new_mutex!(Way::NotYet, "tlb way"),
            kernel <- Translations::new(None),
        })
    }

    /// The KIQ runs.
    pub(crate) fn set_kiq(&self, kiq: Arc<Kiq>) {
        *self.way.lock() = Way::Kiq(kiq);
    }

    /// All engines that processes use are stopped, and the KIQ is given up. From now on flushes of processes succeed:
    /// nobody could use their translations.
    pub(crate) fn give_up_kiq(&self) {
        let old = core::mem::replace(&mut *self.way.lock(), Way::KernelAlone);
        drop(old);
    }

    /// Translation is off. From now on every flush succeeds.
    pub(crate) fn shut(&self) {
        let old = core::mem::replace(&mut *self.way.lock(), Way::Off);
        drop(old);
    }

    /// The kernel's own translations (GART).
    pub(crate) fn kernel(&self) -> &Translations {
        &self.kernel
    }

    /// Drops translations changed until now. See [`Tlb::flush_to`].
    pub(crate) fn flush(&self, of: &Translations, wakeable: Wakeable) -> Result<Flushed> {
        self.flush_to(of, of.stamp(), wakeable)
    }

    /// Makes sure that translations changed before `stamp` was taken are dropped. What the CPU wrote to VRAM
    /// before, page tables above all, is visible to the device first. May sleep.
    ///
    /// `ETIMEDOUT` if the device does not confirm, `ERESTARTSYS` if a signal of the admitted kind came: in both
    /// cases the translations must be taken for still in use.
    pub(crate) fn flush_to(&self, of: &Translations, stamp: Stamp, wakeable: Wakeable) -> Result<Flushed> {
        loop {
            let turn = of.epochs.lock().turn(stamp);
            match turn {
                Turn::Covered => return Ok(Flushed(stamp)),
                Turn::Run(flush) => {
                    let result = self.invalidate(of, wakeable);
                    of.epochs.lock().end(flush, result.is_ok());
                    of.ended.wake_all();
                    return result.map(|()| Flushed(flush));
                }
                Turn::Wait => of.ended.wait(wakeable, TURN_DEADLINE, || {
                    let epochs = of.epochs.lock();
                    epochs.covers(stamp) || !epochs.is_running()
                })?,
            }
        }
    }

    fn invalidate(&self, of: &Translations, wakeable: Wakeable) -> Result {
        let kiq = match &*self.way.lock() {
            Way::Off => return Ok(()),
            Way::KernelAlone if of.pasid.is_some() => return Ok(()),
            Way::NotYet | Way::KernelAlone => None,
            Way::Kiq(kiq) => Some(kiq.clone()),
        };
        self.hdp.flush(&self.bars);
        let Some(pasid) = of.pasid else {
            return self.gmc.invalidate_kernel(&self.bars);
        };
        let packet = InvalidateTlbs {
            pasid,
            flush: FlushType::Heavyweight,
        };
        kiq.ok_or(ENODEV)?.invalidate_tlbs(&packet, wakeable)
    }
}
