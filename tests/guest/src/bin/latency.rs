// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `guest-latency`: how long calls take, a line each: name, median and 99th percentile in microseconds.

use amdgpu_uapi::kfd::event::event_type;
use amdgpu_uapi::kfd::memory::alloc_flags as flag;
use guest_tests::buffer::{allocate, free, map, unmap, ORDINARY};
use guest_tests::errno::Errno;
use guest_tests::event::{set, Events};
use guest_tests::gpu::Gpu;
use guest_tests::memory::Mapping;
use guest_tests::queue::{destroy, Kind, Parts};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How often each call is made.
const ROUNDS: usize = 100;

fn main() -> Result<(), Errno> {
    let gpu = Gpu::acquire()?;
    for (name, len) in [("4 KiB", 4 << 10), ("2 MiB", 2 << 20), ("64 MiB", 64 << 20)] {
        memory(&gpu, name, len)?;
    }
    for (name, kind) in [("PM4", Kind::Pm4), ("AQL", Kind::Aql), ("SDMA", Kind::Sdma)] {
        queue(&gpu, name, kind)?;
    }
    event(&gpu)?;
    register(&gpu)
}

/// What one call took.
fn timed<T>(times: &mut Vec<Duration>, call: impl FnOnce() -> Result<T, Errno>) -> Result<T, Errno> {
    let start = Instant::now();
    let result = call()?;
    times.push(start.elapsed());
    Ok(result)
}

fn show(name: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let part = |percent: usize| {
        times
            .get(times.len() * percent / 100)
            .map_or(0, Duration::as_micros)
    };
    println!("{name:40} median {} us, p99 {} us", part(50), part(99));
}

fn memory(gpu: &Gpu, name: &str, len: usize) -> Result<(), Errno> {
    let va = Mapping::reserve(len)?;
    let [mut allocs, mut maps, mut unmaps, mut frees] = [const { Vec::new() }; 4];
    for _ in 0..ROUNDS {
        let flags = flag::VRAM | flag::PUBLIC | ORDINARY;
        let made = timed(&mut allocs, || allocate(gpu, va.address(), len as u64, 0, flags))?;
        timed(&mut maps, || map(gpu, made.handle))?;
        timed(&mut unmaps, || unmap(gpu, made.handle))?;
        timed(&mut frees, || free(gpu, made.handle))?;
    }
    show(&format!("alloc {name} VRAM"), allocs);
    show(&format!("map {name} VRAM"), maps);
    show(&format!("unmap {name} VRAM"), unmaps);
    show(&format!("free {name} VRAM"), frees);
    Ok(())
}

fn queue(gpu: &Gpu, name: &str, kind: Kind) -> Result<(), Errno> {
    let parts = Parts::new(gpu, kind)?;
    let [mut creations, mut ends] = [const { Vec::new() }; 2];
    for _ in 0..ROUNDS {
        let made = timed(&mut creations, || parts.create())?;
        timed(&mut ends, || destroy(gpu, made.queue_id))?;
    }
    show(&format!("create {name} queue"), creations);
    show(&format!("destroy {name} queue"), ends);
    Ok(())
}

/// Accesses to the register page that every process may map, each an exit of the virtual machine and an answer of the
/// virtual GPU. A thousand in a row, so that a microsecond shown is a nanosecond of one.
fn register(gpu: &Gpu) -> Result<(), Errno> {
    let va = Mapping::reserve(4096)?;
    let flags = flag::MMIO_REMAP | flag::WRITABLE | flag::COHERENT;
    let made = allocate(gpu, va.address(), 4096, 0, flags)?;
    let page = Mapping::node(gpu.kfd.fd(), made.mmap_offset, 4096)?;
    let [mut reads, mut writes] = [const { Vec::new() }; 2];
    for _ in 0..ROUNDS / 10 {
        timed(&mut reads, || {
            (0..1000).for_each(|_| _ = page.word(0).load(Relaxed));
            Ok(())
        })?;
        timed(&mut writes, || {
            (0..1000).for_each(|_| page.word(0).store(0, Relaxed));
            Ok(())
        })?;
    }
    show("read a register, 1000 times", reads);
    show("write a register, 1000 times", writes);
    drop(page);
    free(gpu, made.handle)
}

/// From SET_EVENT to the return of another thread's WAIT_EVENTS.
fn event(gpu: &Gpu) -> Result<(), Errno> {
    let (events, _) = Events::new(gpu)?;
    let id = events.create(event_type::SIGNAL, true)?;
    let mut times = Vec::new();
    std::thread::scope(|scope| {
        let (woken, wakes) = mpsc::channel();
        let events = &events;
        scope.spawn(move || {
            for _ in 0..ROUNDS {
                let result = events.wait_one(id, 20_000);
                if woken.send(result.map(|_| Instant::now())).is_err() {
                    break;
                }
            }
        });
        for _ in 0..ROUNDS {
            // so that the other thread sleeps
            std::thread::sleep(Duration::from_millis(5));
            let start = Instant::now();
            set(gpu, id)?;
            let end = wakes.recv().map_err(|_| Errno(libc::EPIPE))??;
            times.push(end.saturating_duration_since(start));
        }
        Ok::<(), Errno>(())
    })?;
    show("event round trip (SET_EVENT to wake-up)", times);
    Ok(())
}
