// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Child processes of a case, which begin with all that it has.

use crate::record;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::Duration;

/// A child that was not waited for yet.
pub struct Child(libc::pid_t);

impl Child {
    /// Runs `work` in a child, which ends with status 0 unless `work` panics.
    pub fn run(work: impl FnOnce()) -> Self {
        // SAFETY: a case has one thread when it forks, so the child can do whatever the parent could.
        let child = unsafe { libc::fork() };
        assert!(child >= 0);
        if child == 0 {
            record::in_child();
            let outcome = catch_unwind(AssertUnwindSafe(work));
            // SAFETY: ends the child without running anything of the parent's.
            unsafe { libc::_exit(i32::from(outcome.is_err())) };
        }
        Self(child)
    }

    /// A child in which `work`, which does not end by itself, has begun, as it says by what it is given.
    #[track_caller]
    pub fn begun(work: impl FnOnce(&dyn Fn())) -> Self {
        let (mut begun, begin) = UnixStream::pair().unwrap();
        let child = Self::run(|| work(&|| (&begin).write_all(b"!").unwrap()));
        drop(begin);
        let heard = begun.read_exact(&mut [0]);
        heard.expect("the child failed before it began");
        child
    }

    /// Its number.
    pub fn pid(&self) -> i32 {
        self.0
    }

    /// Waits for its end; its status as `waitpid` has it.
    pub fn wait(self) -> i32 {
        self.status(0).unwrap_or(-1)
    }

    /// Its status if it has ended.
    pub fn ended(&self) -> Option<i32> {
        self.status(libc::WNOHANG)
    }

    /// Kills it; whether that is what ended it.
    pub fn kill(self) -> bool {
        // SAFETY: our own child, which was not waited for yet.
        unsafe { libc::kill(self.0, libc::SIGKILL) };
        libc::WTERMSIG(self.wait()) == libc::SIGKILL
    }

    fn status(&self, options: i32) -> Option<i32> {
        let mut status = 0;
        // SAFETY: our own child.
        match unsafe { libc::waitpid(self.0, &mut status, options) } {
            0 => None,
            pid => {
                assert_eq!(pid, self.0);
                Some(status)
            }
        }
    }
}

/// What a child does that is to be killed.
pub fn for_ever() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(1));
    }
}
