// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The driver's tracepoints: what they say of one small program.

use amdgpu_uapi::kfd::event::event_type;
use guest_tests::buffer::Buffer;
use guest_tests::event::Events;
use guest_tests::gpu::Gpu;
use guest_tests::memory::Mapping;
use guest_tests::queue::{pm4, Kind, Queue};
use guest_tests::runner::{until, Case};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;

pub(crate) const CASES: &[Case] = &[("trace: events of a small program", small_program)];

const TRACING: &str = "/sys/kernel/tracing";

/// A trace of its own, gone when dropped.
struct Trace(PathBuf);

impl Trace {
    fn begin() -> Self {
        let instance = PathBuf::from(format!("{TRACING}/instances/abi-{}", std::process::id()));
        fs::create_dir(&instance).unwrap_or_else(|e| panic!("{}: {e}", instance.display()));
        let trace = Self(instance);
        trace.switch("1");
        trace
    }

    fn switch(&self, on: &str) {
        let file = self.0.join("events/kfd/enable");
        fs::write(&file, on).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    }

    /// The texts of the events so far: `NAME: FIELDS`.
    fn lines(&self) -> Vec<String> {
        let text = fs::read_to_string(self.0.join("trace")).unwrap();
        let event = |line: &str| line.find("kfd_").map(|at| line[at..].to_owned());
        text.lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(event)
            .collect()
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        self.switch("0");
        let _ = fs::remove_dir(&self.0);
    }
}

fn small_program() {
    let trace = Trace::begin();
    let gpu = Gpu::acquire().unwrap();
    let (events, _) = Events::new(&gpu).unwrap();
    let event = events.create(event_type::MEMORY, false).unwrap();
    let buffer = Buffer::vram(&gpu, 8192).unwrap();
    let user = Buffer::userptr(&gpu, 4096).unwrap();
    let queue = Queue::new(&gpu, Kind::Pm4).unwrap();
    let id = events.create(event_type::SIGNAL, false).unwrap();
    queue.submit(&pm4::release(events.slot(id), id));
    assert_eq!(events.wait_one(id, 20_000), Ok(0), "the event of the queue");
    // the process's memory goes away under the GPU
    let start = std::ptr::without_provenance_mut(user.address() as usize);
    // SAFETY: a page of our own, without anything of interest.
    assert_eq!(unsafe { libc::madvise(start, 4096, libc::MADV_DONTNEED) }, 0);
    until(|| trace.lines().iter().any(|line| line.ends_with(" restored")));
    queue.submit(&pm4::write(user.address(), 7));
    until(|| user.cpu().word(0).load(Relaxed) == 7);
    let nothing = Mapping::reserve(4096).unwrap();
    queue.submit(&pm4::write(nothing.address(), 1));
    assert_eq!(events.wait_one(event, 20_000), Ok(0), "the event of the fault");
    drop(queue);
    let (at, address) = (buffer.address(), nothing.address());
    drop(buffer);
    let lines = trace.lines();
    let range = format!(" va={at:#x} bytes=0x2000");
    for (name, text) in [
        (
            "kfd_alloc",
            format!("gpu_id={:#x} va={at:#x} bytes=0x2000 flags=", gpu.id()),
        ),
        ("kfd_map", range.clone()),
        ("kfd_unmap", range),
        ("kfd_flush", "pasid=".to_owned()),
        ("kfd_queue", " created".to_owned()),
        ("kfd_queue", " destroyed".to_owned()),
        ("kfd_run_list", "processes=1 queues=1 dwords=".to_owned()),
        ("kfd_interrupt", "source=181 ring=".to_owned()),
        ("kfd_evict", " stopped".to_owned()),
        ("kfd_evict", " restored".to_owned()),
        ("kfd_fault", format!(" va={address:#x} write status=")),
    ] {
        let start = format!("{name}: ");
        let found = lines
            .iter()
            .any(|line| line.starts_with(&start) && line.contains(&text));
        assert!(found, "no {start}{text:?} in {lines:#?}");
    }
    // nothing is reset here, but there is an event for it
    assert!(fs::exists(format!("{TRACING}/events/kfd/kfd_reset")).unwrap());
    // off again: no more lines
    trace.switch("0");
    let count = trace.lines().len();
    drop(Buffer::gtt(&gpu, 4096).unwrap());
    assert_eq!(trace.lines().len(), count, "an event that is off");
}
