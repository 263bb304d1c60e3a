// SPDX-License-Identifier: GPL-2.0
//! Device core dumps, for which the kernel crate has nothing.
use super::{bindings::shim, raw_device};
use kernel::{alloc::allocator::Vmalloc, alloc::Vec, device::Device};

/// Text in memory that the kernel's core dumps can take over.
pub(crate) type Text = Vec<u8, Vmalloc>;

/// Hands a text to userspace as `/sys/class/devcoredump/devcd*/data`, for five minutes or until it is written to. It is
/// dropped if an earlier one of this device is there still. May sleep.
pub(crate) fn publish(dev: &Device, text: Text) {
    if text.is_empty() {
        return;
    }
    let (data, bytes, _) = text.into_raw_parts();
    // SAFETY: the device is alive; `data` has `bytes` initialised bytes, was made by the vmalloc allocator, so that
    // vfree() takes it, and is nobody else's any more.
    unsafe { shim::coredump(raw_device(dev), data.cast(), bytes) };
}
