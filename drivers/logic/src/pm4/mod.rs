// SPDX-License-Identifier: GPL-2.0
//! PM4: the command packets of the command processor, as far as the kernel itself sends them.
//!
//! The kernel has two queues of its own on the compute micro engine (MEC): the KIQ (kernel interface queue), which
//! answers to the driver alone, and the HIQ (HSA interface queue), which commands the hardware scheduler. User
//! queues are filled by userspace; the driver never writes into them.
//!
//! Each packet is a plain struct whose [`Packet::encode`] yields the dwords of the ring. Sources of the layouts:
//! kernel `amdgpu/soc15d.h`, `amdkfd/kfd_pm4_headers_ai.h`, `amdkfd/kfd_pm4_headers_aldebaran.h`.

mod hws;
mod register;

pub use hws::{
    Engine, MapProcess, MapQueue, MapQueueToSlot, Preemption, QueryStatus, RunList, SetResources,
    UnmapQueues, UnmapSelection,
};
pub use register::{
    FlushType, InvalidateTlbs, RegOffset, SetUconfigRegister, WaitRegister, WriteMemory, WriteRegister,
    WriteWaitRegister,
};

use crate::bits::field;

/// A command of fixed length for a PM4 ring or indirect buffer.
pub trait Packet {
    /// The dwords of the packet, header first.
    type Words: AsRef<[u32]>;

    /// The packet as the command processor reads it.
    fn encode(&self) -> Self::Words;
}

/// A NOP that is one dword long. All rings are padded with it.
pub const NOP: u32 = header(0x10, 0x4000);

/// Header of a type 3 packet with `payload` dwords after it.
///
/// The count field holds `payload - 1`; its largest value, 0x3fff, means "none" for a NOP.
const fn header(opcode: u32, payload: u32) -> u32 {
    field::<31, 30>(3) | field::<29, 16>(payload.wrapping_sub(1)) | field::<15, 8>(opcode)
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_pm4))]
mod tests {
    use super::*;

    #[test]
    fn nop_is_one_dword() {
        assert_eq!(NOP, 0xffff_1000);
    }

    #[test]
    fn header_counts_payload_less_one() {
        assert_eq!(header(0x79, 2), 0xc001_7900);
    }
}
