// SPDX-License-Identifier: GPL-2.0
//! What there is and what has happened, in `/sys/kernel/debug/kfd`.
//!
//! | file | for |
//! |---|---|
//! | `counters` | things that exist: back where it was when a process has gone, or something leaks |
//! | `statistics` | things that happened since the module was loaded |
//! | `faults` | the last page faults of each GPU, as the log has them |
//! | `mqds`, `hqds`, `rls`, `mem_limit` | what the C driver has under these names, see `dumps` |
//! | `last_errors` | the last request that failed, of each process |

use super::{dumps, service::Kfd};
use crate::glue::ttm::Domain;
use core::sync::atomic::{AtomicU64, Ordering};
use kernel::{
    debugfs::{Dir, File},
    fmt,
    prelude::*,
    str::CStr,
    sync::Arc,
};

/// How many things of a kind exist.
pub(super) struct Live {
    name: &'static str,
    count: AtomicU64,
}

/// One thing of a kind; counted as long as this lives.
pub(super) struct Alive(&'static Live);

impl Live {
    const fn new(name: &'static str) -> Self {
        Self {
            name,
            count: AtomicU64::new(0),
        }
    }

    /// One more.
    pub(super) fn one(&'static self) -> Alive {
        self.count.fetch_add(1, Ordering::Relaxed);
        Alive(self)
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.count.fetch_sub(1, Ordering::Relaxed);
    }
}

pub(super) static PROCESSES: Live = Live::new("processes");
pub(super) static ADDRESS_SPACES: Live = Live::new("address_spaces");
pub(super) static BUFFERS: Live = Live::new("buffers");
pub(super) static DOORBELLS: Live = Live::new("doorbell_slices");
pub(super) static QUEUES: Live = Live::new("queues");
pub(super) static EVENTS: Live = Live::new("events");
pub(super) static EVENT_PAGES: Live = Live::new("event_pages");
pub(super) static WAITERS: Live = Live::new("waiters");

static LIVE: [&Live; 8] = [
    &PROCESSES,
    &ADDRESS_SPACES,
    &BUFFERS,
    &DOORBELLS,
    &QUEUES,
    &EVENTS,
    &EVENT_PAGES,
    &WAITERS,
];

/// How often something has happened.
pub(super) struct Happened {
    name: &'static str,
    count: AtomicU64,
}

impl Happened {
    const fn new(name: &'static str) -> Self {
        Self {
            name,
            count: AtomicU64::new(0),
        }
    }

    /// Once more.
    pub(super) fn again(&self) {
        self.count.fetch_add(1, Ordering::Relaxed);
    }
}

pub(super) static EVENT_INTERRUPTS: Happened = Happened::new("event_interrupts");
pub(super) static EVENTS_RAISED: Happened = Happened::new("events_raised");
pub(super) static SLOT_SCANS: Happened = Happened::new("slot_scans");
pub(super) static PAGE_FAULTS: Happened = Happened::new("page_faults");
pub(super) static STOPS: Happened = Happened::new("stops_for_memory");
pub(super) static RESTARTS: Happened = Happened::new("restarts");
pub(super) static FAILED_CALLS: Happened = Happened::new("failed_calls");

static HAPPENED: [&Happened; 7] = [
    &EVENT_INTERRUPTS,
    &EVENTS_RAISED,
    &SLOT_SCANS,
    &PAGE_FAULTS,
    &STOPS,
    &RESTARTS,
    &FAILED_CALLS,
];

/// The files. Dropped before the module goes.
pub(super) struct Debugfs {
    _statistics: Pin<KBox<File<()>>>,
    _of_kfd: [Pin<KBox<File<Arc<Kfd>>>>; 7],
    _dir: Dir,
}

impl Debugfs {
    pub(super) fn new(kfd: &Arc<Kfd>) -> Result<Self> {
        let dir = Dir::new(c"kfd");
        let statistics = dir.read_callback_file(c"statistics", (), &show_statistics);
        let of_kfd = [
            file(&dir, kfd, c"counters", &show_counters)?,
            file(&dir, kfd, c"faults", &show_faults)?,
            file(&dir, kfd, c"mqds", &dumps::mqds)?,
            file(&dir, kfd, c"hqds", &dumps::hqds)?,
            file(&dir, kfd, c"rls", &dumps::rls)?,
            file(&dir, kfd, c"mem_limit", &dumps::mem_limit)?,
            file(&dir, kfd, c"last_errors", &show_errors)?,
        ];
        Ok(Self {
            _statistics: KBox::pin_init(statistics, GFP_KERNEL)?,
            _of_kfd: of_kfd,
            _dir: dir,
        })
    }
}

/// A file with what `show` writes of all processes and GPUs.
fn file<F>(dir: &Dir, kfd: &Arc<Kfd>, name: &CStr, show: &'static F) -> Result<Pin<KBox<File<Arc<Kfd>>>>>
where
    F: Fn(&Arc<Kfd>, &mut fmt::Formatter<'_>) -> fmt::Result + Send + Sync,
{
    KBox::pin_init(dir.read_callback_file(name, kfd.clone(), show), GFP_KERNEL)
}

fn show_counters(kfd: &Arc<Kfd>, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    for live in LIVE {
        writeln!(out, "{} {}", live.name, live.count.load(Ordering::Relaxed))?;
    }
    for node in kfd.nodes().lock().iter() {
        let Ok(gpu) = node.device().enter() else { continue };
        for (name, domain) in [("vram", Domain::Vram), ("gtt", Domain::Gtt)] {
            let used = gpu.memory().usage(domain).used;
            writeln!(out, "{name}_used_{:#x} {used}", node.gpu_id())?;
        }
    }
    Ok(())
}

fn show_statistics(_: &(), out: &mut fmt::Formatter<'_>) -> fmt::Result {
    HAPPENED.iter().try_for_each(|happened| {
        writeln!(
            out,
            "{} {}",
            happened.name,
            happened.count.load(Ordering::Relaxed)
        )
    })
}

fn show_faults(kfd: &Arc<Kfd>, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    let nodes = kfd.nodes().lock();
    nodes.iter().try_for_each(|node| node.faults().show(out))
}

fn show_errors(kfd: &Arc<Kfd>, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut result = Ok(());
    kfd.for_each_process(|process| {
        if result.is_ok() {
            result = process.show_last_error(out);
        }
    });
    result
}

#[kunit_tests(amdgpu_kfd_counters)]
mod tests {
    use super::*;

    #[test]
    fn things_are_counted_as_long_as_they_live() {
        static THINGS: Live = Live::new("things");
        let count = || THINGS.count.load(Ordering::Relaxed);
        let (a, b) = (THINGS.one(), THINGS.one());
        assert_eq!(count(), 2);
        drop(a);
        assert_eq!(count(), 1);
        drop(b);
        assert_eq!(count(), 0);
    }
}
