// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT
//! Events: how the GPU, the driver and the process wake threads.
//!
//! A signal event owns a slot of 8 bytes in the event page, a buffer of the process that is named by the first
//! [`CreateEvent`]. The GPU writes the event's id into the slot and interrupts; the kernel finds the event by the
//! id bits in the interrupt, or by looking for slots that are not all ones.

abi_consts! {
    /// [`CreateEvent::event_type`]: HSA_EVENTTYPE.
    pub mod event_type: u32 = "KFD_IOC_EVENT_" {
        /// Raised by the GPU through its slot, or by SET_EVENT.
        SIGNAL = 0,
        /// Not raised.
        NODECHANGE = 1,
        /// Not raised.
        DEVICESTATECHANGE = 2,
        /// GPU reset or ECC error.
        HW_EXCEPTION = 3,
        /// Not raised.
        SYSTEM_EVENT = 4,
        /// As SIGNAL, for traps of a debugger.
        DEBUG_EVENT = 5,
        /// Not raised.
        PROFILE_EVENT = 6,
        /// Not raised.
        QUEUE_EVENT = 7,
        /// GPU page fault.
        MEMORY = 8,
    }
}

abi_consts! {
    /// [`WaitEvents::wait_result`].
    pub mod wait_result: u32 = "KFD_IOC_WAIT_RESULT_" {
        /// The condition is met.
        COMPLETE = 0,
        /// The time is over.
        TIMEOUT = 1,
        /// An event was destroyed meanwhile.
        FAIL = 2,
    }
}

abi_consts! {
    /// Capacity of an event page.
    pub mod limit: u32 = "KFD_" {
        /// Signal events per process, slot 0 included, which stays unused.
        SIGNAL_EVENT_LIMIT = 4096,
        /// No file.
        INVALID_FD = 0xffff_ffff,
    }
}

/// Bytes of an event page.
pub const EVENT_PAGE_SIZE: u64 = limit::SIGNAL_EVENT_LIMIT as u64 * 8;

/// [`WaitEvents::timeout`] that never ends.
pub const TIMEOUT_INFINITE: u32 = 0xffff_ffff;

abi_consts! {
    /// [`HwExceptionData::reset_type`] and [`HwExceptionData::reset_cause`].
    pub mod hw_exception: u32 = "KFD_HW_EXCEPTION_" {
        /// Type: all of the GPU.
        WHOLE_GPU_RESET = 0,
        /// Type: one engine.
        PER_ENGINE_RESET = 1,
        /// Cause.
        GPU_HANG = 0,
        /// Cause.
        ECC = 1,
    }
}

abi_consts! {
    /// [`MemoryExceptionData::error_type`].
    pub mod memory_error: u32 = "KFD_MEM_ERR_" {
        /// An ordinary fault.
        NO_RAS = 0,
        /// Uncorrectable error in SRAM.
        SRAM_ECC = 1,
        /// Poisoned data was used.
        POISON_CONSUMED = 2,
        /// No single cause.
        GPU_HANG = 3,
    }
}

abi_struct! {
    /// [`super::request::CREATE_EVENT`].
    pub struct CreateEvent = "struct kfd_ioctl_create_event_args" {
        /// In: handle of the buffer that becomes the event page (first signal event), else 0. Out: not 0 for
        /// signal events.
        pub event_page_offset: u64,
        /// Out: what the GPU writes into the slot, the event id.
        pub event_trigger_data: u32,
        /// In: [`event_type`].
        pub event_type: u32,
        /// In: not 0: a satisfied wait resets it.
        pub auto_reset: u32,
        /// In: node the event belongs to, for some types.
        pub node_id: u32,
        /// Out: names the event inside the process.
        pub event_id: u32,
        /// Out: slot in the event page, equal to the event id.
        pub event_slot_index: u32,
    }
}

abi_struct! {
    /// [`super::request::DESTROY_EVENT`].
    pub struct DestroyEvent = "struct kfd_ioctl_destroy_event_args" {
        /// In.
        pub event_id: u32,
        /// Zero.
        pub pad: u32,
    }
}

abi_struct! {
    /// [`super::request::SET_EVENT`]: signal events only.
    pub struct SetEvent = "struct kfd_ioctl_set_event_args" {
        /// In.
        pub event_id: u32,
        /// Zero.
        pub pad: u32,
    }
}

abi_struct! {
    /// [`super::request::RESET_EVENT`]: signal events only.
    pub struct ResetEvent = "struct kfd_ioctl_reset_event_args" {
        /// In.
        pub event_id: u32,
        /// Zero.
        pub pad: u32,
    }
}

abi_struct! {
    /// What a page-table walk found. Each is 0 or 1.
    pub struct MemoryExceptionFailure = "struct kfd_memory_exception_failure" {
        /// No valid entry.
        pub not_present = "NotPresent": u32,
        /// A write without write permission.
        pub read_only = "ReadOnly": u32,
        /// An instruction fetch without execute permission.
        pub no_execute = "NoExecute": u32,
        /// The address is not exact.
        pub imprecise: u32,
    }
}

abi_struct! {
    /// A GPU page fault.
    pub struct MemoryExceptionData = "struct kfd_hsa_memory_exception_data" {
        /// Why.
        pub failure: MemoryExceptionFailure,
        /// Where, at page granularity.
        pub va: u64,
        /// Who.
        pub gpu_id: u32,
        /// [`memory_error`].
        pub error_type = "ErrorType": u32,
    }
}

abi_struct! {
    /// A GPU reset.
    pub struct HwExceptionData = "struct kfd_hsa_hw_exception_data" {
        /// [`hw_exception`].
        pub reset_type: u32,
        /// [`hw_exception`].
        pub reset_cause: u32,
        /// 1: VRAM has lost its content.
        pub memory_lost: u32,
        /// Who.
        pub gpu_id: u32,
    }
}

abi_struct! {
    /// State of a signal event (since 1.14).
    pub struct SignalEventData = "struct kfd_hsa_signal_event_data" {
        /// In: the age the caller has seen, 0 to ignore ages. Out: the age now. Starts at 1, +1 with each signal;
        /// a wait with another age than the event's returns at once, so that no wake-up is lost.
        pub last_event_age: u64,
    }
}

abi_union! {
    /// What an event reports, by its type.
    pub union EventPayload = "": [u64; 4] {
        /// [`event_type::MEMORY`].
        memory_exception_data/set_memory_exception_data: MemoryExceptionData,
        /// [`event_type::HW_EXCEPTION`].
        hw_exception_data/set_hw_exception_data: HwExceptionData,
        /// [`event_type::SIGNAL`] and [`event_type::DEBUG_EVENT`].
        signal_event_data/set_signal_event_data: SignalEventData,
    }
}

abi_struct! {
    /// One event of a [`WaitEvents`].
    pub struct EventData = "struct kfd_event_data" {
        /// In and out.
        pub payload = "memory_exception_data": EventPayload,
        /// Reserved for later event types.
        pub kfd_event_data_ext: u64,
        /// In.
        pub event_id: u32,
        /// Zero.
        pub pad: u32,
    }
}

abi_struct! {
    /// [`super::request::WAIT_EVENTS`].
    pub struct WaitEvents = "struct kfd_ioctl_wait_events_args" {
        /// In: address of an array of [`EventData`].
        pub events_ptr: u64,
        /// In: elements of the array.
        pub num_events: u32,
        /// In: not 0: wait for all, else for any.
        pub wait_for_all: u32,
        /// In: ms; 0 only looks, [`TIMEOUT_INFINITE`] waits for ever. Out, when interrupted: what is left.
        pub timeout: u32,
        /// Out: [`wait_result`].
        pub wait_result: u32,
    }
}
