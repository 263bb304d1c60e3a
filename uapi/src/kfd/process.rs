// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT
//! What a process sets or asks once per GPU.

abi_struct! {
    /// [`super::request::GET_VERSION`].
    pub struct GetVersion = "struct kfd_ioctl_get_version_args" {
        /// Out.
        pub major_version: u32,
        /// Out.
        pub minor_version: u32,
    }
}

abi_consts! {
    /// Cache policies of [`SetMemoryPolicy`].
    pub mod cache_policy: u32 = "KFD_IOC_CACHE_POLICY_" {
        /// Not cached on the way to other agents.
        COHERENT = 0,
        /// Cached.
        NONCOHERENT = 1,
    }
}

abi_consts! {
    /// [`SetMemoryPolicy::misc_process_flag`] (since 1.18).
    pub mod process_flag: u32 = "KFD_PROC_FLAG_" {
        /// Matrix instructions in high precision.
        MFMA_HIGH_PRECISION = 1 << 0,
    }
}

abi_struct! {
    /// [`super::request::SET_MEMORY_POLICY`]: the thunk, once per GPU.
    pub struct SetMemoryPolicy = "struct kfd_ioctl_set_memory_policy_args" {
        /// In: start of the range with the alternate policy; used by GPUs older than gfx9 only.
        pub alternate_aperture_base: u64,
        /// In: bytes.
        pub alternate_aperture_size: u64,
        /// In.
        pub gpu_id: u32,
        /// In: [`cache_policy`].
        pub default_policy: u32,
        /// In: [`cache_policy`].
        pub alternate_policy: u32,
        /// In: [`process_flag`].
        pub misc_process_flag: u32,
    }
}

abi_struct! {
    /// [`super::request::GET_CLOCK_COUNTERS`]: all read close together; HSA timestamps and profilers depend on it.
    pub struct GetClockCounters = "struct kfd_ioctl_get_clock_counters_args" {
        /// Out: ticks of the GPU clock, 0 for an unknown GPU.
        pub gpu_clock_counter: u64,
        /// Out: CLOCK_MONOTONIC_RAW, ns.
        pub cpu_clock_counter: u64,
        /// Out: CLOCK_BOOTTIME, ns.
        pub system_clock_counter: u64,
        /// Out: Hz of `system_clock_counter`: 1000000000.
        pub system_clock_freq: u64,
        /// In.
        pub gpu_id: u32,
        /// Zero.
        pub pad: u32,
    }
}

abi_struct! {
    /// The address ranges of a process on a GPU; limits are the last byte.
    pub struct ProcessDeviceApertures = "struct kfd_process_device_apertures" {
        /// Out: local data share, as flat addresses.
        pub lds_base: u64,
        /// Out.
        pub lds_limit: u64,
        /// Out: private memory, as flat addresses.
        pub scratch_base: u64,
        /// Out.
        pub scratch_limit: u64,
        /// Out: lowest address a buffer may have.
        pub gpuvm_base: u64,
        /// Out.
        pub gpuvm_limit: u64,
        /// Out.
        pub gpu_id: u32,
        /// Zero.
        pub pad: u32,
    }
}

abi_consts! {
    /// Capacity of the superseded aperture request.
    pub mod old_limit: u32 = "" {
        /// GPUs in [`super::GetProcessApertures`].
        NUM_OF_SUPPORTED_GPUS = 7,
    }
}

abi_struct! {
    /// [`super::request::GET_PROCESS_APERTURES`]: the thunk's fall-back.
    pub struct GetProcessApertures = "struct kfd_ioctl_get_process_apertures_args" {
        /// Out.
        pub process_apertures: [ProcessDeviceApertures; old_limit::NUM_OF_SUPPORTED_GPUS as usize],
        /// Out: how many are filled.
        pub num_of_nodes: u32,
        /// Zero.
        pub pad: u32,
    }
}

abi_struct! {
    /// [`super::request::GET_PROCESS_APERTURES_NEW`].
    pub struct GetProcessAperturesNew = "struct kfd_ioctl_get_process_apertures_new_args" {
        /// In: address of an array of [`ProcessDeviceApertures`].
        pub kfd_process_device_apertures_ptr: u64,
        /// In: elements of the array, 0 to ask how many there are. Out: elements filled.
        pub num_of_nodes: u32,
        /// Zero.
        pub pad: u32,
    }
}

abi_struct! {
    /// [`super::request::SET_SCRATCH_BACKING_VA`].
    pub struct SetScratchBackingVa = "struct kfd_ioctl_set_scratch_backing_va_args" {
        /// In: address of the scratch range in units of 64 KiB (SH_HIDDEN_PRIVATE_BASE_VMID).
        pub va_addr: u64,
        /// In.
        pub gpu_id: u32,
        /// Zero.
        pub pad: u32,
    }
}

abi_struct! {
    /// [`super::request::GET_TILE_CONFIG`].
    pub struct GetTileConfig = "struct kfd_ioctl_get_tile_config_args" {
        /// In: address of an array of u32.
        pub tile_config_ptr: u64,
        /// In: address of an array of u32.
        pub macro_tile_config_ptr: u64,
        /// In: elements at `tile_config_ptr`. Out: elements filled.
        pub num_tile_configs: u32,
        /// In: elements at `macro_tile_config_ptr`. Out: elements filled.
        pub num_macro_tile_configs: u32,
        /// In.
        pub gpu_id: u32,
        /// Out: the register GB_ADDR_CONFIG.
        pub gb_addr_config: u32,
        /// Out.
        pub num_banks: u32,
        /// Out.
        pub num_ranks: u32,
    }
}

abi_struct! {
    /// [`super::request::SET_TRAP_HANDLER`].
    pub struct SetTrapHandler = "struct kfd_ioctl_set_trap_handler_args" {
        /// In: address of the handler's code, 256-byte aligned.
        pub tba_addr: u64,
        /// In: address of the handler's memory, 256-byte aligned.
        pub tma_addr: u64,
        /// In.
        pub gpu_id: u32,
        /// Zero.
        pub pad: u32,
    }
}

abi_struct! {
    /// [`super::request::SET_XNACK_MODE`] (since 1.5).
    pub struct SetXnackMode = "struct kfd_ioctl_set_xnack_mode_args" {
        /// In: negative asks, 0 off, positive on (no queues may exist). Out: the mode, 0 or 1.
        pub xnack_enabled: i32,
    }
}

abi_struct! {
    /// [`super::request::DBG_REGISTER_DEPRECATED`].
    pub struct DbgRegister = "struct kfd_ioctl_dbg_register_args" {
        /// In.
        pub gpu_id: u32,
        /// Zero.
        pub pad: u32,
    }
}

abi_struct! {
    /// [`super::request::DBG_UNREGISTER_DEPRECATED`].
    pub struct DbgUnregister = "struct kfd_ioctl_dbg_unregister_args" {
        /// In.
        pub gpu_id: u32,
        /// Zero.
        pub pad: u32,
    }
}

abi_struct! {
    /// [`super::request::DBG_ADDRESS_WATCH_DEPRECATED`].
    pub struct DbgAddressWatch = "struct kfd_ioctl_dbg_address_watch_args" {
        /// In: address of the content.
        pub content_ptr: u64,
        /// In.
        pub gpu_id: u32,
        /// In: bytes, counting this and `gpu_id`.
        pub buf_size_in_bytes: u32,
    }
}

abi_struct! {
    /// [`super::request::DBG_WAVE_CONTROL_DEPRECATED`].
    pub struct DbgWaveControl = "struct kfd_ioctl_dbg_wave_control_args" {
        /// In: address of the content.
        pub content_ptr: u64,
        /// In.
        pub gpu_id: u32,
        /// In: bytes, counting this and `gpu_id`.
        pub buf_size_in_bytes: u32,
    }
}

abi_consts! {
    /// Bounds of the old debugger interface.
    pub mod old_debug_limit: u32 = "MAX_ALLOWED_" {
        /// Watch points in one request.
        NUM_POINTS = 100,
        /// Bytes of an address watch request.
        AW_BUFF_SIZE = 4096,
        /// Bytes of a wave control request.
        WAC_BUFF_SIZE = 128,
    }
}
