// SPDX-License-Identifier: Apache-2.0 OR MIT
use super::super::super::pm4::{opcode, Bad, Body};
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
    assert_eq!((p.unsupported, p.gws), (None, 0));
    d[12] |= 1 << 12 | 64;
    let Packet::MapProcess(p) = ok(opcode::MAP_PROCESS, &d) else {
        panic!()
    };
    assert_eq!((p.unsupported, p.gws), (Some("gds_size"), 64));
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
