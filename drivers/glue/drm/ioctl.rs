// SPDX-License-Identifier: GPL-2.0
//! The ioctl table: typed handlers behind C entries.
//!
//! DRM itself finds the handler and copies the argument, and says nothing where that fails. So that each failure is
//! noted once, with what is known about it, the errno of a handler passes through DRM marked as noted ([`Mark`]).
use super::{
    super::bindings as b,
    device::{Device, Guard},
    file::File,
    Driver,
};
use amdgpu_uapi::{abi::Abi, ioctl};
use kernel::{
    ffi::{c_int, c_long, c_uint, c_ulong, c_void},
    prelude::*,
};

/// An entry of the ioctl table, made by [`Ioctl::new`].
#[repr(transparent)]
pub(crate) struct Ioctl(b::drm_ioctl_desc);

// SAFETY: immutable, and its pointers point to immutable static data.
unsafe impl Sync for Ioctl {}

/// A handler: the GPU (bound while it runs), the file, and the argument, which is copied in before and out after.
/// DRM copies as many bytes as the caller's structure has and clears the rest, so shorter and longer ones work.
pub(crate) trait Handler<D: Driver> {
    /// Name of the request, for messages.
    const NAME: &'static CStr;
    type Argument: Abi;
    fn run(gpu: &Guard<'_, D>, file: &File<D>, argument: &mut Self::Argument) -> Result<(), D::Failure>;
}

impl Ioctl {
    /// The entry for number `nr` (counted from `DRM_COMMAND_BASE`), allowed on render nodes.
    pub(crate) const fn new<D: Driver, H: Handler<D>>(nr: u32) -> Self {
        Self(b::drm_ioctl_desc {
            cmd: kernel::ioctl::_IOWR::<H::Argument>(b'd' as u32, b::DRM_COMMAND_BASE.wrapping_add(nr)),
            flags: b::drm_ioctl_flags_DRM_RENDER_ALLOW,
            func: Some(call::<D, H>),
            name: kernel::str::as_char_ptr_in_const_context(H::NAME),
        })
    }

    fn name(&self) -> &'static str {
        // SAFETY: made by `new` of a static string, for entries with a function.
        text(unsafe { CStr::from_char_ptr(self.0.name) })
    }

    /// An entry for a number without a handler: DRM answers it with `EINVAL`, as it does beyond the table.
    pub(crate) const fn none() -> Self {
        Self(pin_init::zeroed())
    }
}

/// A name for messages.
fn text(name: &'static CStr) -> &'static str {
    name.to_str().unwrap_or("request")
}

/// # Safety
///
/// For DRM, which calls it for a device and an open file of this driver, with an initialised argument of `H`'s type.
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
    let entered = device.enter().map_err(D::Failure::from);
    match entered.and_then(|gpu| H::run(&gpu, file, argument)) {
        Ok(()) => 0,
        Err(failure) => Mark::on(D::failed(file, text(H::NAME), failure)),
    }
}

/// How an errno says that its failure is noted: it is this much further from 0 than an errno can be.
struct Mark;

impl Mark {
    const MARK: c_int = b::MAX_ERRNO as c_int;

    /// The error, marked.
    fn on(error: Error) -> c_int {
        error.to_errno().saturating_sub(Self::MARK)
    }

    /// The errno without a mark; `None` if there is none.
    fn off(result: c_long) -> Option<c_long> {
        let mark = Self::MARK as c_long;
        (result < mark.saturating_neg()).then(|| result.saturating_add(mark))
    }
}

/// `file_operations.unlocked_ioctl`
///
/// # Safety
///
/// For the file layer, which calls it for an open file of this driver.
pub(super) unsafe extern "C" fn native<D: Driver>(file: *mut b::file, cmd: c_uint, arg: c_ulong) -> c_long {
    // SAFETY: the VFS calls this for open files of this driver.
    unsafe { through::<D>(b::drm_ioctl, file, cmd, arg) }
}

/// `file_operations.compat_ioctl`
///
/// # Safety
///
/// For the file layer, which calls it for an open file of this driver.
#[cfg(CONFIG_COMPAT)]
pub(super) unsafe extern "C" fn compat<D: Driver>(file: *mut b::file, cmd: c_uint, arg: c_ulong) -> c_long {
    // SAFETY: as above.
    unsafe { through::<D>(b::drm_compat_ioctl, file, cmd, arg) }
}

/// An ioctl by way of DRM. Notes the failures of the driver's own ioctls that DRM does not tell it of.
///
/// # Safety
///
/// `file` must be an open file of the driver, and `drm_ioctl` a DRM function for such files.
unsafe fn through<D: Driver>(
    drm_ioctl: unsafe extern "C" fn(*mut b::file, c_uint, c_ulong) -> c_long,
    file: *mut b::file,
    cmd: c_uint,
    arg: c_ulong,
) -> c_long {
    // SAFETY: by the requirement.
    let result = unsafe { drm_ioctl(file, cmd, arg) };
    if let Some(errno) = Mark::off(result) {
        return errno;
    }
    let own = u32::from(ioctl::nr(cmd)).checked_sub(b::DRM_COMMAND_BASE);
    let Some(own) = own.filter(|_| result < 0 && u32::from(ioctl::nr(cmd)) < b::DRM_COMMAND_END) else {
        return result;
    };
    let entry = D::IOCTLS.get(own as usize).filter(|entry| entry.0.func.is_some());
    // SAFETY: `private_data` of an open file of the driver is its `drm_file`.
    let file = unsafe { File::<D>::from_raw((*file).private_data.cast()) };
    let error = c_int::try_from(result).map_or(EINVAL, Error::from_errno);
    let (name, failure) = match entry {
        Some(entry) => (entry.name(), D::not_called(error)),
        None => D::unknown(own),
    };
    D::failed(file, name, failure);
    result
}
