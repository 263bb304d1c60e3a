// SPDX-License-Identifier: GPL-2.0
//! Packets to the hardware scheduler (HWS): which processes and queues there are, and what to take off the hardware.
//!
//! The scheduler reads a run list (an indirect buffer of [`MapProcess`], each followed by its [`MapQueue`]s), gives
//! each process a VMID and each queue a hardware slot, and switches between them by quantum when there are too many.

use super::{header, Packet};
use crate::bits::{field, hi, lo};

/// What a queue runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Compute micro engine.
    Compute,
    /// System DMA engine of that number.
    Sdma(u8),
}

impl Engine {
    /// Field `engine_sel` and field `extended_engine_sel`. Engines 0 and 1 have codes of their own from the time
    /// when there were two; the others are numbered, eight to each extension code.
    const fn select(self) -> u32 {
        let (select, extension) = match self {
            Engine::Compute => (0, 0),
            Engine::Sdma(0) => (2, 0),
            Engine::Sdma(1) => (3, 0),
            Engine::Sdma(n) if n < 8 => (n as u32, 1),
            Engine::Sdma(n) => ((n & 7) as u32, 2),
        };
        field::<28, 26>(select) | field::<3, 2>(extension)
    }
}

/// SET_RESOURCES: what of the GPU the scheduler may hand out. Sent once, before the first run list.
#[derive(Clone, Copy, Debug)]
pub struct SetResources {
    /// VMIDs for processes, one bit each.
    pub vmids: u16,
    /// Hardware queue slots of MEC 1, bit = pipe * 8 + queue.
    pub queues: u64,
    /// Global wave sync resources, one bit each.
    pub gws: u64,
    /// Time after which a queue that does not leave the hardware counts as hung, in units of 100 ms.
    pub unmap_latency: u8,
}

impl Packet for SetResources {
    type Words = [u32; 8];

    fn encode(&self) -> [u32; 8] {
        let from_hiq = field::<31, 29>(1);
        [
            header(0xa0, 7),
            from_hiq | field::<23, 16>(u32::from(self.unmap_latency)) | field::<15, 0>(u32::from(self.vmids)),
            lo(self.queues),
            hi(self.queues),
            lo(self.gws),
            hi(self.gws),
            0, // no ordered append units
            0, // no global data share heap
        ]
    }
}

/// MAP_PROCESS in the layout of gfx90a and later CDNA: a process address space for the queues that follow.
#[derive(Clone, Copy, Debug)]
pub struct MapProcess {
    /// Process address space id, reported back in interrupts.
    pub pasid: u16,
    /// Page directory base as the VM context register takes it (address and flags of the root entry).
    pub page_table_base: u64,
    /// SH_MEM_BASES: bits 63:48 of the LDS aperture (high half) and of the scratch aperture (low half).
    pub sh_mem_bases: u32,
    /// SH_MEM_CONFIG: alignment mode and retry.
    pub sh_mem_config: u32,
    /// First-level trap handler, 256-byte aligned; 0 if there is none.
    pub trap_handler: u64,
    /// Its memory, 256-byte aligned; 0 if there is none.
    pub trap_memory: u64,
    /// Global wave sync resources of the process (0 to 64).
    pub gws: u8,
    /// Number of [`MapQueue`] packets that follow for this process.
    pub queues: u16,
    /// SPI_GDBG_PER_VMID_CNTL: debugger settings of wave launch.
    pub debug_control: u32,
}

/// Time slice of a process when there are more processes than VMIDs, in the scheduler's own unit.
const PROCESS_QUANTUM: u32 = 10;

impl Packet for MapProcess {
    type Words = [u32; 21];

    fn encode(&self) -> [u32; 21] {
        let sdma_enable = field::<7, 7>(1);
        [
            header(0xa1, 20),
            field::<31, 25>(PROCESS_QUANTUM) | field::<15, 0>(u32::from(self.pasid)),
            lo(self.page_table_base),
            hi(self.page_table_base),
            self.sh_mem_bases,
            self.sh_mem_config,
            lo(self.trap_handler >> 8),
            hi(self.trap_handler >> 8),
            lo(self.trap_memory >> 8),
            hi(self.trap_memory >> 8),
            0,
            0, // no global data share context
            0,
            field::<31, 22>(u32::from(self.queues)) | sdma_enable | field::<6, 0>(u32::from(self.gws)),
            self.debug_control,
            0, // no watch points
            0,
            0,
            0,
            0, // no completion signal
            0,
        ]
    }
}

/// MAP_QUEUES for a user queue: the scheduler picks the slot.
#[derive(Clone, Copy, Debug)]
pub struct MapQueue {
    /// Where it runs.
    pub engine: Engine,
    /// Doorbell as a dword index into the doorbell BAR.
    pub doorbell: u32,
    /// Queue descriptor in VMID 0 address space.
    pub mqd: u64,
    /// Where userspace keeps the write pointer, in the process's address space. Read when the queue is put on the
    /// hardware, so that doorbells rung while it was off are not lost.
    pub write_pointer: u64,
    /// The queue may use global wave sync.
    pub gws: bool,
}

impl Packet for MapQueue {
    type Words = [u32; 7];

    fn encode(&self) -> [u32; 7] {
        let one_queue = field::<31, 29>(1);
        let scheduler_picks = field::<5, 4>(1);
        [
            header(0xa2, 6),
            one_queue | scheduler_picks | field::<12, 12>(u32::from(self.gws)) | self.engine.select(),
            field::<27, 2>(self.doorbell),
            lo(self.mqd),
            hi(self.mqd),
            lo(self.write_pointer),
            hi(self.write_pointer),
        ]
    }
}

/// MAP_QUEUES as the KIQ takes it to start the HIQ in a named slot.
#[derive(Clone, Copy, Debug)]
pub struct MapQueueToSlot {
    /// Micro engine, 1 or 2.
    pub me: u8,
    /// Pipe of the micro engine.
    pub pipe: u8,
    /// Queue of the pipe.
    pub queue: u8,
    /// Doorbell as a dword index into the doorbell BAR.
    pub doorbell: u32,
    /// Queue descriptor in VMID 0 address space.
    pub mqd: u64,
    /// Where the driver keeps the write pointer, in VMID 0 address space.
    pub write_pointer: u64,
}

impl Packet for MapQueueToSlot {
    type Words = [u32; 7];

    fn encode(&self) -> [u32; 7] {
        let one_queue = field::<31, 29>(1);
        let is_hiq = field::<28, 26>(1);
        let slot = field::<19, 18>(u32::from(self.me).wrapping_sub(1))
            | field::<17, 16>(u32::from(self.pipe))
            | field::<15, 13>(u32::from(self.queue));
        [
            header(0xa2, 6),
            one_queue | is_hiq | slot,
            field::<27, 2>(self.doorbell),
            lo(self.mqd),
            hi(self.mqd),
            lo(self.write_pointer),
            hi(self.write_pointer),
        ]
    }
}

/// What becomes of the work of a queue that leaves the hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preemption {
    /// Its waves are saved, or awaited where they cannot be saved.
    Preempt = 0,
    /// Its waves are killed.
    Reset = 1,
}

/// Which queues UNMAP_QUEUES is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnmapSelection {
    /// The one queue with this doorbell (dword index into the doorbell BAR).
    Doorbell(Engine, u32),
    /// All queues of this process address space.
    Pasid(u16),
    /// All queues, also those that are never preempted.
    All,
    /// All queues that the scheduler put on the hardware.
    AllDynamic,
}

/// UNMAP_QUEUES: takes queues off the hardware and writes their state back into their descriptors.
#[derive(Clone, Copy, Debug)]
pub struct UnmapQueues {
    /// How.
    pub preemption: Preemption,
    /// Which.
    pub selection: UnmapSelection,
}

impl Packet for UnmapQueues {
    type Words = [u32; 6];

    fn encode(&self) -> [u32; 6] {
        let (select, target) = match self.selection {
            UnmapSelection::Doorbell(engine, index) => {
                (engine.select() | field::<31, 29>(1), field::<27, 2>(index))
            }
            UnmapSelection::Pasid(pasid) => (field::<5, 4>(1), u32::from(pasid)),
            UnmapSelection::All => (field::<5, 4>(2), 0),
            UnmapSelection::AllDynamic => (field::<5, 4>(3), 0),
        };
        [
            header(0xa3, 5),
            select | field::<1, 0>(self.preemption as u32),
            target,
            0,
            0,
            0,
        ]
    }
}

/// QUERY_STATUS: writes a value to memory once all earlier packets of the HIQ have taken effect.
#[derive(Clone, Copy, Debug)]
pub struct QueryStatus {
    /// 8-byte aligned address in VMID 0 address space.
    pub addr: u64,
    /// Value to write.
    pub value: u64,
}

impl Packet for QueryStatus {
    type Words = [u32; 7];

    fn encode(&self) -> [u32; 7] {
        let fence_after_write_ack = field::<31, 30>(2);
        [
            header(0xa4, 6),
            fence_after_write_ack,
            0,
            lo(self.addr),
            hi(self.addr),
            lo(self.value),
            hi(self.value),
        ]
    }
}

/// RUN_LIST: hands a run list to the scheduler; as last packet of a run list, the start of the next round.
#[derive(Clone, Copy, Debug)]
pub struct RunList {
    /// The list, 4-byte aligned, in VMID 0 address space.
    pub addr: u64,
    /// Its length in dwords (20 bits).
    pub dwords: u32,
    /// Processes that may hold a VMID at the same time (1 to 15).
    pub processes: u8,
    /// More is asked for than the hardware holds: the scheduler goes through the list again and again.
    pub chained: bool,
}

impl Packet for RunList {
    type Words = [u32; 4];

    fn encode(&self) -> [u32; 4] {
        let valid = field::<23, 23>(1);
        let chained = u32::from(self.chained);
        [
            header(0xa5, 3),
            lo(self.addr) & !3,
            hi(self.addr),
            field::<27, 24>(u32::from(self.processes))
                | valid
                | field::<22, 22>(chained)
                | field::<20, 20>(chained)
                | field::<19, 0>(self.dwords),
        ]
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_pm4_hws))]
mod tests {
    use super::*;
    #[cfg(test)]
    use proptest::prelude::*;

    #[test]
    fn engines_have_legacy_and_extended_codes() {
        assert_eq!(Engine::Compute.select(), 0);
        assert_eq!(Engine::Sdma(0).select(), 2 << 26);
        assert_eq!(Engine::Sdma(1).select(), 3 << 26);
        assert_eq!(Engine::Sdma(4).select(), 4 << 26 | 1 << 2);
        assert_eq!(Engine::Sdma(9).select(), 1 << 26 | 2 << 2);
    }

    #[test]
    fn resources() {
        let w = SetResources {
            vmids: 0xfff8,
            queues: 0x00ff_ffff,
            gws: u64::MAX,
            unmap_latency: 40,
        }
        .encode();
        assert_eq!(
            w,
            [0xc006_a000, 0x2028_fff8, 0x00ff_ffff, 0, u32::MAX, u32::MAX, 0, 0]
        );
    }

    #[test]
    fn process_is_twenty_dwords_after_the_header() {
        let w = MapProcess {
            pasid: 0x8001,
            page_table_base: 0x1_0000_2001,
            sh_mem_bases: 0x0001_0002,
            sh_mem_config: 0xc,
            trap_handler: 0x7f00_0000_1000,
            trap_memory: 0x7f00_0000_2000,
            gws: 64,
            queues: 3,
            debug_control: 0,
        }
        .encode();
        assert_eq!(w[0], 0xc013_a100);
        assert_eq!(w[1], 10 << 25 | 0x8001);
        assert_eq!(&w[2..6], &[0x2001, 1, 0x0001_0002, 0xc]);
        assert_eq!(&w[6..10], &[0x10, 0x7f, 0x20, 0x7f]);
        assert_eq!(w[13], 3 << 22 | 1 << 7 | 64);
    }

    #[test]
    fn hiq_goes_to_its_slot() {
        let w = MapQueueToSlot {
            me: 2,
            pipe: 0,
            queue: 0,
            doorbell: 2,
            mqd: 0x1000,
            write_pointer: 0x2000,
        };
        assert_eq!(
            w.encode(),
            [0xc005_a200, 1 << 29 | 1 << 26 | 1 << 18, 8, 0x1000, 0, 0x2000, 0]
        );
    }

    #[test]
    fn unmap_selections() {
        let word = |selection| {
            let w = UnmapQueues {
                preemption: Preemption::Preempt,
                selection,
            }
            .encode();
            assert_eq!(w[0], 0xc004_a300);
            (w[1], w[2])
        };
        assert_eq!(word(UnmapSelection::AllDynamic), (0x30, 0));
        assert_eq!(word(UnmapSelection::All), (0x20, 0));
        assert_eq!(word(UnmapSelection::Pasid(0x8002)), (0x10, 0x8002));
        assert_eq!(word(UnmapSelection::Doorbell(Engine::Compute, 2)), (1 << 29, 8));
        let reset = UnmapQueues {
            preemption: Preemption::Reset,
            selection: UnmapSelection::All,
        }
        .encode();
        assert_eq!(reset[1], 0x21);
    }

    #[test]
    fn a_chained_list_does_not_idle() {
        let w = RunList {
            addr: 0x8000_1000,
            dwords: 28,
            processes: 13,
            chained: true,
        }
        .encode();
        assert_eq!(w, [0xc002_a500, 0x8000_1000, 0, 0x0dd0_001c]);
    }

    #[cfg(test)]
    proptest! {
        #[test]
        fn queue_fields_survive(doorbell in 0u32..0x400_0000, mqd: u64, write_pointer: u64, sdma in 0u8..16) {
            let w = MapQueue { engine: Engine::Sdma(sdma), doorbell, mqd, write_pointer, gws: false }.encode();
            prop_assert_eq!(w[0], 0xc005_a200);
            prop_assert_eq!(w[1] >> 29, 1);
            prop_assert_eq!((w[2] >> 2) & 0x3ff_ffff, doorbell);
            prop_assert_eq!(crate::bits::join(w[3], w[4]), mqd);
            prop_assert_eq!(crate::bits::join(w[5], w[6]), write_pointer);
        }

        #[test]
        fn status_is_written_as_64_bits(addr: u64, value: u64) {
            let w = QueryStatus { addr, value }.encode();
            prop_assert_eq!(w[1], 0x8000_0000);
            prop_assert_eq!(crate::bits::join(w[3], w[4]), addr);
            prop_assert_eq!(crate::bits::join(w[5], w[6]), value);
        }
    }
}
