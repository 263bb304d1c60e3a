// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Packets for the scheduler firmware (kfd_pm4_headers_ai.h, kfd_pm4_headers_aldebaran.h, soc15d.h).

use super::super::pm4::{opcode, Bad, Body};
use super::super::slot::Slot;

/// SET_RESOURCES.queue_type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResourcesFor {
    /// The kernel interface queue.
    Kiq,
    /// The scheduler queue.
    Hiq,
}

/// SET_RESOURCES: what the firmware may hand out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SetResources {
    /// Which queue's resources.
    pub(crate) queue_type: ResourcesFor,
    /// Bit n: VMID n.
    pub(crate) vmid_mask: u16,
    /// Bit n: slot n.
    pub(crate) queue_mask: u64,
    /// How long a queue may take to stop, in 100 ms.
    pub(crate) unmap_latency: u8,
}

/// RUN_LIST.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RunList {
    /// Address of the list in VMID 0.
    pub(crate) base: u64,
    /// Dwords of the list.
    pub(crate) dwords: u32,
    /// The last packet of an over-subscribed list: start again from the front.
    pub(crate) chain: bool,
    /// Processes to run at a time; 0 leaves it to the firmware.
    pub(crate) processes: u8,
}

/// MAP_PROCESS in the aldebaran layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MapProcess {
    /// The process's address space id.
    pub(crate) pasid: u16,
    /// Time slice of an over-subscribed list, in ms.
    pub(crate) quantum: u8,
    /// Page directory base with its flag bits.
    pub(crate) page_table_base: u64,
    /// SH_MEM_BASES.
    pub(crate) sh_mem_bases: u32,
    /// SH_MEM_CONFIG.
    pub(crate) sh_mem_config: u32,
    /// Byte address of the trap handler.
    pub(crate) tba: u64,
    /// Byte address of the trap handler's memory.
    pub(crate) tma: u64,
    /// Queues of the process, mapped or not.
    pub(crate) num_queues: u16,
    /// A requested feature this model does not have, by its field name.
    pub(crate) unsupported: Option<&'static str>,
}

/// Which engine a queue is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    /// A compute queue.
    Compute,
    /// The scheduler queue itself.
    Hiq,
    /// A queue of this SDMA engine.
    Sdma(u8),
}

/// MAP_QUEUES.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MapQueues {
    /// The slot, or `None` if the firmware is to choose one.
    pub(crate) slot: Option<Slot>,
    /// The engine.
    pub(crate) engine: Engine,
    /// Stays mapped when all non-static queues are unmapped.
    pub(crate) is_static: bool,
    /// BAR2 dword index of the doorbell.
    pub(crate) doorbell: u32,
    /// Address of the queue descriptor in VMID 0.
    pub(crate) mqd: u64,
    /// Address of the write pointer in the queue's VMID.
    pub(crate) wptr: u64,
    /// The queue uses global wave sync.
    pub(crate) gws: bool,
}

/// Which queues UNMAP_QUEUES means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Select {
    /// Those with these doorbells (BAR2 dword indices; unused ones are `None`).
    Doorbells([Option<u32>; 4]),
    /// All of a process.
    Pasid(u16),
    /// All of the run list.
    All,
    /// All of the run list but static ones.
    NonStatic,
}

/// UNMAP_QUEUES.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnmapQueues {
    /// Remove running waves instead of letting them end.
    pub(crate) reset: bool,
    /// Which queues.
    pub(crate) select: Select,
}

/// QUERY_STATUS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QueryStatus {
    /// Write the fence.
    pub(crate) fence: bool,
    /// Raise an interrupt with this context id.
    pub(crate) interrupt: Option<u32>,
    /// Address of the fence in VMID 0.
    pub(crate) addr: u64,
    /// Value of the fence.
    pub(crate) data: u64,
}

/// A packet for the firmware.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packet {
    SetResources(SetResources),
    RunList(RunList),
    MapProcess(MapProcess),
    MapQueues(MapQueues),
    UnmapQueues(UnmapQueues),
    QueryStatus(QueryStatus),
}

/// Decodes a scheduler packet.
pub(crate) fn decode(op: u8, b: Body<'_>) -> Result<Packet, Bad> {
    let want = match op {
        opcode::SET_RESOURCES => 7,
        opcode::RUN_LIST => 3,
        opcode::MAP_PROCESS => 20,
        opcode::MAP_QUEUES | opcode::QUERY_STATUS => 6,
        opcode::UNMAP_QUEUES => 5,
        _ => return Err(Bad::Opcode(op)),
    };
    if b.len() != want {
        return Err(Bad::Length);
    }
    match op {
        opcode::SET_RESOURCES => set_resources(b).map(Packet::SetResources),
        opcode::RUN_LIST => run_list(b).map(Packet::RunList),
        opcode::MAP_PROCESS => Ok(Packet::MapProcess(map_process(b))),
        opcode::MAP_QUEUES => map_queues(b).map(Packet::MapQueues),
        opcode::UNMAP_QUEUES => unmap_queues(b).map(Packet::UnmapQueues),
        _ => query_status(b).map(Packet::QueryStatus),
    }
}

fn set_resources(b: Body<'_>) -> Result<SetResources, Bad> {
    let queue_type = match b.bits(0, 31, 29) {
        0 => ResourcesFor::Kiq,
        1 => ResourcesFor::Hiq,
        value => {
            return Err(Bad::Field {
                name: "queue_type",
                value,
            })
        }
    };
    Ok(SetResources {
        queue_type,
        vmid_mask: b.bits(0, 15, 0) as u16,
        queue_mask: b.qw(1),
        unmap_latency: b.bits(0, 23, 16) as u8,
    })
}

fn run_list(b: Body<'_>) -> Result<RunList, Bad> {
    if b.bits(2, 23, 23) == 0 {
        return Err(Bad::Field {
            name: "valid",
            value: 0,
        });
    }
    Ok(RunList {
        base: b.qw(0) & !3,
        dwords: b.bits(2, 19, 0),
        chain: b.bits(2, 20, 20) == 1,
        processes: b.bits(2, 27, 24) as u8,
    })
}

fn map_process(b: Body<'_>) -> MapProcess {
    let features = [
        ("single_memops", b.bits(0, 16, 16)),
        ("exec_cleaner_shader", b.bits(0, 17, 17)),
        ("new_debug", b.bits(0, 22, 22)),
        ("diq_enable", b.bits(0, 24, 24)),
        ("num_gws", b.bits(12, 6, 0)),
        ("num_oac", b.bits(12, 11, 8)),
        ("gds_size", b.bits(12, 21, 12)),
        ("completion_signal", b.dw(18) | b.dw(19)),
    ];
    MapProcess {
        pasid: b.bits(0, 15, 0) as u16,
        quantum: b.bits(0, 31, 25) as u8,
        page_table_base: b.qw(1),
        sh_mem_bases: b.dw(3),
        sh_mem_config: b.dw(4),
        tba: (b.qw(5) & 0xff_ffff_ffff) << 8,
        tma: (b.qw(7) & 0xff_ffff_ffff) << 8,
        num_queues: b.bits(12, 31, 22) as u16,
        unsupported: features.iter().find(|(_, v)| *v != 0).map(|(name, _)| *name),
    }
}

fn map_queues(b: Body<'_>) -> Result<MapQueues, Bad> {
    let count = b.bits(0, 31, 29);
    if count != 1 {
        return Err(Bad::Field {
            name: "num_queues",
            value: count,
        });
    }
    let vmid = b.bits(0, 11, 8);
    if vmid != 0 {
        return Err(Bad::Field {
            name: "vmid",
            value: vmid,
        });
    }
    let slot = match b.bits(0, 5, 4) {
        0 => {
            let (queue, pipe, me) = (b.bits(0, 15, 13), b.bits(0, 17, 16), b.bits(0, 19, 18));
            let slot = Slot::new(me as u8 + 1, pipe as u8, queue as u8);
            Some(slot.ok_or(Bad::Field {
                name: "me",
                value: me,
            })?)
        }
        1 => None,
        value => {
            return Err(Bad::Field {
                name: "queue_sel",
                value,
            })
        }
    };
    let is_static = match b.bits(0, 23, 21) {
        0 => false,
        2 | 3 => true,
        value => {
            return Err(Bad::Field {
                name: "queue_type",
                value,
            })
        }
    };
    let engine = match (b.bits(0, 3, 2), b.bits(0, 28, 26)) {
        (0, 0) => Engine::Compute,
        (0, 1) => Engine::Hiq,
        (0, n @ 2..=3) => Engine::Sdma(n as u8 - 2),
        (1, n) => Engine::Sdma(n as u8),
        (0, value) => {
            return Err(Bad::Field {
                name: "engine_sel",
                value,
            })
        }
        (value, _) => {
            return Err(Bad::Field {
                name: "extended_engine_sel",
                value,
            })
        }
    };
    Ok(MapQueues {
        slot,
        engine,
        is_static,
        doorbell: b.bits(1, 27, 2),
        mqd: b.qw(2) & !3,
        wptr: b.qw(4),
        gws: b.bits(0, 12, 12) == 1,
    })
}

fn unmap_queues(b: Body<'_>) -> Result<UnmapQueues, Bad> {
    let reset = match b.bits(0, 1, 0) {
        // preempt; disable means the same to a firmware that keeps no list of its own
        0 | 2 => false,
        1 => true,
        value => {
            return Err(Bad::Field {
                name: "action",
                value,
            })
        }
    };
    let engine = b.bits(0, 28, 26);
    if engine != 0 {
        return Err(Bad::Field {
            name: "engine_sel",
            value: engine,
        });
    }
    let select = match b.bits(0, 5, 4) {
        0 => {
            let count = b.bits(0, 31, 29);
            if !(1..=4).contains(&count) {
                return Err(Bad::Field {
                    name: "num_queues",
                    value: count,
                });
            }
            let mut doorbells = [None; 4];
            for (i, d) in doorbells.iter_mut().enumerate().take(count as usize) {
                *d = Some(b.bits(1 + i, 27, 2));
            }
            Select::Doorbells(doorbells)
        }
        1 => Select::Pasid(b.bits(1, 15, 0) as u16),
        2 => Select::All,
        _ => Select::NonStatic,
    };
    Ok(UnmapQueues { reset, select })
}

fn query_status(b: Body<'_>) -> Result<QueryStatus, Bad> {
    let context = b.bits(0, 27, 0);
    match b.bits(0, 29, 28) {
        // completion status; process and queue status report nothing more here
        0 => {}
        value => {
            return Err(Bad::Field {
                name: "interrupt_sel",
                value,
            })
        }
    }
    let (fence, interrupt) = match b.bits(0, 31, 30) {
        0 => (false, Some(context)),
        1 | 2 => (true, None),
        _ => (true, Some(context)),
    };
    Ok(QueryStatus {
        fence,
        interrupt,
        addr: b.qw(2) & !7,
        data: b.qw(4),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ok(op: u8, dwords: &[u32]) -> Packet {
        decode(op, Body(dwords)).unwrap()
    }

    #[test]
    fn resources() {
        let p = ok(
            opcode::SET_RESOURCES,
            &[0xfff8 | 40 << 16 | 1 << 29, 0xff, 1, 0, 0, 0, 0],
        );
        assert_eq!(
            p,
            Packet::SetResources(SetResources {
                queue_type: ResourcesFor::Hiq,
                vmid_mask: 0xfff8,
                queue_mask: 0x1_0000_00ff,
                unmap_latency: 40,
            })
        );
        assert!(decode(opcode::SET_RESOURCES, Body(&[4 << 29, 0, 0, 0, 0, 0, 0])).is_err());
        assert_eq!(decode(opcode::SET_RESOURCES, Body(&[0])), Err(Bad::Length));
    }

    #[test]
    fn run_lists() {
        let p = ok(
            opcode::RUN_LIST,
            &[0x1000, 1, 27 | 1 << 20 | 1 << 22 | 1 << 23 | 3 << 24],
        );
        assert_eq!(
            p,
            Packet::RunList(RunList {
                base: 0x1_0000_1000,
                dwords: 27,
                chain: true,
                processes: 3
            })
        );
        assert!(decode(opcode::RUN_LIST, Body(&[0x1000, 1, 27])).is_err());
    }

    #[test]
    fn processes() {
        let mut d = [0u32; 20];
        d[0] = 0x8001 | 10 << 25;
        (d[1], d[2]) = (0x1000_0001, 0x7f);
        (d[3], d[4]) = (0x0001_0002, 0xc);
        (d[5], d[6]) = (0x10, 0);
        d[12] = 1 << 7 | 2 << 22;
        let Packet::MapProcess(p) = ok(opcode::MAP_PROCESS, &d) else {
            panic!()
        };
        assert_eq!(
            (p.pasid, p.quantum, p.page_table_base),
            (0x8001, 10, 0x7f_1000_0001)
        );
        assert_eq!(
            (p.sh_mem_bases, p.sh_mem_config, p.tba, p.num_queues),
            (0x0001_0002, 0xc, 0x1000, 2)
        );
        assert_eq!(p.unsupported, None);
        d[12] |= 1;
        let Packet::MapProcess(p) = ok(opcode::MAP_PROCESS, &d) else {
            panic!()
        };
        assert_eq!(p.unsupported, Some("num_gws"));
    }

    #[test]
    fn queues_of_kiq_and_run_list() {
        let kiq = [1 << 29 | 1 << 26 | 1 << 18, 2 << 2, 0x1000, 0, 0x2000, 0];
        let Packet::MapQueues(q) = ok(opcode::MAP_QUEUES, &kiq) else {
            panic!()
        };
        assert_eq!(
            (q.slot, q.engine, q.doorbell),
            (Slot::new(2, 0, 0), Engine::Hiq, 2)
        );
        let hws = [1 << 29 | 1 << 4, 0x1000 << 2, 0x3000, 1, 0x4000, 2];
        let Packet::MapQueues(q) = ok(opcode::MAP_QUEUES, &hws) else {
            panic!()
        };
        assert_eq!((q.slot, q.engine, q.doorbell), (None, Engine::Compute, 0x1000));
        assert_eq!((q.mqd, q.wptr), (0x1_0000_3000, 0x2_0000_4000));
        let sdma = [1 << 29 | 1 << 4 | 3 << 26, 0x200 << 2, 0, 0, 0, 0];
        let Packet::MapQueues(q) = ok(opcode::MAP_QUEUES, &sdma) else {
            panic!()
        };
        assert_eq!(q.engine, Engine::Sdma(1));
        let sdma = [1 << 29 | 1 << 4 | 1 << 2 | 4 << 26, 0x200 << 2, 0, 0, 0, 0];
        let Packet::MapQueues(q) = ok(opcode::MAP_QUEUES, &sdma) else {
            panic!()
        };
        assert_eq!(q.engine, Engine::Sdma(4));
        for bad in [
            2 << 29,
            1 << 29 | 2 << 4,
            1 << 29 | 5 << 26,
            1 << 29 | 1 << 8,
            1 << 29 | 2 << 2,
        ] {
            assert!(
                decode(opcode::MAP_QUEUES, Body(&[bad, 0, 0, 0, 0, 0])).is_err(),
                "{bad:#x}"
            );
        }
    }

    #[test]
    fn unmapping() {
        let p = ok(opcode::UNMAP_QUEUES, &[3 << 4, 0, 0, 0, 0]);
        assert_eq!(
            p,
            Packet::UnmapQueues(UnmapQueues {
                reset: false,
                select: Select::NonStatic
            })
        );
        let p = ok(opcode::UNMAP_QUEUES, &[1 | 1 << 4, 0x8003, 0, 0, 0]);
        assert_eq!(
            p,
            Packet::UnmapQueues(UnmapQueues {
                reset: true,
                select: Select::Pasid(0x8003)
            })
        );
        let Packet::UnmapQueues(u) = ok(opcode::UNMAP_QUEUES, &[2 << 29, 4 << 2, 6 << 2, 0, 0]) else {
            panic!()
        };
        assert_eq!(u.select, Select::Doorbells([Some(4), Some(6), None, None]));
        assert!(decode(opcode::UNMAP_QUEUES, Body(&[3, 0, 0, 0, 0])).is_err());
        assert!(
            decode(opcode::UNMAP_QUEUES, Body(&[0, 0, 0, 0, 0])).is_err(),
            "no queue named"
        );
    }

    #[test]
    fn status() {
        let p = ok(opcode::QUERY_STATUS, &[2 << 30, 0, 0x1000, 1, 100, 0]);
        let want = QueryStatus {
            fence: true,
            interrupt: None,
            addr: 0x1_0000_1000,
            data: 100,
        };
        assert_eq!(p, Packet::QueryStatus(want));
    }
}
