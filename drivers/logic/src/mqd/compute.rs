// SPDX-License-Identifier: GPL-2.0
//! Descriptor of a user's compute queue.

use super::field::cp::*;
use super::{CuMask, Field, Priority, RingSize};
use crate::bits::{field, hi, lo};

/// What the ring of a compute queue holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// HSA packets of 64 bytes; pointers count packets.
    Aql,
    /// PM4 packets; pointers count dwords.
    Pm4,
}

/// Where the command processor notes the ends of dispatches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EopBuffer {
    /// 256-byte aligned address in the process's address space.
    addr: u64,
    /// log2 of its entries of 8 bytes, rounded up.
    log2_entries: u32,
}

impl EopBuffer {
    /// A buffer at `addr`; `None` unless it holds at least two entries of 8 bytes.
    pub fn new(addr: u64, bytes: u64) -> Option<Self> {
        let log2_entries = (bytes / 8).checked_next_power_of_two()?.trailing_zeros();
        (bytes >= 16).then_some(Self { addr, log2_entries })
    }

    /// The size field: `2^(n + 1)` dwords. The hardware does not cap it itself; it has at most 255 entries in
    /// flight, so that more than 2^10 are never used.
    fn code(self) -> u32 {
        self.log2_entries.min(10)
    }
}

/// Where the waves of a preempted queue are saved (CWSR).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SaveArea {
    /// Address in the process's address space.
    pub addr: u64,
    /// Bytes in all.
    pub size: u32,
    /// Bytes of the control stack at its beginning.
    pub control_stack: u32,
}

/// A user's compute queue, as its descriptor shows it to the hardware.
#[derive(Clone, Copy, Debug)]
pub struct ComputeQueue {
    /// The descriptor's own address, VMID 0.
    pub mqd: u64,
    /// Contents of the ring.
    pub format: Format,
    /// 256-byte aligned ring buffer in the process's address space.
    pub ring: u64,
    /// Its size.
    pub ring_size: RingSize,
    /// Where the hardware reports how far it has read.
    pub read_pointer: u64,
    /// Where userspace keeps how far it has written.
    pub write_pointer: u64,
    /// Doorbell as a dword index into the doorbell BAR.
    pub doorbell: u32,
    /// End-of-pipe buffer, if the queue has one.
    pub eop: Option<EopBuffer>,
    /// Priority among the queues.
    pub priority: Priority,
    /// Compute units that may run its waves.
    pub cu_mask: CuMask,
    /// The process has a trap handler.
    pub trap_handler: bool,
    /// Save area, if its waves can be saved.
    pub save: Option<SaveArea>,
    /// The queue may use global wave sync: its waves then must be spread over the SIMDs.
    pub gws: bool,
}

impl ComputeQueue {
    /// The fields of a fresh descriptor.
    pub fn create(&self) -> impl Iterator<Item = (Field, u32)> {
        let preload_request = field::<0, 0>(1);
        let preload_size = field::<17, 8>(0x53);
        let switch_by_saving_waves = field::<30, 30>(u32::from(self.save.is_some()));
        let trap_present = field::<6, 6>(u32::from(self.trap_handler));
        let one_unit = field::<0, 0>(1) | field::<4, 4>(1) | field::<13, 8>(1);
        let keep_dispatch_pointer = field::<14, 14>(1);
        let aql = field::<14, 0>(u32::from(self.format == Format::Aql));
        let save = self.save.unwrap_or(SaveArea {
            addr: 0,
            size: 0,
            control_stack: 0,
        });
        [
            (HEADER, HEADER_VALUE),
            (COMPUTE_PIPELINESTAT_ENABLE, 1),
            (COMPUTE_PGM_RSRC2, trap_present),
            (CP_MQD_BASE_ADDR_LO, lo(self.mqd)),
            (CP_MQD_BASE_ADDR_HI, hi(self.mqd)),
            (
                CP_HQD_PERSISTENT_STATE,
                preload_request | preload_size | switch_by_saving_waves,
            ),
            (CP_HQD_QUANTUM, one_unit),
            (CP_HQD_HQ_STATUS0, keep_dispatch_pointer),
            (CP_MQD_CONTROL, PRIVILEGED_DESCRIPTOR),
            (CP_HQD_AQL_CONTROL, aql),
            (CP_HQD_CTX_SAVE_BASE_ADDR_LO, lo(save.addr)),
            (CP_HQD_CTX_SAVE_BASE_ADDR_HI, hi(save.addr)),
            (CP_HQD_CTX_SAVE_SIZE, save.size),
            (CP_HQD_CNTL_STACK_SIZE, save.control_stack),
            // the control stack grows down; wave states follow it
            (CP_HQD_CNTL_STACK_OFFSET, save.control_stack),
            (CP_HQD_WG_STATE_OFFSET, save.control_stack),
        ]
        .into_iter()
        .chain(self.update())
    }

    /// The fields that may change while the queue is off the hardware.
    pub fn update(&self) -> impl Iterator<Item = (Field, u32)> {
        let any_order = field::<28, 28>(1);
        let report_block = field::<13, 8>(5);
        let size = field::<5, 0>(self.ring_size.cp_code());
        let (aql_control, aql_doorbell) = match self.format {
            Format::Pm4 => (0, 0),
            Format::Aql => {
                let no_report = field::<27, 27>(1);
                let pointers_in_slots = field::<26, 25>(2);
                let stop_when_full = field::<14, 14>(1);
                let clamp_prefetch = field::<16, 16>(1);
                (
                    no_report | pointers_in_slots | stop_when_full | clamp_prefetch,
                    field::<1, 1>(1),
                )
            }
        };
        let min_ib = field::<21, 20>(3);
        let no_ib = field::<23, 23>(1);
        let spread = field::<23, 23>(u32::from(self.gws));
        let (eop, eop_control) = self.eop.map_or((0, 0), |eop| (eop.addr >> 8, eop.code()));
        let ring = self.ring >> 8;
        [
            (CP_HQD_PQ_CONTROL, size | report_block | any_order | aql_control),
            (CP_HQD_PQ_BASE_LO, lo(ring)),
            (CP_HQD_PQ_BASE_HI, hi(ring)),
            (CP_HQD_PQ_RPTR_REPORT_ADDR_LO, lo(self.read_pointer)),
            (CP_HQD_PQ_RPTR_REPORT_ADDR_HI, hi(self.read_pointer)),
            (CP_HQD_PQ_WPTR_POLL_ADDR_LO, lo(self.write_pointer)),
            (CP_HQD_PQ_WPTR_POLL_ADDR_HI, hi(self.write_pointer)),
            (
                CP_HQD_PQ_DOORBELL_CONTROL,
                field::<27, 2>(self.doorbell) | aql_doorbell,
            ),
            (CP_HQD_IB_CONTROL, min_ib | no_ib),
            (CP_HQD_EOP_CONTROL, eop_control),
            (CP_HQD_EOP_BASE_ADDR_LO, lo(eop)),
            (CP_HQD_EOP_BASE_ADDR_HI, hi(eop)),
            (CP_HQD_PIPE_PRIORITY, self.priority.pipe()),
            (COMPUTE_RESOURCE_LIMITS, spread),
        ]
        .into_iter()
        .chain(self.cu_mask.fields())
    }
}

/// First dword of every compute descriptor.
pub(super) const HEADER_VALUE: u32 = 0xc031_0800;

/// CP_MQD_CONTROL: the descriptor is fetched with the kernel's rights.
pub(super) const PRIVILEGED_DESCRIPTOR: u32 = field::<8, 8>(1);

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_mqd_compute))]
mod tests {
    use super::super::tests::lay_out;
    use super::super::ALL_CUS;
    use super::*;

    fn queue(format: Format) -> ComputeQueue {
        ComputeQueue {
            mqd: 0x80_0012_3000,
            format,
            ring: 0x7f12_3456_7000,
            ring_size: const { RingSize::new(0x10000).unwrap() },
            read_pointer: 0x7f00_0000_0080,
            write_pointer: 0x7f00_0000_0038,
            doorbell: 0x1002,
            eop: EopBuffer::new(0x7f22_0000_1000, 4096),
            priority: const { Priority::new(7).unwrap() },
            cu_mask: ALL_CUS,
            trap_handler: true,
            save: None,
            gws: false,
        }
    }

    #[test]
    fn aql_descriptor() {
        let m = lay_out(queue(Format::Aql).create());
        assert_eq!(m[0], 0xc031_0800);
        assert_eq!(m[20], 0x40);
        assert_eq!((m[128], m[129]), (0x0012_3000, 0x80));
        assert_eq!(m[130], 0); // the scheduler activates it
        assert_eq!(m[132], 0x5301);
        assert_eq!(m[133], 1);
        assert_eq!(m[135], 0x111);
        assert_eq!((m[136], m[137]), (0x1234_5670, 0x7f));
        assert_eq!((m[139], m[140]), (0x80, 0x7f00));
        assert_eq!((m[141], m[142]), (0x38, 0x7f00));
        assert_eq!(m[143], 0x4008 | 2);
        assert_eq!(
            m[145],
            13 | 5 << 8 | 1 << 14 | 1 << 16 | 2 << 25 | 1 << 27 | 1 << 28
        );
        assert_eq!(m[149], 0x00b0_0000);
        assert_eq!(m[160], 0x4000);
        assert_eq!(m[162], 0x100);
        assert_eq!((m[165], m[166], m[167]), (0x2200_0010, 0x7f, 9));
        assert_eq!(m[181], 1);
        assert!([23, 24, 26, 27, 39, 40, 41, 42].iter().all(|&i| m[i] == u32::MAX));
    }

    #[test]
    fn pm4_descriptor_differs_only_in_format() {
        let m = lay_out(queue(Format::Pm4).create());
        assert_eq!(m[143], 0x4008);
        assert_eq!(m[145], 13 | 5 << 8 | 1 << 28);
        assert_eq!(m[181], 0);
    }

    #[test]
    fn eop_size_is_capped() {
        let mut q = queue(Format::Aql);
        assert!(EopBuffer::new(0x1000, 8).is_none());
        q.eop = EopBuffer::new(0x1000, 1 << 20);
        assert_eq!(lay_out(q.create())[167], 10);
        q.eop = None;
        let m = lay_out(q.create());
        assert_eq!((m[165], m[166], m[167]), (0, 0, 0));
    }

    #[test]
    fn save_area_switches_by_saving() {
        let mut q = queue(Format::Aql);
        q.save = Some(SaveArea {
            addr: 0x7f33_0000_0000,
            size: 0x100_0000,
            control_stack: 0x3000,
        });
        let m = lay_out(q.create());
        assert_eq!(m[132], 0x4000_5301);
        assert_eq!((m[171], m[172]), (0, 0x7f33));
        assert_eq!(
            (m[174], m[175], m[176], m[177]),
            (0x3000, 0x3000, 0x3000, 0x100_0000)
        );
    }

    #[test]
    fn update_leaves_saved_state_alone() {
        // rptr, wptr, save offsets and the like belong to the hardware once the queue has run
        let kept = [
            130, 132, 138, 168, 169, 171, 172, 174, 175, 176, 177, 181, 182, 183,
        ];
        assert!(queue(Format::Aql)
            .update()
            .all(|(f, _)| !kept.contains(&f.dword())));
    }
}
