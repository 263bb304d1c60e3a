// SPDX-License-Identifier: GPL-2.0
//! Why an ioctl of `/dev/kfd` or of a node in `/dev/dri` fails, and the line that says so in the log.

use crate::glue::{machine, task::Comm};
use amdgpu_logic::{
    kfd::Refusal,
    rate::{Admission, RateLimit},
};
use kernel::{alloc::AllocError, fmt, new_mutex, prelude::*, sync::Mutex};

/// Why an ioctl fails.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Failure {
    /// An argument is refused.
    Refused(Refusal),
    /// Something does not work, or is not there; in words, if there are any.
    Failed(Error, &'static str),
}

impl Failure {
    /// For the caller.
    pub(crate) fn error(&self) -> Error {
        match self {
            Self::Refused(refusal) => Error::from_errno((refusal.errno as i32).wrapping_neg()),
            Self::Failed(error, _) => *error,
        }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Failed(error, "")
    }
}

impl From<AllocError> for Failure {
    fn from(error: AllocError) -> Self {
        Error::from(error).into()
    }
}

impl From<core::num::TryFromIntError> for Failure {
    fn from(error: core::num::TryFromIntError) -> Self {
        Error::from(error).into()
    }
}

/// Something is not as it should be, in words.
pub(crate) trait Explain<T> {
    /// Adds `words` to an error that has none.
    fn explain(self, words: &'static str) -> Result<T, Failure>;

    /// Adds the words that `causes` have for the error. Others stay without.
    fn explain_by(self, causes: &[(Error, &'static str)]) -> Result<T, Failure>;
}

impl<T> Explain<T> for Result<T> {
    fn explain(self, words: &'static str) -> Result<T, Failure> {
        self.map_err(|error| Failure::Failed(error, words))
    }

    fn explain_by(self, causes: &[(Error, &'static str)]) -> Result<T, Failure> {
        self.map_err(|error| {
            let cause = causes.iter().find(|(known, _)| *known == error);
            Failure::Failed(error, cause.map_or("", |(_, words)| *words))
        })
    }
}

/// A failure in words.
struct Words<'a>(&'a Failure);

impl fmt::Display for Words<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let error = self.0.error();
        match self.0 {
            Failure::Refused(refusal) => {
                write!(f, "refused ({error:?}): ")?;
                core::fmt::Display::fmt(refusal, f)
            }
            Failure::Failed(_, "") => write!(f, "failed ({error:?})"),
            Failure::Failed(_, words) => write!(f, "failed ({error:?}): {words}"),
        }
    }
}

/// Lines for failures of one process or file: at most ten in a second, so that nobody can flood the log.
#[pin_data]
pub(crate) struct Complaints {
    /// How the lines begin.
    room: &'static str,
    #[pin]
    limit: Mutex<RateLimit>,
    #[pin]
    last: Mutex<Option<Last>>,
}

/// A request that failed.
#[derive(Clone, Copy)]
struct Last {
    comm: Comm,
    /// Number of the process that called, which is not the one the file belongs to if that is what is wrong.
    pid: i32,
    name: &'static str,
    failure: Failure,
}

impl fmt::Display for Last {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            comm,
            pid,
            name,
            failure,
        } = self;
        f.write_fmt(fmt!("{comm}[{pid}]: {name} {}", Words(failure)))
    }
}

impl Complaints {
    /// None yet; lines begin with `room`.
    pub(crate) fn new(room: &'static str) -> impl PinInit<Self> {
        pin_init!(Self {
            room,
            limit <- new_mutex!(RateLimit::new(1000, 10), "complaints"),
            last <- new_mutex!(None, "last error"),
        })
    }

    /// Notes that the request `name` of the current task failed. False for signals: those are no failures.
    pub(crate) fn note(&self, name: &'static str, failure: &Failure) -> bool {
        let error = failure.error();
        if error == ERESTARTSYS || error == EINTR {
            return false;
        }
        let last = Last {
            comm: Comm::current(),
            pid: kernel::current!().group_leader().pid(),
            name,
            failure: *failure,
        };
        *self.last.lock() = Some(last);
        let admission = self.limit.lock().admit(machine::raw_ns() / 1_000_000);
        let Admission::Go { missed } = admission else {
            return true;
        };
        let room = self.room;
        if missed > 0 {
            pr_warn!(
                "{room}: {}[{}]: {missed} more failed calls\n",
                last.comm,
                last.pid
            );
        }
        pr_warn!("{room}: {last}\n");
        true
    }

    /// Writes the last failure, if there was one.
    pub(crate) fn show_last(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self.last.lock() {
            Some(last) => out.write_fmt(fmt!("{}: {last}\n", self.room)),
            None => Ok(()),
        }
    }
}
