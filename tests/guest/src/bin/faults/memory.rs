// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Buffers of a process: allocating, mapping on the GPU and for the CPU, unmapping, freeing, sharing.

use crate::{shot::Shot, Operation};
use amdgpu_uapi::kfd::dmabuf::ExportDmabuf;
use amdgpu_uapi::kfd::memory::{alloc_flags as flag, AllocMemoryOfGpu, GetAvailableMemory};
use amdgpu_uapi::kfd::request;
use guest_tests::buffer::{allocate, free, map, unmap, Buffer, ORDINARY};
use guest_tests::errno::{Errno, ERESTARTSYS};
use guest_tests::gpu::Gpu;
use guest_tests::memory::Mapping;
use guest_tests::queue::{Kind, Queue};
use libc::{EBUSY, EFAULT, EINTR, EINVAL, EMFILE, ENOMEM};
use std::sync::atomic::Ordering::Relaxed;

pub(crate) const OPERATIONS: &[Operation] = &[
    ("ALLOC_MEMORY_OF_GPU: VRAM", |s| alloc(s, VRAM)),
    ("ALLOC_MEMORY_OF_GPU: VRAM that an engine clears", |s| {
        alloc(s, LARGE)
    }),
    ("ALLOC_MEMORY_OF_GPU: GTT", |s| alloc(s, GTT)),
    ("ALLOC_MEMORY_OF_GPU: userptr", |s| alloc(s, USERPTR)),
    ("ALLOC_MEMORY_OF_GPU: doorbells", |s| alloc(s, DOORBELLS)),
    ("ALLOC_MEMORY_OF_GPU: MMIO remap", |s| alloc(s, MMIO)),
    ("MAP_MEMORY_TO_GPU: VRAM", |s| map_on_gpu(s, VRAM)),
    ("MAP_MEMORY_TO_GPU: GTT", |s| map_on_gpu(s, GTT)),
    ("MAP_MEMORY_TO_GPU: userptr", |s| map_on_gpu(s, USERPTR)),
    ("MAP_MEMORY_TO_GPU: doorbells", |s| map_on_gpu(s, DOORBELLS)),
    ("MAP_MEMORY_TO_GPU: MMIO remap", |s| map_on_gpu(s, MMIO)),
    ("UNMAP_MEMORY_FROM_GPU: VRAM", |s| unmap_from_gpu(s, VRAM)),
    ("UNMAP_MEMORY_FROM_GPU: userptr", |s| unmap_from_gpu(s, USERPTR)),
    ("FREE_MEMORY_OF_GPU", free_one),
    ("mmap of a buffer", map_for_cpu),
    ("EXPORT_DMABUF", export),
    ("AVAILABLE_MEMORY", available),
];

/// Flags and bytes of a buffer.
type What = (u32, usize);

const VRAM: What = (flag::VRAM | flag::PUBLIC | ORDINARY, 4096);
const LARGE: What = (flag::VRAM | flag::PUBLIC | ORDINARY, 4 << 20);
const GTT: What = (flag::GTT | flag::COHERENT | ORDINARY, 64 << 10);
const USERPTR: What = (flag::USERPTR | flag::COHERENT | ORDINARY, 64 << 10);
const DOORBELLS: What = (flag::DOORBELL | flag::WRITABLE, 8192);
const MMIO: What = (flag::MMIO_REMAP | flag::WRITABLE, 4096);

/// What memory for a buffer may fail with: also its owner may be killed while it is found.
const WANT: &[i32] = &[ENOMEM, EFAULT, EINTR, EBUSY, ERESTARTSYS];

/// A buffer that is not mapped, and where it belongs.
struct Unmapped<'a> {
    gpu: &'a Gpu,
    memory: Mapping,
    what: What,
}

impl<'a> Unmapped<'a> {
    fn new(gpu: &'a Gpu, what: What) -> Self {
        let memory = match what.0 & flag::USERPTR {
            0 => Mapping::reserve(what.1),
            _ => Mapping::anonymous(what.1),
        };
        let memory = memory.unwrap();
        Self { gpu, memory, what }
    }

    fn allocate(&self) -> Result<AllocMemoryOfGpu, Errno> {
        let (flags, len) = self.what;
        let at = self.memory.address();
        let user = if flags & flag::USERPTR != 0 { at } else { 0 };
        allocate(self.gpu, at, len as u64, user, flags)
    }
}

fn alloc(shot: &Shot, what: What) {
    let gpu = Gpu::acquire().unwrap();
    let buffer = Unmapped::new(&gpu, what);
    let made = shot.again(WANT, || buffer.allocate());
    map(&gpu, made.handle).unwrap();
    unmap(&gpu, made.handle).unwrap();
    free(&gpu, made.handle).unwrap();
}

fn map_on_gpu(shot: &Shot, what: What) {
    let gpu = Gpu::acquire().unwrap();
    let buffer = Unmapped::new(&gpu, what);
    let made = buffer.allocate().unwrap();
    shot.again(WANT, || map(&gpu, made.handle));
    unmap(&gpu, made.handle).unwrap();
    free(&gpu, made.handle).unwrap();
}

fn unmap_from_gpu(shot: &Shot, what: What) {
    let gpu = Gpu::acquire().unwrap();
    // the GPU has the address space, so that it must be made to forget
    let _queue = Queue::new(&gpu, Kind::Pm4).unwrap();
    let buffer = Unmapped::new(&gpu, what);
    let made = buffer.allocate().unwrap();
    map(&gpu, made.handle).unwrap();
    shot.end(WANT, EINVAL, || unmap(&gpu, made.handle));
    map(&gpu, made.handle).unwrap();
    unmap(&gpu, made.handle).unwrap();
    free(&gpu, made.handle).unwrap();
}

fn free_one(shot: &Shot) {
    let gpu = Gpu::acquire().unwrap();
    let buffer = Unmapped::new(&gpu, VRAM);
    let made = buffer.allocate().unwrap();
    shot.end(&[EFAULT], EINVAL, || free(&gpu, made.handle));
}

fn map_for_cpu(shot: &Shot) {
    let gpu = Gpu::acquire().unwrap();
    let buffer = Unmapped::new(&gpu, VRAM);
    let made = buffer.allocate().unwrap();
    // the pages come with the first access: also that may fail, and is then done again by the kernel
    let word = shot.again(&[ENOMEM, EINTR], || {
        let cpu = Mapping::node(gpu.render.fd(), made.mmap_offset, 4096)?;
        cpu.word(0).store(77, Relaxed);
        Ok(cpu.word(0).load(Relaxed))
    });
    assert_eq!(word, 77);
    free(&gpu, made.handle).unwrap();
}

fn export(shot: &Shot) {
    let gpu = Gpu::acquire().unwrap();
    let buffer = Buffer::vram(&gpu, 4096).unwrap();
    let fd = shot.again(&[ENOMEM, EMFILE, EFAULT], || {
        let mut args = ExportDmabuf {
            handle: buffer.handle(),
            ..Default::default()
        };
        gpu.kfd
            .call(request::EXPORT_DMABUF, &mut args)
            .map(|()| args.dmabuf_fd)
    });
    // SAFETY: the descriptor is ours.
    assert_eq!(unsafe { libc::close(fd as i32) }, 0);
}

fn available(shot: &Shot) {
    let gpu = Gpu::acquire().unwrap();
    let bytes = shot.again(&[EFAULT], || {
        let mut args = GetAvailableMemory {
            gpu_id: gpu.id(),
            ..Default::default()
        };
        gpu.kfd
            .call(request::AVAILABLE_MEMORY, &mut args)
            .map(|()| args.available)
    });
    assert_ne!(bytes, 0);
}
