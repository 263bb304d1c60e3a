// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The scheduler queue and the driver that uses it.

mod mapping;
mod turns;

use super::*;
use crate::model::cp::mqd::{MQD_DWORDS, MQD_HEADER};
use crate::model::cp::pm4::opcode::*;
use crate::model::cp::testing::process;

const HIQ_DOORBELL: u32 = 2;
const HIQ_RING: u64 = 0x5_0000;
const HIQ_MQD: u64 = 0x6_0000;
const LIST: u64 = 0x7_0000;
const MQDS: u64 = 0x10_0000;
const FENCE: u64 = 0x8_0000;

/// A user queue of the tests: number n of process p.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct UserQueue {
    pasid: u16,
    n: u32,
}

impl UserQueue {
    fn doorbell(self) -> u32 {
        0x1000 + u32::from(self.pasid) * 0x100 + self.n * 2
    }

    fn mqd(self) -> u64 {
        MQDS + u64::from(self.pasid) * 0x1_0000 + u64::from(self.n) * 0x1000
    }

    fn ring(self) -> u64 {
        0x100_0000 + u64::from(self.n) * 0x1_0000
    }

    fn wptr(self) -> u64 {
        self.ring() + 0x8000
    }

    fn rptr(self) -> u64 {
        self.ring() + 0x8008
    }
}

struct Hws {
    rig: Rig,
    hiq: TestRing,
    kiq: Kiq,
}

fn mqd_of(doorbell: u32, ring: u64, rptr: u64, pq_control: u32) -> Vec<u32> {
    let mut m = vec![0; MQD_DWORDS];
    m[0] = MQD_HEADER;
    m[136] = (ring >> 8) as u32;
    m[139] = rptr as u32;
    m[143] = doorbell << 2;
    m[145] = pq_control;
    m
}

impl Hws {
    /// KIQ and HIQ run, VMIDs and slots of MEC 1 are given to the firmware.
    fn new(vmid_mask: u32, queue_mask: u64) -> Self {
        let mut rig = Rig::new();
        let mut kiq = rig.kiq();
        for va in [HIQ_RING, LIST, FENCE] {
            rig.bus.map(0, va, 0x2000);
        }
        rig.bus.poke_dwords(
            0,
            HIQ_MQD,
            &mqd_of(HIQ_DOORBELL, HIQ_RING, HIQ_RING + 0x1000, 9 | 1 << 31),
        );
        rig.bus.map(0, HIQ_RING + 0x1000, 8);
        let map = packet(
            MAP_QUEUES,
            &[
                1 << 29 | 1 << 26 | 1 << 18,
                HIQ_DOORBELL << 2,
                HIQ_MQD as u32,
                0,
                HIQ_RING as u32 + 0x1008,
                0,
            ],
        );
        kiq.submit(&mut rig, &map);
        assert_eq!(rig.read_hqd(slot(2, 0, 0), Hqd::Active), 1);
        let mut h = Self {
            rig,
            kiq,
            hiq: TestRing::new(0, HIQ_RING, 1024, HIQ_DOORBELL),
        };
        h.submit(&packet(
            SET_RESOURCES,
            &[
                vmid_mask | 40 << 16 | 1 << 29,
                queue_mask as u32,
                (queue_mask >> 32) as u32,
                0,
                0,
                0,
                0,
            ],
        ));
        h
    }

    fn submit(&mut self, dwords: &[u32]) -> Turn {
        self.hiq.submit(&mut self.rig, dwords)
    }

    /// Makes a user queue's memory and descriptor.
    fn create(&mut self, q: UserQueue) {
        self.rig.bus.map(process(q.pasid), q.ring(), 0x9000);
        self.rig
            .bus
            .poke_dwords(0, q.mqd(), &mqd_of(q.doorbell(), q.ring(), q.rptr(), 9));
    }

    /// Writes a run list and sends it; several queues per process, in order.
    fn run_list(&mut self, queues: &[UserQueue], chain: bool, processes: u32) -> Turn {
        let mut list = Vec::new();
        let mut last = None;
        for q in queues {
            if last != Some(q.pasid) {
                last = Some(q.pasid);
                let mut body = [0; 20];
                body[0] = u32::from(q.pasid) | 10 << 25;
                body[1] = u32::from(q.pasid) << 12 | 1;
                body[3] = 0x0001_0002;
                body[12] = 1 << 7 | 8 << 22;
                list.extend(packet(MAP_PROCESS, &body));
            }
            let body = [
                1 << 29 | 1 << 4,
                q.doorbell() << 2,
                q.mqd() as u32,
                0,
                q.wptr() as u32,
                0,
            ];
            list.extend(packet(MAP_QUEUES, &body));
        }
        let size = list.len() as u32 + if chain { 4 } else { 0 };
        if chain {
            list.extend(packet(
                RUN_LIST,
                &[
                    LIST as u32,
                    0,
                    size | 1 << 20 | 1 << 22 | 1 << 23 | processes << 24,
                ],
            ));
        }
        self.rig.bus.poke_dwords(0, LIST, &list);
        self.submit(&packet(
            RUN_LIST,
            &[LIST as u32, 0, size | 1 << 23 | processes << 24],
        ))
    }

    /// UNMAP_QUEUES with these control dwords, then the fence.
    fn unmap(&mut self, control: u32, what: u32) -> Turn {
        self.rig.bus.poke64(0, FENCE, 10);
        let unmap = packet(UNMAP_QUEUES, &[control, what, 0, 0, 0]);
        let query = packet(QUERY_STATUS, &[2 << 30, 0, FENCE as u32, 0, 100, 0]);
        self.submit(&[unmap, query].concat())
    }

    fn fence(&self) -> u64 {
        self.rig.bus.peek64(0, FENCE)
    }

    /// Where a user queue is mapped.
    fn slot_of(&self, q: UserQueue) -> Option<Slot> {
        self.rig
            .engine
            .queues
            .iter()
            .flatten()
            .find(|x| x.ident.doorbell == q.doorbell())
            .map(|x| x.slot)
    }

    fn vmid_of(&self, q: UserQueue) -> u8 {
        self.rig.engine.queue(self.slot_of(q).unwrap()).unwrap().vmid
    }

    /// Writes packets into a user queue's memory as its program does, and rings.
    fn user_submit(&mut self, q: UserQueue, at: u64, dwords: &[u32]) -> Turn {
        self.rig
            .bus
            .poke_dwords(process(q.pasid), q.ring() + at * 4, dwords);
        let wptr = at + dwords.len() as u64;
        self.rig.bus.poke64(process(q.pasid), q.wptr(), wptr);
        self.rig.doorbell(q.doorbell(), wptr)
    }
}

const ALL: u32 = 2 << 4;
const NON_STATIC: u32 = 3 << 4;
const BY_PASID: u32 = 1 << 4;
const A0: UserQueue = UserQueue { pasid: 1, n: 0 };
const A1: UserQueue = UserQueue { pasid: 1, n: 1 };
const B0: UserQueue = UserQueue { pasid: 2, n: 0 };
const C0: UserQueue = UserQueue { pasid: 3, n: 0 };

fn launch() -> Vec<u32> {
    [
        packet(SET_SH_REG, &[0x207, 1, 1, 1]),
        packet(DISPATCH_DIRECT, &[1, 1, 1, 1]),
    ]
    .concat()
}
