// SPDX-License-Identifier: GPL-2.0
//! What the tests use in place of `std`, which the kernel lacks.
//!
//! Test modules are compiled for the host and, with KUnit, for the kernel. There `assert!` and `assert_eq!` without a
//! message fail the case, and so does `Err` as its result; anything that panics is a crash of the kernel, and so is
//! a case whose variables need more than some KiB of its stack.

use core::fmt::{Error, Result, Write};

/// A text of up to `SIZE` bytes; writing more is an error.
pub(crate) struct Text<const SIZE: usize> {
    bytes: [u8; SIZE],
    used: usize,
}

impl<const SIZE: usize> Text<SIZE> {
    pub(crate) const fn new() -> Self {
        Self {
            bytes: [0; SIZE],
            used: 0,
        }
    }

    /// What was written.
    pub(crate) fn text(&self) -> &str {
        // only whole texts are added
        self.bytes
            .get(..self.used)
            .and_then(|text| core::str::from_utf8(text).ok())
            .unwrap_or_default()
    }
}

impl<const SIZE: usize> Write for Text<SIZE> {
    fn write_str(&mut self, text: &str) -> Result {
        let end = self.used.checked_add(text.len()).ok_or(Error)?;
        let room = self.bytes.get_mut(self.used..end).ok_or(Error)?;
        room.copy_from_slice(text.as_bytes());
        self.used = end;
        Ok(())
    }
}
