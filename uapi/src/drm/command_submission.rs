// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT
//! Command submission through the kernel. In ROCm, only kfdtest's eviction tests use it.

abi_consts! {
    /// [`CtxIn::op`].
    pub mod ctx_op: u32 = "AMDGPU_CTX_OP_" {
        /// Makes a context.
        ALLOC_CTX = 1,
        /// Ends a context.
        FREE_CTX = 2,
        /// Asks for resets.
        QUERY_STATE = 3,
        /// Asks for resets, in more detail.
        QUERY_STATE2 = 4,
        /// Asks for the stable power state.
        GET_STABLE_PSTATE = 5,
        /// Sets the stable power state.
        SET_STABLE_PSTATE = 6,
    }
}

abi_struct! {
    /// In part of [`Ctx`].
    pub struct CtxIn = "struct drm_amdgpu_ctx_in" {
        /// [`ctx_op`].
        pub op: u32,
        /// By `op`.
        pub flags: u32,
        /// The context.
        pub ctx_id: u32,
        /// -1023 to 1023, 0 normal.
        pub priority: i32,
    }
}

abi_struct! {
    /// Out part of [`Ctx`] for [`ctx_op::ALLOC_CTX`].
    pub struct CtxAlloc = "typeof(((union drm_amdgpu_ctx_out *)0)->alloc)" {
        /// The context.
        pub ctx_id: u32,
        /// Zero.
        pub pad = "_pad": u32,
    }
}

abi_struct! {
    /// Out part of [`Ctx`] for the queries.
    pub struct CtxState = "typeof(((union drm_amdgpu_ctx_out *)0)->state)" {
        /// By `op`.
        pub flags: u64,
        /// Resets so far.
        pub hangs: u32,
        /// Resets since the last query.
        pub reset_status: u32,
    }
}

abi_union! {
    /// [`super::amdgpu_request::CTX`].
    pub union Ctx = "union drm_amdgpu_ctx": [u64; 2] {
        /// What the caller passes.
        input/set_input = "in": CtxIn,
        /// What it gets from ALLOC_CTX.
        alloc/set_alloc = "out.alloc": CtxAlloc,
        /// What it gets from the queries.
        state/set_state = "out.state": CtxState,
    }
}

abi_consts! {
    /// [`BoListIn::operation`].
    pub mod bo_list_op: u32 = "AMDGPU_BO_LIST_OP_" {
        /// Makes a list.
        CREATE = 0,
        /// Ends a list.
        DESTROY = 1,
        /// Replaces its content.
        UPDATE = 2,
    }
}

abi_struct! {
    /// In part of [`BoList`].
    pub struct BoListIn = "struct drm_amdgpu_bo_list_in" {
        /// [`bo_list_op`].
        pub operation: u32,
        /// The list, 0 for CREATE.
        pub list_handle: u32,
        /// Elements at `bo_info_ptr`.
        pub bo_number: u32,
        /// Bytes per element.
        pub bo_info_size: u32,
        /// Address of an array of [`BoListEntry`].
        pub bo_info_ptr: u64,
    }
}

abi_struct! {
    /// A buffer in a list.
    pub struct BoListEntry = "struct drm_amdgpu_bo_list_entry" {
        /// The buffer.
        pub bo_handle: u32,
        /// How much it should stay in VRAM.
        pub bo_priority: u32,
    }
}

abi_struct! {
    /// Out part of [`BoList`].
    pub struct BoListOut = "struct drm_amdgpu_bo_list_out" {
        /// The list.
        pub list_handle: u32,
        /// Zero.
        pub pad = "_pad": u32,
    }
}

abi_union! {
    /// [`super::amdgpu_request::BO_LIST`].
    pub union BoList = "union drm_amdgpu_bo_list": [u64; 3] {
        /// What the caller passes.
        input/set_input = "in": BoListIn,
        /// What it gets.
        output/set_output = "out": BoListOut,
    }
}

abi_consts! {
    /// Engines.
    pub mod hw_ip: u32 = "AMDGPU_HW_IP_" {
        /// Graphics.
        GFX = 0,
        /// Compute.
        COMPUTE = 1,
        /// SDMA.
        DMA = 2,
        /// Video decoder.
        UVD = 3,
        /// Video encoder.
        VCE = 4,
        /// Video encoder.
        UVD_ENC = 5,
        /// Video decoder.
        VCN_DEC = 6,
        /// Video encoder.
        VCN_ENC = 7,
        /// Still image decoder.
        VCN_JPEG = 8,
        /// Video processor.
        VPE = 9,
        /// One more than the last.
        NUM = 10,
        /// Instances of one engine.
        INSTANCE_MAX_COUNT = 1,
    }
}

abi_consts! {
    /// [`CsChunk::chunk_id`].
    pub mod chunk_id: u32 = "AMDGPU_CHUNK_ID_" {
        /// [`super::CsChunkIb`].
        IB = 1,
        /// [`super::CsChunkFence`].
        FENCE = 2,
        /// [`super::CsChunkDep`].
        DEPENDENCIES = 3,
        /// Sync objects to wait for.
        SYNCOBJ_IN = 4,
        /// Sync objects to signal.
        SYNCOBJ_OUT = 5,
        /// Buffers, as [`super::BoListIn`].
        BO_HANDLES = 6,
        /// [`super::CsChunkDep`], until scheduled.
        SCHEDULED_DEPENDENCIES = 7,
        /// Timeline points to wait for.
        SYNCOBJ_TIMELINE_WAIT = 8,
        /// Timeline points to signal.
        SYNCOBJ_TIMELINE_SIGNAL = 9,
        /// Graphics state shadow.
        CP_GFX_SHADOW = 10,
    }
}

abi_struct! {
    /// A part of a submission.
    pub struct CsChunk = "struct drm_amdgpu_cs_chunk" {
        /// [`chunk_id`].
        pub chunk_id: u32,
        /// Its length in dwords.
        pub length_dw: u32,
        /// Its address.
        pub chunk_data: u64,
    }
}

abi_struct! {
    /// In part of [`Cs`].
    pub struct CsIn = "struct drm_amdgpu_cs_in" {
        /// The context.
        pub ctx_id: u32,
        /// The list of buffers, 0 for none.
        pub bo_list_handle: u32,
        /// Elements at `chunks`.
        pub num_chunks: u32,
        /// Zero.
        pub flags: u32,
        /// Address of an array of addresses of [`CsChunk`].
        pub chunks: u64,
    }
}

abi_struct! {
    /// Out part of [`Cs`].
    pub struct CsOut = "struct drm_amdgpu_cs_out" {
        /// Sequence number.
        pub handle: u64,
    }
}

abi_union! {
    /// [`super::amdgpu_request::CS`].
    pub union Cs = "union drm_amdgpu_cs": [u64; 3] {
        /// What the caller passes.
        input/set_input = "in": CsIn,
        /// What it gets.
        output/set_output = "out": CsOut,
    }
}

abi_consts! {
    /// [`CsChunkIb::flags`], singular part.
    pub mod ib_flags: u32 = "AMDGPU_IB_FLAG_" {
        /// For the constant engine.
        CE = 1 << 0,
        /// May be skipped without context switch.
        PREAMBLE = 1 << 1,
        /// May be preempted.
        PREEMPT = 1 << 2,
        /// The fence writes the L2 back and invalidates nothing.
        TC_WB_NOT_INVALIDATE = 1 << 3,
        /// Resets a counter of the global data share.
        RESET_GDS_MAX_WAVE_ID = 1 << 4,
        /// Flushes and invalidates caches.
        EMIT_MEM_SYNC = 1 << 6,
    }
}

abi_struct! {
    /// Commands.
    pub struct CsChunkIb = "struct drm_amdgpu_cs_chunk_ib" {
        /// Zero.
        pub pad = "_pad": u32,
        /// [`ib_flags`].
        pub flags: u32,
        /// GPU address.
        pub va_start: u64,
        /// Bytes.
        pub ib_bytes: u32,
        /// [`hw_ip`].
        pub ip_type: u32,
        /// Zero.
        pub ip_instance: u32,
        /// Ring of the engine.
        pub ring: u32,
    }
}

abi_struct! {
    /// A submission to wait for.
    pub struct CsChunkDep = "struct drm_amdgpu_cs_chunk_dep" {
        /// [`hw_ip`].
        pub ip_type: u32,
        /// Zero.
        pub ip_instance: u32,
        /// Ring of the engine.
        pub ring: u32,
        /// The context.
        pub ctx_id: u32,
        /// Sequence number.
        pub handle: u64,
    }
}

abi_struct! {
    /// Where the sequence number is written when done.
    pub struct CsChunkFence = "struct drm_amdgpu_cs_chunk_fence" {
        /// The buffer.
        pub handle: u32,
        /// Bytes into it.
        pub offset: u32,
    }
}

abi_struct! {
    /// In part of [`WaitCs`].
    pub struct WaitCsIn = "struct drm_amdgpu_wait_cs_in" {
        /// Sequence number.
        pub handle: u64,
        /// CLOCK_MONOTONIC, ns.
        pub timeout: u64,
        /// [`hw_ip`].
        pub ip_type: u32,
        /// Zero.
        pub ip_instance: u32,
        /// Ring of the engine.
        pub ring: u32,
        /// The context.
        pub ctx_id: u32,
    }
}

abi_struct! {
    /// Out part of [`WaitCs`].
    pub struct WaitCsOut = "struct drm_amdgpu_wait_cs_out" {
        /// 1: still busy.
        pub status: u64,
    }
}

abi_union! {
    /// [`super::amdgpu_request::WAIT_CS`].
    pub union WaitCs = "union drm_amdgpu_wait_cs": [u64; 4] {
        /// What the caller passes.
        input/set_input = "in": WaitCsIn,
        /// What it gets.
        output/set_output = "out": WaitCsOut,
    }
}
