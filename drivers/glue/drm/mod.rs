// SPDX-License-Identifier: GPL-2.0
//! DRM devices, files and ioctls.
//!
//! The kernel crate's `drm` module exists only where DRM is built into the kernel; on stock kernels it is a module.
//! The design follows it: what exists while the card is bound (`Driver::Gpu`) is reached through a [`Guard`], which
//! `drm_dev_unplug()` waits for, so that nobody touches the card after unbind.
//!
//! [`Device`] itself lives until the last open file, buffer object and process using it are gone; it holds the
//! memory managers, see [`super::ttm`].

mod device;
mod fdinfo;
mod file;
mod ioctl;

pub(super) use device::mapping;
pub(crate) use device::{AnyDevice, Device, Guard, Registration};
pub(crate) use fdinfo::Info as FdInfo;
pub(crate) use file::{File, FileRef};
pub(crate) use ioctl::{Handler, Ioctl};

use kernel::prelude::*;

/// A DRM driver.
pub(crate) trait Driver: Send + Sync + Sized + 'static {
    /// What exists while the card is bound; dropped at unbind.
    type Gpu: Send + Sync + 'static;

    /// What an open file of the primary or render node owns.
    type File: Send + Sync + 'static;

    /// Why an ioctl fails.
    type Failure: From<Error>;

    /// Name and version that userspace sees.
    const INFO: Info;

    /// The ioctls, by number.
    const IOCTLS: &'static [Ioctl];

    /// `device` has been unplugged and nobody enters it any more, but its GPU and its memory are still there.
    fn unplugged(device: &Device<Self>);

    /// A file of `device` is opened by the current task.
    fn open(device: &Device<Self>) -> Result<KBox<Self::File>>;

    /// The ioctl `name` of the current task on `file` fails: notes it and says what to return.
    fn failed(file: &File<Self>, name: &'static str, failure: Self::Failure) -> Error;

    /// DRM did not get to the handler of an ioctl, or not back: `EFAULT` if it could not copy the argument.
    fn not_called(error: Error) -> Self::Failure;

    /// There is no ioctl of the driver with number `nr` (counted from `DRM_COMMAND_BASE`): the name that it would
    /// have, and the failure.
    fn unknown(nr: u32) -> (&'static str, Self::Failure);

    /// Writes lines about `file` for `/proc/PID/fdinfo`.
    fn show(file: &File<Self>, out: &mut FdInfo);

    /// `file` gives up a handle of a buffer object. Others of its handles may be of the same object.
    fn closed(file: &File<Self>, bo: &super::ttm::Bo);
}

/// What `DRM_IOCTL_VERSION` answers.
pub(crate) struct Info {
    /// The name by which userspace finds its driver.
    pub(crate) name: &'static CStr,
    /// A text for humans.
    pub(crate) description: &'static CStr,
    /// Changes when the interface breaks.
    pub(crate) major: i32,
    /// Changes when the interface grows.
    pub(crate) minor: i32,
    /// Changes otherwise.
    pub(crate) patch: i32,
}
