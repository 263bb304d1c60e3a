// SPDX-License-Identifier: GPL-2.0
//! Failures on demand, to test that whatever fails is undone. Test kernels only (CONFIG_KUNIT): elsewhere nothing is left
//! of it.
//!
//! The parameter `fail_nth` counts down the places that are passed; the one that it reaches 0 at fails. With `fail_task`
//! only one thread counts, so that others are not hit. Places are where the kernel refuses something for reasons of its
//! own: in the wrappers of its services, so that all that uses them is covered. Memory that Rust code allocates has no
//! places: the kernel's own fault injection makes those fail.
use kernel::prelude::*;

/// A place where the kernel may refuse something, with `error`.
#[cfg(CONFIG_KUNIT = "y")]
#[track_caller]
pub(crate) fn point(error: Error) -> Result {
    use super::params::{FAIL_NTH, FAIL_TASK};
    let task = FAIL_TASK.get();
    if task != 0 && task != kernel::current!().pid() || !FAIL_NTH.count_down() {
        return Ok(());
    }
    let at = core::panic::Location::caller();
    pr_info!("inject: {:?} at {}:{}\n", error, at.file(), at.line());
    Err(error)
}

/// A place where the device may not do as it is told: `EIO`. Such a device is given up, so that only bringing it up is
/// made to fail so, for which no thread is named.
#[cfg(CONFIG_KUNIT = "y")]
#[track_caller]
pub(crate) fn device() -> Result {
    match super::params::FAIL_TASK.get() {
        0 => point(EIO),
        _ => Ok(()),
    }
}

/// A place where the kernel may refuse something.
#[cfg(not(CONFIG_KUNIT = "y"))]
#[inline(always)]
pub(crate) fn point(_: Error) -> Result {
    Ok(())
}

/// A place where the device may not do as it is told.
#[cfg(not(CONFIG_KUNIT = "y"))]
#[inline(always)]
pub(crate) fn device() -> Result {
    Ok(())
}
