// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT
//! `/dev/kfd`: linux/kfd_ioctl.h, linux/kfd_sysfs.h and the encodings around them, interface version 1.23.
//!
//! A GPU is named by its `gpu_id` (below 65536, never 0, stable over a boot; sysfs `nodes/N/gpu_id`). Addresses
//! and sizes are in bytes unless said otherwise. Fields named `pad` are 0.

pub mod criu;
pub mod debug;
pub mod debug_args;
pub mod dmabuf;
pub mod event;
pub mod memory;
pub mod mmap;
pub mod process;
pub mod profiler;
pub mod queue;
pub mod smi;
pub mod svm;
pub mod sysfs;

use criu::Criu;
use debug::RuntimeEnable;
use debug_args::DbgTrap;
use dmabuf::{ExportDmabuf, GetDmabufInfo, ImportDmabuf};
use event::{CreateEvent, DestroyEvent, ResetEvent, SetEvent, WaitEvents};
use memory::{
    AcquireVm, AllocMemoryOfGpu, FreeMemoryOfGpu, GetAvailableMemory, MapMemoryToGpu, UnmapMemoryFromGpu,
};
use process::{
    DbgAddressWatch, DbgRegister, DbgUnregister, DbgWaveControl, GetClockCounters, GetProcessApertures,
    GetProcessAperturesNew, GetTileConfig, GetVersion, SetMemoryPolicy, SetScratchBackingVa, SetTrapHandler,
    SetXnackMode,
};
use profiler::Profiler;
use queue::{AllocQueueGws, CreateQueue, DestroyQueue, GetQueueWaveState, SetCuMask, UpdateQueue};
use smi::SmiEvents;
use svm::Svm;

abi_consts! {
    /// Version of the interface this crate describes. A driver may report a lower minor.
    pub mod version: u32 = "KFD_IOCTL_" {
        /// Must be 1 for every known runtime.
        MAJOR_VERSION = 1,
        /// Grows with each addition; runtimes switch features by it.
        MINOR_VERSION = 23,
    }
}

abi_consts! {
    /// Range of request numbers.
    pub mod command: u32 = "AMDKFD_COMMAND_" {
        /// First assigned number.
        START = 0x01,
        /// First number behind the last assigned one.
        END = 0x29,
    }
}

/// Type letter of all requests.
pub const IOCTL_BASE: u8 = b'K';

ioctls! {
    /// The requests. Numbers are fixed for ever, argument sizes may grow at the end.
    pub mod request = "AMDKFD_IOC_", IOCTL_BASE, 0;
    /// Interface version; the first call of every runtime.
    GET_VERSION = Read(0x01, GetVersion),
    /// Makes a user queue.
    CREATE_QUEUE = ReadWrite(0x02, CreateQueue),
    /// Ends a user queue.
    DESTROY_QUEUE = ReadWrite(0x03, DestroyQueue),
    /// Cache policy of a process on a GPU.
    SET_MEMORY_POLICY = Write(0x04, SetMemoryPolicy),
    /// Correlated GPU and CPU clocks.
    GET_CLOCK_COUNTERS = ReadWrite(0x05, GetClockCounters),
    /// Apertures of at most 7 GPUs; superseded.
    GET_PROCESS_APERTURES = Read(0x06, GetProcessApertures),
    /// Changes ring, priority or share of a queue, or stops it.
    UPDATE_QUEUE = Write(0x07, UpdateQueue),
    /// Makes an event.
    CREATE_EVENT = ReadWrite(0x08, CreateEvent),
    /// Ends an event and wakes its waiters.
    DESTROY_EVENT = Write(0x09, DestroyEvent),
    /// Signals an event from the CPU.
    SET_EVENT = Write(0x0A, SetEvent),
    /// Takes the signal back.
    RESET_EVENT = Write(0x0B, ResetEvent),
    /// Sleeps until events are signalled.
    WAIT_EVENTS = ReadWrite(0x0C, WaitEvents),
    /// Old debugger interface, refused with EPERM.
    DBG_REGISTER_DEPRECATED = Write(0x0D, DbgRegister),
    /// Old debugger interface, refused with EPERM.
    DBG_UNREGISTER_DEPRECATED = Write(0x0E, DbgUnregister),
    /// Old debugger interface, refused with EPERM.
    DBG_ADDRESS_WATCH_DEPRECATED = Write(0x0F, DbgAddressWatch),
    /// Old debugger interface, refused with EPERM.
    DBG_WAVE_CONTROL_DEPRECATED = Write(0x10, DbgWaveControl),
    /// Where the scratch of a process lies.
    SET_SCRATCH_BACKING_VA = ReadWrite(0x11, SetScratchBackingVa),
    /// Tiling parameters for graphics interoperation.
    GET_TILE_CONFIG = ReadWrite(0x12, GetTileConfig),
    /// Second-level trap handler of a process on a GPU.
    SET_TRAP_HANDLER = Write(0x13, SetTrapHandler),
    /// Apertures of all GPUs.
    GET_PROCESS_APERTURES_NEW = ReadWrite(0x14, GetProcessAperturesNew),
    /// Adopts the address space of an open render node.
    ACQUIRE_VM = Write(0x15, AcquireVm),
    /// Makes a buffer.
    ALLOC_MEMORY_OF_GPU = ReadWrite(0x16, AllocMemoryOfGpu),
    /// Ends a buffer.
    FREE_MEMORY_OF_GPU = Write(0x17, FreeMemoryOfGpu),
    /// Maps a buffer on GPUs.
    MAP_MEMORY_TO_GPU = ReadWrite(0x18, MapMemoryToGpu),
    /// Unmaps a buffer from GPUs.
    UNMAP_MEMORY_FROM_GPU = ReadWrite(0x19, UnmapMemoryFromGpu),
    /// Restricts a queue to some compute units.
    SET_CU_MASK = Write(0x1A, SetCuMask),
    /// Reads the saved wave state of a stopped queue.
    GET_QUEUE_WAVE_STATE = ReadWrite(0x1B, GetQueueWaveState),
    /// What an importable dma-buf is.
    GET_DMABUF_INFO = ReadWrite(0x1C, GetDmabufInfo),
    /// Makes a buffer of a dma-buf.
    IMPORT_DMABUF = ReadWrite(0x1D, ImportDmabuf),
    /// Gives a queue global wave sync.
    ALLOC_QUEUE_GWS = ReadWrite(0x1E, AllocQueueGws),
    /// Opens an event stream for management tools.
    SMI_EVENTS = ReadWrite(0x1F, SmiEvents),
    /// Attributes of a range of shared virtual memory; the size also counts the attributes behind the struct.
    SVM = ReadWrite(0x20, Svm),
    /// Retryable GPU page faults on or off.
    SET_XNACK_MODE = ReadWrite(0x21, SetXnackMode),
    /// Checkpoint and restore.
    CRIU_OP = ReadWrite(0x22, Criu),
    /// Free VRAM.
    AVAILABLE_MEMORY = ReadWrite(0x23, GetAvailableMemory),
    /// Makes a dma-buf of a buffer.
    EXPORT_DMABUF = ReadWrite(0x24, ExportDmabuf),
    /// Tells the kernel, and so a debugger, that a runtime is up.
    RUNTIME_ENABLE = ReadWrite(0x25, RuntimeEnable),
    /// Operations of a debugger.
    DBG_TRAP = ReadWrite(0x26, DbgTrap),
    /// A second context in one process.
    CREATE_PROCESS = None(0x27, ()),
    /// Claims a GPU for profiling.
    PROFILER = ReadWrite(0x28, Profiler),
}
