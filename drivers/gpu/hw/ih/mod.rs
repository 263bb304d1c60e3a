// SPDX-License-Identifier: GPL-2.0
//! IH, the interrupt handler: it writes what happens in the chip as entries into a ring in system memory, and
//! raises one MSI for any number of them.
//!
//! The interrupt thread reads entries straight from the ring, tells them to whoever listens, and only then gives
//! their places back: the ring itself is the queue, and nothing is dropped on the way. If the ring overflows all
//! the same, listeners are told, and look for themselves what they missed.

mod hal;
mod regs;
mod watch;

use super::{ip::IpVersion, nbio::Nbio, Bars};
use crate::glue::trace;
use amdgpu_logic::bits::extract;
use amdgpu_logic::iv::{self, Batch, Cause, IhRing, Iv, RingError};
use amdgpu_logic::mqd::RingSize;
use amdgpu_logic::slots::doorbell;
use hal::{IhHal, RingSetUp};
use kernel::{
    dev_err, dev_warn,
    device::{Bound, Device},
    dma::Coherent,
    io::io_read,
    irq::{IrqReturn, ThreadedHandler},
    new_mutex,
    prelude::*,
    sync::{
        atomic::{Atomic, Relaxed},
        barrier::{smp_mb, Read},
        Arc, Mutex,
    },
};

pub(crate) use watch::Watch;

/// Bytes of the ring: 8192 entries.
const RING_BYTES: u32 = 256 << 10;
/// Dword after the ring to which the device writes its write pointer.
const WRITE_POINTER: usize = RING_BYTES as usize / 4;
/// Dwords of the ring with the page after it.
const MEMORY_DWORDS: usize = WRITE_POINTER + 1024;
/// Entries after which the device gets their places back, at the latest.
const RETURN_AFTER: u32 = 64;
/// Entries without meaning that are logged; after that they are only counted.
const LOGGED_UNKNOWN: u32 = 32;

/// Who wants to know of interrupts. Called by the interrupt thread, one at a time; may sleep, should not for long.
pub(crate) trait Listener: Send + Sync {
    /// Something happened.
    fn interrupt(&self, iv: &Iv, cause: &Cause);

    /// Interrupts were lost: whatever they would have told must be looked up.
    fn overflow(&self);
}

/// The block.
#[pin_data(PinnedDrop)]
pub(crate) struct Ih {
    bars: Arc<Bars>,
    hal: &'static dyn IhHal,
    memory: Coherent<[u32]>,
    #[pin]
    ring: Mutex<IhRing>,
    /// Held while listeners are called: who has been removed is not called any more.
    #[pin]
    listeners: Mutex<KVec<Arc<dyn Listener>>>,
    unknown: Atomic<u32>,
}

impl Ih {
    /// Allocates the ring and starts interrupts. The vector must be registered after this, with [`Handler`].
    ///
    /// `ENODEV` if the driver does not know that version.
    pub(crate) fn new(
        dev: &Device<Bound>,
        bars: Arc<Bars>,
        version: IpVersion,
        nbio: &Nbio,
        dummy_page: u64,
    ) -> Result<Arc<Self>> {
        let hal = hal::of(version).ok_or(ENODEV).inspect_err(|_| {
            dev_err!(bars.dev, "IH {}: version not supported\n", version);
        })?;
        let memory = Coherent::<u32>::zeroed_slice(dev, MEMORY_DWORDS, GFP_KERNEL)?;
        let base = memory.dma_address();
        let set_up = RingSetUp {
            base,
            size: RingSize::new(RING_BYTES).ok_or(EINVAL)?,
            write_pointer: base.checked_add(RING_BYTES.into()).ok_or(EOVERFLOW)?,
            doorbell: doorbell::IH,
        };
        let ring = IhRing::new(RING_BYTES).ok_or(EINVAL)?;
        let ih = Arc::pin_init(
            pin_init!(Self {
                bars,
                hal,
                memory,
                ring <- new_mutex!(ring, "ih ring"),
                listeners <- new_mutex!(KVec::new(), "ih listeners"),
                unknown: Atomic::new(0),
            }),
            GFP_KERNEL,
        )?;
        hal.stop(&ih.bars.registers);
        nbio.set_up_interrupts(&ih.bars, dummy_page);
        hal.start(&ih.bars.registers, &set_up)?;
        Ok(ih)
    }

    /// Adds a listener.
    pub(crate) fn add(&self, listener: Arc<dyn Listener>) -> Result {
        Ok(self.listeners.lock().push(listener, GFP_KERNEL)?)
    }

    /// Removes a listener. It is not called any more once this returns; so this must not be called by listeners,
    /// nor with a lock that they take.
    pub(crate) fn remove(&self, listener: &Arc<dyn Listener>) {
        let mut listeners = self.listeners.lock();
        let found = listeners
            .iter()
            .position(|l| core::ptr::addr_eq(Arc::as_ptr(l), Arc::as_ptr(listener)));
        let removed = found.and_then(|index| listeners.remove(index).ok());
        drop(listeners);
        drop(removed);
    }

    /// Tells the listeners all entries that have arrived.
    fn drain(&self) -> Result {
        let mut ring = self.ring.lock();
        let mut batch = self.published(&mut ring)?;
        loop {
            if batch.overflow {
                dev_warn!(self.bars.dev, "IH: the ring overflowed, interrupts were lost\n");
                self.listeners.lock().iter().for_each(|l| l.overflow());
            }
            for n in 1..=batch.entries {
                let iv = self.entry(ring.read_pointer())?;
                self.tell(&iv);
                ring.consume();
                if n % RETURN_AFTER == 0 {
                    self.give_back(&ring);
                }
            }
            // also without entries: this lets the device interrupt again
            self.give_back(&ring);
            batch = self.published(&mut ring)?;
            if batch.entries == 0 && !batch.overflow {
                return Ok(());
            }
        }
    }

    /// What the written pointer says. The overflow flag counts if the register has it, too; then it is cleared.
    fn published(&self, ring: &mut IhRing) -> Result<Batch> {
        let written = io_read!(self.memory, [try: WRITE_POINTER]);
        // entries were written before the pointer that tells of them
        smp_mb(Read);
        let overflow = extract::<0, 0>(written) == 1;
        let written = if overflow {
            self.hal.write_pointer(&self.bars.registers)
        } else {
            written
        };
        let batch = ring.published(written).map_err(|RingError::Misaligned(at)| {
            dev_err!(
                self.bars.dev,
                "IH: the device wrote up to {:#x}, which is no entry's end\n",
                at
            );
            EIO
        })?;
        if batch.overflow {
            self.hal.acknowledge_overflow(&self.bars.registers);
        }
        Ok(batch)
    }

    /// The read pointer, if the device has written entries behind it.
    fn oldest_waiting(&self) -> Result<Option<u32>> {
        let read = self.ring.lock().read_pointer();
        let written = io_read!(self.memory, [try: WRITE_POINTER]);
        Ok((written != read).then_some(read))
    }

    /// The entry at byte `offset` of the ring.
    fn entry(&self, offset: u32) -> Result<Iv> {
        let first = offset as usize / 4;
        let mut words = [0; iv::DWORDS];
        for (index, word) in (first..).zip(&mut words) {
            *word = io_read!(self.memory, [try: index]);
        }
        Ok(Iv::decode(&words))
    }

    fn tell(&self, iv: &Iv) {
        trace::interrupt(
            iv.client.0.into(),
            iv.source.into(),
            iv.ring_id.into(),
            iv.vmid.into(),
            iv.pasid.into(),
            iv.data[0],
        );
        let cause = iv.cause();
        if cause == Cause::Unknown {
            let seen = self.unknown.fetch_add(1, Relaxed);
            if seen < LOGGED_UNKNOWN {
                dev_warn!(
                    self.bars.dev,
                    "IH: interrupt of {} (client {:#x}) with unknown source {}, ring {:#x}, VMID {}, PASID {:#x}, data {:x?}\n",
                    iv.client.name(), iv.client.0, iv.source, iv.ring_id, iv.vmid, iv.pasid, iv.data
                );
            }
        }
        self.listeners.lock().iter().for_each(|l| l.interrupt(iv, &cause));
    }

    /// Tells the device up to where entries have been consumed.
    fn give_back(&self, ring: &IhRing) {
        self.bars
            .doorbells
            .ring32(doorbell::IH.dword(), ring.read_pointer());
    }
}

#[pinned_drop]
impl PinnedDrop for Ih {
    fn drop(self: Pin<&mut Self>) {
        self.hal.stop(&self.bars.registers);
    }
}

/// The handler for the device's interrupt vector.
pub(crate) struct Handler(pub(crate) Arc<Ih>);

impl ThreadedHandler for Handler {
    fn handle_threaded(&self) -> IrqReturn {
        if let Err(e) = self.0.drain() {
            dev_err!(self.0.bars.dev, "IH: the ring cannot be read: {:?}\n", e);
        }
        IrqReturn::Handled
    }
}
