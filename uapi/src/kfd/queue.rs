// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT
//! User queues: rings in memory of the process, run by the GPU without the kernel.

abi_consts! {
    /// What a queue carries ([`CreateQueue::queue_type`]).
    pub mod queue_type: u32 = "KFD_IOC_QUEUE_TYPE_" {
        /// PM4 packets on a compute pipe. Only test programs use it.
        COMPUTE = 0,
        /// SDMA packets, on an engine the kernel picks.
        SDMA = 1,
        /// AQL packets (HSA) on a compute pipe: what ROCr uses.
        COMPUTE_AQL = 2,
        /// SDMA packets, on an engine wired to XGMI.
        SDMA_XGMI = 3,
        /// SDMA packets, on the engine named by [`super::CreateQueue::sdma_engine_id`] (since 1.17).
        SDMA_BY_ENG_ID = 4,
    }
}

abi_consts! {
    /// Bounds of queue arguments.
    pub mod limit: u32 = "KFD_" {
        /// Percent of the GPU: 0 (stopped) to 100; only 0 and not 0 differ.
        MAX_QUEUE_PERCENTAGE = 100,
        /// Highest of the priorities 0-15; 7 is normal.
        MAX_QUEUE_PRIORITY = 15,
        /// Bytes; a smaller ring counts as this one.
        MIN_QUEUE_RING_SIZE = 1024,
    }
}

abi_struct! {
    /// [`super::request::CREATE_QUEUE`]: ROCr, one per HSA queue and per SDMA blit.
    pub struct CreateQueue = "struct kfd_ioctl_create_queue_args" {
        /// In: GPU address of the ring, 256-byte aligned.
        pub ring_base_address: u64,
        /// In: where the producer counts, in packets (AQL), dwords (PM4) or bytes (SDMA); 8-byte aligned.
        pub write_pointer_address: u64,
        /// In: where the GPU counts; 8-byte aligned.
        pub read_pointer_address: u64,
        /// Out: mmap offset on `/dev/kfd` of the doorbell (see [`super::mmap`]).
        pub doorbell_offset: u64,
        /// In: bytes, a power of two.
        pub ring_size: u32,
        /// In.
        pub gpu_id: u32,
        /// In: [`queue_type`].
        pub queue_type: u32,
        /// In: bits 0-7 percent 0-100, bits 8-15 the XCC that runs PM4 packets.
        pub queue_percentage: u32,
        /// In: 0-15.
        pub queue_priority: u32,
        /// Out: names the queue inside the process.
        pub queue_id: u32,
        /// In: end-of-pipe buffer for compute queues, 256-byte aligned; 0 where the GPU needs none.
        pub eop_buffer_address: u64,
        /// In: bytes.
        pub eop_buffer_size: u64,
        /// In: where waves are saved when the queue is preempted, page aligned.
        pub ctx_save_restore_address: u64,
        /// In: bytes per XCC, as the node's `cwsr_size`.
        pub ctx_save_restore_size: u32,
        /// In: bytes, as the node's `ctl_stack_size`.
        pub ctl_stack_size: u32,
        /// In: engine for [`queue_type::SDMA_BY_ENG_ID`] (since 1.17).
        pub sdma_engine_id: u32,
        /// In: bytes of a metadata ring behind the ring (since 1.22), 0 without.
        pub metadata_ring_size: u32,
    }
}

/// Bytes of [`CreateQueue`] before 1.17, without its last two fields: what thunks built for 1.16 and older pass.
pub const CREATE_QUEUE_SIZE_1_16: usize = core::mem::offset_of!(CreateQueue, sdma_engine_id);

abi_struct! {
    /// [`super::request::DESTROY_QUEUE`].
    pub struct DestroyQueue = "struct kfd_ioctl_destroy_queue_args" {
        /// In.
        pub queue_id: u32,
        /// Zero.
        pub pad: u32,
    }
}

abi_struct! {
    /// [`super::request::UPDATE_QUEUE`]. A ring of address 0 or size 0, or 0 percent, stops the queue.
    pub struct UpdateQueue = "struct kfd_ioctl_update_queue_args" {
        /// In: as in [`CreateQueue`].
        pub ring_base_address: u64,
        /// In.
        pub queue_id: u32,
        /// In: bytes, a power of two or 0.
        pub ring_size: u32,
        /// In: as in [`CreateQueue`].
        pub queue_percentage: u32,
        /// In: 0-15.
        pub queue_priority: u32,
    }
}

abi_struct! {
    /// [`super::request::SET_CU_MASK`].
    pub struct SetCuMask = "struct kfd_ioctl_set_cu_mask_args" {
        /// In.
        pub queue_id: u32,
        /// In: bits in the mask, a multiple of 32, not 0; bits above 1024 are ignored.
        pub num_cu_mask: u32,
        /// In: address of the mask, an array of u32.
        pub cu_mask_ptr: u64,
    }
}

abi_struct! {
    /// [`super::request::GET_QUEUE_WAVE_STATE`]: debuggers and kfdtest, on a stopped compute queue.
    pub struct GetQueueWaveState = "struct kfd_ioctl_get_queue_wave_state_args" {
        /// In: where the control stack is copied to.
        pub ctl_stack_address: u64,
        /// Out: bytes.
        pub ctl_stack_used_size: u32,
        /// Out: bytes.
        pub save_area_used_size: u32,
        /// In.
        pub queue_id: u32,
        /// Zero.
        pub pad: u32,
    }
}

abi_struct! {
    /// [`super::request::ALLOC_QUEUE_GWS`]: cooperative groups.
    pub struct AllocQueueGws = "struct kfd_ioctl_alloc_queue_gws_args" {
        /// In.
        pub queue_id: u32,
        /// In: how many, 0 to give them back.
        pub num_gws: u32,
        /// Out: index of the first; always 0.
        pub first_gws: u32,
        /// Zero.
        pub pad: u32,
    }
}

abi_struct! {
    /// What userspace writes at the start of each XCC's context save area before it makes the queue.
    pub struct ContextSaveAreaHeader = "struct kfd_context_save_area_header" {
        /// Where the saved waves are; written by the kernel when the queue is suspended.
        pub wave_state: WaveState,
        /// Bytes from the start of the area to the debugger's memory.
        pub debug_offset: u32,
        /// Bytes of the debugger's memory.
        pub debug_size: u32,
        /// Address of the exception status the runtime looks at.
        pub err_payload_addr: u64,
        /// Event signalled with it.
        pub err_event_id: u32,
        /// Zero.
        pub reserved1: u32,
    }
}

abi_struct! {
    /// Extent of the saved waves inside a context save area. Bytes from its start, and bytes.
    pub struct WaveState = "typeof(((struct kfd_context_save_area_header *)0)->wave_state)" {
        /// Start of the control stack.
        pub control_stack_offset: u32,
        /// Used part of the control stack.
        pub control_stack_size: u32,
        /// End of the wave data, which grows downwards.
        pub wave_state_offset: u32,
        /// Used part of the wave data.
        pub wave_state_size: u32,
    }
}
