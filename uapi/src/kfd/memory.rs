// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT
//! Buffers and their mappings on GPUs.

abi_consts! {
    /// [`AllocMemoryOfGpu::flags`]: exactly one kind (bits 0-4) and any attributes.
    pub mod alloc_flags: u32 = "KFD_IOC_ALLOC_MEM_FLAGS_" {
        /// Kind: memory of the GPU.
        VRAM = 1 << 0,
        /// Kind: system memory owned by the kernel.
        GTT = 1 << 1,
        /// Kind: memory of the process, named by its address.
        USERPTR = 1 << 2,
        /// Kind: the doorbells of the process.
        DOORBELL = 1 << 3,
        /// Kind: the page with the HDP flush registers ([`mmio_remap`]).
        MMIO_REMAP = 1 << 4,
        /// The GPU may write.
        WRITABLE = 1 << 31,
        /// The GPU may fetch instructions.
        EXECUTABLE = 1 << 30,
        /// The CPU can reach it; refused when the BAR does not show all VRAM.
        PUBLIC = 1 << 29,
        /// Fail rather than put it elsewhere.
        NO_SUBSTITUTE = 1 << 28,
        /// Mapped twice in a row, for queues of old GPUs.
        AQL_QUEUE_MEM = 1 << 27,
        /// Coherent between agents at kernel boundaries and for fine-grained access.
        COHERENT = 1 << 26,
        /// Not cached by the GPU.
        UNCACHED = 1 << 25,
        /// Coherent between GPUs even with device-scope atomics.
        EXT_COHERENT = 1 << 24,
        /// Physically contiguous VRAM (since 1.16).
        CONTIGUOUS = 1 << 23,
    }
}

abi_consts! {
    /// Registers in the MMIO remap page, bytes from its start.
    pub mod mmio_remap: u32 = "KFD_MMIO_REMAP_" {
        /// Any write flushes CPU writes through the BAR to memory.
        HDP_MEM_FLUSH_CNTL = 0,
        /// Any write flushes CPU writes through the BAR to registers.
        HDP_REG_FLUSH_CNTL = 4,
    }
}

abi_struct! {
    /// [`super::request::ACQUIRE_VM`]: once per GPU before the first buffer. The same file may be given again.
    pub struct AcquireVm = "struct kfd_ioctl_acquire_vm_args" {
        /// In: an open render node of the GPU.
        pub drm_fd: u32,
        /// In.
        pub gpu_id: u32,
    }
}

abi_struct! {
    /// [`super::request::ALLOC_MEMORY_OF_GPU`]: every hipMalloc, every registered host range, every ring.
    pub struct AllocMemoryOfGpu = "struct kfd_ioctl_alloc_memory_of_gpu_args" {
        /// In: GPU address for all later mappings, page aligned; 0 for memory that is exported only.
        pub va_addr: u64,
        /// In: bytes, a multiple of the page size (doorbells: the slice; MMIO remap: one page).
        pub size: u64,
        /// Out: names the buffer inside the process.
        pub handle: u64,
        /// In for USERPTR: its CPU address. Out: mmap offset on the render node, or on `/dev/kfd` for doorbells
        /// and MMIO remap.
        pub mmap_offset: u64,
        /// In: where it lives.
        pub gpu_id: u32,
        /// In: [`alloc_flags`].
        pub flags: u32,
    }
}

abi_struct! {
    /// [`super::request::FREE_MEMORY_OF_GPU`].
    pub struct FreeMemoryOfGpu = "struct kfd_ioctl_free_memory_of_gpu_args" {
        /// In.
        pub handle: u64,
    }
}

abi_struct! {
    /// [`super::request::MAP_MEMORY_TO_GPU`]. May be interrupted: call it again with the `n_success` it returned.
    pub struct MapMemoryToGpu = "struct kfd_ioctl_map_memory_to_gpu_args" {
        /// In.
        pub handle: u64,
        /// In: address of an array of gpu_id (u32).
        pub device_ids_array_ptr: u64,
        /// In: elements of the array, not 0.
        pub n_devices: u32,
        /// In and out: elements at the front that are done; 0 in the first call.
        pub n_success: u32,
    }
}

abi_struct! {
    /// [`super::request::UNMAP_MEMORY_FROM_GPU`]: fields as in [`MapMemoryToGpu`].
    pub struct UnmapMemoryFromGpu = "struct kfd_ioctl_unmap_memory_from_gpu_args" {
        /// In.
        pub handle: u64,
        /// In: address of an array of gpu_id (u32).
        pub device_ids_array_ptr: u64,
        /// In: elements of the array, not 0.
        pub n_devices: u32,
        /// In and out: elements at the front that are done; 0 in the first call.
        pub n_success: u32,
    }
}

abi_struct! {
    /// [`super::request::AVAILABLE_MEMORY`] (since 1.9).
    pub struct GetAvailableMemory = "struct kfd_ioctl_get_available_memory_args" {
        /// Out: bytes of VRAM, a multiple of 2 MiB.
        pub available: u64,
        /// In.
        pub gpu_id: u32,
        /// Zero.
        pub pad: u32,
    }
}
