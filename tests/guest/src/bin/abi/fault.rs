// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Page faults of the GPU: what the process is told, what the log says, and that others go on.

use amdgpu_uapi::kfd::event::{event_type, memory_error, wait_result, MemoryExceptionData};
use amdgpu_uapi::kfd::memory::alloc_flags as flag;
use guest_tests::buffer::{allocate, free, map, unmap, Buffer};
use guest_tests::child::Child;
use guest_tests::event::{wait, wanted, Events};
use guest_tests::gpu::Gpu;
use guest_tests::log::Log;
use guest_tests::memory::Mapping;
use guest_tests::queue::{pm4, sdma, Kind, Queue};
use guest_tests::record::recording;
use guest_tests::runner::{until, Case};
use std::fs;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

pub(crate) const CASES: &[Case] = &[
    ("fault: a compute queue writes where nothing is", || {
        unmapped(Kind::Pm4)
    }),
    ("fault: an SDMA queue writes where nothing is", || {
        unmapped(Kind::Sdma)
    }),
    ("fault: a queue writes what it may only read", read_only),
    ("fault: a queue writes what was freed", freed),
    ("fault: a queue writes behind a buffer", || beside(4096)),
    ("fault: a queue writes before a buffer", || beside(-4)),
    ("fault: other processes go on", others_go_on),
];

/// Writes a word by a queue of its kind.
fn write(queue: &Queue<'_>, kind: Kind, address: u64) {
    match kind {
        Kind::Pm4 => queue.submit(&pm4::write(address, 1)),
        _ => queue.submit(&sdma::fence(address, 1)),
    }
}

/// Waits until the process is told of a fault of a write to `address`, and checks what it is told. Yields what the log
/// says, which must be what debugfs says; it is empty while recording.
fn told(gpu: &Gpu, event: u32, log: &mut Log, address: u64, not_present: bool) -> Record {
    let mut data = [wanted(event, 0)];
    let result = wait(gpu, &mut data, false, 20_000);
    assert_eq!(result, Ok(wait_result::COMPLETE), "nobody tells of the fault");
    let MemoryExceptionData {
        failure,
        va,
        gpu_id,
        error_type,
    } = data[0].payload.memory_exception_data();
    assert_eq!(va, address & !4095, "faults are told by page");
    assert_eq!((gpu_id, error_type), (gpu.id(), memory_error::NO_RAS));
    assert_eq!(failure.not_present, u32::from(not_present), "{failure:?}");
    assert!(not_present || failure.read_only == 1, "{failure:?}");
    assert_eq!((failure.no_execute, failure.imprecise), (0, 0), "{failure:?}");
    // the process is told after the log is, and before its queues are stopped
    std::thread::sleep(Duration::from_millis(100));
    if recording() {
        return Record(Vec::new());
    }
    let fault = Record::of_this_process(&log.lines());
    let kept = fs::read_to_string(FAULTS).expect(FAULTS);
    let kept = Record::of_this_process(&kept.lines().map(str::to_owned).collect::<Vec<_>>());
    assert_eq!(fault.0, kept.0, "the log and debugfs differ");
    fault.field("process", &format!(" on GPU {gpu_id:#x}, PASID 0x"));
    fault.field("process", ", VMID ");
    fault.field("address", &format!("{va:#x}, write by "));
    fault.field("queues", "stopped for good");
    fault
}

/// Where the driver keeps the last page faults.
const FAULTS: &str = "/sys/kernel/debug/kfd/faults";

/// The lines about a page fault.
struct Record(Vec<String>);

impl Record {
    /// The one about this process, out of lines of the log or of debugfs.
    fn of_this_process(lines: &[String]) -> Self {
        let lines: Vec<&str> = lines
            .iter()
            .filter_map(|line| line.find("page fault ").map(|at| &line[at..]))
            .collect();
        let number = |line: &str| line.split(": ").next().unwrap_or_default().to_owned();
        let pid = format!("[{}] on GPU ", std::process::id());
        let ours: Vec<&&str> = lines.iter().filter(|line| line.contains(&pid)).collect();
        assert_eq!(ours.len(), 1, "a record of {pid:?} in {lines:#?}");
        let ours = number(ours[0]);
        let of = lines.iter().filter(|line| number(line) == ours);
        Self(of.map(|line| line[ours.len() + 2..].to_owned()).collect())
    }

    /// Checks that there is one line with a field, and that it holds `text`.
    #[track_caller]
    fn field(&self, name: &str, text: &str) {
        let start = format!("{name}: ");
        let lines: Vec<&String> = self.0.iter().filter(|line| line.starts_with(&start)).collect();
        assert_eq!(lines.len(), 1, "lines with {name:?} in {:#?}", self.0);
        assert!(lines[0].contains(text), "no {text:?} in {:?}", lines[0]);
    }
}

fn unmapped(kind: Kind) {
    let gpu = Gpu::acquire().unwrap();
    let (events, _) = Events::new(&gpu).unwrap();
    let event = events.create(event_type::MEMORY, false).unwrap();
    let nothing = Mapping::reserve(1 << 20).unwrap();
    let queue = Queue::new(&gpu, kind).unwrap();
    let other = Queue::new(&gpu, Kind::Sdma).unwrap();
    let buffer = Buffer::gtt(&gpu, 4096).unwrap();
    let address = nothing.address() + 0x5010;
    let mut log = Log::from_now();
    write(&queue, kind, address);
    let fault = told(&gpu, event, &mut log, address, true);
    if !recording() {
        fault.field(
            "address",
            match kind {
                Kind::Pm4 => " CPC (gfxhub ",
                _ => " SDMA",
            },
        );
        fault.field("cause", "nothing is mapped there; status 0x");
        fault.field("cause", "missing: valid write");
        fault.field("mapped", "nothing");
        fault.field("freed", "nothing known");
        let word = if kind == Kind::Pm4 { "PM4" } else { "SDMA" };
        fault.field(
            "queues",
            &format!("2 ({} {word}, {} SDMA)", queue.id(), other.id()),
        );
    }
    // all queues of the process are stopped, whatever they do
    other.submit(&sdma::fence(buffer.address(), 1));
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(
        buffer.cpu().word(0).load(Relaxed),
        0,
        "a queue of a process that faulted ran"
    );
}

fn read_only() {
    let gpu = Gpu::acquire().unwrap();
    let (events, _) = Events::new(&gpu).unwrap();
    let event = events.create(event_type::MEMORY, false).unwrap();
    let at = Mapping::reserve(4096).unwrap();
    let buffer = allocate(&gpu, at.address(), 4096, 0, flag::VRAM).unwrap();
    map(&gpu, buffer.handle).unwrap();
    let queue = Queue::new(&gpu, Kind::Pm4).unwrap();
    let mut log = Log::from_now();
    queue.submit(&pm4::write(at.address(), 1));
    let fault = told(&gpu, event, &mut log, at.address(), false);
    if !recording() {
        let place = format!("VRAM {:#x}..{:#x}", at.address(), at.address() + 4096);
        fault.field("cause", "it may not be written; status 0x");
        fault.field("cause", "missing: write");
        fault.field("mapped", &format!("{place}, may: read"));
        assert!(!fault
            .0
            .iter()
            .any(|line| line.starts_with("mapped: ") && line.contains("write")));
        fault.field("nearest", &format!("{place}, covers the address"));
    }
    drop(queue);
    unmap(&gpu, buffer.handle).unwrap();
    free(&gpu, buffer.handle).unwrap();
}

/// A buffer, with room around it where nothing is: reserved addresses, its handle, and its address.
fn alone(gpu: &Gpu) -> (Mapping, u64, u64) {
    let room = Mapping::reserve(16 << 20).unwrap();
    let at = room.address() + (8 << 20);
    let flags = flag::VRAM | flag::WRITABLE;
    let buffer = allocate(gpu, at, 4096, 0, flags).unwrap();
    map(gpu, buffer.handle).unwrap();
    (room, buffer.handle, at)
}

fn freed() {
    let gpu = Gpu::acquire().unwrap();
    let (events, _) = Events::new(&gpu).unwrap();
    let event = events.create(event_type::MEMORY, false).unwrap();
    let (_room, handle, at) = alone(&gpu);
    let (_other_room, other, _) = alone(&gpu);
    let queue = Queue::new(&gpu, Kind::Pm4).unwrap();
    unmap(&gpu, handle).unwrap();
    free(&gpu, handle).unwrap();
    // a later one elsewhere must not be taken for it
    unmap(&gpu, other).unwrap();
    let mut log = Log::from_now();
    queue.submit(&pm4::write(at + 8, 1));
    let fault = told(&gpu, event, &mut log, at + 8, true);
    if !recording() {
        let place = format!("VRAM {at:#x}..{:#x}, unmapped ", at + 4096);
        fault.field("cause", "nothing is mapped there");
        fault.field("freed", &place);
        fault.field("freed", " ms ago, freed since");
    }
    free(&gpu, other).unwrap();
}

/// Writes `offset` bytes from the start of a buffer of a page.
fn beside(offset: i64) {
    let gpu = Gpu::acquire().unwrap();
    let (events, _) = Events::new(&gpu).unwrap();
    let event = events.create(event_type::MEMORY, false).unwrap();
    let (_room, handle, at) = alone(&gpu);
    let queue = Queue::new(&gpu, Kind::Pm4).unwrap();
    let address = at.checked_add_signed(offset).unwrap();
    let mut log = Log::from_now();
    queue.submit(&pm4::write(address, 1));
    let fault = told(&gpu, event, &mut log, address, true);
    if !recording() {
        let side = if offset < 0 { "begins" } else { "ends" };
        let place = format!("VRAM {at:#x}..{:#x}, {side} at the faulting page", at + 4096);
        fault.field("mapped", "nothing");
        fault.field("nearest", &place);
        fault.field("freed", "nothing known");
    }
    drop(queue);
    unmap(&gpu, handle).unwrap();
    free(&gpu, handle).unwrap();
}

fn others_go_on() {
    let gpu = Gpu::acquire().unwrap();
    let queue = Queue::new(&gpu, Kind::Pm4).unwrap();
    let buffer = Buffer::gtt(&gpu, 4096).unwrap();
    let nothing = Mapping::reserve(4096).unwrap();
    let child = Child::run(|| {
        let gpu = Gpu::acquire().unwrap();
        let (events, _) = Events::new(&gpu).unwrap();
        let event = events.create(event_type::MEMORY, false).unwrap();
        let queue = Queue::new(&gpu, Kind::Pm4).unwrap();
        let mut log = Log::from_now();
        queue.submit(&pm4::write(nothing.address(), 1));
        told(&gpu, event, &mut log, nothing.address(), true);
    });
    let mut value = 0;
    let status = loop {
        if let Some(status) = child.ended() {
            break status;
        }
        value += 1;
        queue.submit(&pm4::write(buffer.address(), value));
        until(|| buffer.cpu().word(0).load(Relaxed) == value);
    };
    assert_eq!(status, 0, "the other process was not told of its fault");
    queue.submit(&pm4::write(buffer.address(), value + 1));
    until(|| buffer.cpu().word(0).load(Relaxed) == value + 1);
}
