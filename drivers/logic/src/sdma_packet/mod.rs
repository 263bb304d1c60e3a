// SPDX-License-Identifier: GPL-2.0
//! Command packets of the system DMA engines (SDMA 4.x), as far as the kernel itself sends them.
//!
//! Source of the layouts: kernel `amdgpu/vega10_sdma_pkt_open.h`.

use crate::bits::{field, hi, lo};
use crate::pm4::RegOffset;

mod range;

pub use range::{copies, fills, Copies, Fills};

/// A command of fixed length for an SDMA ring.
pub trait Packet {
    /// The dwords of the packet, header first.
    type Words: AsRef<[u32]>;

    /// The packet as the engine reads it.
    fn encode(&self) -> Self::Words;
}

/// A NOP of one dword.
pub const NOP: u32 = 0;

/// Bytes that one copy or fill can cover: the count field is 22 bits wide and holds the count less one.
pub const MAX_BYTES: u32 = 1 << 22;

/// WRITE_LINEAR of one dword. The ring test.
#[derive(Clone, Copy, Debug)]
pub struct Write {
    /// 4-byte aligned destination.
    pub addr: u64,
    /// Value to write.
    pub value: u32,
}

impl Packet for Write {
    type Words = [u32; 5];

    fn encode(&self) -> [u32; 5] {
        [2, lo(self.addr), hi(self.addr), 0, self.value]
    }
}

/// COPY_LINEAR of up to [`MAX_BYTES`] bytes. [`copies`] makes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copy {
    src: u64,
    dst: u64,
    /// Bytes less one.
    count: u32,
}

impl Packet for Copy {
    type Words = [u32; 7];

    fn encode(&self) -> [u32; 7] {
        [
            1,
            field::<21, 0>(self.count),
            0, // no byte swapping
            lo(self.src),
            hi(self.src),
            lo(self.dst),
            hi(self.dst),
        ]
    }
}

/// CONST_FILL of dwords, up to [`MAX_BYTES`] bytes. [`fills`] makes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fill {
    dst: u64,
    value: u32,
    /// Bytes less four.
    count: u32,
}

impl Packet for Fill {
    type Words = [u32; 5];

    fn encode(&self) -> [u32; 5] {
        let by_dwords = field::<31, 30>(2);
        [
            11 | by_dwords,
            lo(self.dst),
            hi(self.dst),
            self.value,
            field::<21, 0>(self.count),
        ]
    }
}

/// FENCE: writes a dword once all earlier packets are done.
#[derive(Clone, Copy, Debug)]
pub struct Fence {
    /// 4-byte aligned destination.
    pub addr: u64,
    /// Value to write.
    pub value: u32,
}

impl Packet for Fence {
    type Words = [u32; 4];

    fn encode(&self) -> [u32; 4] {
        [5, lo(self.addr) & !3, hi(self.addr), self.value]
    }
}

/// TRAP: raises interrupt source 224 of the engine's client.
#[derive(Clone, Copy, Debug)]
pub struct Trap {
    /// Comes back in the interrupt (28 bits); for user queues, an event id.
    pub context: u32,
}

impl Packet for Trap {
    type Words = [u32; 2];

    fn encode(&self) -> [u32; 2] {
        [6, field::<27, 0>(self.context)]
    }
}

/// POLL_REGMEM as a flush of the host data path: the engine writes its bit to the request register and waits for
/// the same bit in the done register, so that it sees what the CPU wrote through the VRAM aperture.
#[derive(Clone, Copy, Debug)]
pub struct HdpFlush {
    /// GPU_HDP_FLUSH_REQ.
    pub request: RegOffset,
    /// GPU_HDP_FLUSH_DONE.
    pub done: RegOffset,
    /// The engine's bit in both.
    pub bit: u32,
}

impl Packet for HdpFlush {
    type Words = [u32; 6];

    fn encode(&self) -> [u32; 6] {
        let flush = field::<26, 26>(1);
        let equal = field::<30, 28>(3);
        let interval = field::<15, 0>(10);
        let retries = field::<27, 16>(0xfff);
        [
            8 | flush | equal,
            byte(self.done),
            byte(self.request),
            self.bit,
            self.bit,
            retries | interval,
        ]
    }
}

/// Registers in SDMA polls are byte offsets.
const fn byte(register: RegOffset) -> u32 {
    register.dword() << 2
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_sdma_packet))]
mod tests {
    use super::*;

    #[test]
    fn fixed_packets() {
        assert_eq!(
            Write {
                addr: 0x1_0000_0004,
                value: 9
            }
            .encode(),
            [2, 4, 1, 0, 9]
        );
        assert_eq!(
            Fence {
                addr: 0x2_0000_0008,
                value: 3
            }
            .encode(),
            [5, 8, 2, 3]
        );
        assert_eq!(Trap { context: 0xffff_ffff }.encode(), [6, 0x0fff_ffff]);
        let flush = HdpFlush {
            request: RegOffset::from_byte(0x3898),
            done: RegOffset::from_byte(0x389c),
            bit: 1 << 10,
        };
        assert_eq!(
            flush.encode(),
            [0x3400_0008, 0x389c, 0x3898, 0x400, 0x400, 0x0fff_000a]
        );
    }
}
