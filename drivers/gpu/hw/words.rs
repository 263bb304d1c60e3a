// SPDX-License-Identifier: GPL-2.0
//! Errors of `amdgpu_logic` in the kernel's log, whose formatting is a trait of its own.

use kernel::fmt;

/// Says in the log what `T` says of itself.
pub(super) struct Words<T>(pub(super) T);

impl<T: core::fmt::Display> fmt::Display for Words<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        core::fmt::Display::fmt(&self.0, f)
    }
}
