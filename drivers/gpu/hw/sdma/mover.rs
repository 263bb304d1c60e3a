// SPDX-License-Identifier: GPL-2.0
//! Clearing and moving buffer objects by SDMA.

use super::Sdma;
use crate::glue::inject;
use crate::glue::ttm::{Copier, Place};
use crate::glue::wait::Wakeable;
use kernel::{new_mutex, prelude::*, sync::Arc, sync::Mutex};

/// A part of the GART by which the engines reach system pages that are otherwise not mapped in VMID 0.
pub(crate) trait Window: Send + Sync {
    /// Lets the window lead to the system memory at bus address `bus` (a page), and yields where the engine then
    /// sees it in VMID 0. The engine does not use the window while this is called, and no longer uses what it led
    /// to before.
    fn open(&self, bus: u64) -> Result<u64>;

    /// Bytes of system memory that the window leads to at a time.
    fn bytes(&self) -> u64;
}

/// Clears and moves memory for TTM.
#[pin_data]
pub(crate) struct Mover {
    sdma: Arc<Sdma>,
    /// Where VRAM begins in VMID 0.
    vram: u64,
    /// One user at a time.
    #[pin]
    window: Mutex<Option<Arc<dyn Window>>>,
}

impl Mover {
    /// A mover for VRAM that begins at `vram` in VMID 0. Without a window it does not reach system memory
    /// (`EOPNOTSUPP`), and TTM lets the CPU copy.
    pub(crate) fn new(sdma: Arc<Sdma>, vram: u64, window: Option<Arc<dyn Window>>) -> Result<Arc<Self>> {
        Arc::pin_init(
            pin_init!(Self { sdma, vram, window <- new_mutex!(window, "sdma window") }),
            GFP_KERNEL,
        )
    }

    fn vram(&self, offset: u64) -> Result<u64> {
        self.vram.checked_add(offset).ok_or(EINVAL)
    }
}

impl Copier for Mover {
    fn clear(&self, vram: u64, len: u64) -> Result {
        inject::point(EIO)?;
        // not killable: whoever gets the memory must find it cleared
        self.sdma.fill(self.vram(vram)?, len, 0, Wakeable::Never)
    }

    fn copy(&self, from: Place, to: Place, len: u64) -> Result {
        inject::point(EIO)?;
        let window = self.window.lock();
        let at = |place| match (place, &*window) {
            (Place::Vram(offset), _) => self.vram(offset),
            (Place::Bus(bus), Some(window)) if len <= window.bytes() => window.open(bus),
            (Place::Bus(_), Some(_)) => Err(EINVAL),
            (Place::Bus(_), None) => Err(EOPNOTSUPP),
        };
        match (from, to) {
            (Place::Bus(_), Place::Bus(_)) => Err(EINVAL),
            _ => self.sdma.copy(at(from)?, at(to)?, len, Wakeable::Never),
        }
    }
}
