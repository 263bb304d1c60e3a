// SPDX-License-Identifier: GPL-2.0
//! Descriptor of the kernel's own queues on the MEC: KIQ and HIQ.

use super::compute::{HEADER_VALUE, PRIVILEGED_DESCRIPTOR};
use super::field::cp::*;
use super::{Field, RingSize, ALL_CUS};
use crate::bits::{field, hi, lo};

/// A PM4 queue of the kernel. All addresses are of VMID 0.
#[derive(Clone, Copy, Debug)]
pub struct KernelQueue {
    /// The descriptor's own address.
    pub mqd: u64,
    /// 256-byte aligned ring buffer.
    pub ring: u64,
    /// Its size.
    pub ring_size: RingSize,
    /// Where the hardware reports how far it has read, in dwords.
    pub read_pointer: u64,
    /// Where the driver keeps how far it has written, in dwords.
    pub write_pointer: u64,
    /// Doorbell as a dword index into the doorbell BAR.
    pub doorbell: u32,
    /// 256-byte aligned end-of-pipe buffer of one page.
    pub eop: u64,
}

/// End-of-pipe buffer of one page, as CP_HQD_EOP_CONTROL has it: 2^(9 + 1) dwords.
const EOP_PAGE: u32 = 9;

impl KernelQueue {
    /// The fields of the descriptor.
    ///
    /// `active` for the KIQ, which the driver itself puts on the hardware; the HIQ is activated by the KIQ's
    /// MAP_QUEUES, which also enables its doorbell.
    pub fn create(&self, active: bool) -> impl Iterator<Item = (Field, u32)> {
        let size = field::<5, 0>(self.ring_size.cp_code());
        let report_block = field::<13, 8>(5);
        let privileged = field::<30, 30>(1) | field::<31, 31>(1);
        let enable = field::<30, 30>(u32::from(active));
        let preload = field::<0, 0>(1) | field::<17, 8>(0x53);
        let one_unit = field::<0, 0>(1) | field::<4, 4>(1) | field::<13, 8>(1);
        let min_ib = field::<21, 20>(3);
        let (ring, eop) = (self.ring >> 8, self.eop >> 8);
        [
            (HEADER, HEADER_VALUE),
            (COMPUTE_PIPELINESTAT_ENABLE, 1),
            (CP_MQD_BASE_ADDR_LO, lo(self.mqd)),
            (CP_MQD_BASE_ADDR_HI, hi(self.mqd)),
            (CP_MQD_CONTROL, PRIVILEGED_DESCRIPTOR),
            (CP_HQD_VMID, 0),
            (CP_HQD_PERSISTENT_STATE, preload),
            (CP_HQD_QUANTUM, one_unit),
            (CP_HQD_PQ_BASE_LO, lo(ring)),
            (CP_HQD_PQ_BASE_HI, hi(ring)),
            (CP_HQD_PQ_RPTR_REPORT_ADDR_LO, lo(self.read_pointer)),
            (CP_HQD_PQ_RPTR_REPORT_ADDR_HI, hi(self.read_pointer)),
            (CP_HQD_PQ_WPTR_POLL_ADDR_LO, lo(self.write_pointer)),
            (CP_HQD_PQ_WPTR_POLL_ADDR_HI, hi(self.write_pointer)),
            (CP_HQD_PQ_DOORBELL_CONTROL, field::<27, 2>(self.doorbell) | enable),
            (CP_HQD_PQ_CONTROL, size | report_block | privileged),
            (CP_HQD_IB_CONTROL, min_ib),
            (CP_HQD_EOP_BASE_ADDR_LO, lo(eop)),
            (CP_HQD_EOP_BASE_ADDR_HI, hi(eop)),
            (CP_HQD_EOP_CONTROL, EOP_PAGE),
            // registers keep what was there before
            (CP_HQD_PQ_RPTR, 0),
            (CP_HQD_PQ_WPTR_LO, 0),
            (CP_HQD_PQ_WPTR_HI, 0),
            // last: with this one the queue runs
            (CP_HQD_ACTIVE, u32::from(active)),
        ]
        .into_iter()
        .chain(ALL_CUS.fields())
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_mqd_kernel))]
mod tests {
    use super::super::tests::lay_out;
    use super::*;

    fn queue() -> KernelQueue {
        KernelQueue {
            mqd: 0x80_0000_1000,
            ring: 0x80_0000_2000,
            ring_size: const { RingSize::new(4096).unwrap() },
            read_pointer: 0x80_0000_3000,
            write_pointer: 0x80_0000_3008,
            doorbell: 2,
            eop: 0x80_0000_4000,
        }
    }

    #[test]
    fn hiq_is_privileged_and_left_inactive() {
        let m = lay_out(queue().create(false));
        assert_eq!(m[130], 0);
        assert_eq!((m[136], m[137]), (0x8000_0020, 0));
        assert_eq!(m[143], 8);
        assert_eq!(m[145], 0xc000_0509);
        assert_eq!((m[165], m[167]), (0x8000_0040, 9));
        assert_eq!(m[162], 0x100);
    }

    #[test]
    fn positions_start_at_zero_whatever_ran_before() {
        let positions = [138, 182, 183].map(|dword| (dword, 0));
        let has = |position| queue().create(true).any(|(f, v)| (f.dword(), v) == position);
        assert!(positions.into_iter().all(has));
    }

    #[test]
    fn kiq_is_active_with_its_doorbell() {
        let m = lay_out(queue().create(true));
        assert_eq!(m[130], 1);
        assert_eq!(m[143], 0x4000_0008);
    }

    #[test]
    fn activation_comes_after_every_queue_register() {
        let mut order = queue().create(true).map(|(f, _)| f.dword());
        assert!(order.any(|f| f == 130));
        assert!(order.all(|f| f < 128));
    }
}
