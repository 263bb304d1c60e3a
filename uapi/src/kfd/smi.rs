// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT
//! The event stream for management tools and profilers.
//!
//! [`super::request::SMI_EVENTS`] returns a file. Writing a u64 mask ([`mask`]) chooses the events, poll waits,
//! read returns lines of text: the event number in hexadecimal, a blank, and one of the forms below.

use core::fmt;

abi_consts! {
    /// Event numbers; they start each line.
    pub mod event: u32 = "KFD_SMI_EVENT_" {
        /// Unused.
        NONE = 0,
        /// A process faulted on a GPU: [`super::VmFault`].
        VMFAULT = 1,
        /// [`super::ThermalThrottling`].
        THERMAL_THROTTLE = 2,
        /// [`super::GpuReset`].
        GPU_PRE_RESET = 3,
        /// [`super::GpuReset`].
        GPU_POST_RESET = 4,
        /// [`super::MigrateStart`].
        MIGRATE_START = 5,
        /// [`super::MigrateEnd`].
        MIGRATE_END = 6,
        /// [`super::PageFault`], flag 'W' write or 'R' read.
        PAGE_FAULT_START = 7,
        /// [`super::PageFault`], flag 'M' migrated or 'U' updated.
        PAGE_FAULT_END = 8,
        /// [`super::QueueEviction`].
        QUEUE_EVICTION = 9,
        /// [`super::QueueRestore`].
        QUEUE_RESTORE = 10,
        /// [`super::UnmapFromGpu`].
        UNMAP_FROM_GPU = 11,
        /// [`super::Process`].
        PROCESS_START = 12,
        /// [`super::Process`].
        PROCESS_END = 13,
        /// Not an event: with this bit in the mask, events of all processes are delivered (needs CAP_SYS_ADMIN).
        ALL_PROCESS = 64,
    }
}

/// Mask bit of an event number (1-64); none for another.
pub const fn mask(event: u32) -> u64 {
    match 1u64.checked_shl(event.wrapping_sub(1)) {
        Some(mask) => mask,
        None => 0,
    }
}

abi_consts! {
    /// Bounds of the stream.
    pub mod limit: u32 = "KFD_SMI_EVENT_" {
        /// Bytes of the longest line.
        MSG_SIZE = 96,
    }
}

abi_consts! {
    /// Why pages moved.
    pub mod migrate_trigger: u32 = "KFD_MIGRATE_TRIGGER_" {
        /// The process asked.
        PREFETCH = 0,
        /// A GPU touched them.
        PAGEFAULT_GPU = 1,
        /// A CPU touched them.
        PAGEFAULT_CPU = 2,
        /// VRAM was short.
        TTM_EVICTION = 3,
    }
}

abi_consts! {
    /// Why queues stopped.
    pub mod queue_eviction: u32 = "KFD_QUEUE_EVICTION_" {
        /// A range of shared virtual memory changed.
        TRIGGER_SVM = 0,
        /// Registered memory changed.
        TRIGGER_USERPTR = 1,
        /// A buffer moved.
        TRIGGER_TTM = 2,
        /// The GPU went to sleep.
        TRIGGER_SUSPEND = 3,
        /// A checkpoint is taken.
        CRIU_CHECKPOINT = 4,
        /// A checkpoint is restored.
        CRIU_RESTORE = 5,
    }
}

abi_consts! {
    /// Why a range was unmapped from a GPU.
    pub mod unmap_trigger: u32 = "KFD_SVM_UNMAP_TRIGGER_" {
        /// The CPU mapping changed.
        MMU_NOTIFY = 0,
        /// The pages moved.
        MMU_NOTIFY_MIGRATE = 1,
        /// The range was freed.
        UNMAP_FROM_CPU = 2,
    }
}

abi_struct! {
    /// [`super::request::SMI_EVENTS`] (since 1.3).
    pub struct SmiEvents = "struct kfd_ioctl_smi_events_args" {
        /// In: gpu_id.
        pub gpuid: u32,
        /// Out: the stream.
        pub anon_fd: u32,
    }
}

/// Declares a line: its fields and its text.
macro_rules! line {
    ($(#[$meta:meta])* pub struct $name:ident $(<$lt:lifetime>)? { $($(#[$fmeta:meta])* $field:ident: $ty:ty,)* }
        $text:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name $(<$lt>)? {
            $($(#[$fmeta])* pub $field: $ty,)*
        }

        impl $(<$lt>)? fmt::Display for $name $(<$lt>)? {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let Self { $($field),* } = self;
                writeln!(f, $text)
            }
        }
    };
}

line! {
    /// Before and after a GPU reset.
    pub struct GpuReset<'a> {
        /// Resets since boot.
        sequence: u32,
        /// In words.
        cause: &'a str,
    }
    "{sequence:x} {cause}"
}

line! {
    /// A clock was lowered.
    pub struct ThermalThrottling {
        /// What is hot, as the firmware says it.
        bitmask: u64,
        /// How often.
        counter: u64,
    }
    "{bitmask:x}:{counter:x}"
}

line! {
    /// A fault that cannot be repaired.
    pub struct VmFault<'a> {
        /// Process.
        pid: u32,
        /// Its name.
        task_name: &'a str,
    }
    "{pid:x}:{task_name}"
}

line! {
    /// A fault that is being repaired.
    pub struct PageFault {
        /// CLOCK_MONOTONIC, ns.
        ns: i64,
        /// Process.
        pid: i32,
        /// Page number.
        addr: u64,
        /// gpu_id.
        node: u32,
        /// See the event number.
        flag: char,
    }
    "{ns} -{pid} @{addr:x}({node:x}) {flag}"
}

line! {
    /// Pages are about to move.
    pub struct MigrateStart {
        /// CLOCK_MONOTONIC, ns.
        ns: i64,
        /// Process.
        pid: i32,
        /// First page.
        start: u64,
        /// Pages.
        size: u64,
        /// gpu_id, 0 for system memory.
        from: u32,
        /// gpu_id, 0 for system memory.
        to: u32,
        /// gpu_id the process asked for.
        prefetch_loc: u32,
        /// gpu_id the process prefers.
        preferred_loc: u32,
        /// [`migrate_trigger`].
        trigger: u32,
    }
    "{ns} -{pid} @{start:x}({size:x}) {from:x}->{to:x} {prefetch_loc:x}:{preferred_loc:x} {trigger}"
}

line! {
    /// Pages have moved.
    pub struct MigrateEnd {
        /// CLOCK_MONOTONIC, ns.
        ns: i64,
        /// Process.
        pid: i32,
        /// First page.
        start: u64,
        /// Pages.
        size: u64,
        /// gpu_id, 0 for system memory.
        from: u32,
        /// gpu_id, 0 for system memory.
        to: u32,
        /// [`migrate_trigger`].
        trigger: u32,
        /// 0 or a negative errno.
        error_code: i32,
    }
    "{ns} -{pid} @{start:x}({size:x}) {from:x}->{to:x} {trigger} {error_code}"
}

line! {
    /// Queues stopped.
    pub struct QueueEviction {
        /// CLOCK_MONOTONIC, ns.
        ns: i64,
        /// Process.
        pid: i32,
        /// gpu_id.
        node: u32,
        /// [`queue_eviction`].
        trigger: u32,
    }
    "{ns} -{pid} {node:x} {trigger}"
}

line! {
    /// Queues run again.
    pub struct QueueRestore {
        /// CLOCK_MONOTONIC, ns.
        ns: i64,
        /// Process.
        pid: i32,
        /// gpu_id.
        node: u32,
        /// 'R' if it failed and is tried again, '0' otherwise.
        rescheduled: char,
    }
    "{ns} -{pid} {node:x} {rescheduled}"
}

line! {
    /// A range was unmapped.
    pub struct UnmapFromGpu {
        /// CLOCK_MONOTONIC, ns.
        ns: i64,
        /// Process.
        pid: i32,
        /// First page.
        addr: u64,
        /// Pages.
        size: u64,
        /// gpu_id.
        node: u32,
        /// [`unmap_trigger`].
        trigger: u32,
    }
    "{ns} -{pid} @{addr:x}({size:x}) {node:x} {trigger}"
}

line! {
    /// A process began or ended its use of KFD.
    pub struct Process<'a> {
        /// Process.
        pid: u32,
        /// Its name.
        task_name: &'a str,
    }
    "{pid:x} {task_name}"
}
