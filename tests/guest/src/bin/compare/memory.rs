// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Buffers of all sizes, and threads that map at once.

use crate::meter::{Meter, Times};
use amdgpu_uapi::kfd::memory::alloc_flags as flag;
use guest_tests::buffer::{allocate, free, map, unmap, ORDINARY};
use guest_tests::errno::Errno;
use guest_tests::gpu::Gpu;
use guest_tests::memory::Mapping;
use guest_tests::queue::{Kind, Queue};
use std::time::{Duration, Instant};

/// Memory of the GPU.
const VRAM: u32 = flag::VRAM | flag::PUBLIC | ORDINARY;
/// Memory of the process.
const USER: u32 = flag::USERPTR | flag::COHERENT | ORDINARY;

/// A size, how many buffers of it there are at once, and how often.
struct Load {
    name: &'static str,
    len: usize,
    buffers: usize,
    rounds: usize,
}

const fn load(name: &'static str, len: usize, buffers: usize, rounds: usize) -> Load {
    Load {
        name,
        len,
        buffers,
        rounds,
    }
}

const VRAM_LOADS: [Load; 5] = [
    load("4 KiB", 4 << 10, 32, 4),
    load("64 KiB", 64 << 10, 32, 4),
    load("2 MiB", 2 << 20, 16, 4),
    load("64 MiB", 64 << 20, 8, 3),
    load("1 GiB", 1 << 30, 1, 8),
];
const USER_LOADS: [Load; 3] = [
    load("4 KiB", 4 << 10, 32, 4),
    load("2 MiB", 2 << 20, 16, 4),
    load("64 MiB", 64 << 20, 2, 8),
];

/// Allocating, mapping, unmapping and freeing.
pub(crate) fn sizes(meter: &mut Meter, gpu: &Gpu) -> Result<(), Errno> {
    // its page tables are known to the device as long as there is a queue
    let _queue = Queue::new(gpu, Kind::Aql)?;
    for load in &VRAM_LOADS {
        for _ in 0..meter.rounds(load.rounds) {
            let places = places(load, Mapping::reserve)?;
            life(meter, gpu, &format!("{} of VRAM", load.name), &places, VRAM)?;
        }
    }
    for load in &USER_LOADS {
        for _ in 0..meter.rounds(load.rounds) {
            let places = places(load, Mapping::anonymous)?;
            for place in &places {
                // so that there are pages
                (0..place.len())
                    .step_by(4096)
                    .for_each(|at| place.word(at).store(1, std::sync::atomic::Ordering::Relaxed));
            }
            life(
                meter,
                gpu,
                &format!("{} of user memory", load.name),
                &places,
                USER,
            )?;
        }
    }
    Ok(())
}

fn places(load: &Load, make: fn(usize) -> Result<Mapping, Errno>) -> Result<Vec<Mapping>, Errno> {
    (0..load.buffers).map(|_| make(load.len)).collect()
}

/// The four calls of a buffer's life, for a buffer at each place.
fn life(meter: &mut Meter, gpu: &Gpu, what: &str, places: &[Mapping], flags: u32) -> Result<(), Errno> {
    let count = places.len();
    let mut handles = Vec::with_capacity(count);
    meter.phase(&format!("alloc {what}"), |times| {
        for place in places {
            let at = place.address();
            let offset = if flags & flag::USERPTR != 0 { at } else { 0 };
            let made = times.of(|| allocate(gpu, at, place.len() as u64, offset, flags))?;
            handles.push(made.handle);
        }
        Ok(count)
    })?;
    let each = |times: &mut Times, call: fn(&Gpu, u64) -> Result<(), Errno>| {
        for handle in &handles {
            times.of(|| call(gpu, *handle))?;
        }
        Ok(count)
    };
    meter.phase(&format!("map {what}"), |times| each(times, map))?;
    meter.phase(&format!("unmap {what}"), |times| each(times, unmap))?;
    meter.phase(&format!("free {what}"), |times| each(times, free))
}

/// Threads of one process that map and unmap, each its own buffers.
pub(crate) fn threads(meter: &mut Meter, gpu: &Gpu) -> Result<(), Errno> {
    const LEN: usize = 64 << 10;
    let _queue = Queue::new(gpu, Kind::Aql)?;
    let rounds = meter.rounds(64);
    for count in [1, 2, 4, 8] {
        let operation = format!("alloc to free of 64 KiB, {count} threads");
        meter.phase(&operation, |times| {
            let work = |gpu: &Gpu| -> Result<Vec<Duration>, Errno> {
                let place = Mapping::reserve(LEN)?;
                let mut taken = Vec::new();
                for _ in 0..rounds {
                    let begin = Instant::now();
                    let made = allocate(gpu, place.address(), LEN as u64, 0, VRAM)?;
                    map(gpu, made.handle)?;
                    unmap(gpu, made.handle)?;
                    free(gpu, made.handle)?;
                    taken.push(begin.elapsed());
                }
                Ok(taken)
            };
            let taken: Vec<_> = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..count).map(|_| scope.spawn(move || work(gpu))).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            for one in taken {
                one?.into_iter().for_each(|time| times.push(time));
            }
            Ok(count * rounds)
        })?;
    }
    Ok(())
}
