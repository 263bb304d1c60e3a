// SPDX-License-Identifier: GPL-2.0
//! Why a call is refused.

use core::fmt;

/// Error numbers of Linux that the KFD interface uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Errno {
    /// Not permitted, or not supported in this way.
    Perm = 1,
    /// No such process: called before ACQUIRE_VM.
    Srch = 3,
    /// Something failed while an object was in use.
    Io = 5,
    /// The file belongs to another process.
    BadF = 9,
    /// Out of memory; also for handles nobody has.
    NoMem = 12,
    /// A capability is missing.
    Acces = 13,
    /// Bad address; also for queues nobody has.
    Fault = 14,
    /// In use.
    Busy = 16,
    /// No such device, or not usable yet.
    NoDev = 19,
    /// A bad argument.
    Inval = 22,
    /// No such request.
    NoTty = 25,
    /// A table is full.
    NoSpc = 28,
    /// Not supported (the kernel's own number, not POSIX's).
    NotSupp = 524,
}

/// A refused argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// For the caller.
    pub errno: Errno,
    /// Which argument, as the C header names it.
    pub field: &'static str,
    /// Its value.
    pub got: u64,
    /// What it should have been.
    pub expected: Expected,
}

/// What an argument should have been.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// In words.
    Text(&'static str),
    /// This value.
    Exactly(u64),
    /// This value or more.
    AtLeast(u64),
    /// This value or less.
    AtMost(u64),
}

impl Refusal {
    /// A bad argument (`EINVAL`).
    pub const fn invalid(field: &'static str, got: u64, expected: &'static str) -> Self {
        Self {
            errno: Errno::Inval,
            field,
            got,
            expected: Expected::Text(expected),
        }
    }

    /// A bad argument (`EINVAL`) that should have been a certain number.
    pub const fn range(field: &'static str, got: u64, expected: Expected) -> Self {
        Self {
            errno: Errno::Inval,
            field,
            got,
            expected,
        }
    }

    /// The same with another error number.
    pub const fn with(self, errno: Errno) -> Self {
        Self { errno, ..self }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            field, got, expected, ..
        } = self;
        write!(f, "{field} is {got:#x}, expected {expected}")
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Exactly(n) => write!(f, "{n:#x}"),
            Self::AtLeast(n) => write!(f, "at least {n:#x}"),
            Self::AtMost(n) => write!(f, "at most {n:#x}"),
        }
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_kfd_refusal))]
mod tests {
    use super::*;
    use crate::testing::Text;
    use core::fmt::Write;

    #[test]
    fn reads_like_a_sentence() -> fmt::Result {
        let r = Refusal::range("queue_priority", 16, Expected::AtMost(15));
        let mut line = Text::<64>::new();
        write!(line, "{r}")?;
        assert_eq!(line.text(), "queue_priority is 0x10, expected at most 0xf");
        assert_eq!(r.with(Errno::Fault).errno as i32, 14);
        let r = Refusal::invalid("size", 0, "more than 0");
        let mut line = Text::<64>::new();
        write!(line, "{r}")?;
        assert_eq!(line.text(), "size is 0x0, expected more than 0");
        Ok(())
    }
}
