// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Buffers of a process, mapped on the GPU and for the CPU at the same address.

use crate::errno::Errno;
use crate::gpu::Gpu;
use crate::memory::Mapping;
use amdgpu_uapi::kfd::memory::{
    alloc_flags as flag, AllocMemoryOfGpu, FreeMemoryOfGpu, MapMemoryToGpu, UnmapMemoryFromGpu,
};
use amdgpu_uapi::kfd::request;

/// Flags of an ordinary buffer: readable, writable, executable by the GPU.
pub const ORDINARY: u32 = flag::WRITABLE | flag::EXECUTABLE | flag::NO_SUBSTITUTE;

/// Allocates without mapping; returns what the kernel filled in.
pub fn allocate(
    gpu: &Gpu,
    va: u64,
    size: u64,
    mmap_offset: u64,
    flags: u32,
) -> Result<AllocMemoryOfGpu, Errno> {
    let mut arg = AllocMemoryOfGpu {
        va_addr: va,
        size,
        handle: 0,
        mmap_offset,
        gpu_id: gpu.id(),
        flags,
    };
    gpu.kfd.call(request::ALLOC_MEMORY_OF_GPU, &mut arg).map(|()| arg)
}

/// Frees what [`allocate`] made.
pub fn free(gpu: &Gpu, handle: u64) -> Result<(), Errno> {
    gpu.kfd
        .call(request::FREE_MEMORY_OF_GPU, &mut FreeMemoryOfGpu { handle })
}

/// Maps a buffer on the GPU.
pub fn map(gpu: &Gpu, handle: u64) -> Result<(), Errno> {
    let ids = [gpu.id()];
    let device_ids_array_ptr = ids.as_ptr() as u64;
    gpu.kfd.call(
        request::MAP_MEMORY_TO_GPU,
        &mut MapMemoryToGpu {
            handle,
            device_ids_array_ptr,
            n_devices: 1,
            n_success: 0,
        },
    )
}

/// Unmaps a buffer from the GPU.
pub fn unmap(gpu: &Gpu, handle: u64) -> Result<(), Errno> {
    let ids = [gpu.id()];
    let device_ids_array_ptr = ids.as_ptr() as u64;
    gpu.kfd.call(
        request::UNMAP_MEMORY_FROM_GPU,
        &mut UnmapMemoryFromGpu {
            handle,
            device_ids_array_ptr,
            n_devices: 1,
            n_success: 0,
        },
    )
}

/// A buffer that both sides see at one address.
pub struct Buffer<'a> {
    gpu: &'a Gpu,
    handle: u64,
    cpu: Mapping,
}

impl<'a> Buffer<'a> {
    /// Memory of the GPU.
    pub fn vram(gpu: &'a Gpu, len: usize) -> Result<Self, Errno> {
        Self::device(gpu, len, flag::VRAM | flag::PUBLIC | ORDINARY)
    }

    /// System memory of the kernel.
    pub fn gtt(gpu: &'a Gpu, len: usize) -> Result<Self, Errno> {
        Self::device(gpu, len, flag::GTT | flag::COHERENT | flag::UNCACHED | ORDINARY)
    }

    /// Memory of this process.
    pub fn userptr(gpu: &'a Gpu, len: usize) -> Result<Self, Errno> {
        let cpu = Mapping::anonymous(len)?;
        let flags = flag::USERPTR | flag::COHERENT | ORDINARY;
        let arg = allocate(gpu, cpu.address(), len as u64, cpu.address(), flags)?;
        Self::mapped(gpu, arg.handle, cpu)
    }

    fn device(gpu: &'a Gpu, len: usize, flags: u32) -> Result<Self, Errno> {
        let cpu = Mapping::reserve(len)?;
        let arg = allocate(gpu, cpu.address(), len as u64, 0, flags)?;
        cpu.replace(
            gpu.render.fd(),
            arg.mmap_offset,
            libc::PROT_READ | libc::PROT_WRITE,
        )
        .inspect_err(|_| {
            let _ = free(gpu, arg.handle);
        })?;
        Self::mapped(gpu, arg.handle, cpu)
    }

    fn mapped(gpu: &'a Gpu, handle: u64, cpu: Mapping) -> Result<Self, Errno> {
        let buffer = Self { gpu, handle, cpu };
        map(gpu, handle)?;
        Ok(buffer)
    }

    /// The kernel's name for it.
    pub fn handle(&self) -> u64 {
        self.handle
    }

    /// Its address on both sides.
    pub fn address(&self) -> u64 {
        self.cpu.address()
    }

    /// The CPU's view.
    pub fn cpu(&self) -> &Mapping {
        &self.cpu
    }
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        let _ = unmap(self.gpu, self.handle);
        let _ = free(self.gpu, self.handle);
    }
}
