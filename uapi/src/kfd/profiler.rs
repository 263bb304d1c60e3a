// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT
//! Claims on a GPU by a profiler.

abi_consts! {
    /// [`Profiler::op`].
    pub mod op: u32 = "KFD_IOC_PROFILER_" {
        /// Performance counters: [`super::PmcSettings`].
        PMC = 0,
        /// Version of this interface: [`VERSION_NUM`].
        VERSION = 2,
        /// Peak tops limiter: [`super::PtlControl`].
        PTL_CONTROL = 3,
        /// Answer to VERSION.
        VERSION_NUM = 1,
    }
}

abi_struct! {
    /// Performance counter settings of a GPU.
    pub struct PmcSettings = "struct kfd_ioctl_pmc_settings" {
        /// In.
        pub gpu_id: u32,
        /// In: 1 claims the GPU, 0 releases it.
        pub lock: u32,
        /// In: 1 counts in all queues.
        pub perfcount_enable: u32,
    }
}

abi_struct! {
    /// Peak tops limiter of a GPU.
    pub struct PtlControl = "struct kfd_ioctl_ptl_control" {
        /// In.
        pub gpu_id: u32,
        /// In: 1 on, 0 off.
        pub enable: u32,
    }
}

abi_union! {
    /// By [`op`].
    pub union ProfilerPayload = "": [u32; 3] {
        /// [`op::PMC`], in.
        pmc/set_pmc: PmcSettings,
        /// [`op::PTL_CONTROL`], in.
        ptl/set_ptl: PtlControl,
        /// [`op::VERSION`], out.
        version/set_version: u32,
    }
}

abi_struct! {
    /// [`super::request::PROFILER`] (since 1.23).
    pub struct Profiler = "struct kfd_ioctl_profiler_args" {
        /// In: [`op`].
        pub op: u32,
        /// By `op`.
        pub payload = "pmc": ProfilerPayload,
    }
}
