// SPDX-License-Identifier: GPL-2.0
//! Safe wrappers for kernel services that the kernel crate of a stock 7.3 kernel does not have.
//!
//! Nearly all `unsafe` of the driver lives here. Each file says at its top which gap it fills; a file goes away
//! when the kernel crate closes the gap. `bindings` is for this folder alone.
//!
//! | room | for |
//! |---|---|
//! | `mmio` | registers, doorbells and the VRAM aperture: checked, and dead after unbind |
//! | `drm`, `ttm` | the DRM device with its files and ioctls; its memory managers and buffer objects |
//! | `mm`, `dma` | memory of a process that the GPU uses, and how a device reaches memory it did not allocate |
//! | `irq` | MSI-X vector with a threaded handler that lives as long as the device is bound |
//! | `wait`, `work` | sleeping with a deadline, killable; work for a kernel thread, over when its owner is |
//! | `task`, `mm_exit`, `machine` | facts about the caller; the end of a process; clocks, processors, memory |
//! | `user` | memory of the caller of a system call |
//! | `rom`, `pci_state` | the card's expansion ROM; its configuration space over a reset |
//! | `trace`, `coredump` | tracepoints; what a device was like when it failed |
//! | `inject` | failures on demand, for tests |
//! | `params`, `global` | module parameters readable in sysfs; what there is one of while the module is loaded |
//! | `sysfs`, `device_files` | directories of text files; files and sensors of a device that has a folder already |
//! | `chardev` | a character device with a class of its own |

use kernel::device::{Device, DeviceContext};

mod bindings;
pub(crate) mod chardev;
pub(crate) mod coredump;
pub(crate) mod device_files;
pub(crate) mod dma;
pub(crate) mod drm;
pub(crate) mod global;
pub(crate) mod inject;
pub(crate) mod irq;
pub(crate) mod machine;
pub(crate) mod mm;
pub(crate) mod mm_exit;
pub(crate) mod mmio;
pub(crate) mod params;
pub(crate) mod pci_state;
pub(crate) mod rom;
pub(crate) mod sysfs;
pub(crate) mod task;
pub(crate) mod trace;
pub(crate) mod ttm;
pub(crate) mod user;
pub(crate) mod wait;
pub(crate) mod work;

/// The C device of a device reference, whose own accessor is private to the kernel crate.
fn raw_device<Ctx: DeviceContext>(dev: &Device<Ctx>) -> *mut bindings::device {
    // `Device` is a transparent wrapper of `Opaque<struct device>`.
    core::ptr::from_ref(dev).cast_mut().cast()
}

/// A table for C that is never written after compilation.
#[repr(transparent)]
struct Table<T>(T);

// SAFETY: the wrapped tables are immutable, and the pointers in them point to other immutable tables or functions.
unsafe impl<T> Sync for Table<T> {}
