// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT
//! Buffers of the render node.

abi_consts! {
    /// Where a buffer may live.
    pub mod domain: u64 = "AMDGPU_GEM_DOMAIN_" {
        /// System memory the GPU does not reach.
        CPU = 1 << 0,
        /// System memory.
        GTT = 1 << 1,
        /// Memory of the GPU.
        VRAM = 1 << 2,
        /// Global data share.
        GDS = 1 << 3,
        /// Global wave sync.
        GWS = 1 << 4,
        /// Ordered append.
        OA = 1 << 5,
        /// Doorbells.
        DOORBELL = 1 << 6,
        /// All of them.
        MASK = 0x7f,
    }
}

abi_consts! {
    /// [`GemCreateIn::domain_flags`].
    pub mod create_flags: u64 = "AMDGPU_GEM_CREATE_" {
        /// The CPU will touch it.
        CPU_ACCESS_REQUIRED = 1 << 0,
        /// The CPU never touches it.
        NO_CPU_ACCESS = 1 << 1,
        /// Write-combined for the CPU.
        CPU_GTT_USWC = 1 << 2,
        /// Zeroed.
        VRAM_CLEARED = 1 << 3,
        /// Physically contiguous.
        VRAM_CONTIGUOUS = 1 << 5,
        /// Always mapped in its address space.
        VM_ALWAYS_VALID = 1 << 6,
        /// Users synchronise.
        EXPLICIT_SYNC = 1 << 7,
        /// For queue descriptors, kernel only.
        CP_MQD_GFX9 = 1 << 8,
        /// Zeroed when it is freed.
        VRAM_WIPE_ON_RELEASE = 1 << 9,
        /// Encrypted.
        ENCRYPTED = 1 << 10,
        /// Of a queue that can be preempted: not counted against the GTT.
        PREEMPTIBLE = 1 << 11,
        /// Content may be lost.
        DISCARDABLE = 1 << 12,
        /// Coherent.
        COHERENT = 1 << 13,
        /// Not cached.
        UNCACHED = 1 << 14,
        /// Coherent with device-scope atomics.
        EXT_COHERENT = 1 << 15,
        /// Compressed on gfx12.
        GFX12_DCC = 1 << 16,
    }
}

abi_struct! {
    /// In part of [`GemCreate`].
    pub struct GemCreateIn = "struct drm_amdgpu_gem_create_in" {
        /// Bytes.
        pub bo_size: u64,
        /// Bytes, of the physical start.
        pub alignment: u64,
        /// [`domain`].
        pub domains: u64,
        /// [`create_flags`].
        pub domain_flags: u64,
    }
}

abi_struct! {
    /// Out part of [`GemCreate`].
    pub struct GemCreateOut = "struct drm_amdgpu_gem_create_out" {
        /// The buffer.
        pub handle: u32,
        /// Zero.
        pub pad = "_pad": u32,
    }
}

abi_union! {
    /// [`super::amdgpu_request::GEM_CREATE`].
    pub union GemCreate = "union drm_amdgpu_gem_create": [u64; 4] {
        /// What the caller passes.
        input/set_input = "in": GemCreateIn,
        /// What it gets.
        output/set_output = "out": GemCreateOut,
    }
}

abi_struct! {
    /// In part of [`GemMmap`].
    pub struct GemMmapIn = "struct drm_amdgpu_gem_mmap_in" {
        /// The buffer.
        pub handle: u32,
        /// Zero.
        pub pad = "_pad": u32,
    }
}

abi_struct! {
    /// Out part of [`GemMmap`].
    pub struct GemMmapOut = "struct drm_amdgpu_gem_mmap_out" {
        /// Offset for mmap on this file.
        pub addr_ptr: u64,
    }
}

abi_union! {
    /// [`super::amdgpu_request::GEM_MMAP`].
    pub union GemMmap = "union drm_amdgpu_gem_mmap": [u64; 1] {
        /// What the caller passes.
        input/set_input = "in": GemMmapIn,
        /// What it gets.
        output/set_output = "out": GemMmapOut,
    }
}

abi_struct! {
    /// In part of [`GemWaitIdle`].
    pub struct GemWaitIdleIn = "struct drm_amdgpu_gem_wait_idle_in" {
        /// The buffer.
        pub handle: u32,
        /// Zero.
        pub flags: u32,
        /// CLOCK_MONOTONIC, ns.
        pub timeout: u64,
    }
}

abi_struct! {
    /// Out part of [`GemWaitIdle`].
    pub struct GemWaitIdleOut = "struct drm_amdgpu_gem_wait_idle_out" {
        /// 1: still busy.
        pub status: u32,
        /// Where it is now: [`domain`].
        pub domain: u32,
    }
}

abi_union! {
    /// [`super::amdgpu_request::GEM_WAIT_IDLE`].
    pub union GemWaitIdle = "union drm_amdgpu_gem_wait_idle": [u64; 2] {
        /// What the caller passes.
        input/set_input = "in": GemWaitIdleIn,
        /// What it gets.
        output/set_output = "out": GemWaitIdleOut,
    }
}

abi_consts! {
    /// [`GemMetadata::op`].
    pub mod metadata_op: u32 = "AMDGPU_GEM_METADATA_OP_" {
        /// Stores.
        SET_METADATA = 1,
        /// Fetches.
        GET_METADATA = 2,
    }
}

abi_struct! {
    /// [`super::amdgpu_request::GEM_METADATA`].
    pub struct GemMetadata = "struct drm_amdgpu_gem_metadata" {
        /// In: the buffer.
        pub handle: u32,
        /// In: [`metadata_op`].
        pub op: u32,
        /// In or out.
        pub data: GemMetadataData,
    }
}

abi_struct! {
    /// Data of [`GemMetadata`].
    pub struct GemMetadataData = "typeof(((struct drm_amdgpu_gem_metadata *)0)->data)" {
        /// Zero.
        pub flags: u64,
        /// Tiling, by GPU family.
        pub tiling_info: u64,
        /// Used bytes of `data`.
        pub data_size_bytes: u32,
        /// Opaque.
        pub data: [u32; 64],
        /// Padding of the C struct.
        pub tail = "": u32,
    }
}

abi_consts! {
    /// [`GemOp::op`].
    pub mod op: u32 = "AMDGPU_GEM_OP_" {
        /// `value` is the address of a [`super::GemCreateIn`] to fill.
        GET_GEM_CREATE_INFO = 0,
        /// `value` is a [`super::domain`] set.
        SET_PLACEMENT = 1,
        /// `value` is the address of an array of mappings.
        GET_MAPPING_INFO = 2,
    }
}

abi_struct! {
    /// [`super::amdgpu_request::GEM_OP`].
    pub struct GemOp = "struct drm_amdgpu_gem_op" {
        /// In: the buffer.
        pub handle: u32,
        /// In: [`op`].
        pub op: u32,
        /// By `op`.
        pub value: u64,
        /// In and out: mappings.
        pub num_entries: u32,
        /// Zero.
        pub padding: u32,
    }
}

abi_consts! {
    /// [`GemVa::operation`].
    pub mod va_op: u32 = "AMDGPU_VA_OP_" {
        /// Adds a mapping.
        MAP = 1,
        /// Removes a mapping.
        UNMAP = 2,
        /// Removes all mappings in a range.
        CLEAR = 3,
        /// CLEAR, then MAP.
        REPLACE = 4,
    }
}

abi_consts! {
    /// [`GemVa::flags`].
    pub mod va_flags: u32 = "AMDGPU_VM_" {
        /// Page tables may change later, at the next submission.
        DELAY_UPDATE = 1 << 0,
        /// Loads.
        PAGE_READABLE = 1 << 1,
        /// Stores.
        PAGE_WRITEABLE = 1 << 2,
        /// Instruction fetches.
        PAGE_EXECUTABLE = 1 << 3,
        /// Loads 0 where nothing is.
        PAGE_PRT = 1 << 4,
        /// The memory type.
        MTYPE_MASK = 0xf << 5,
        /// Memory type of the buffer.
        MTYPE_DEFAULT = 0 << 5,
        /// Not coherent.
        MTYPE_NC = 1 << 5,
        /// Write-combined.
        MTYPE_WC = 2 << 5,
        /// Coherent.
        MTYPE_CC = 3 << 5,
        /// Not cached.
        MTYPE_UC = 4 << 5,
        /// Cached for reads and writes.
        MTYPE_RW = 5 << 5,
        /// Not in the memory-attached last-level cache.
        PAGE_NOALLOC = 1 << 9,
    }
}

abi_struct! {
    /// [`super::amdgpu_request::GEM_VA`].
    pub struct GemVa = "struct drm_amdgpu_gem_va" {
        /// In: the buffer.
        pub handle: u32,
        /// Zero.
        pub pad = "_pad": u32,
        /// In: [`va_op`].
        pub operation: u32,
        /// In: [`va_flags`].
        pub flags: u32,
        /// In: GPU address, page aligned.
        pub va_address: u64,
        /// In: bytes, page aligned.
        pub offset_in_bo: u64,
        /// In: bytes, page aligned.
        pub map_size: u64,
        /// In: point of `vm_timeline_syncobj_out`.
        pub vm_timeline_point: u64,
        /// In: receives the fence of the page table update, 0 for none.
        pub vm_timeline_syncobj_out: u32,
        /// In: elements at `input_fence_syncobj_handles`.
        pub num_syncobj_handles: u32,
        /// In: address of an array of u32: fences to wait for.
        pub input_fence_syncobj_handles: u64,
    }
}
