// SPDX-License-Identifier: GPL-2.0
//! The ioctl table: typed handlers behind C entries.
use super::{
    super::bindings as b,
    device::{Device, Guard},
    file::File,
    Driver,
};
use amdgpu_uapi::abi::Abi;
use kernel::{ffi::c_int, ffi::c_void, prelude::*};

/// An entry of the ioctl table, made by [`Ioctl::new`].
#[repr(transparent)]
pub(crate) struct Ioctl(b::drm_ioctl_desc);

// SAFETY: immutable, and its pointers point to immutable static data.
unsafe impl Sync for Ioctl {}

/// A handler: the GPU (bound while it runs), the file, and the argument, which is copied in before and out after.
/// DRM copies as many bytes as the caller's structure has and clears the rest, so shorter and longer ones work.
pub(crate) trait Handler<D: Driver> {
    type Argument: Abi;
    fn run(gpu: &Guard<'_, D>, file: &File<D>, argument: &mut Self::Argument) -> Result;
}

impl Ioctl {
    /// The entry for number `nr` (counted from `DRM_COMMAND_BASE`), allowed on render nodes.
    pub(crate) const fn new<D: Driver, H: Handler<D>>(nr: u32, name: &'static CStr) -> Self {
        Self(b::drm_ioctl_desc {
            cmd: kernel::ioctl::_IOWR::<H::Argument>(b'd' as u32, b::DRM_COMMAND_BASE + nr),
            flags: b::drm_ioctl_flags_DRM_RENDER_ALLOW,
            func: Some(call::<D, H>),
            name: kernel::str::as_char_ptr_in_const_context(name),
        })
    }

    /// An entry for a number without a handler: DRM answers it with `EINVAL`, as it does beyond the table.
    pub(crate) const fn none() -> Self {
        Self(pin_init::zeroed())
    }
}

unsafe extern "C" fn call<D: Driver, H: Handler<D>>(
    drm: *mut b::drm_device,
    data: *mut c_void,
    raw: *mut b::drm_file,
) -> c_int {
    // SAFETY: DRM calls this for a device and an open file of this driver, with a buffer for the argument that is
    // as large as the table says, aligned for it, and initialised;
    // any bytes are a value of the argument.
    let (device, file, argument) = unsafe {
        (
            Device::<D>::from_raw(drm),
            File::<D>::from_raw(raw),
            &mut *data.cast::<H::Argument>(),
        )
    };
    match device.enter().and_then(|gpu| H::run(&gpu, file, argument)) {
        Ok(()) => 0,
        Err(e) => e.to_errno(),
    }
}
