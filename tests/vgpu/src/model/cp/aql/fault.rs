// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What can be wrong with a packet, and the codes the runtime and the kernel know it by.
//!
//! What stops a wave is not among them: it is reported by the wave's trap handler or as a memory fault.

/// A queue error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QueueError {
    /// Not enough scratch for the kernel; goes on when the runtime has provided it.
    InsufficientScratch,
    /// Dimensions or grid that make no sense.
    InvalidDimensions,
    /// More LDS than there is.
    InvalidGroupMemory,
    /// No kernel descriptor, or one that does not fit.
    InvalidCodeObject,
    /// A packet type or fence that does not exist.
    InvalidFormat,
    /// A workgroup with too many work-items.
    GroupTooLarge,
    /// More vector registers than a wave can have.
    OutOfRegisters,
    /// A vendor packet this processor does not know.
    InvalidVendorFormat,
    /// Scratch that was too large to keep is free again; goes on when the runtime has taken it back.
    LargeScratchReclaim,
}

impl QueueError {
    /// The value stored in queue_inactive_signal (ROCR-Runtime amd_aql_queue.cpp: DynamicQueueEventsHandler).
    pub(crate) fn signal_value(self) -> u64 {
        match self {
            Self::InsufficientScratch => 0x1,
            Self::InvalidDimensions => 0x2,
            Self::InvalidGroupMemory => 0x4,
            Self::InvalidCodeObject => 0x8,
            Self::InvalidFormat => 0x20,
            Self::GroupTooLarge => 0x40,
            Self::OutOfRegisters => 0x80,
            Self::InvalidVendorFormat => 0x100,
            Self::LargeScratchReclaim => 0x200,
        }
    }

    /// The exception code in the bad-opcode interrupt (kfd_ioctl.h: enum kfd_dbg_trap_exception_code, EC_QUEUE_PACKET_*);
    /// `None` for what is not the packet's fault.
    pub(crate) fn exception_code(self) -> Option<u32> {
        match self {
            Self::InvalidDimensions => Some(16),
            Self::InvalidGroupMemory => Some(17),
            Self::InvalidCodeObject => Some(18),
            Self::InvalidFormat => Some(20),
            Self::GroupTooLarge => Some(21),
            Self::OutOfRegisters => Some(22),
            Self::InvalidVendorFormat => Some(23),
            Self::InsufficientScratch | Self::LargeScratchReclaim => None,
        }
    }
}
