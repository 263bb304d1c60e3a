// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The render node: buffer objects, their mappings on the GPU, sharing, questions.

use crate::{shot::Shot, Operation};
use amdgpu_uapi::abi::Abi;
use amdgpu_uapi::drm::core::{GemClose, PrimeHandle};
use amdgpu_uapi::drm::gem::{
    domain, metadata_op, op, va_flags, va_op, GemCreate, GemCreateIn, GemMetadata, GemMmap, GemMmapIn, GemOp,
    GemVa,
};
use amdgpu_uapi::drm::info::{query, Info};
use amdgpu_uapi::drm::{amdgpu_request as request, request as core};
use guest_tests::errno::{Errno, ERESTARTSYS};
use guest_tests::gpu::Gpu;
use guest_tests::queue::{Kind, Queue};
use libc::{EFAULT, EINTR, EINVAL, EMFILE, ENOENT, ENOMEM};

pub(crate) const OPERATIONS: &[Operation] = &[
    ("GEM_CREATE: VRAM", |s| create(s, domain::VRAM)),
    ("GEM_CREATE: GTT", |s| create(s, domain::GTT)),
    ("GEM_MMAP", map_offset),
    ("GEM_METADATA", metadata),
    ("GEM_OP", operation),
    ("GEM_VA: map", map),
    ("GEM_VA: unmap", unmap),
    ("GEM_CLOSE of what is mapped", close_mapped),
    ("PRIME_HANDLE_TO_FD", export),
    ("PRIME_FD_TO_HANDLE", import),
    ("INFO", info),
];

const WANT: &[i32] = &[ENOMEM, EFAULT, EINTR, ERESTARTSYS];

fn make(gpu: &Gpu, domains: u64) -> Result<u32, Errno> {
    let mut argument = GemCreate::zeroed();
    argument.set_input(GemCreateIn {
        bo_size: 128 << 10,
        alignment: 0,
        domains,
        domain_flags: 0,
    });
    gpu.render.call(request::GEM_CREATE, &mut argument)?;
    Ok(argument.output().handle)
}

fn close(gpu: &Gpu, handle: u32) -> Result<(), Errno> {
    gpu.render.call(core::GEM_CLOSE, &mut GemClose { handle, pad: 0 })
}

fn address(gpu: &Gpu, handle: u32, operation: u32) -> Result<(), Errno> {
    let mut argument = GemVa {
        handle,
        operation,
        flags: va_flags::PAGE_READABLE | va_flags::PAGE_WRITEABLE,
        va_address: 1 << 30,
        map_size: 128 << 10,
        ..GemVa::zeroed()
    };
    gpu.render.call(request::GEM_VA, &mut argument)
}

fn create(shot: &Shot, domains: u64) {
    let gpu = Gpu::open().unwrap();
    let handle = shot.again(WANT, || make(&gpu, domains));
    close(&gpu, handle).unwrap();
}

fn map_offset(shot: &Shot) {
    let gpu = Gpu::open().unwrap();
    let handle = make(&gpu, domain::GTT).unwrap();
    let offset = shot.again(&[EFAULT, ENOMEM], || {
        let mut argument = GemMmap::zeroed();
        argument.set_input(GemMmapIn { handle, pad: 0 });
        gpu.render
            .call(request::GEM_MMAP, &mut argument)
            .map(|()| argument.output().addr_ptr)
    });
    assert_ne!(offset, 0);
}

fn metadata(shot: &Shot) {
    let gpu = Gpu::open().unwrap();
    let handle = make(&gpu, domain::GTT).unwrap();
    shot.again(&[EFAULT, ENOMEM], || {
        let mut argument = GemMetadata::zeroed();
        (argument.handle, argument.op) = (handle, metadata_op::SET_METADATA);
        argument.data.data_size_bytes = 4;
        gpu.render.call(request::GEM_METADATA, &mut argument)
    });
}

fn operation(shot: &Shot) {
    let gpu = Gpu::open().unwrap();
    let handle = make(&gpu, domain::GTT).unwrap();
    let made = shot.again(&[EFAULT, ENOMEM], || {
        let mut made = GemCreateIn::default();
        let mut argument = GemOp {
            handle,
            op: op::GET_GEM_CREATE_INFO,
            value: &raw mut made as u64,
            ..GemOp::zeroed()
        };
        gpu.render.call(request::GEM_OP, &mut argument).map(|()| made)
    });
    assert_eq!(made.bo_size, 128 << 10);
}

fn map(shot: &Shot) {
    let gpu = Gpu::open().unwrap();
    let handle = make(&gpu, domain::VRAM).unwrap();
    let mapped = shot.take(WANT, || address(&gpu, handle, va_op::MAP));
    // DRM may have failed to tell that it is mapped: then it is
    if mapped.is_err_and(|errno| errno.0 != EFAULT) {
        address(&gpu, handle, va_op::MAP).unwrap();
    }
    let _ = address(&gpu, handle, va_op::UNMAP);
    address(&gpu, handle, va_op::MAP).unwrap();
    address(&gpu, handle, va_op::UNMAP).unwrap();
}

fn unmap(shot: &Shot) {
    let gpu = Gpu::acquire().unwrap();
    // the GPU has the address space, so that it must be made to forget
    let _queue = Queue::new(&gpu, Kind::Pm4).unwrap();
    let handle = make(&gpu, domain::VRAM).unwrap();
    address(&gpu, handle, va_op::MAP).unwrap();
    shot.end(WANT, ENOENT, || address(&gpu, handle, va_op::UNMAP));
    address(&gpu, handle, va_op::MAP).unwrap();
}

fn close_mapped(shot: &Shot) {
    let gpu = Gpu::acquire().unwrap();
    let _queue = Queue::new(&gpu, Kind::Pm4).unwrap();
    let handle = make(&gpu, domain::VRAM).unwrap();
    address(&gpu, handle, va_op::MAP).unwrap();
    shot.end(&[ENOMEM, EFAULT], EINVAL, || close(&gpu, handle));
    assert_eq!(close(&gpu, handle), Err(Errno(EINVAL)));
}

/// PRIME_HANDLE_TO_FD
fn to_fd(gpu: &Gpu, handle: u32) -> Result<i32, Errno> {
    let mut argument = PrimeHandle {
        handle,
        ..PrimeHandle::zeroed()
    };
    gpu.render
        .call(core::PRIME_HANDLE_TO_FD, &mut argument)
        .map(|()| argument.fd)
}

fn export(shot: &Shot) {
    let gpu = Gpu::open().unwrap();
    let handle = make(&gpu, domain::GTT).unwrap();
    shot.again(&[ENOMEM, EFAULT, EMFILE], || to_fd(&gpu, handle));
}

fn import(shot: &Shot) {
    let gpu = Gpu::open().unwrap();
    let fd = to_fd(&gpu, make(&gpu, domain::GTT).unwrap()).unwrap();
    let other = Gpu::open().unwrap();
    let handle = shot.again(&[ENOMEM, EFAULT], || {
        let mut argument = PrimeHandle {
            fd,
            ..PrimeHandle::zeroed()
        };
        other
            .render
            .call(core::PRIME_FD_TO_HANDLE, &mut argument)
            .map(|()| argument.handle)
    });
    close(&other, handle).unwrap();
}

fn info(shot: &Shot) {
    let gpu = Gpu::open().unwrap();
    let answer = shot.again(&[EFAULT, ENOMEM], || {
        let mut answer = [0u32; 64];
        let mut info = Info {
            return_pointer: answer.as_mut_ptr() as u64,
            return_size: 256,
            query: query::DEV_INFO,
            ..Info::zeroed()
        };
        gpu.render.call(request::INFO, &mut info).map(|()| answer)
    });
    assert_ne!(answer[0], 0);
}
