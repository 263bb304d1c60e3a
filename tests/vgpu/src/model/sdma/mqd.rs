// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The memory image of a user queue (source: kernel include/v9_structs.h `v9_sdma_mqd`, 128 dwords).

use super::regs::queue as q;
use crate::regs::extract;

/// Dwords of the descriptor.
pub const DWORDS: usize = 128;

/// Which queue register each of the first dwords holds.
const IMAGE: &[u32] = &[
    q::RB_CNTL,
    q::RB_BASE,
    q::RB_BASE_HI,
    q::RB_RPTR,
    q::RB_RPTR_HI,
    q::RB_WPTR,
    q::RB_WPTR_HI,
    q::RB_WPTR_POLL_CNTL,
    q::RB_RPTR_ADDR_HI,
    q::RB_RPTR_ADDR_LO,
    q::IB_CNTL,
    0x0b, // IB_RPTR
    q::IB_OFFSET,
    q::IB_BASE_LO,
    q::IB_BASE_HI,
    q::IB_SIZE,
    0x10, // SKIP_CNTL
    q::CONTEXT_STATUS,
    q::DOORBELL,
    0x28, // STATUS
    0x29, // DOORBELL_LOG
    0x2a, // WATERMARK
    q::DOORBELL_OFFSET,
    0x2c, // CSA_ADDR_LO
    0x2d, // CSA_ADDR_HI
    0x2f, // IB_SUB_REMAIN
    q::PREEMPT,
    0x31, // DUMMY_REG
    q::RB_WPTR_POLL_ADDR_HI,
    q::RB_WPTR_POLL_ADDR_LO,
    q::RB_AQL_CNTL,
    q::MINOR_PTR_UPDATE,
    q::MIDCMD_DATA0,
    q::MIDCMD_DATA1,
    0x42,
    0x43,
    0x44,
    0x45,
    0x46,
    0x47,
    0x48, // MIDCMD_DATA8
    q::MIDCMD_CNTL,
];

/// A user queue's descriptor, as read from memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SdmaMqd(pub [u32; DWORDS]);

impl SdmaMqd {
    /// Parses little-endian dwords; missing ones are 0.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let mut dwords = [0; DWORDS];
        for (d, b) in dwords.iter_mut().zip(bytes.chunks_exact(4)) {
            *d = u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        }
        Self(dwords)
    }

    /// The descriptor as it lies in memory.
    pub fn to_bytes(&self) -> [u8; DWORDS * 4] {
        let mut bytes = [0; DWORDS * 4];
        for (b, d) in bytes.chunks_exact_mut(4).zip(self.0) {
            b.copy_from_slice(&d.to_le_bytes());
        }
        bytes
    }

    /// The engine the driver chose (dword 126).
    pub fn engine(&self) -> u32 {
        self.0[126]
    }

    /// The RLC queue the driver chose (dword 127).
    pub fn queue(&self) -> u32 {
        self.0[127]
    }

    /// BAR2 dword index of the doorbell; `None` if the descriptor has none.
    pub fn doorbell(&self) -> Option<u32> {
        let offset = self.registers().find(|(reg, _)| *reg == q::DOORBELL_OFFSET)?.1;
        Some(extract(offset, q::DOORBELL_INDEX)).filter(|index| *index != 0)
    }

    /// Register values to load, as (dwords from RB_CNTL, value).
    pub fn registers(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        IMAGE.iter().copied().zip(self.0)
    }

    /// Replaces the register image; `value` gives a queue register by its dwords from RB_CNTL.
    pub fn save(&mut self, value: impl Fn(u32) -> u32) {
        for (d, reg) in self.0.iter_mut().zip(IMAGE) {
            *d = value(*reg);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_lie_where_the_kernel_puts_them() {
        let mut bytes = [0u8; DWORDS * 4];
        bytes[22 * 4] = 0x40; // sdmax_rlcx_doorbell_offset
        bytes[41 * 4] = 1; // sdmax_rlcx_midcmd_cntl
        bytes[126 * 4] = 3;
        bytes[127 * 4] = 5;
        let mqd = SdmaMqd::from_bytes(&bytes);
        assert_eq!((mqd.engine(), mqd.queue()), (3, 5));
        assert!(mqd.registers().any(|r| r == (q::DOORBELL_OFFSET, 0x40)));
        assert!(mqd.registers().any(|r| r == (q::MIDCMD_CNTL, 1)));
        assert_eq!(mqd.to_bytes(), bytes);
    }

    #[test]
    fn saving_keeps_what_is_not_a_register() {
        let mut mqd = SdmaMqd([7; DWORDS]);
        mqd.save(|reg| reg + 100);
        assert_eq!(mqd.0[0], 100 + q::RB_CNTL);
        assert_eq!(mqd.0[IMAGE.len()], 7);
    }
}
