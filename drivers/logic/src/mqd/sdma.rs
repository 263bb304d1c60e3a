// SPDX-License-Identifier: GPL-2.0
//! Descriptor of a user's SDMA queue.

use super::field::sdma::*;
use super::{Field, RingSize};
use crate::bits::{field, hi, lo};

/// A user's queue on an SDMA engine (an "RLC" queue in AMD's register names). Pointers count bytes.
#[derive(Clone, Copy, Debug)]
pub struct SdmaQueue {
    /// 256-byte aligned ring buffer in the process's address space.
    pub ring: u64,
    /// Its size.
    pub ring_size: RingSize,
    /// Where the engine reports how far it has read.
    pub read_pointer: u64,
    /// Doorbell as a dword index into the doorbell BAR.
    pub doorbell: u32,
    /// Engine.
    pub engine: u8,
    /// Queue of the engine.
    pub queue: u8,
}

impl SdmaQueue {
    /// The fields of a fresh descriptor, which are also those that may change later.
    pub fn create(&self) -> impl Iterator<Item = (Field, u32)> {
        let size = field::<5, 1>(self.ring_size.log2_dwords());
        let report_read_pointer = field::<12, 12>(1) | field::<20, 16>(6);
        let switch_inside_ib = field::<8, 8>(1);
        let ring = self.ring >> 8;
        [
            (RB_CNTL, size | report_read_pointer),
            (RB_BASE, lo(ring)),
            (RB_BASE_HI, hi(ring)),
            (RB_RPTR_ADDR_LO, lo(self.read_pointer)),
            (RB_RPTR_ADDR_HI, hi(self.read_pointer)),
            (IB_CNTL, switch_inside_ib),
            (DOORBELL_OFFSET, field::<27, 2>(self.doorbell)),
            (DUMMY_REG, 0xf),
            (ENGINE_ID, self.engine.into()),
            (QUEUE_ID, self.queue.into()),
        ]
        .into_iter()
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_mqd_sdma))]
mod tests {
    use super::super::tests::lay_out;
    use super::*;

    #[test]
    fn descriptor() {
        let m = lay_out(
            SdmaQueue {
                ring: 0x7f12_3456_7000,
                ring_size: const { RingSize::new(1 << 20).unwrap() },
                read_pointer: 0x7f00_0000_1000,
                doorbell: 0x1200,
                engine: 1,
                queue: 3,
            }
            .create(),
        );
        assert_eq!(m[0], 18 << 1 | 1 << 12 | 6 << 16);
        assert_eq!((m[1], m[2]), (0x1234_5670, 0x7f));
        assert_eq!((m[8], m[9]), (0x7f00, 0x1000));
        assert_eq!(m[10], 0x100);
        assert_eq!(m[22], 0x4800);
        assert_eq!((m[27], m[126], m[127]), (0xf, 1, 3));
    }
}
