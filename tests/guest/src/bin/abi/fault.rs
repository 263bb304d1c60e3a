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
    ("fault: other processes go on", others_go_on),
];

/// Writes a word by a queue of its kind.
fn write(queue: &Queue<'_>, kind: Kind, address: u64) {
    match kind {
        Kind::Pm4 => queue.submit(&pm4::write(address, 1)),
        _ => queue.submit(&sdma::fence(address, 1)),
    }
}

/// Waits until the process is told of a fault of a write to `address`, and checks what it is told and the log.
fn told(gpu: &Gpu, event: u32, log: &mut Log, address: u64, not_present: bool) {
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
    // the process may be told before the log is, and before its queues are stopped
    std::thread::sleep(Duration::from_millis(100));
    if recording() {
        return;
    }
    let lines = log.lines();
    let process = format!(
        "process {} on GPU {gpu_id:#x}: page fault, write at {va:#x}",
        std::process::id()
    );
    let count = lines.iter().filter(|line| line.contains(&process)).count();
    assert_eq!(count, 1, "{process:?} in {lines:#?}");
    let place = format!("write at {va:#x}");
    let hardware = |line: &&String| {
        ["page fault of VMID ", "PASID 0x", &place]
            .iter()
            .all(|part| line.contains(part))
    };
    assert_eq!(
        lines.iter().filter(hardware).count(),
        1,
        "VMID, PASID, address in {lines:#?}"
    );
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
    told(&gpu, event, &mut log, address, true);
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
    told(&gpu, event, &mut log, at.address(), false);
    drop(queue);
    unmap(&gpu, buffer.handle).unwrap();
    free(&gpu, buffer.handle).unwrap();
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
