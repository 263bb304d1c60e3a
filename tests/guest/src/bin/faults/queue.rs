// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Queues: making, changing, ending, and the doorbells. A queue must do its work afterwards.

use crate::{shot::Shot, Operation};
use amdgpu_uapi::kfd::queue::SetCuMask;
use amdgpu_uapi::kfd::request;
use guest_tests::buffer::Buffer;
use guest_tests::errno::ERESTARTSYS;
use guest_tests::gpu::Gpu;
use guest_tests::memory::Mapping;
use guest_tests::queue::{aql, destroy, pm4, sdma, Kind, Parts, Queue};
use guest_tests::runner::until;
use libc::{EFAULT, EINTR, EINVAL, ENOMEM};
use std::sync::atomic::Ordering::Relaxed;

pub(crate) const OPERATIONS: &[Operation] = &[
    ("CREATE_QUEUE: PM4", |s| create(s, Kind::Pm4)),
    ("CREATE_QUEUE: AQL", |s| create(s, Kind::Aql)),
    ("CREATE_QUEUE: SDMA", |s| create(s, Kind::Sdma)),
    ("CREATE_QUEUE: when memory has moved", create_after_move),
    ("UPDATE_QUEUE", update),
    ("SET_CU_MASK", cu_mask),
    ("DESTROY_QUEUE", end),
    ("mmap of doorbells", doorbells),
];

const WANT: &[i32] = &[ENOMEM, EFAULT, EINTR, ERESTARTSYS];

/// Lets a queue do something.
fn works(gpu: &Gpu, queue: &Queue<'_>, kind: Kind) {
    let memory = Buffer::gtt(gpu, 4096).unwrap();
    match kind {
        Kind::Pm4 => queue.submit(&pm4::write(memory.address(), 1)),
        Kind::Aql => {
            aql::signal(memory.cpu(), 0, 0);
            queue.submit_aql(&aql::barrier(memory.address()));
            return until(|| aql::value(memory.cpu()) == 0);
        }
        Kind::Sdma | Kind::SdmaEngine(_) => queue.submit(&sdma::fence(memory.address(), 1)),
    }
    until(|| memory.cpu().word(0).load(Relaxed) == 1);
}

fn create(shot: &Shot, kind: Kind) {
    let gpu = Gpu::acquire().unwrap();
    let parts = Parts::new(&gpu, kind).unwrap();
    let first = shot.again(WANT, || parts.create());
    destroy(&gpu, first.queue_id).unwrap();
    works(&gpu, &Queue::new(&gpu, kind).unwrap(), kind);
}

/// The first queue of a process finds its own memory elsewhere than it was mapped.
fn create_after_move(shot: &Shot) {
    const LEN: usize = 16 << 10;
    let gpu = Gpu::acquire().unwrap();
    let moved = Buffer::userptr(&gpu, LEN).unwrap();
    moved.cpu().word(0).store(1, Relaxed);
    // SAFETY: memory of our own, which is zeroed by it.
    let gone = unsafe { libc::madvise(moved.address() as *mut libc::c_void, LEN, libc::MADV_DONTNEED) };
    assert_eq!(gone, 0);
    let parts = Parts::new(&gpu, Kind::Pm4).unwrap();
    let first = shot.again(WANT, || parts.create());
    destroy(&gpu, first.queue_id).unwrap();
    let queue = Queue::new(&gpu, Kind::Pm4).unwrap();
    if shot.lacked_memory_and_coped() {
        // HMM has said that the process has no memory there, which ends in a page fault if the GPU looks
        return;
    }
    // the GPU finds it where it is now
    queue.submit(&pm4::write(moved.address() + 8, 7));
    until(|| moved.cpu().word(8).load(Relaxed) == 7);
    // and follows it when it moves again
    // SAFETY: as above.
    let gone = unsafe { libc::madvise(moved.address() as *mut libc::c_void, LEN, libc::MADV_DONTNEED) };
    assert_eq!((gone, moved.cpu().word(8).load(Relaxed)), (0, 0));
    queue.submit(&pm4::write(moved.address() + 8, 9));
    until(|| moved.cpu().word(8).load(Relaxed) == 9);
}

fn update(shot: &Shot) {
    let gpu = Gpu::acquire().unwrap();
    let queue = Queue::new(&gpu, Kind::Pm4).unwrap();
    shot.again(WANT, || queue.set_percentage(0));
    queue.set_percentage(100).unwrap();
    works(&gpu, &queue, Kind::Pm4);
}

fn cu_mask(shot: &Shot) {
    let gpu = Gpu::acquire().unwrap();
    let queue = Queue::new(&gpu, Kind::Aql).unwrap();
    let mask = [0xff_u32];
    shot.again(WANT, || {
        let mut args = SetCuMask {
            queue_id: queue.id(),
            num_cu_mask: 32,
            cu_mask_ptr: mask.as_ptr() as u64,
        };
        gpu.kfd.call(request::SET_CU_MASK, &mut args)
    });
    works(&gpu, &queue, Kind::Aql);
}

fn end(shot: &Shot) {
    let gpu = Gpu::acquire().unwrap();
    let other = Queue::new(&gpu, Kind::Sdma).unwrap();
    let parts = Parts::new(&gpu, Kind::Pm4).unwrap();
    let made = parts.create().unwrap();
    shot.end(WANT, EINVAL, || destroy(&gpu, made.queue_id));
    works(&gpu, &Queue::new(&gpu, Kind::Pm4).unwrap(), Kind::Pm4);
    works(&gpu, &other, Kind::Sdma);
}

fn doorbells(shot: &Shot) {
    let gpu = Gpu::acquire().unwrap();
    let parts = Parts::new(&gpu, Kind::Pm4).unwrap();
    let made = parts.create().unwrap();
    shot.again(&[ENOMEM, EINTR], || {
        let doorbells = Mapping::node(gpu.kfd.fd(), made.doorbell_offset & !8191, 8192)?;
        // the page comes with the first access: also that may fail, and is then done again by the kernel
        doorbells
            .long((made.doorbell_offset & 8191) as usize)
            .store(0, Relaxed);
        Ok(())
    });
    destroy(&gpu, made.queue_id).unwrap();
}
