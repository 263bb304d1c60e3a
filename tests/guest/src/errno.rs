// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Error numbers with names.

use std::fmt;
use std::io;

/// An error number as the kernel returns it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Errno(pub i32);

/// The numbers that the driver's interface uses.
const NAMES: [(i32, &str); 21] = [
    (libc::EPERM, "EPERM"),
    (libc::ENOENT, "ENOENT"),
    (libc::ESRCH, "ESRCH"),
    (libc::EINTR, "EINTR"),
    (libc::EIO, "EIO"),
    (libc::EBADF, "EBADF"),
    (libc::ENOMEM, "ENOMEM"),
    (libc::EACCES, "EACCES"),
    (libc::EFAULT, "EFAULT"),
    (libc::EBUSY, "EBUSY"),
    (libc::EEXIST, "EEXIST"),
    (libc::ENODEV, "ENODEV"),
    (libc::EINVAL, "EINVAL"),
    (libc::ENOTTY, "ENOTTY"),
    (libc::ENOSPC, "ENOSPC"),
    (libc::EOPNOTSUPP, "EOPNOTSUPP"),
    (libc::EMFILE, "EMFILE"),
    (libc::EADDRINUSE, "EADDRINUSE"),
    (libc::ETIME, "ETIME"),
    (ERESTARTSYS, "ERESTARTSYS"),
    // the kernel's own number for "not supported", which userspace should never see but does
    (524, "ENOTSUPP"),
];

/// The kernel's own number for "a signal came, do it again", which userspace sees if there was no signal.
pub const ERESTARTSYS: i32 = 512;

impl Errno {
    /// The error of the last system call of this thread.
    pub fn last() -> Self {
        Self(io::Error::last_os_error().raw_os_error().unwrap_or(0))
    }
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMES.iter().find(|(number, _)| *number == self.0) {
            Some((_, name)) => f.write_str(name),
            None => write!(f, "errno {}", self.0),
        }
    }
}

impl fmt::Debug for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<io::Error> for Errno {
    fn from(error: io::Error) -> Self {
        Self(error.raw_os_error().unwrap_or(libc::EIO))
    }
}
