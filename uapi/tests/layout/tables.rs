// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Everything there is to compare.

use amdgpu_uapi::abi::{Constant, Described, Layout};
use amdgpu_uapi::ioctl::Request;
use amdgpu_uapi::kfd::{smi, sysfs};
use amdgpu_uapi::{drm, kfd};

macro_rules! structs {
    ($($module:path { $($name:ident),* $(,)? })*) => {
        [$({
            use $module::*;
            [$(<$name as Described>::LAYOUT),*].to_vec()
        }),*].concat()
    };
}

/// All structs and unions that have a name in C; the others are compared as fields of these.
pub(crate) fn structs() -> Vec<Layout> {
    let mut all = structs! {
        kfd::process { GetVersion, SetMemoryPolicy, GetClockCounters, ProcessDeviceApertures, GetProcessApertures, GetProcessAperturesNew, SetScratchBackingVa, GetTileConfig, SetTrapHandler, SetXnackMode, DbgRegister, DbgUnregister, DbgAddressWatch, DbgWaveControl }
        kfd::queue { CreateQueue, DestroyQueue, UpdateQueue, SetCuMask, GetQueueWaveState, AllocQueueGws, ContextSaveAreaHeader, WaveState }
        kfd::memory { AcquireVm, AllocMemoryOfGpu, FreeMemoryOfGpu, MapMemoryToGpu, UnmapMemoryFromGpu, GetAvailableMemory }
        kfd::dmabuf { GetDmabufInfo, ImportDmabuf, ExportDmabuf }
        kfd::event { CreateEvent, DestroyEvent, SetEvent, ResetEvent, MemoryExceptionFailure, MemoryExceptionData, HwExceptionData, SignalEventData, EventPayload, EventData, WaitEvents }
        kfd::smi { SmiEvents }
        kfd::svm { Attribute, Svm }
        kfd::criu { Criu, DeviceBucket, BoBucket }
        kfd::debug { RuntimeInfo, RuntimeEnable, QueueSnapshotEntry, DeviceInfoEntry }
        kfd::debug_args { Enable, SendRuntimeEvent, SetExceptionsEnabled, SetWaveLaunchOverride, SetWaveLaunchMode, SuspendQueues, ResumeQueues, SetNodeAddressWatch, ClearNodeAddressWatch, SetFlags, QueryDebugEvent, QueryExceptionInfo, QueueSnapshot, DeviceSnapshot, DbgTrapPayload, DbgTrap }
        kfd::profiler { PmcSettings, PtlControl, ProfilerPayload, Profiler }
        drm::core { Version, GemClose, PrimeHandle }
        drm::gem { GemCreateIn, GemCreateOut, GemCreate, GemMmapIn, GemMmapOut, GemMmap, GemWaitIdleIn, GemWaitIdleOut, GemWaitIdle, GemMetadata, GemMetadataData, GemOp, GemVa }
        drm::command_submission { CtxIn, CtxAlloc, CtxState, Ctx, BoListIn, BoListEntry, BoListOut, BoList, CsChunk, CsIn, CsOut, Cs, CsChunkIb, CsChunkDep, CsChunkFence, WaitCsIn, WaitCsOut, WaitCs }
        drm::info { QueryFw, QueryMmrReg, QueryHwIp, QueryVbios, QueryType, QueryPayload, Info, InfoGds, InfoVramGtt, HeapInfo, MemoryInfo, InfoFirmware, InfoVbios, InfoDevice, InfoHwIp, InfoGpuvmFault }
    };
    all.retain(|layout| !layout.c_name.is_empty());
    all
}

/// All constants.
pub(crate) fn constants() -> Vec<Constant> {
    let tables = [
        kfd::version::TABLE,
        kfd::command::TABLE,
        drm::base::TABLE,
        drm::command::TABLE,
        kfd::mmap::kind::TABLE,
        kfd::mmap::gpu_id::TABLE,
        kfd::sysfs::capability::TABLE,
        kfd::sysfs::capability2::TABLE,
        kfd::sysfs::debug_prop::TABLE,
        kfd::sysfs::heap_type::TABLE,
        kfd::sysfs::mem_flags::TABLE,
        kfd::sysfs::cache_type::TABLE,
        kfd::sysfs::io_link_type::TABLE,
        kfd::sysfs::io_link_flags::TABLE,
        kfd::process::cache_policy::TABLE,
        kfd::process::process_flag::TABLE,
        kfd::process::old_limit::TABLE,
        kfd::process::old_debug_limit::TABLE,
        kfd::queue::queue_type::TABLE,
        kfd::queue::limit::TABLE,
        kfd::memory::alloc_flags::TABLE,
        kfd::memory::mmio_remap::TABLE,
        kfd::event::event_type::TABLE,
        kfd::event::wait_result::TABLE,
        kfd::event::limit::TABLE,
        kfd::event::hw_exception::TABLE,
        kfd::event::memory_error::TABLE,
        kfd::smi::event::TABLE,
        kfd::smi::limit::TABLE,
        kfd::smi::migrate_trigger::TABLE,
        kfd::smi::queue_eviction::TABLE,
        kfd::smi::unmap_trigger::TABLE,
        kfd::svm::flags::TABLE,
        kfd::svm::op::TABLE,
        kfd::svm::location::TABLE,
        kfd::svm::attr::TABLE,
        kfd::criu::op::TABLE,
        kfd::debug::override_mode::TABLE,
        kfd::debug::trap_mask::TABLE,
        kfd::debug::wave_launch_mode::TABLE,
        kfd::debug::watch_mode::TABLE,
        kfd::debug::trap_flags::TABLE,
        kfd::debug::exception::TABLE,
        kfd::debug::exception_class::TABLE,
        kfd::debug::runtime_state::TABLE,
        kfd::debug::runtime_mode::TABLE,
        kfd::debug::queue_status::TABLE,
        kfd::debug_args::op::TABLE,
        kfd::profiler::op::TABLE,
        drm::gem::domain::TABLE,
        drm::gem::create_flags::TABLE,
        drm::gem::metadata_op::TABLE,
        drm::gem::op::TABLE,
        drm::gem::va_op::TABLE,
        drm::gem::va_flags::TABLE,
        drm::command_submission::ctx_op::TABLE,
        drm::command_submission::bo_list_op::TABLE,
        drm::command_submission::hw_ip::TABLE,
        drm::command_submission::chunk_id::TABLE,
        drm::command_submission::ib_flags::TABLE,
        drm::info::query::TABLE,
        drm::info::firmware::TABLE,
        drm::info::vbios_query::TABLE,
        drm::info::sensor::TABLE,
        drm::info::ids_flags::TABLE,
        drm::info::vram_type::TABLE,
        drm::info::family::TABLE,
    ];
    tables.concat()
}

/// All requests.
pub(crate) fn requests() -> Vec<Request> {
    [
        kfd::request::TABLE,
        drm::request::TABLE,
        drm::amdgpu_request::TABLE,
    ]
    .concat()
}

/// Macros of the KFD headers that are functions, or not numbers, here.
pub(crate) const AS_FUNCTIONS: [&str; 12] = [
    "AMDKFD_IO",
    "AMDKFD_IOR",
    "AMDKFD_IOW",
    "AMDKFD_IOWR",
    "AMDKFD_IOCTL_BASE",
    "KFD_EC_MASK",
    "KFD_SMI_EVENT_MASK_FROM_INDEX",
    // Questions about `debug::exception_class`.
    "KFD_DBG_EC_IS_VALID",
    "KFD_DBG_EC_TYPE_IS_QUEUE",
    "KFD_DBG_EC_TYPE_IS_DEVICE",
    "KFD_DBG_EC_TYPE_IS_PROCESS",
    "KFD_DBG_EC_TYPE_IS_PACKET",
];

/// Functions of kfd_topology.c and the names they print.
pub(crate) const TOPOLOGY: [(&str, &[&str]); 5] = [
    ("sysprops_show", sysfs::system::ALL),
    ("node_show", sysfs::node::ALL),
    ("mem_show", sysfs::mem_bank::ALL),
    ("kfd_cache_show", sysfs::cache::ALL),
    ("iolink_show", sysfs::io_link::ALL),
];

/// An event's text here, and how C makes the same.
pub(crate) struct EventLine {
    /// Macro.
    pub(crate) c_name: &'static str,
    /// Its arguments.
    pub(crate) c_args: &'static str,
    /// The text.
    pub(crate) rust: String,
}

/// All forms of events, with large and negative values.
pub(crate) fn event_lines() -> Vec<EventLine> {
    let line = |c_name, c_args, rust: &dyn std::fmt::Display| EventLine {
        c_name,
        c_args,
        rust: rust.to_string(),
    };
    vec![
        line(
            "KFD_EVENT_FMT_UPDATE_GPU_RESET",
            "0xabcdu, \"cause\"",
            &smi::GpuReset {
                sequence: 0xabcd,
                cause: "cause",
            },
        ),
        line(
            "KFD_EVENT_FMT_THERMAL_THROTTLING",
            "0xfedcba9876543210ull, 17ull",
            &smi::ThermalThrottling {
                bitmask: 0xfedc_ba98_7654_3210,
                counter: 17,
            },
        ),
        line(
            "KFD_EVENT_FMT_VMFAULT",
            "4711, \"a task\"",
            &smi::VmFault {
                pid: 4711,
                task_name: "a task",
            },
        ),
        line(
            "KFD_EVENT_FMT_PAGEFAULT_START",
            "-1ll, 4711, 0x7ffff7ffful, 0xbeef, 'W'",
            &smi::PageFault {
                ns: -1,
                pid: 4711,
                addr: 0x7_ffff_7fff,
                node: 0xbeef,
                flag: 'W',
            },
        ),
        line(
            "KFD_EVENT_FMT_PAGEFAULT_END",
            "99ll, 4711, 0x7ffff7ffful, 0xbeef, 'M'",
            &smi::PageFault {
                ns: 99,
                pid: 4711,
                addr: 0x7_ffff_7fff,
                node: 0xbeef,
                flag: 'M',
            },
        ),
        line(
            "KFD_EVENT_FMT_MIGRATE_START",
            "99ll, 4711, 0x1000ul, 512ul, 0, 0xbeef, 0xbeef, 0, 1",
            &smi::MigrateStart {
                ns: 99,
                pid: 4711,
                start: 0x1000,
                size: 512,
                from: 0,
                to: 0xbeef,
                prefetch_loc: 0xbeef,
                preferred_loc: 0,
                trigger: smi::migrate_trigger::PAGEFAULT_GPU,
            },
        ),
        line(
            "KFD_EVENT_FMT_MIGRATE_END",
            "99ll, 4711, 0x1000ul, 512ul, 0, 0xbeef, 3, -12",
            &smi::MigrateEnd {
                ns: 99,
                pid: 4711,
                start: 0x1000,
                size: 512,
                from: 0,
                to: 0xbeef,
                trigger: smi::migrate_trigger::TTM_EVICTION,
                error_code: -12,
            },
        ),
        line(
            "KFD_EVENT_FMT_QUEUE_EVICTION",
            "99ll, 4711, 0xbeef, 2",
            &smi::QueueEviction {
                ns: 99,
                pid: 4711,
                node: 0xbeef,
                trigger: smi::queue_eviction::TRIGGER_TTM,
            },
        ),
        line(
            "KFD_EVENT_FMT_QUEUE_RESTORE",
            "99ll, 4711, 0xbeef, 'R'",
            &smi::QueueRestore {
                ns: 99,
                pid: 4711,
                node: 0xbeef,
                rescheduled: 'R',
            },
        ),
        line(
            "KFD_EVENT_FMT_UNMAP_FROM_GPU",
            "99ll, 4711, 0x1000ul, 512ul, 0xbeef, 2",
            &smi::UnmapFromGpu {
                ns: 99,
                pid: 4711,
                addr: 0x1000,
                size: 512,
                node: 0xbeef,
                trigger: smi::unmap_trigger::UNMAP_FROM_CPU,
            },
        ),
        line(
            "KFD_EVENT_FMT_PROCESS",
            "4711, \"a task\"",
            &smi::Process {
                pid: 4711,
                task_name: "a task",
            },
        ),
    ]
}
