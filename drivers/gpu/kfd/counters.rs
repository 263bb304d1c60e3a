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
    _counters: Pin<KBox<File<Arc<Kfd>>>>,
    _statistics: Pin<KBox<File<()>>>,
    _faults: Pin<KBox<File<Arc<Kfd>>>>,
    _dumps: [Pin<KBox<File<Arc<Kfd>>>>; 4],
    _last_errors: Pin<KBox<File<Arc<Kfd>>>>,
    _dir: Dir,
}

impl Debugfs {
    pub(super) fn new(kfd: &Arc<Kfd>) -> Result<Self> {
        let dir = Dir::new(c"kfd");
        let counters = dir.read_callback_file(c"counters", kfd.clone(), &show_counters);
        let counters = KBox::pin_init(counters, GFP_KERNEL)?;
        let statistics = KBox::pin_init(
            dir.read_callback_file(c"statistics", (), &show_statistics),
            GFP_KERNEL,
        )?;
        let faults = dir.read_callback_file(c"faults", kfd.clone(), &show_faults);
        let faults = KBox::pin_init(faults, GFP_KERNEL)?;
        let dumps = [
            KBox::pin_init(
                dir.read_callback_file(c"mqds", kfd.clone(), &dumps::mqds),
                GFP_KERNEL,
            )?,
            KBox::pin_init(
                dir.read_callback_file(c"hqds", kfd.clone(), &dumps::hqds),
                GFP_KERNEL,
            )?,
            KBox::pin_init(
                dir.read_callback_file(c"rls", kfd.clone(), &dumps::rls),
                GFP_KERNEL,
            )?,
            KBox::pin_init(
                dir.read_callback_file(c"mem_limit", kfd.clone(), &dumps::mem_limit),
                GFP_KERNEL,
            )?,
        ];
        let errors = dir.read_callback_file(c"last_errors", kfd.clone(), &show_errors);
        let errors = KBox::pin_init(errors, GFP_KERNEL)?;
        Ok(Self {
            _counters: counters,
            _statistics: statistics,
            _faults: faults,
            _dumps: dumps,
            _last_errors: errors,
            _dir: dir,
        })
    }
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
