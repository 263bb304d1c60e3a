// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT
//! Operations of a debugger on a process it traces.

abi_consts! {
    /// [`DbgTrap::op`].
    pub mod op: u32 = "KFD_IOC_DBG_TRAP_" {
        /// Starts debugging.
        ENABLE = 0,
        /// Ends it.
        DISABLE = 1,
        /// Passes exceptions on to the runtime.
        SEND_RUNTIME_EVENT = 2,
        /// Chooses the exceptions reported.
        SET_EXCEPTIONS_ENABLED = 3,
        /// Chooses what traps.
        SET_WAVE_LAUNCH_OVERRIDE = 4,
        /// Chooses how waves start.
        SET_WAVE_LAUNCH_MODE = 5,
        /// Stops queues.
        SUSPEND_QUEUES = 6,
        /// Lets queues run.
        RESUME_QUEUES = 7,
        /// Sets a watch point.
        SET_NODE_ADDRESS_WATCH = 8,
        /// Clears a watch point.
        CLEAR_NODE_ADDRESS_WATCH = 9,
        /// Sets [`super::debug::trap_flags`].
        SET_FLAGS = 10,
        /// Asks for an exception.
        QUERY_DEBUG_EVENT = 11,
        /// Asks for details of an exception.
        QUERY_EXCEPTION_INFO = 12,
        /// Lists queues.
        GET_QUEUE_SNAPSHOT = 13,
        /// Lists devices.
        GET_DEVICE_SNAPSHOT = 14,
    }
}

abi_struct! {
    /// [`op::ENABLE`].
    pub struct Enable = "struct kfd_ioctl_dbg_trap_enable_args" {
        /// In: exceptions to report.
        pub exception_mask: u64,
        /// In: where [`super::debug::RuntimeInfo`] is copied to.
        pub rinfo_ptr: u64,
        /// In: bytes there. Out: bytes of the record.
        pub rinfo_size: u32,
        /// In: file that becomes readable on an exception.
        pub dbg_fd: u32,
    }
}

abi_struct! {
    /// [`op::SEND_RUNTIME_EVENT`].
    pub struct SendRuntimeEvent = "struct kfd_ioctl_dbg_trap_send_runtime_event_args" {
        /// In.
        pub exception_mask: u64,
        /// In: device.
        pub gpu_id: u32,
        /// In: queue.
        pub queue_id: u32,
    }
}

abi_struct! {
    /// [`op::SET_EXCEPTIONS_ENABLED`].
    pub struct SetExceptionsEnabled = "struct kfd_ioctl_dbg_trap_set_exceptions_enabled_args" {
        /// In: exceptions to report.
        pub exception_mask: u64,
    }
}

abi_struct! {
    /// [`op::SET_WAVE_LAUNCH_OVERRIDE`].
    pub struct SetWaveLaunchOverride = "struct kfd_ioctl_dbg_trap_set_wave_launch_override_args" {
        /// In: [`super::debug::override_mode`].
        pub override_mode: u32,
        /// In: [`super::debug::trap_mask`]. Out: the former one.
        pub enable_mask: u32,
        /// In: bits asked about. Out: bits supported.
        pub support_request_mask: u32,
        /// Zero.
        pub pad: u32,
    }
}

abi_struct! {
    /// [`op::SET_WAVE_LAUNCH_MODE`].
    pub struct SetWaveLaunchMode = "struct kfd_ioctl_dbg_trap_set_wave_launch_mode_args" {
        /// In: [`super::debug::wave_launch_mode`].
        pub launch_mode: u32,
        /// Zero.
        pub pad: u32,
    }
}

abi_struct! {
    /// [`op::SUSPEND_QUEUES`]: returns how many are suspended.
    pub struct SuspendQueues = "struct kfd_ioctl_dbg_trap_suspend_queues_args" {
        /// In: exceptions to clear.
        pub exception_mask: u64,
        /// In and out: address of an array of queue ids (u32).
        pub queue_array_ptr: u64,
        /// In: elements of the array.
        pub num_queues: u32,
        /// In: time waves get to finish, in 1024 GPU clocks.
        pub grace_period: u32,
    }
}

abi_struct! {
    /// [`op::RESUME_QUEUES`]: returns how many are resumed.
    pub struct ResumeQueues = "struct kfd_ioctl_dbg_trap_resume_queues_args" {
        /// In and out: address of an array of queue ids (u32).
        pub queue_array_ptr: u64,
        /// In: elements of the array.
        pub num_queues: u32,
        /// Zero.
        pub pad: u32,
    }
}

abi_struct! {
    /// [`op::SET_NODE_ADDRESS_WATCH`].
    pub struct SetNodeAddressWatch = "struct kfd_ioctl_dbg_trap_set_node_address_watch_args" {
        /// In.
        pub address: u64,
        /// In: [`super::debug::watch_mode`].
        pub mode: u32,
        /// In: address bits compared.
        pub mask: u32,
        /// In: device.
        pub gpu_id: u32,
        /// Out: the watch point.
        pub id: u32,
    }
}

abi_struct! {
    /// [`op::CLEAR_NODE_ADDRESS_WATCH`].
    pub struct ClearNodeAddressWatch = "struct kfd_ioctl_dbg_trap_clear_node_address_watch_args" {
        /// In: device.
        pub gpu_id: u32,
        /// In: the watch point.
        pub id: u32,
    }
}

abi_struct! {
    /// [`op::SET_FLAGS`].
    pub struct SetFlags = "struct kfd_ioctl_dbg_trap_set_flags_args" {
        /// In: [`super::debug::trap_flags`]. Out: the former ones.
        pub flags: u32,
        /// Zero.
        pub pad: u32,
    }
}

abi_struct! {
    /// [`op::QUERY_DEBUG_EVENT`].
    pub struct QueryDebugEvent = "struct kfd_ioctl_dbg_trap_query_debug_event_args" {
        /// In: exceptions to clear. Out: exceptions raised.
        pub exception_mask: u64,
        /// Out: device.
        pub gpu_id: u32,
        /// Out: queue.
        pub queue_id: u32,
    }
}

abi_struct! {
    /// [`op::QUERY_EXCEPTION_INFO`].
    pub struct QueryExceptionInfo = "struct kfd_ioctl_dbg_trap_query_exception_info_args" {
        /// In: where the details are copied to.
        pub info_ptr: u64,
        /// In: bytes there. Out: bytes of the details.
        pub info_size: u32,
        /// In: device or queue.
        pub source_id: u32,
        /// In: [`super::debug::exception`].
        pub exception_code: u32,
        /// In: 1 clears it.
        pub clear_exception: u32,
    }
}

abi_struct! {
    /// [`op::GET_QUEUE_SNAPSHOT`].
    pub struct QueueSnapshot = "struct kfd_ioctl_dbg_trap_queue_snapshot_args" {
        /// In: exceptions to clear.
        pub exception_mask: u64,
        /// In: address of an array of [`super::debug::QueueSnapshotEntry`].
        pub snapshot_buf_ptr: u64,
        /// In: elements of the array. Out: queues there are.
        pub num_queues: u32,
        /// In: bytes from element to element. Out: bytes filled.
        pub entry_size: u32,
    }
}

abi_struct! {
    /// [`op::GET_DEVICE_SNAPSHOT`].
    pub struct DeviceSnapshot = "struct kfd_ioctl_dbg_trap_device_snapshot_args" {
        /// In: exceptions to clear.
        pub exception_mask: u64,
        /// In: address of an array of [`super::debug::DeviceInfoEntry`].
        pub snapshot_buf_ptr: u64,
        /// In: elements of the array. Out: devices there are.
        pub num_devices: u32,
        /// In: bytes from element to element. Out: bytes filled.
        pub entry_size: u32,
    }
}

abi_union! {
    /// By [`op`].
    pub union DbgTrapPayload = "": [u64; 3] {
        /// [`op::ENABLE`].
        enable/set_enable: Enable,
        /// [`op::SEND_RUNTIME_EVENT`].
        send_runtime_event/set_send_runtime_event: SendRuntimeEvent,
        /// [`op::SET_EXCEPTIONS_ENABLED`].
        set_exceptions_enabled/set_set_exceptions_enabled: SetExceptionsEnabled,
        /// [`op::SET_WAVE_LAUNCH_OVERRIDE`].
        launch_override/set_launch_override: SetWaveLaunchOverride,
        /// [`op::SET_WAVE_LAUNCH_MODE`].
        launch_mode/set_launch_mode: SetWaveLaunchMode,
        /// [`op::SUSPEND_QUEUES`].
        suspend_queues/set_suspend_queues: SuspendQueues,
        /// [`op::RESUME_QUEUES`].
        resume_queues/set_resume_queues: ResumeQueues,
        /// [`op::SET_NODE_ADDRESS_WATCH`].
        set_node_address_watch/set_set_node_address_watch: SetNodeAddressWatch,
        /// [`op::CLEAR_NODE_ADDRESS_WATCH`].
        clear_node_address_watch/set_clear_node_address_watch: ClearNodeAddressWatch,
        /// [`op::SET_FLAGS`].
        set_flags/set_set_flags: SetFlags,
        /// [`op::QUERY_DEBUG_EVENT`].
        query_debug_event/set_query_debug_event: QueryDebugEvent,
        /// [`op::QUERY_EXCEPTION_INFO`].
        query_exception_info/set_query_exception_info: QueryExceptionInfo,
        /// [`op::GET_QUEUE_SNAPSHOT`].
        queue_snapshot/set_queue_snapshot: QueueSnapshot,
        /// [`op::GET_DEVICE_SNAPSHOT`].
        device_snapshot/set_device_snapshot: DeviceSnapshot,
    }
}

abi_struct! {
    /// [`super::request::DBG_TRAP`] (since 1.13): rocgdb, and ROCr's core dumps.
    pub struct DbgTrap = "struct kfd_ioctl_dbg_trap_args" {
        /// In: the process.
        pub pid: u32,
        /// In: [`op`].
        pub op: u32,
        /// By `op`.
        pub payload = "enable": DbgTrapPayload,
    }
}
