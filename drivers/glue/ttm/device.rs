// SPDX-License-Identifier: GPL-2.0
//! One card's TTM device with its managers.
use super::{
    super::{bindings as b, drm, mmio::Aperture, raw_device, Table},
    callbacks, manager, moves,
    vram::Vram,
    Domain,
};
use core::{
    mem::{offset_of, MaybeUninit},
    sync::atomic::{AtomicBool, Ordering},
};
use kernel::{
    device::Bound,
    error::to_result,
    new_spinlock,
    page::{PAGE_SHIFT, PAGE_SIZE},
    pci,
    prelude::*,
    sync::{rcu, Arc, SpinLock},
    types::Opaque,
};

/// What the managers manage.
pub(crate) struct Layout {
    /// Bytes of VRAM for buffer objects, from its start. All of it must be in the aperture.
    pub(crate) vram_len: u64,
    /// The CPU's way to VRAM.
    pub(crate) aperture: Arc<Aperture>,
    /// CPU physical address of the doorbell BAR.
    pub(crate) doorbells: u64,
    /// Its size in bytes.
    pub(crate) doorbells_len: u64,
    /// Bytes at its start that are the driver's own.
    pub(crate) doorbells_reserved: u64,
    /// CPU physical address of the HDP remap page.
    pub(crate) mmio_remap: u64,
}

/// The memory managers of a card. Part of its DRM device.
///
/// Field order: the managers are unregistered before the TTM device goes.
#[pin_data]
pub(crate) struct Device {
    #[pin]
    vram: Vram,
    #[pin]
    gtt: manager::Counter,
    #[pin]
    doorbell: manager::Range,
    #[pin]
    mmio_remap: manager::Range,
    #[pin]
    raw: Raw,
    pub(super) layout: Layout,
    #[pin]
    copier: SpinLock<Option<Arc<dyn Copier>>>,
    /// Whether the pages of GTT objects were given up, also of those that the kernel has mapped.
    given_up: AtomicBool,
}

/// The C structure, initialised.
#[pin_data(PinnedDrop)]
struct Raw {
    #[pin]
    ttm: Opaque<b::ttm_device>,
}

// SAFETY: TTM has its own locks.
unsafe impl Send for Raw {}
// SAFETY: as above.
unsafe impl Sync for Raw {}

/// A place that the copy engine can reach.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// An offset in VRAM.
    Vram(u64),
    /// A bus address of system memory.
    Bus(u64),
}

/// An engine of the card that moves memory faster than the CPU. On an error the CPU does the work instead.
pub(crate) trait Copier: Send + Sync {
    /// Clears `len` bytes of VRAM; returns when it is done.
    fn clear(&self, vram: u64, len: u64) -> Result;
    /// Copies `len` bytes; returns when it is done.
    fn copy(&self, from: Place, to: Place, len: u64) -> Result;
}

/// Bytes used and available of one kind of memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    /// Bytes in use by buffer objects, rounded to pages.
    pub(crate) used: u64,
    /// Bytes that buffer objects can use together.
    pub(crate) size: u64,
}

/// TTM allocates system memory in pieces of up to 2^9 pages, 2 MiB: more is of no use to the page tables.
const POOL_ORDER: u32 = 9;

impl Device {
    /// Managers for `layout`, for the DRM device `drm`.
    ///
    /// # Safety
    ///
    /// `drm` must be initialised, and outlive the result.
    pub(in super::super) unsafe fn new<'a>(
        pdev: &'a pci::Device<Bound>,
        drm: *mut b::drm_device,
        layout: Layout,
    ) -> impl PinInit<Self, Error> + 'a {
        pin_init::pin_init_scope(move || {
            let vram_len = layout.vram_len & (PAGE_SIZE as u64).wrapping_neg();
            let doorbell_pages = layout.doorbells_len >> PAGE_SHIFT;
            if vram_len > layout.aperture.len() || layout.doorbells_reserved >= layout.doorbells_len {
                return Err(EINVAL);
            }
            Ok(try_pin_init!(Self {
                raw <- try_pin_init!(Raw {
                    ttm <- Opaque::try_ffi_init(move |slot: *mut b::ttm_device| {
                        // SAFETY: `slot` is memory for a TTM device at its final address; the tables are static;
                        // the DRM device is initialised and outlives this one, as does its parent.
                        to_result(unsafe {
                            core::ptr::write_bytes(slot, 0, 1);
                            b::ttm_device_init(
                                slot,
                                &FUNCS.0,
                                raw_device(pdev.as_ref()),
                                drm::mapping(drm),
                                (*drm).vma_offset_manager,
                                POOL_ORDER,
                            )
                        })
                    }),
                }),
                // SAFETY: `raw` is initialised, has no such manager, and is dropped after the managers.
                vram <- unsafe { Vram::new(raw.ttm.get(), vram_len) },
                // SAFETY: as above.
                gtt <- unsafe { manager::Counter::new(raw.ttm.get(), Domain::Gtt.mem_type(), gtt_len()) },
                // SAFETY: as above.
                doorbell <- unsafe {
                    manager::Range::new(raw.ttm.get(), Domain::Doorbell.mem_type(), doorbell_pages)
                },
                // SAFETY: as above.
                mmio_remap <- unsafe { manager::Range::new(raw.ttm.get(), Domain::MmioRemap.mem_type(), 1) },
                layout,
                copier <- new_spinlock!(None),
                given_up: AtomicBool::new(false),
            }))
        })
    }

    /// The device that a C structure is part of.
    ///
    /// # Safety
    ///
    /// `ttm` must be the C structure of a live `Device` that outlives the result.
    pub(super) unsafe fn from_raw<'a>(ttm: *mut b::ttm_device) -> &'a Self {
        // SAFETY: by the requirement.
        unsafe {
            &*ttm
                .byte_sub(const { offset_of!(Self, raw) + offset_of!(Raw, ttm) })
                .cast()
        }
    }

    pub(super) fn as_raw(&self) -> *mut b::ttm_device {
        self.raw.ttm.get()
    }

    /// The place of an object that belongs to `domain`. The driver's own doorbells are out of bounds.
    pub(super) fn place(&self, domain: Domain) -> b::ttm_place {
        let fpfn = match domain {
            Domain::Doorbell => self.layout.doorbells_reserved.div_ceil(PAGE_SIZE as u64),
            _ => 0,
        };
        b::ttm_place {
            fpfn,
            lpfn: 0,
            mem_type: domain.mem_type(),
            flags: 0,
        }
    }

    /// What `domain` holds; nothing is known about the others.
    pub(crate) fn usage(&self, domain: Domain) -> Option<Usage> {
        match domain {
            Domain::Vram => Some(Usage {
                used: self.vram.used(),
                size: self.vram.size_for_users(),
            }),
            Domain::Gtt => Some(Usage {
                used: self.gtt.manager().usage(),
                size: self.gtt.manager().size(),
            }),
            _ => None,
        }
    }

    /// Lets `copier` move memory from now on, or the CPU again.
    pub(crate) fn set_copier(&self, copier: Option<Arc<dyn Copier>>) {
        let old = core::mem::replace(&mut *self.copier.lock(), copier);
        drop(old);
    }

    pub(super) fn copier(&self) -> Option<Arc<dyn Copier>> {
        self.copier.lock().clone()
    }

    /// Runs `f`, which may access the pages of objects in GTT and must not sleep (it runs under RCU): `ENODEV` if
    /// they were given up.
    pub(super) fn with_pages<R>(&self, f: impl FnOnce() -> R) -> Result<R> {
        let _reading = rcu::read_lock();
        match self.given_up.load(Ordering::Acquire) {
            true => Err(ENODEV),
            false => Ok(f()),
        }
    }

    /// The card is about to be unbound: gives up all DMA mappings, and with them the contents of GTT objects.
    pub(in super::super) fn unplug(&self) {
        self.set_copier(None);
        self.given_up.store(true, Ordering::Release);
        // SAFETY: called from a context that may sleep. Afterwards nobody is in `with_pages`, nor gets there.
        unsafe { b::synchronize_rcu() };
        // SAFETY: the device is initialised; userspace mappings were undone by `drm_dev_unplug()`, the kernel's own
        // are not accessed any more, and the card has stopped.
        unsafe { b::ttm_device_clear_dma_mappings(self.as_raw()) }
    }
}

#[pinned_drop]
impl PinnedDrop for Raw {
    fn drop(self: Pin<&mut Self>) {
        // SAFETY: initialised, its managers are gone, and so are all buffer objects: they keep the DRM device.
        unsafe { b::ttm_device_fini(self.ttm.get()) }
    }
}

/// How much system memory buffer objects may take, in bytes: half of it, TTM's own limit.
fn gtt_len() -> u64 {
    let mut info = MaybeUninit::<b::sysinfo>::zeroed();
    // SAFETY: fills in the structure, for which zeroes are a value.
    let info = unsafe {
        b::si_meminfo(info.as_mut_ptr());
        info.assume_init()
    };
    (info.totalram as u64).saturating_mul(u64::from(info.mem_unit)) / 2
}

static FUNCS: Table<b::ttm_device_funcs> = Table(b::ttm_device_funcs {
    ttm_tt_create: Some(callbacks::tt_create),
    ttm_tt_destroy: Some(callbacks::tt_destroy),
    eviction_valuable: Some(b::ttm_bo_eviction_valuable),
    evict_flags: Some(moves::evict_flags),
    move_: Some(moves::move_),
    io_mem_reserve: Some(callbacks::io_mem_reserve),
    io_mem_pfn: Some(callbacks::io_mem_pfn),
    access_memory: Some(callbacks::access_memory),
    ..pin_init::zeroed()
});
