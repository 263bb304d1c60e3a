// SPDX-License-Identifier: GPL-2.0
//! Packets by which the command processor reads and writes registers and memory for the driver, and flushes TLBs.

use super::{header, Packet};
use crate::bits::{field, hi, lo};

/// A register as packets name it: its dword offset in the register BAR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegOffset(u32);

impl RegOffset {
    /// The register at byte offset `byte` of the register BAR.
    pub const fn from_byte(byte: u32) -> Self {
        Self(byte / 4)
    }

    /// Dword offset in the register BAR.
    pub const fn dword(self) -> u32 {
        self.0
    }
}

/// WRITE_DATA with a register as destination.
#[derive(Clone, Copy, Debug)]
pub struct WriteRegister {
    /// Register to write.
    pub register: RegOffset,
    /// Value to write.
    pub value: u32,
}

impl Packet for WriteRegister {
    type Words = [u32; 5];

    fn encode(&self) -> [u32; 5] {
        let do_not_increment = field::<16, 16>(1);
        [
            header(0x37, 4),
            do_not_increment,
            self.register.dword(),
            0,
            self.value,
        ]
    }
}

/// WRITE_DATA with memory as destination, confirmed before the next packet runs. The fence of the KIQ.
#[derive(Clone, Copy, Debug)]
pub struct WriteMemory {
    /// Address in the address space of the ring's VMID, 4-byte aligned.
    pub addr: u64,
    /// Value to write.
    pub value: u32,
}

impl Packet for WriteMemory {
    type Words = [u32; 5];

    fn encode(&self) -> [u32; 5] {
        let control = field::<11, 8>(5) | field::<20, 20>(1);
        [
            header(0x37, 4),
            control,
            lo(self.addr) & !3,
            hi(self.addr),
            self.value,
        ]
    }
}

/// Polling interval of the waiting packets, in units of 16 clocks.
const POLL_INTERVAL: u32 = 0x20;

/// WAIT_REG_MEM: the queue stops until `register & mask == reference`.
#[derive(Clone, Copy, Debug)]
pub struct WaitRegister {
    /// Register to poll.
    pub register: RegOffset,
    /// Expected value of the masked register.
    pub reference: u32,
    /// Bits that count.
    pub mask: u32,
}

impl Packet for WaitRegister {
    type Words = [u32; 7];

    fn encode(&self) -> [u32; 7] {
        let equal = field::<2, 0>(3);
        [
            header(0x3c, 6),
            equal,
            self.register.dword(),
            0,
            self.reference,
            self.mask,
            POLL_INTERVAL,
        ]
    }
}

/// WAIT_REG_MEM that first writes: `write` gets `value`, then the queue stops until `wait & mask == value & mask`.
///
/// The whole exchange is one packet, so that no power state change can fall between request and acknowledge.
#[derive(Clone, Copy, Debug)]
pub struct WriteWaitRegister {
    /// Register that gets the request.
    pub write: RegOffset,
    /// Register that acknowledges.
    pub wait: RegOffset,
    /// The request.
    pub value: u32,
    /// Bits of the acknowledge that must equal the request's.
    pub mask: u32,
}

impl Packet for WriteWaitRegister {
    type Words = [u32; 7];

    fn encode(&self) -> [u32; 7] {
        let control = field::<2, 0>(3) | field::<7, 6>(1);
        [
            header(0x3c, 6),
            control,
            self.write.dword(),
            self.wait.dword(),
            self.value,
            self.mask,
            POLL_INTERVAL,
        ]
    }
}

/// SET_UCONFIG_REG of one register. With the scratch register it is the ring test.
#[derive(Clone, Copy, Debug)]
pub struct SetUconfigRegister {
    offset: u32,
    value: u32,
}

impl SetUconfigRegister {
    /// First dword of the user configuration space (soc15d.h: PACKET3_SET_UCONFIG_REG_START).
    const START: u32 = 0xc000;
    /// First dword after it.
    const END: u32 = 0xc400;

    /// Writes `value` to `register`; `None` unless the register lies in user configuration space.
    pub const fn new(register: RegOffset, value: u32) -> Option<Self> {
        match register.dword().checked_sub(Self::START) {
            Some(offset) if register.dword() < Self::END => Some(Self { offset, value }),
            _ => None,
        }
    }
}

impl Packet for SetUconfigRegister {
    type Words = [u32; 3];

    fn encode(&self) -> [u32; 3] {
        [header(0x79, 2), self.offset, self.value]
    }
}

/// How thoroughly a TLB invalidation works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlushType {
    /// Drops translations; requests in flight may still use the old ones.
    Legacy = 0,
    /// Waits until requests that used the old translations are done: what freeing pages needs.
    Heavyweight = 2,
}

/// INVALIDATE_TLBS: drops all translations of a PASID, in all hubs, whichever VMID it has now.
#[derive(Clone, Copy, Debug)]
pub struct InvalidateTlbs {
    /// Process address space.
    pub pasid: u16,
    /// Thoroughness.
    pub flush: FlushType,
}

impl Packet for InvalidateTlbs {
    type Words = [u32; 2];

    fn encode(&self) -> [u32; 2] {
        let by_pasid = field::<3, 0>(1);
        let all_hubs = field::<4, 4>(1);
        let pasid = field::<20, 5>(u32::from(self.pasid));
        [
            header(0x98, 1),
            by_pasid | all_hubs | pasid | field::<31, 29>(self.flush as u32),
        ]
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_pm4_register))]
mod tests {
    use super::*;
    #[cfg(test)]
    use proptest::prelude::*;

    const SCRATCH: RegOffset = RegOffset::from_byte(0x30100);

    #[test]
    fn register_write_carries_a_dword_offset() {
        let w = WriteRegister {
            register: SCRATCH,
            value: 7,
        }
        .encode();
        assert_eq!(w, [0xc003_3700, 1 << 16, 0xc040, 0, 7]);
    }

    #[test]
    fn memory_write_waits_for_its_confirmation() {
        let w = WriteMemory {
            addr: 0x1_2345_6788,
            value: 1,
        }
        .encode();
        assert_eq!(w, [0xc003_3700, 0x0010_0500, 0x2345_6788, 1, 1]);
    }

    #[test]
    fn flush_handshake() {
        let w = WriteWaitRegister {
            write: RegOffset::from_byte(0xa2d0),
            wait: RegOffset::from_byte(0xa318),
            value: 0x00f8_0001,
            mask: 1,
        };
        assert_eq!(
            w.encode(),
            [0xc005_3c00, 0x43, 0x28b4, 0x28c6, 0x00f8_0001, 1, 0x20]
        );
    }

    #[test]
    fn uconfig_space_has_bounds() {
        assert_eq!(
            SetUconfigRegister::new(SCRATCH, 5).map(|p| p.encode()),
            Some([0xc001_7900, 0x40, 5])
        );
        assert!(SetUconfigRegister::new(RegOffset::from_byte(0x2fffc), 0).is_none());
        assert!(SetUconfigRegister::new(RegOffset::from_byte(0x31000), 0).is_none());
    }

    #[cfg(test)]
    proptest! {
        #[test]
        fn pasid_survives(pasid: u16) {
            let w = InvalidateTlbs { pasid, flush: FlushType::Heavyweight }.encode();
            prop_assert_eq!(w[0], 0xc000_9800);
            prop_assert_eq!((w[1] >> 5) & 0xffff, u32::from(pasid));
            prop_assert_eq!(w[1] & 0x1f, 0x11);
            prop_assert_eq!(w[1] >> 29, 2);
        }
    }
}
