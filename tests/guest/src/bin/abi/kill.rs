// SPDX-License-Identifier: Apache-2.0 OR MIT
//! SIGKILL: what a process had on the GPU goes with it. The runner compares the counters afterwards.

use amdgpu_uapi::kfd::event::event_type;
use guest_tests::buffer::{map, unmap, Buffer};
use guest_tests::child::{for_ever, Child};
use guest_tests::event::{wait, wanted, Events};
use guest_tests::gpu::Gpu;
use guest_tests::queue::{aql, pm4, sdma, Kind, Queue};
use guest_tests::runner::until;
use guest_tests::runner::Case;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

pub(crate) const CASES: &[Case] = &[
    ("kill: with buffers", || killed(buffers)),
    ("kill: while mapping and unmapping", || killed(mapping)),
    ("kill: with idle queues", || killed(idle_queues)),
    ("kill: while PM4 and SDMA queues run", || killed(running_queues)),
    ("kill: while an AQL queue runs", || killed(running_aql)),
    ("kill: while creating and destroying queues", || {
        killed(churning_queues)
    }),
    ("kill: while waiting for an event", || killed(waiting)),
    // the GPU gets seconds to let go of these before it is made to
    ("kill: while a PM4 queue waits for ever", || {
        killed_after(&[50], endless_queue)
    }),
    ("kill: while a kernel runs for ever", || {
        killed_after(&[50], endless_kernel)
    }),
    ("kill: while a wave is halted", || {
        killed_after(&[50], halted_wave)
    }),
];

/// Runs `work` in a child that never ends by itself, and kills it at several moments after it has begun.
fn killed(work: fn(&dyn Fn())) {
    killed_after(&[0, 1, 7, 40], work);
}

/// [`killed`] at these moments, in ms.
fn killed_after(moments: &[u64], work: fn(&dyn Fn())) {
    for &moment in moments {
        let child = Child::begun(work);
        std::thread::sleep(Duration::from_millis(moment));
        assert!(child.kill(), "the child ended by itself");
    }
}

fn buffers(begun: &dyn Fn()) {
    let gpu = Gpu::acquire().unwrap();
    begun();
    let mut kept = Vec::new();
    for _ in 0..16 {
        kept.push(Buffer::vram(&gpu, 1 << 20).unwrap());
        kept.push(Buffer::gtt(&gpu, 256 << 10).unwrap());
        kept.push(Buffer::userptr(&gpu, 256 << 10).unwrap());
    }
    for_ever();
}

fn mapping(begun: &dyn Fn()) {
    let gpu = Gpu::acquire().unwrap();
    let buffer = Buffer::vram(&gpu, 2 << 20).unwrap();
    begun();
    loop {
        unmap(&gpu, buffer.handle()).unwrap();
        map(&gpu, buffer.handle()).unwrap();
    }
}

fn idle_queues(begun: &dyn Fn()) {
    let gpu = Gpu::acquire().unwrap();
    begun();
    let _queues = [Kind::Pm4, Kind::Aql, Kind::Sdma].map(|kind| Queue::new(&gpu, kind).unwrap());
    for_ever();
}

fn running_queues(begun: &dyn Fn()) {
    let gpu = Gpu::acquire().unwrap();
    let buffer = Buffer::vram(&gpu, 1 << 20).unwrap();
    let compute = Queue::new(&gpu, Kind::Pm4).unwrap();
    let copy = Queue::new(&gpu, Kind::Sdma).unwrap();
    begun();
    let half = 512 << 10;
    let done = Buffer::gtt(&gpu, 4096).unwrap();
    for round in 1.. {
        for value in 0..16 {
            compute.submit(&pm4::write(buffer.address(), value));
            copy.submit(&sdma::copy(
                buffer.address(),
                buffer.address() + half,
                half as u32,
            ));
        }
        compute.submit(&pm4::write(done.address(), round));
        copy.submit(&sdma::fence(done.address() + 8, round));
        // the rings have no room for more
        while [0, 8]
            .iter()
            .any(|at| done.cpu().word(*at).load(Relaxed) != round)
        {
            std::thread::yield_now();
        }
    }
}

fn running_aql(begun: &dyn Fn()) {
    let gpu = Gpu::acquire().unwrap();
    let queue = Queue::new(&gpu, Kind::Aql).unwrap();
    let (events, id) = Events::new(&gpu).unwrap();
    let signal = Buffer::gtt(&gpu, 4096).unwrap();
    begun();
    loop {
        aql::signal(signal.cpu(), events.slot(id), id);
        queue.submit_aql(&aql::barrier(signal.address()));
        while aql::value(signal.cpu()) != 0 {
            std::thread::yield_now();
        }
    }
}

fn churning_queues(begun: &dyn Fn()) {
    let gpu = Gpu::acquire().unwrap();
    begun();
    loop {
        drop(Queue::new(&gpu, Kind::Sdma).unwrap());
        drop(Queue::new(&gpu, Kind::Pm4).unwrap());
    }
}

fn waiting(begun: &dyn Fn()) {
    let gpu = Gpu::acquire().unwrap();
    let (events, first) = Events::new(&gpu).unwrap();
    let second = events.create(event_type::MEMORY, false).unwrap();
    begun();
    wait(&gpu, &mut [wanted(first, 0), wanted(second, 0)], true, u32::MAX).unwrap();
}

fn endless_queue(begun: &dyn Fn()) {
    let gpu = Gpu::acquire().unwrap();
    let queue = Queue::new(&gpu, Kind::Pm4).unwrap();
    let memory = Buffer::gtt(&gpu, 4096).unwrap();
    queue.submit(&pm4::write(memory.address(), 1));
    queue.submit(&pm4::wait(memory.address() + 8, 1));
    until(|| memory.cpu().word(0).load(Relaxed) == 1);
    begun();
    for_ever();
}

fn endless_kernel(begun: &dyn Fn()) {
    // s_branch to itself (LLVM AMDGPUAsmGFX90a)
    dispatched(begun, &[0xbf82_ffff]);
}

fn halted_wave(begun: &dyn Fn()) {
    // s_sethalt 1, as after an instruction that cannot be executed; s_endpgm
    dispatched(begun, &[0xbf8d_0001, 0xbf81_0000]);
}

/// Runs a kernel that does not end.
fn dispatched(begun: &dyn Fn(), code: &[u32]) {
    let gpu = Gpu::acquire().unwrap();
    let _running = aql::run(&gpu, code);
    begun();
    for_ever();
}
