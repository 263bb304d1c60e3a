// SPDX-License-Identifier: GPL-2.0
//! What `/proc/PID/fdinfo` says of an open file (Documentation/gpu/drm-usage-stats.rst).
use super::{
    super::{
        bindings::{self as b, shim},
        ttm::Bo,
    },
    file::File,
    Driver,
};
use core::{fmt::Write, ptr::NonNull};
use kernel::str::CStrExt;

/// Takes the driver's lines, after those of DRM.
pub(crate) struct Info(NonNull<b::drm_printer>);

impl Write for Info {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        let len = i32::try_from(text.len()).map_err(|_| core::fmt::Error)?;
        // SAFETY: the printer lives as long as `show` runs, which this does not outlive; the format takes a length, and as
        // many bytes.
        unsafe { b::drm_printf(self.0.as_ptr(), c"%.*s".as_char_ptr(), len, text.as_ptr()) };
        Ok(())
    }
}

/// `drm_driver.show_fdinfo`
///
/// # Safety
///
/// For DRM, which calls it for an open file of this driver, with a printer that lives as long as the call.
pub(super) unsafe extern "C" fn show<D: Driver>(printer: *mut b::drm_printer, file: *mut b::drm_file) {
    let Some(printer) = NonNull::new(printer) else {
        return;
    };
    // SAFETY: DRM calls this for an open file of this driver.
    D::show(unsafe { File::<D>::from_raw(file) }, &mut Info(printer));
}

impl<D: Driver> File<D> {
    /// Calls `f` for each buffer object that the file has a handle of.
    pub(crate) fn for_each_object(&self, mut f: impl FnMut(Bo)) {
        let mut handle = 0;
        loop {
            // SAFETY: the file is open. The shim takes a reference, which passes to the object.
            let gem = unsafe { shim::drm_gem_next_object(self.as_raw(), &mut handle) };
            let Some(gem) = NonNull::new(gem) else { return };
            // SAFETY: a reference to an object of this driver: foreign ones cannot be imported.
            f(unsafe { Bo::from_gem(gem) });
            let Some(next) = i32::checked_add(handle, 1) else {
                return;
            };
            handle = next;
        }
    }
}
