// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From dwords to packets.

use super::super::super::pm4::{opcode, Bad, Body};
use super::super::super::slot::Slot;
use super::{
    Engine, MapProcess, MapQueues, Packet, QueryStatus, ResourcesFor, RunList, Select, SetResources,
    UnmapQueues,
};

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
        gws: b.bits(12, 6, 0) as u8,
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
