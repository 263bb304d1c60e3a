// SPDX-License-Identifier: GPL-2.0
//! Facts about the calling task that the kernel crate does not offer.
use super::bindings::{self as b, shim};
use kernel::{
    fmt,
    str::{BStr, CStr},
};

/// The name of a task, as `ps` shows it.
#[derive(Clone, Copy)]
pub(crate) struct Comm([u8; b::TASK_COMM_LEN as usize]);

impl Comm {
    /// That of the current task.
    pub(crate) fn current() -> Self {
        let mut name = Self([0; b::TASK_COMM_LEN as usize]);
        // SAFETY: the array has the length that the function fills.
        unsafe { shim::current_comm(name.0.as_mut_ptr()) };
        name
    }

    /// Its bytes, 0 behind the last.
    pub(crate) fn bytes(&self) -> [u8; b::TASK_COMM_LEN as usize] {
        self.0
    }
}

impl fmt::Display for Comm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = CStr::from_bytes_until_nul(&self.0).map_or(&self.0[..], CStr::to_bytes);
        // escapes what is not printable: anyone may choose the name
        fmt::Display::fmt(BStr::from_bytes(name), f)
    }
}

/// Whether the current system call is one of a 32-bit program.
pub(crate) fn is_compat() -> bool {
    // SAFETY: a plain call.
    unsafe { shim::in_compat_syscall() }
}

/// A capability of the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Capability {
    /// Administration.
    SysAdmin = b::CAP_SYS_ADMIN,
    /// Checkpoint and restore.
    CheckpointRestore = b::CAP_CHECKPOINT_RESTORE,
}

/// Whether the current task has a capability. Noted by the security module and audit.
pub(crate) fn capable(what: Capability) -> bool {
    // SAFETY: a plain call.
    unsafe { b::capable(what as i32) }
}

/// Whether there is a process or thread with that number, as the current task counts them.
pub(crate) fn exists(pid: u32) -> bool {
    let Ok(pid) = i32::try_from(pid) else { return false };
    // SAFETY: plain calls; the reference that the first takes is given back by the second, which takes null as well.
    unsafe {
        let found = b::find_get_pid(pid);
        b::put_pid(found);
        !found.is_null()
    }
}
