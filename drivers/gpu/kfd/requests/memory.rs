// SPDX-License-Identifier: GPL-2.0
//! Address spaces, buffers and mappings.

use super::{read_array, Call, Outcome};
use crate::{
    glue::{trace, ttm::Domain},
    gpu::{
        drm::FileRef,
        kfd::{
            failure::{no_gpu, Explain, Failure},
            memory::{Buffer, Buffers},
            process::{Binding, ProcessDevice},
        },
    },
};
use amdgpu_logic::{
    kfd::{
        handle::Handle,
        memory::{AllocRequest, Devices, Kind},
        Errno, Refusal,
    },
    slots::doorbell::SLICE_BYTES,
};
use amdgpu_uapi::kfd::{
    memory::{
        AcquireVm, AllocMemoryOfGpu, FreeMemoryOfGpu, GetAvailableMemory, MapMemoryToGpu, UnmapMemoryFromGpu,
    },
    mmap,
};
use kernel::{prelude::*, rbtree::RBTreeNodeReservation, sync::Arc};

/// ACQUIRE_VM.
pub(super) fn acquire_vm(call: &Call<'_>, args: &mut AcquireVm) -> Outcome {
    let refusal = Refusal::invalid("drm_fd", args.drm_fd.into(), "an open render node of the GPU");
    let file = FileRef::from_fd(args.drm_fd).map_err(|_| refusal)?;
    let device = call.device("gpu_id", args.gpu_id)?;
    let ours: &crate::gpu::drm::Device = device.node().device();
    if !core::ptr::eq(file.device(), ours) {
        return Err(refusal.into());
    }
    let guard = ours.enter().explain("the GPU is gone")?;
    device.bind(call.process, file, &guard).explain_by(&[
        (EBUSY, "drm_fd: the process has the address space of another file"),
        (
            EINVAL,
            "drm_fd: another process has the address space of this file",
        ),
        (ENOMEM, "there is no memory for an address space"),
    ])
}

/// AVAILABLE_MEMORY.
pub(super) fn available(call: &Call<'_>, args: &mut GetAvailableMemory) -> Outcome {
    /// The answer is a multiple of this.
    const UNIT: u64 = 2 << 20;
    /// Page tables for all of VRAM: 8 bytes for each 4 KiB.
    const TABLES: u64 = 512;
    let device = call.device("gpu_id", args.gpu_id)?;
    let guard = device.node().device().enter().explain("the GPU is gone")?;
    let usage = guard.memory().usage(Domain::Vram);
    let free = usage
        .size
        .saturating_sub(usage.used)
        .saturating_sub(usage.size / TABLES);
    args.available = free & UNIT.wrapping_neg();
    Ok(())
}

/// ALLOC_MEMORY_OF_GPU.
pub(super) fn alloc(call: &Call<'_>, args: &mut AllocMemoryOfGpu) -> Outcome {
    let request = AllocRequest::new(args, SLICE_BYTES.into())?;
    let device = call.device("gpu_id", args.gpu_id)?;
    let binding = device.binding(Errno::NoDev)?;
    let guard = device.node().device().enter().explain("the GPU is gone")?;
    let node = RBTreeNodeReservation::new(GFP_KERNEL)?;
    let buffer = Buffer::new(device, &binding, &guard, &request).explain_by(&[
        (ENOMEM, "size: there is not so much memory left"),
        (EFAULT, "mmap_offset: the process has no memory there"),
        (EPERM, "mmap_offset: the process may not write its memory there"),
    ])?;
    let gpu_id = args.gpu_id;
    trace::alloc(gpu_id, args.va_addr, request.size, args.flags.into());
    args.mmap_offset = match request.kind {
        Kind::Vram { .. } | Kind::Gtt => buffer.bo().map_or(0, |bo| bo.mmap_offset()),
        Kind::Userptr(addr) => addr,
        Kind::Doorbell => mmap::offset(mmap::kind::DOORBELL, gpu_id, 0),
        Kind::MmioRemap => mmap::offset(mmap::kind::MMIO, gpu_id, 0),
    };
    let index = device.buffers.lock().add(buffer, node);
    args.handle = Handle { gpu_id, index }.encode();
    Ok(())
}

/// FREE_MEMORY_OF_GPU.
pub(super) fn free(call: &Call<'_>, args: &mut FreeMemoryOfGpu) -> Outcome {
    if *call.process.event_page.lock() == Some(args.handle) {
        let expected = "any buffer but the event page";
        return Err(Refusal::invalid("handle", args.handle, expected)
            .with(Errno::Perm)
            .into());
    }
    let handle = Handle::decode(args.handle);
    let (device, binding, buffer) = call.buffer("handle", args.handle, Errno::Inval)?;
    let _guard = device.node().device().enter().explain("the GPU is gone")?;
    Buffers::free(&buffer, &binding).explain_by(&[
        (EBUSY, "handle: the buffer is mapped"),
        (EINVAL, "handle: the buffer is being freed"),
    ])?;
    device.buffers.lock().remove(handle.index);
    Ok(())
}

/// MAP_MEMORY_TO_GPU.
pub(super) fn map(call: &Call<'_>, args: &mut MapMemoryToGpu) -> Outcome {
    let devices = Devices::new(args.n_devices, args.n_success)?;
    let ids = read_array::<u32>(args.device_ids_array_ptr, devices.count as usize)
        .explain("device_ids_array_ptr cannot be read")?;
    call.bound(args.handle)?;
    let (home, _, buffer) = call.buffer("handle", args.handle, Errno::NoMem)?;
    let _home = home.node().device().enter().explain("the GPU is gone")?;
    for (done, &id) in (devices.done..).zip(ids.iter().skip(devices.done as usize)) {
        let (device, binding) = call.mapper(id)?;
        if !buffer.is_in_reach(id) {
            let expected = "the GPU of the buffer: peers cannot map it";
            return Err(Refusal::invalid("device_ids_array", id.into(), expected).into());
        }
        let guard = device.node().device().enter().explain("the GPU is gone")?;
        buffer.map(id, &binding, &guard).explain_by(&[
            (
                EINVAL,
                "handle: the buffer has no address, or something is mapped there",
            ),
            (ENOMEM, "there is no memory for page tables"),
        ])?;
        args.n_success = done.saturating_add(1);
    }
    Ok(())
}

/// UNMAP_MEMORY_FROM_GPU.
pub(super) fn unmap(call: &Call<'_>, args: &mut UnmapMemoryFromGpu) -> Outcome {
    let devices = Devices::new(args.n_devices, args.n_success)?;
    let ids = read_array::<u32>(args.device_ids_array_ptr, devices.count as usize)
        .explain("device_ids_array_ptr cannot be read")?;
    let (home, _, buffer) = call.buffer("handle", args.handle, Errno::NoMem)?;
    let _home = home.node().device().enter().explain("the GPU is gone")?;
    for (done, &id) in (devices.done..).zip(ids.iter().skip(devices.done as usize)) {
        let (device, binding) = call.mapper(id)?;
        let guard = device.node().device().enter().explain("the GPU is gone")?;
        buffer.unmap(id, &binding, &guard).explain_by(&[
            (EBUSY, "handle: a queue needs the buffer"),
            (EINVAL, "handle: the buffer is not mapped"),
        ])?;
        args.n_success = done.saturating_add(1);
    }
    Ok(())
}

/// A buffer, its GPU, and the address space there.
type Found<'a> = (&'a Arc<ProcessDevice>, Arc<Binding>, Arc<Buffer>);

impl Call<'_> {
    /// The buffer that a handle names, where it lives; `EINVAL` without such a GPU, `errno` without such a buffer.
    /// `field` is the argument with the handle.
    pub(super) fn buffer(&self, field: &'static str, raw: u64, errno: Errno) -> Result<Found<'_>, Failure> {
        let handle = Handle::decode(raw);
        let refusal = Refusal::invalid(field, raw, "a buffer of the process");
        let device = self.process.device(handle.gpu_id).ok_or(refusal)?;
        let buffer = device
            .buffers
            .lock()
            .get(handle.index)
            .ok_or(refusal.with(errno))?;
        let binding = device.binding(Errno::NoDev)?;
        Ok((device, binding, buffer))
    }

    /// `ENODEV` if a handle names a GPU on which the process has no address space yet. Some requests look at that
    /// before they look for the buffer.
    pub(super) fn bound(&self, raw: u64) -> Outcome {
        if let Some(device) = self.process.device(Handle::decode(raw).gpu_id) {
            device.binding(Errno::NoDev)?;
        }
        Ok(())
    }

    /// A GPU in `device_ids_array`, with the process's address space there.
    fn mapper(&self, id: u32) -> Result<(&Arc<ProcessDevice>, Arc<Binding>), Failure> {
        let device = self
            .process
            .device(id)
            .ok_or_else(|| no_gpu("device_ids_array", id))?;
        Ok((device, device.binding(Errno::NoDev)?))
    }
}
