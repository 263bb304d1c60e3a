// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One call that meets its n-th failure.

use crate::source::Source;
use guest_tests::errno::Errno;
use std::cell::Cell;
use std::fmt::Debug;

/// Where in a call the failure is to come, and what it came to.
pub(crate) struct Shot {
    source: Source,
    nth: u32,
    come: Cell<bool>,
    failed: Cell<bool>,
}

/// What a shot came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The call has fewer places where it may fail.
    Missed = 3,
    /// The call failed.
    Failed = 4,
    /// The failure came, and the call succeeded all the same.
    Coped = 5,
}

impl Shot {
    /// The failure number `nth`, none for 0.
    pub(crate) fn new(source: Source, nth: u32) -> Self {
        Self {
            source,
            nth,
            come: Cell::new(false),
            failed: Cell::new(false),
        }
    }

    /// Does the call with the failure ahead. It may fail with one of `errnos`, and only if the failure comes.
    pub(crate) fn take<T>(
        &self,
        errnos: &[i32],
        call: impl FnOnce() -> Result<T, Errno>,
    ) -> Result<T, Errno> {
        let armed = self.source.arm(self.nth);
        let result = call();
        let come = armed.disarm() && self.nth != 0;
        self.come.set(come);
        self.failed.set(result.is_err());
        if let Err(errno) = &result {
            assert!(come, "it fails with {errno} though nothing was made to fail");
            assert!(errnos.contains(&errno.0), "it fails with {errno}");
        }
        result
    }

    /// [`Self::take`] of a call that succeeds the second time if it failed.
    pub(crate) fn again<T>(&self, errnos: &[i32], call: impl Fn() -> Result<T, Errno>) -> T {
        self.take(errnos, &call)
            .or_else(|errno| call().map_err(|second| format!("after {errno} it fails again, with {second}")))
            .unwrap()
    }

    /// [`Self::take`] of a call that ends something: if it failed, it succeeds the second time, or fails with `gone` if
    /// the thing was ended all the same.
    pub(crate) fn end<T: Debug>(&self, errnos: &[i32], gone: i32, call: impl Fn() -> Result<T, Errno>) {
        if let Err(errno) = self.take(errnos, &call) {
            match call() {
                Ok(_) => {}
                Err(second) if second.0 == gone => {}
                Err(second) => panic!("after {errno} it fails again, with {second}"),
            }
        }
    }

    /// Whether memory that the kernel refused was not needed.
    pub(crate) fn lacked_memory_and_coped(&self) -> bool {
        self.source == Source::Kernel && self.outcome() == Outcome::Coped
    }

    /// What it came to.
    pub(crate) fn outcome(&self) -> Outcome {
        match (self.come.get(), self.failed.get()) {
            (false, _) => Outcome::Missed,
            (true, true) => Outcome::Failed,
            (true, false) => Outcome::Coped,
        }
    }
}
