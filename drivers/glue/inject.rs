// SPDX-License-Identifier: GPL-2.0
//! Failures on demand, to test that bringing a card up ends cleanly wherever it fails. Test kernels only
//! (CONFIG_KUNIT): elsewhere nothing is left of it.
use kernel::prelude::*;

/// A place where something may fail. `EIO` if it is the one that the parameter `fail_nth` counts down to.
#[cfg(CONFIG_KUNIT = "y")]
pub(crate) fn point() -> Result {
    match super::params::FAIL_NTH.count_down() {
        true => Err(EIO),
        false => Ok(()),
    }
}

/// A place where something may fail.
#[cfg(not(CONFIG_KUNIT = "y"))]
#[inline(always)]
pub(crate) fn point() -> Result {
    Ok(())
}
