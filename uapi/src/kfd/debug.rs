// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT
//! What a debugger, the runtime and the kernel tell each other: modes, exceptions and records.
//! The operations are in [`super::debug_args`].

abi_consts! {
    /// How [`trap_mask`] changes.
    pub mod override_mode: u32 = "KFD_DBG_TRAP_OVERRIDE_" {
        /// Bits are added.
        OR = 0,
        /// Bits are replaced.
        REPLACE = 1,
    }
}

abi_consts! {
    /// What makes a wave enter the trap handler.
    pub mod trap_mask: u32 = "KFD_DBG_TRAP_MASK_" {
        /// Invalid floating-point operation.
        FP_INVALID = 1 << 0,
        /// Denormal operand.
        FP_INPUT_DENORMAL = 1 << 1,
        /// Division by zero.
        FP_DIVIDE_BY_ZERO = 1 << 2,
        /// Overflow.
        FP_OVERFLOW = 1 << 3,
        /// Underflow.
        FP_UNDERFLOW = 1 << 4,
        /// Inexact result.
        FP_INEXACT = 1 << 5,
        /// Integer division by zero.
        INT_DIVIDE_BY_ZERO = 1 << 6,
        /// Watch point.
        DBG_ADDRESS_WATCH = 1 << 7,
        /// Memory violation.
        DBG_MEMORY_VIOLATION = 1 << 8,
        /// First instruction.
        TRAP_ON_WAVE_START = 1 << 30,
        /// Last instruction.
        TRAP_ON_WAVE_END = 1 << 31,
    }
}

abi_consts! {
    /// How waves start.
    pub mod wave_launch_mode: u32 = "KFD_DBG_TRAP_WAVE_LAUNCH_MODE_" {
        /// Running.
        NORMAL = 0,
        /// Halted.
        HALT = 1,
        /// Single-stepping.
        DEBUG = 3,
    }
}

abi_consts! {
    /// Which accesses hit a watch point.
    pub mod watch_mode: u32 = "KFD_DBG_TRAP_ADDRESS_WATCH_MODE_" {
        /// Loads.
        READ = 0,
        /// Stores and atomics.
        NONREAD = 1,
        /// Atomics.
        ATOMIC = 2,
        /// All.
        ALL = 3,
    }
}

abi_consts! {
    /// Settings of waves under a debugger.
    pub mod trap_flags: u32 = "KFD_DBG_TRAP_FLAG_" {
        /// One memory operation at a time.
        SINGLE_MEM_OP = 1,
        /// One ALU operation at a time.
        SINGLE_ALU_OP = 2,
        /// LDS out-of-range raises (since 1.21).
        LDS_OUT_OF_ADDR_RANGE = 4,
    }
}

abi_consts! {
    /// Exception codes; 1-31 belong to a queue, 32-47 to a device, 48 and up to the process.
    pub mod exception: u32 = "EC_" {
        /// None.
        NONE = 0,
        /// A wave aborted.
        QUEUE_WAVE_ABORT = 1,
        /// A wave trapped.
        QUEUE_WAVE_TRAP = 2,
        /// Arithmetic error.
        QUEUE_WAVE_MATH_ERROR = 3,
        /// Illegal instruction.
        QUEUE_WAVE_ILLEGAL_INSTRUCTION = 4,
        /// Memory violation.
        QUEUE_WAVE_MEMORY_VIOLATION = 5,
        /// Address in no aperture.
        QUEUE_WAVE_APERTURE_VIOLATION = 6,
        /// Bad dimension in a dispatch packet.
        QUEUE_PACKET_DISPATCH_DIM_INVALID = 16,
        /// Too much LDS asked for.
        QUEUE_PACKET_DISPATCH_GROUP_SEGMENT_SIZE_INVALID = 17,
        /// Bad code object.
        QUEUE_PACKET_DISPATCH_CODE_INVALID = 18,
        /// Reserved bits set.
        QUEUE_PACKET_RESERVED = 19,
        /// Packet not supported.
        QUEUE_PACKET_UNSUPPORTED = 20,
        /// Bad workgroup size.
        QUEUE_PACKET_DISPATCH_WORK_GROUP_SIZE_INVALID = 21,
        /// Too many registers asked for.
        QUEUE_PACKET_DISPATCH_REGISTER_INVALID = 22,
        /// Vendor packet not supported.
        QUEUE_PACKET_VENDOR_UNSUPPORTED = 23,
        /// The queue could not be preempted.
        QUEUE_PREEMPTION_ERROR = 30,
        /// Queue not seen before.
        QUEUE_NEW = 31,
        /// Queue gone.
        DEVICE_QUEUE_DELETE = 32,
        /// Page fault.
        DEVICE_MEMORY_VIOLATION = 33,
        /// Hardware error.
        DEVICE_RAS_ERROR = 34,
        /// The GPU stopped.
        DEVICE_FATAL_HALT = 35,
        /// Device not seen before.
        DEVICE_NEW = 36,
        /// The runtime was enabled or disabled.
        PROCESS_RUNTIME = 48,
        /// A device went away.
        PROCESS_DEVICE_REMOVE = 49,
        /// One more than the last.
        MAX = 50,
    }
}

/// Mask bit of an exception code (1-49); none for another.
pub const fn exception_mask(code: u32) -> u64 {
    match 1u64.checked_shl(code.wrapping_sub(1)) {
        Some(mask) => mask,
        None => 0,
    }
}

abi_consts! {
    /// Masks of exception codes by what they belong to.
    pub mod exception_class: u64 = "KFD_EC_MASK_" {
        /// A queue.
        QUEUE = 0x607f_803f,
        /// A device.
        DEVICE = 0x0000_000f_8000_0000,
        /// The process.
        PROCESS = 0x0001_8000_0000_0000,
        /// A bad packet in a queue.
        PACKET = 0x007f_8000,
    }
}

abi_consts! {
    /// State of a runtime.
    pub mod runtime_state: u32 = "DEBUG_RUNTIME_STATE_" {
        /// Not enabled.
        DISABLED = 0,
        /// Enabled.
        ENABLED = 1,
        /// Another process has the debugger's resources.
        ENABLED_BUSY = 2,
        /// Enabling failed.
        ENABLED_ERROR = 3,
    }
}

abi_struct! {
    /// What a debugger learns about a runtime.
    pub struct RuntimeInfo = "struct kfd_runtime_info" {
        /// Address of the runtime's record for debuggers.
        pub r_debug: u64,
        /// [`runtime_state`].
        pub runtime_state: u32,
        /// 1: trap temporaries are set up in all waves.
        pub ttmp_setup: u32,
    }
}

abi_consts! {
    /// [`RuntimeEnable::mode_mask`].
    pub mod runtime_mode: u32 = "KFD_RUNTIME_ENABLE_MODE_" {
        /// Enable; otherwise disable.
        ENABLE_MASK = 1,
        /// Set up trap temporaries.
        TTMP_SAVE_MASK = 2,
    }
}

abi_struct! {
    /// [`super::request::RUNTIME_ENABLE`] (since 1.13): ROCr, before its first queue.
    pub struct RuntimeEnable = "struct kfd_ioctl_runtime_enable_args" {
        /// In: address of the runtime's record for debuggers.
        pub r_debug: u64,
        /// In: [`runtime_mode`].
        pub mode_mask: u32,
        /// Out: what the kernel supports.
        pub capabilities_mask: u32,
    }
}

abi_struct! {
    /// A queue as a debugger sees it.
    pub struct QueueSnapshotEntry = "struct kfd_queue_snapshot_entry" {
        /// [`exception_mask`] bits.
        pub exception_status: u64,
        /// Address.
        pub ring_base_address: u64,
        /// Address.
        pub write_pointer_address: u64,
        /// Address.
        pub read_pointer_address: u64,
        /// Address.
        pub ctx_save_restore_address: u64,
        /// Queue.
        pub queue_id: u32,
        /// Device.
        pub gpu_id: u32,
        /// Bytes.
        pub ring_size: u32,
        /// [`super::queue::queue_type`].
        pub queue_type: u32,
        /// Bytes.
        pub ctx_save_restore_area_size: u32,
        /// Zero.
        pub reserved: u32,
    }
}

abi_struct! {
    /// A device as a debugger sees it; most fields repeat the topology.
    pub struct DeviceInfoEntry = "struct kfd_dbg_device_info_entry" {
        /// [`exception_mask`] bits.
        pub exception_status: u64,
        /// As [`super::process::ProcessDeviceApertures`].
        pub lds_base: u64,
        /// As [`super::process::ProcessDeviceApertures`].
        pub lds_limit: u64,
        /// As [`super::process::ProcessDeviceApertures`].
        pub scratch_base: u64,
        /// As [`super::process::ProcessDeviceApertures`].
        pub scratch_limit: u64,
        /// As [`super::process::ProcessDeviceApertures`].
        pub gpuvm_base: u64,
        /// As [`super::process::ProcessDeviceApertures`].
        pub gpuvm_limit: u64,
        /// Device.
        pub gpu_id: u32,
        /// Bus << 8 | devfn.
        pub location_id: u32,
        /// PCI.
        pub vendor_id: u32,
        /// PCI.
        pub device_id: u32,
        /// PCI.
        pub revision_id: u32,
        /// PCI.
        pub subsystem_vendor_id: u32,
        /// PCI.
        pub subsystem_device_id: u32,
        /// MEC firmware.
        pub fw_version: u32,
        /// Decimal: major * 10000 + minor * 100 + stepping.
        pub gfx_target_version: u32,
        /// SIMD units.
        pub simd_count: u32,
        /// Waves.
        pub max_waves_per_simd: u32,
        /// Shader arrays.
        pub array_count: u32,
        /// Shader arrays.
        pub simd_arrays_per_engine: u32,
        /// Compute dies.
        pub num_xcc: u32,
        /// [`super::sysfs::capability`].
        pub capability: u32,
        /// [`super::sysfs::debug_prop`].
        pub debug_prop: u32,
        /// [`super::sysfs::capability2`].
        pub capability2: u32,
        /// Zero.
        pub pad: u32,
    }
}

abi_consts! {
    /// What suspending or resuming writes into an id of the queue array.
    pub mod queue_status: u32 = "KFD_DBG_QUEUE_" {
        /// Bit number: the hardware failed.
        ERROR_BIT = 30,
        /// Bit number: no such queue.
        INVALID_BIT = 31,
        /// Mask of ERROR_BIT.
        ERROR_MASK = 1 << 30,
        /// Mask of INVALID_BIT.
        INVALID_MASK = 1 << 31,
    }
}
