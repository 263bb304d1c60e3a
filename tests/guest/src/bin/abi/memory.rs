// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Allocating, mapping, unmapping and freeing buffers.

use amdgpu_uapi::kfd::memory::{alloc_flags as flag, AcquireVm, MapMemoryToGpu};
use amdgpu_uapi::kfd::request;
use guest_tests::buffer::{allocate, free, map, unmap, Buffer, ORDINARY};
use guest_tests::gpu::Gpu;
use guest_tests::memory::Mapping;
use guest_tests::refused;
use guest_tests::runner::Case;
use std::sync::atomic::Ordering::Relaxed;

pub(crate) const CASES: &[Case] = &[
    ("acquire_vm: twice with one file", acquire_twice),
    ("acquire_vm: another file is refused", acquire_other_file),
    ("acquire_vm: bad arguments are refused", acquire_bad),
    ("alloc: every kind, seen by the CPU", every_kind),
    ("alloc: bad arguments are refused", alloc_bad),
    ("alloc: not before acquire_vm", alloc_before_acquire),
    ("free: bad handles and mapped buffers are refused", free_bad),
    ("map: bad arguments are refused", map_bad),
    ("map and unmap, many times", map_often),
    ("exit without freeing", exit_without_freeing),
];

fn acquire_twice() {
    let gpu = Gpu::acquire().unwrap();
    let mut arg = AcquireVm {
        drm_fd: gpu.render.fd() as u32,
        gpu_id: gpu.id(),
    };
    gpu.kfd.call(request::ACQUIRE_VM, &mut arg).unwrap();
}

fn acquire_other_file() {
    let gpu = Gpu::acquire().unwrap();
    let other = Gpu::open().unwrap();
    let mut arg = AcquireVm {
        drm_fd: other.render.fd() as u32,
        gpu_id: gpu.id(),
    };
    refused!(
        gpu.kfd.call(request::ACQUIRE_VM, &mut arg),
        EBUSY,
        "address space of another file"
    );
}

fn acquire_bad() {
    let gpu = Gpu::open().unwrap();
    let call = |drm_fd: i32, gpu_id| {
        gpu.kfd.call(
            request::ACQUIRE_VM,
            &mut AcquireVm {
                drm_fd: drm_fd as u32,
                gpu_id,
            },
        )
    };
    refused!(call(-1, gpu.id()), EINVAL, "drm_fd is 0xffffffff");
    refused!(call(gpu.kfd.fd(), gpu.id()), EINVAL, "drm_fd is");
    refused!(call(0, gpu.id()), EINVAL, "drm_fd is 0x0");
    refused!(call(gpu.render.fd(), 0xdead), EINVAL, "gpu_id is 0xdead");
    call(gpu.render.fd(), gpu.id()).unwrap();
}

fn every_kind() {
    let gpu = Gpu::acquire().unwrap();
    let len = 3 << 20;
    let buffers = [
        Buffer::vram(&gpu, len),
        Buffer::gtt(&gpu, len),
        Buffer::userptr(&gpu, len),
    ];
    for (value, buffer) in (1..).zip(&buffers) {
        let cpu = buffer.as_ref().unwrap().cpu();
        for offset in (0..len).step_by(4096) {
            assert_eq!(cpu.word(offset).load(Relaxed), 0, "memory must come cleared");
            cpu.word(offset).store(value, Relaxed);
        }
    }
    for (value, buffer) in (1..).zip(&buffers) {
        let cpu = buffer.as_ref().unwrap().cpu();
        assert!((0..len)
            .step_by(4096)
            .all(|offset| cpu.word(offset).load(Relaxed) == value));
    }
}

fn alloc_bad() {
    let gpu = Gpu::acquire().unwrap();
    let va = Mapping::reserve(4 << 20).unwrap();
    let at = va.address();
    let vram = flag::VRAM | ORDINARY;
    refused!(allocate(&gpu, at, 0, 0, vram), EINVAL, "size is 0x0");
    // the process's doorbells stay its own when the buffer is gone
    let doorbells = allocate(&gpu, at, 8192, 0, flag::DOORBELL | flag::WRITABLE).unwrap();
    free(&gpu, doorbells.handle).unwrap();
    refused!(
        allocate(&gpu, at, 4096, 0, flag::DOORBELL | flag::WRITABLE),
        EINVAL,
        "size is 0x1000"
    );
    refused!(
        allocate(&gpu, at, 8192, 0, flag::MMIO_REMAP | flag::WRITABLE),
        EINVAL,
        "size is 0x2000"
    );
    refused!(
        allocate(&gpu, at, u64::MAX & !4095, 0, vram),
        ENOMEM,
        "size is 0xfffffffffffff000"
    );
    refused!(allocate(&gpu, at, 1 << 40, 0, vram), ENOMEM, "va_addr is");
    let all = gpu.about.property("local_mem_size").max(4 << 30);
    refused!(allocate(&gpu, at, 2 * all, 0, vram), ENOMEM, "not so much memory");
    // no kind
    refused!(allocate(&gpu, at, 4096, 0, ORDINARY), EINVAL, "flags is");
}

fn alloc_before_acquire() {
    let gpu = Gpu::open().unwrap();
    let va = Mapping::reserve(4096).unwrap();
    refused!(
        allocate(&gpu, va.address(), 4096, 0, flag::GTT | ORDINARY),
        ENODEV,
        "GPU after ACQUIRE_VM"
    );
}

fn free_bad() {
    let gpu = Gpu::acquire().unwrap();
    for handle in [0, 1, u64::from(gpu.id()) << 32 | 0xffff, u64::MAX] {
        refused!(free(&gpu, handle), EINVAL, "handle is");
    }
    let va = Mapping::reserve(4096).unwrap();
    let buffer = allocate(&gpu, va.address(), 4096, 0, flag::VRAM | ORDINARY).unwrap();
    map(&gpu, buffer.handle).unwrap();
    refused!(free(&gpu, buffer.handle), EBUSY, "handle: the buffer is mapped");
    unmap(&gpu, buffer.handle).unwrap();
    free(&gpu, buffer.handle).unwrap();
    refused!(free(&gpu, buffer.handle), EINVAL, "handle is");
}

fn map_bad() {
    let gpu = Gpu::acquire().unwrap();
    let buffer = Buffer::vram(&gpu, 4096).unwrap();
    let ids = [gpu.id(), 0xdead];
    let call = |handle, address: u64, n_devices, n_success| {
        let mut arg = MapMemoryToGpu {
            handle,
            device_ids_array_ptr: address,
            n_devices,
            n_success,
        };
        gpu.kfd.call(request::MAP_MEMORY_TO_GPU, &mut arg)
    };
    let good = ids.as_ptr() as u64;
    refused!(call(buffer.handle(), good, 0, 0), EINVAL, "n_devices is 0x0");
    refused!(call(buffer.handle(), good, 1, 2), EINVAL, "n_success is 0x2");
    refused!(
        call(buffer.handle(), good + 4, 1, 0),
        EINVAL,
        "device_ids_array is 0xdead"
    );
    refused!(
        call(buffer.handle(), 0, 1, 0),
        EFAULT,
        "device_ids_array_ptr cannot be read"
    );
    refused!(call(u64::MAX, good, 1, 0), EINVAL, "handle is 0xffffffffffffffff");
    call(buffer.handle(), good, 1, 0).unwrap();
}

fn map_often() {
    let gpu = Gpu::acquire().unwrap();
    let buffer = Buffer::vram(&gpu, 8 << 20).unwrap();
    for _ in 0..50 {
        unmap(&gpu, buffer.handle()).unwrap();
        map(&gpu, buffer.handle()).unwrap();
    }
}

fn exit_without_freeing() {
    let gpu = Gpu::acquire().unwrap();
    for _ in 0..8 {
        std::mem::forget(Buffer::vram(&gpu, 1 << 20).unwrap());
        std::mem::forget(Buffer::gtt(&gpu, 1 << 20).unwrap());
        std::mem::forget(Buffer::userptr(&gpu, 1 << 20).unwrap());
    }
}
