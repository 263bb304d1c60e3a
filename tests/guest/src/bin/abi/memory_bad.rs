// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Memory that cannot be had, mapped or unmapped.

use amdgpu_uapi::kfd::memory::{alloc_flags as flag, AllocMemoryOfGpu, MapMemoryToGpu, UnmapMemoryFromGpu};
use amdgpu_uapi::kfd::{dmabuf::ExportDmabuf, mmap, request};
use guest_tests::buffer::{allocate, free, map, unmap, Buffer, ORDINARY};
use guest_tests::errno::Errno;
use guest_tests::gpu::Gpu;
use guest_tests::memory::Mapping;
use guest_tests::record::recording;
use guest_tests::refused;
use guest_tests::runner::Case;
use std::os::fd::{FromRawFd, OwnedFd};

pub(crate) const CASES: &[Case] = &[
    ("alloc: bad flags are refused", flags),
    ("alloc: bad GPU addresses are refused", addresses),
    ("alloc: bad addresses of own memory are refused", own_memory),
    ("map: bad handles and GPUs are refused", map_bad),
    ("map: not where something is mapped", map_twice),
    ("unmap: bad arguments are refused", unmap_bad),
    ("dma-buf export: any flags are taken", export_flags),
    ("mmap of /dev/kfd: bad areas are refused", areas),
];

const GTT: u32 = flag::GTT | ORDINARY;
const USER: u32 = flag::USERPTR | ORDINARY;
const KERNEL: u64 = 0xffff_8880_0000_0000;

fn flags() {
    let gpu = Gpu::acquire().unwrap();
    let va = Mapping::reserve(4096).unwrap();
    for flags in [
        0,
        1 << 5,
        flag::VRAM | flag::GTT,
        flag::GTT | flag::USERPTR,
        flag::DOORBELL | flag::MMIO_REMAP,
        flag::GTT | flag::AQL_QUEUE_MEM,
        u32::MAX,
    ] {
        let why = format!("flags is {:#x}", flags | ORDINARY);
        refused!(
            allocate(&gpu, va.address(), 4096, 0, flags | ORDINARY),
            EINVAL,
            &why
        );
    }
    // bits that nobody has given a meaning
    for unknown in [1 << 5, 1 << 22] {
        let made = allocate(&gpu, va.address(), 4096, 0, GTT | unknown).unwrap();
        free(&gpu, made.handle).unwrap();
    }
    let mut args = AllocMemoryOfGpu {
        va_addr: va.address(),
        size: 4096,
        flags: GTT,
        gpu_id: 0xdead,
        ..Default::default()
    };
    refused!(
        gpu.kfd.call(request::ALLOC_MEMORY_OF_GPU, &mut args),
        EINVAL,
        "gpu_id is 0xdead"
    );
}

fn addresses() {
    let gpu = Gpu::acquire().unwrap();
    let va = Mapping::reserve(4096).unwrap();
    let at = va.address();
    for bad in [
        1,
        0x800,
        4096,
        at + 1,
        at + 0x800,
        1 << 47,
        KERNEL,
        u64::MAX - 4095,
    ] {
        let why = format!("va_addr is {bad:#x}");
        refused!(allocate(&gpu, bad, 4096, 0, GTT), EINVAL, &why);
    }
    for (size, why) in [
        (1 << 47, "va_addr is"),
        (u64::MAX - 4095, "size is"),
        (u64::MAX, "size is"),
    ] {
        refused!(allocate(&gpu, at, size, 0, GTT), ENOMEM, why);
    }
    // more than the machine has
    refused!(
        allocate(&gpu, 1 << 32, 1 << 44, 0, GTT),
        ENOMEM,
        "size: there is not so much memory"
    );
}

fn own_memory() {
    let gpu = Gpu::acquire().unwrap();
    let memory = Mapping::anonymous(8192).unwrap();
    let at = memory.address();
    let hole = Mapping::reserve(4096).unwrap();
    for bad in [0, at + 1, at + 0x800, 1 << 47, KERNEL, u64::MAX - 4095] {
        let why = format!("mmap_offset is {bad:#x}");
        refused!(allocate(&gpu, at, 4096, bad, USER), EINVAL, &why);
    }
    let nothing = "mmap_offset: the process has no memory there";
    refused!(allocate(&gpu, at, 4096, hole.address(), USER), EFAULT, nothing);
    refused!(allocate(&gpu, at, 4096, 4096, USER), EFAULT, nothing);
    // only the beginning is there
    memory.protect(4096, 4096, libc::PROT_NONE).unwrap();
    refused!(allocate(&gpu, at, 8192, at, USER), EFAULT, nothing);
    // what may be read only
    memory.protect(0, 4096, libc::PROT_READ).unwrap();
    refused!(
        allocate(&gpu, at, 4096, at, USER),
        EPERM,
        "mmap_offset: the process may not write"
    );
    match allocate(&gpu, at, 4096, at, flag::USERPTR) {
        Ok(read_only) => free(&gpu, read_only.handle).unwrap(),
        Err(errno) => assert!(recording(), "{errno}"),
    }
}

fn map_call(gpu: &Gpu, args: MapMemoryToGpu) -> Result<(), Errno> {
    gpu.kfd.call(request::MAP_MEMORY_TO_GPU, &mut { args })
}

fn unmap_call(gpu: &Gpu, args: UnmapMemoryFromGpu) -> Result<(), Errno> {
    gpu.kfd.call(request::UNMAP_MEMORY_FROM_GPU, &mut { args })
}

fn map_bad() {
    let gpu = Gpu::acquire().unwrap();
    let va = Mapping::reserve(4096).unwrap();
    let buffer = allocate(&gpu, va.address(), 4096, 0, GTT).unwrap();
    let ids = [gpu.id(), 0xdead];
    let good = MapMemoryToGpu {
        handle: buffer.handle,
        device_ids_array_ptr: ids.as_ptr() as u64,
        n_devices: 1,
        n_success: 0,
    };
    for n_devices in [257, u32::MAX] {
        let why = format!("n_devices is {n_devices:#x}");
        refused!(map_call(&gpu, MapMemoryToGpu { n_devices, ..good }), EINVAL, &why);
    }
    for device_ids_array_ptr in [0, 4096, KERNEL, u64::MAX - 1] {
        let args = MapMemoryToGpu {
            device_ids_array_ptr,
            ..good
        };
        refused!(
            map_call(&gpu, args),
            EFAULT,
            "device_ids_array_ptr cannot be read"
        );
    }
    // a GPU of the process, but no buffer of it
    let handle = buffer.handle + 1;
    refused!(
        map_call(&gpu, MapMemoryToGpu { handle, ..good }),
        ENOMEM,
        "handle is"
    );
    // the first is mapped, the second is no GPU
    let mut two = MapMemoryToGpu { n_devices: 2, ..good };
    let result = gpu.kfd.call(request::MAP_MEMORY_TO_GPU, &mut two);
    assert_eq!(result, Err(Errno(libc::EINVAL)));
    assert_eq!(two.n_success, 1);
    unmap(&gpu, buffer.handle).unwrap();
    free(&gpu, buffer.handle).unwrap();
    // memory without an address is for export
    let nowhere = allocate(&gpu, 0, 4096, 0, flag::VRAM | ORDINARY).unwrap();
    refused!(
        map(&gpu, nowhere.handle),
        EINVAL,
        "handle: the buffer has no address"
    );
}

fn map_twice() {
    let gpu = Gpu::acquire().unwrap();
    let va = Mapping::reserve(8192).unwrap();
    let first = allocate(&gpu, va.address(), 8192, 0, GTT).unwrap();
    let second = allocate(&gpu, va.address() + 4096, 4096, 0, GTT).unwrap();
    map(&gpu, first.handle).unwrap();
    map(&gpu, first.handle).unwrap();
    refused!(map(&gpu, second.handle), EINVAL, "something is mapped there");
    unmap(&gpu, first.handle).unwrap();
    map(&gpu, second.handle).unwrap();
    refused!(map(&gpu, first.handle), EINVAL, "something is mapped there");
}

fn unmap_bad() {
    let gpu = Gpu::acquire().unwrap();
    let buffer = Buffer::vram(&gpu, 4096).unwrap();
    let ids = [gpu.id(), 0xdead];
    let good = UnmapMemoryFromGpu {
        handle: buffer.handle(),
        device_ids_array_ptr: ids.as_ptr() as u64,
        n_devices: 1,
        n_success: 0,
    };
    let with = |args| unmap_call(&gpu, args);
    refused!(
        with(UnmapMemoryFromGpu { n_devices: 0, ..good }),
        EINVAL,
        "n_devices is 0x0"
    );
    refused!(
        with(UnmapMemoryFromGpu { n_success: 2, ..good }),
        EINVAL,
        "n_success is 0x2"
    );
    for device_ids_array_ptr in [0, 4096, KERNEL, u64::MAX - 1] {
        let args = UnmapMemoryFromGpu {
            device_ids_array_ptr,
            ..good
        };
        refused!(with(args), EFAULT, "device_ids_array_ptr cannot be read");
    }
    let other = UnmapMemoryFromGpu {
        device_ids_array_ptr: good.device_ids_array_ptr + 4,
        ..good
    };
    refused!(with(other), EINVAL, "device_ids_array is 0xdead");
    for (handle, errno) in [
        (u64::MAX, libc::EINVAL),
        (0, libc::EINVAL),
        (good.handle + 1, libc::ENOMEM),
    ] {
        guest_tests::refusal::check("UNMAP", Errno(errno), "handle is", || {
            with(UnmapMemoryFromGpu { handle, ..good })
        });
    }
    with(good).unwrap();
    refused!(with(good), EINVAL, "handle: the buffer is not mapped");
    // last, for the C driver does what it can before it refuses
    refused!(
        with(UnmapMemoryFromGpu {
            n_devices: 257,
            ..good
        }),
        EINVAL,
        "n_devices is 0x101"
    );
}

fn export_flags() {
    let gpu = Gpu::acquire().unwrap();
    let buffer = Buffer::vram(&gpu, 4096).unwrap();
    for flags in [0, libc::O_CLOEXEC as u32, libc::O_RDWR as u32, 1 << 31, u32::MAX] {
        let mut args = ExportDmabuf {
            handle: buffer.handle(),
            flags,
            dmabuf_fd: 0,
        };
        gpu.kfd.call(request::EXPORT_DMABUF, &mut args).unwrap();
        // SAFETY: a new descriptor, which nobody else knows.
        drop(unsafe { OwnedFd::from_raw_fd(args.dmabuf_fd as i32) });
    }
}

fn areas() {
    let gpu = Gpu::acquire().unwrap();
    let area = |kind, gpu_id, within, len| {
        Mapping::node(gpu.kfd.fd(), mmap::offset(kind, gpu_id, 0) + within, len).map(drop)
    };
    for (kind, len) in [(mmap::kind::DOORBELL, 8192), (mmap::kind::MMIO, 4096)] {
        refused!(
            area(kind, 0xdead, 0, len),
            ENODEV,
            "gpu_id in the offset is 0xdead"
        );
        refused!(area(kind, 0, 0, len), ENODEV, "gpu_id in the offset is 0x0");
        for bad in [len * 2, len + 4096, 1 << 30] {
            let why = format!("length is {bad:#x}");
            refused!(area(kind, gpu.id(), 0, bad), EINVAL, &why);
        }
    }
    refused!(
        area(mmap::kind::DOORBELL, gpu.id(), 0, 4096),
        EINVAL,
        "length is 0x1000"
    );
    for kind in [mmap::kind::EVENTS, mmap::kind::RESERVED_MEM] {
        refused!(area(kind, gpu.id(), 0, 4096), EINVAL, "offset is");
    }
    // the process's doorbells are taken with the first mapping
    area(mmap::kind::DOORBELL, gpu.id(), 0, 8192).unwrap();
    area(mmap::kind::MMIO, gpu.id(), 0, 4096).unwrap();
}
