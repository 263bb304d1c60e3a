// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Calls that must be refused: with the right errno, one line in the kernel log that says why, and nothing changed.

use crate::counters;
use crate::errno::Errno;
use crate::log::Log;
use crate::record;
use amdgpu_uapi::drm;
use amdgpu_uapi::ioctl;
use amdgpu_uapi::kfd::request;
use std::fmt::Debug;
use std::sync::Mutex;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Lines that the driver writes about the failures of a process within [`PERIOD`].
const BURST: u32 = 10;
/// When it has written those, it counts failures only until this time is over.
const PERIOD: Duration = Duration::from_millis(1000);

/// The nodes that say why their calls fail, each with its own count.
#[derive(Clone, Copy)]
pub(crate) enum Side {
    /// `/dev/kfd`
    Kfd,
    /// The render node.
    Drm,
}

/// What this process has failed with.
struct Failures {
    /// Lines in this period, by side.
    lines: [u32; 2],
    /// When the period began, at the latest, by side.
    since: [Option<Instant>; 2],
    /// Name of the last request.
    last: &'static str,
}

static FAILURES: Mutex<Failures> = Mutex::new(Failures {
    lines: [0; 2],
    since: [None; 2],
    last: "",
});

/// Does a call when the driver will write a line if it fails.
pub(crate) fn paced<T>(
    side: Side,
    name: &'static str,
    call: impl FnOnce() -> Result<T, Errno>,
) -> Result<T, Errno> {
    if record::recording() {
        return call();
    }
    let wait = {
        let mut failures = FAILURES.lock().unwrap();
        failures.last = name;
        match failures.since[side as usize] {
            Some(since) if failures.lines[side as usize] >= BURST => {
                (since + PERIOD).saturating_duration_since(Instant::now())
            }
            _ => Duration::ZERO,
        }
    };
    if !wait.is_zero() {
        sleep(wait + Duration::from_millis(20));
    }
    let result = call();
    if matches!(&result, Err(error) if error.0 != libc::EINTR) {
        let Failures { lines, since, .. } = &mut *FAILURES.lock().unwrap();
        let (lines, since) = (&mut lines[side as usize], &mut since[side as usize]);
        if since.is_none_or(|since| since.elapsed() > PERIOD) || *lines >= BURST {
            *since = Some(Instant::now());
            *lines = 0;
        }
        *lines += 1;
    }
    result
}

/// Does a request with a number as [`paced`] does.
pub(crate) fn paced_request<T>(cmd: u32, call: impl FnOnce() -> Result<T, Errno>) -> Result<T, Errno> {
    let (side, table) = match ioctl::ty(cmd) {
        drm::IOCTL_BASE => (Side::Drm, drm::amdgpu_request::TABLE),
        _ => (Side::Kfd, request::TABLE),
    };
    let known = table.iter().find(|known| ioctl::nr(known.cmd) == ioctl::nr(cmd));
    paced(side, known.map_or("", |known| known.name), call)
}

/// Panics unless `call` fails with `expected` and the log gets one line that tells which request of this process
/// failed, with which errno, and `why`, while nothing that the driver counts changes. `text` is the call in words.
#[track_caller]
pub fn check<T: Debug>(text: &str, expected: Errno, why: &str, call: impl FnOnce() -> Result<T, Errno>) {
    if record::recording() {
        let _ = call();
        return;
    }
    let before = counters::read().unwrap();
    let mut log = Log::from_now();
    let result = call();
    let lines = log.lines();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match result {
        Err(errno) if errno == expected => {}
        other => panic!("{text}: got {other:?}, expected {expected}"),
    }
    let name = FAILURES.lock().unwrap().last;
    let [line] = lines.as_slice() else {
        panic!("{text}: one line was expected in the log, not {lines:#?}");
    };
    let who = format!("[{}]: ", std::process::id());
    // kernels may be built without the names of error numbers
    let errno = [format!("({expected})"), format!("(Error({}))", expected.0)];
    let errno = errno
        .iter()
        .find(|text| line.contains(*text))
        .unwrap_or(&errno[0]);
    for part in [who.as_str(), name, errno, why] {
        assert!(
            line.contains(part),
            "{text}: no {part:?} in the log's line {line:?}"
        );
    }
    if let Err(changed) = counters::settle(&before) {
        panic!("{text}: {changed}");
    }
}

/// Fails the case unless a call gave the errno that is expected, one line in the log with this text, and nothing else.
#[macro_export]
macro_rules! refused {
    ($call:expr, $errno:ident, $why:expr) => {
        $crate::refusal::check(
            stringify!($call),
            $crate::errno::Errno(libc::$errno),
            $why,
            || $call,
        )
    };
}
