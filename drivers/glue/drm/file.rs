// SPDX-License-Identifier: GPL-2.0
//! Open files of a DRM device.
use super::{
    super::bindings as b,
    device::{Device, Tables},
    Driver,
};
use core::{marker::PhantomData, ptr::NonNull};
use kernel::{ffi::c_int, prelude::*, types::Opaque};

/// An open file, borrowed while DRM keeps it open.
#[repr(transparent)]
pub(crate) struct File<D: Driver>(Opaque<b::drm_file>, PhantomData<D>);

// SAFETY: what is reachable through it is `Sync`.
unsafe impl<D: Driver> Sync for File<D> {}

impl<D: Driver> File<D> {
    /// # Safety
    ///
    /// `raw` must have been opened by [`open`] with the same `D` and stay open as long as the result lives.
    pub(in super::super) unsafe fn from_raw<'a>(raw: *mut b::drm_file) -> &'a Self {
        // SAFETY: a transparent wrapper.
        unsafe { &*raw.cast() }
    }

    pub(in super::super) fn as_raw(&self) -> *mut b::drm_file {
        self.0.get()
    }

    /// The device that the file is of.
    pub(crate) fn device(&self) -> &Device<D> {
        // SAFETY: an open file has a minor, whose device lives as long as the file.
        unsafe { Device::from_raw((*(*self.as_raw()).minor).dev) }
    }

    /// What the driver keeps for this file.
    pub(crate) fn data(&self) -> &D::File {
        // SAFETY: set by `open`, freed by `postclose` after the file's last use.
        unsafe { &*(*self.as_raw()).driver_priv.cast::<D::File>() }
    }
}

/// A counted reference to an open file, found by its descriptor. Keeps it open after the process has closed it.
pub(crate) struct FileRef<D: Driver>(NonNull<b::file>, PhantomData<D>);

// SAFETY: an open file may be used and closed from any task.
unsafe impl<D: Driver> Send for FileRef<D> {}
// SAFETY: as above.
unsafe impl<D: Driver> Sync for FileRef<D> {}

impl<D: Driver> FileRef<D> {
    /// The file that is open as `fd` in the current process: `EBADF` if there is none, `EINVAL` if it is not of
    /// this driver.
    pub(crate) fn from_fd(fd: u32) -> Result<Self> {
        // SAFETY: a plain call.
        let file = NonNull::new(unsafe { b::fget(fd) }).ok_or(EBADF)?;
        // From here on the reference is given back by `drop`.
        let this = Self(file, PhantomData);
        // SAFETY: `file` is open.
        let operations = unsafe { (*file.as_ptr()).f_op };
        if !core::ptr::eq(operations, &Tables::<D>::FOPS.0) {
            return Err(EINVAL);
        }
        Ok(this)
    }

    /// Whether both refer to one open file.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    /// The open file.
    pub(crate) fn file(&self) -> &File<D> {
        // SAFETY: files with our operations are DRM files, opened through our driver, and this one stays open.
        unsafe { File::from_raw((*self.0.as_ptr()).private_data.cast()) }
    }

    /// The device that the file is of.
    pub(crate) fn device(&self) -> &Device<D> {
        self.file().device()
    }
}

impl<D: Driver> Drop for FileRef<D> {
    fn drop(&mut self) {
        // SAFETY: gives back the reference taken by `from_fd`.
        unsafe { b::fput(self.0.as_ptr()) }
    }
}

/// `drm_driver.open`
///
/// # Safety
///
/// For DRM, which calls it for a device of this driver and a file being opened, before any other call for that.
pub(super) unsafe extern "C" fn open<D: Driver>(drm: *mut b::drm_device, raw: *mut b::drm_file) -> c_int {
    // SAFETY: DRM opens a file of a device of this driver.
    match D::open(unsafe { Device::<D>::from_raw(drm) }) {
        Ok(data) => {
            // SAFETY: `driver_priv` of a file being opened is the driver's to set.
            unsafe { (*raw).driver_priv = KBox::into_raw(data).cast() };
            0
        }
        Err(e) => e.to_errno(),
    }
}

/// `drm_driver.postclose`
///
/// # Safety
///
/// For DRM, which calls it once for a file that `open` has opened, after any other call for that.
pub(super) unsafe extern "C" fn postclose<D: Driver>(_: *mut b::drm_device, raw: *mut b::drm_file) {
    // SAFETY: called once, for a file that `open` has opened, after its last use.
    drop(unsafe { KBox::from_raw((*raw).driver_priv.cast::<D::File>()) });
}
