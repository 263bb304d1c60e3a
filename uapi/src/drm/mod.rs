// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT
//! The render node: the requests of the DRM core and of amdgpu (drm/drm.h, drm/amdgpu_drm.h) that ROCm uses.
//!
//! Requests of amdgpu nobody in ROCm uses have a number here ([`command`]), but no arguments.

pub mod command_submission;
pub mod core;
pub mod gem;
pub mod info;

use self::core::{GemClose, PrimeHandle, Version};
use command_submission::{BoList, Cs, Ctx, WaitCs};
use gem::{GemCreate, GemMetadata, GemMmap, GemOp, GemVa, GemWaitIdle};
use info::Info;

/// Type letter of all requests.
pub const IOCTL_BASE: u8 = b'd';

abi_consts! {
    /// Where a driver's own request numbers begin and end.
    pub mod base: u32 = "DRM_COMMAND_" {
        /// Number of the driver's request 0.
        BASE = 0x40,
        /// First number behind them.
        END = 0xa0,
    }
}

abi_consts! {
    /// Requests of amdgpu, counted from [`base::BASE`].
    pub mod command: u8 = "DRM_AMDGPU_" {
        /// Makes a buffer.
        GEM_CREATE = 0x00,
        /// mmap offset of a buffer.
        GEM_MMAP = 0x01,
        /// Contexts of command submission.
        CTX = 0x02,
        /// Lists of buffers for command submission.
        BO_LIST = 0x03,
        /// Command submission.
        CS = 0x04,
        /// Queries.
        INFO = 0x05,
        /// Metadata of a buffer.
        GEM_METADATA = 0x06,
        /// Waits for a buffer.
        GEM_WAIT_IDLE = 0x07,
        /// Maps a buffer.
        GEM_VA = 0x08,
        /// Waits for a submission.
        WAIT_CS = 0x09,
        /// Properties of a buffer.
        GEM_OP = 0x10,
        /// Registers memory.
        GEM_USERPTR = 0x11,
        /// Waits for several submissions.
        WAIT_FENCES = 0x12,
        /// Reserves a VMID.
        VM = 0x13,
        /// Exports a submission's fence.
        FENCE_TO_HANDLE = 0x14,
        /// Priorities of others.
        SCHED = 0x15,
        /// User queues for graphics.
        USERQ = 0x16,
        /// Fence of a user queue.
        USERQ_SIGNAL = 0x17,
        /// Wait of a user queue.
        USERQ_WAIT = 0x18,
        /// Lists buffers, for CRIU.
        GEM_LIST_HANDLES = 0x19,
        /// Options of a process.
        PROC_OPTIONS = 0x1a,
    }
}

ioctls! {
    /// Requests of the DRM core.
    pub mod request = "DRM_IOCTL_", IOCTL_BASE, 0;
    /// Name and version of the driver.
    VERSION = ReadWrite(0x00, Version),
    /// Drops a handle.
    GEM_CLOSE = Write(0x09, GemClose),
    /// Exports a buffer as dma-buf.
    PRIME_HANDLE_TO_FD = ReadWrite(0x2d, PrimeHandle),
    /// Imports a dma-buf.
    PRIME_FD_TO_HANDLE = ReadWrite(0x2e, PrimeHandle),
}

ioctls! {
    /// Requests of amdgpu.
    pub mod amdgpu_request = "DRM_IOCTL_AMDGPU_", IOCTL_BASE, base::BASE as u8;
    /// Makes a buffer.
    GEM_CREATE = ReadWrite(0x00, GemCreate),
    /// mmap offset of a buffer: ROCr's virtual memory API.
    GEM_MMAP = ReadWrite(0x01, GemMmap),
    /// Contexts of command submission.
    CTX = ReadWrite(0x02, Ctx),
    /// Lists of buffers.
    BO_LIST = ReadWrite(0x03, BoList),
    /// Command submission: kfdtest's eviction tests.
    CS = ReadWrite(0x04, Cs),
    /// Queries: libdrm, at the start of every process.
    INFO = Write(0x05, Info),
    /// Metadata of a buffer: graphics interoperation.
    GEM_METADATA = ReadWrite(0x06, GemMetadata),
    /// Waits for a buffer.
    GEM_WAIT_IDLE = ReadWrite(0x07, GemWaitIdle),
    /// Maps a buffer: ROCr's virtual memory API.
    GEM_VA = Write(0x08, GemVa),
    /// Waits for a submission.
    WAIT_CS = ReadWrite(0x09, WaitCs),
    /// Properties of a buffer.
    GEM_OP = ReadWrite(0x10, GemOp),
}
