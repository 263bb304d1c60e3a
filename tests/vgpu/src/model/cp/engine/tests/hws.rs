// SPDX-License-Identifier: Apache-2.0 OR MIT
use super::*;
use crate::model::cp::dispatch_request::Outcome;
use crate::model::cp::mqd::{MQD_DWORDS, MQD_HEADER};
use crate::model::cp::pm4::opcode::*;
use crate::model::cp::testing::process;

pub(super) const HIQ_DOORBELL: u32 = 2;
pub(super) const HIQ_RING: u64 = 0x5_0000;
pub(super) const HIQ_MQD: u64 = 0x6_0000;
pub(super) const LIST: u64 = 0x7_0000;
pub(super) const MQDS: u64 = 0x10_0000;
pub(super) const FENCE: u64 = 0x8_0000;

/// A user queue of the tests: number n of process p.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct UserQueue {
    pub(super) pasid: u16,
    pub(super) n: u32,
}

impl UserQueue {
    pub(super) fn doorbell(self) -> u32 {
        0x1000 + u32::from(self.pasid) * 0x100 + self.n * 2
    }

    pub(super) fn mqd(self) -> u64 {
        MQDS + u64::from(self.pasid) * 0x1_0000 + u64::from(self.n) * 0x1000
    }

    pub(super) fn ring(self) -> u64 {
        0x100_0000 + u64::from(self.n) * 0x1_0000
    }

    pub(super) fn wptr(self) -> u64 {
        self.ring() + 0x8000
    }

    pub(super) fn rptr(self) -> u64 {
        self.ring() + 0x8008
    }
}

pub(super) struct Hws {
    pub(super) rig: Rig,
    pub(super) hiq: TestRing,
    pub(super) kiq: Kiq,
}

pub(super) fn mqd_of(doorbell: u32, ring: u64, rptr: u64, pq_control: u32) -> Vec<u32> {
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
    pub(super) fn new(vmid_mask: u32, queue_mask: u64) -> Self {
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

    pub(super) fn submit(&mut self, dwords: &[u32]) -> Turn {
        self.hiq.submit(&mut self.rig, dwords)
    }

    /// Makes a user queue's memory and descriptor.
    pub(super) fn create(&mut self, q: UserQueue) {
        self.rig.bus.map(process(q.pasid), q.ring(), 0x9000);
        self.rig
            .bus
            .poke_dwords(0, q.mqd(), &mqd_of(q.doorbell(), q.ring(), q.rptr(), 9));
    }

    /// Writes a run list and sends it; several queues per process, in order.
    pub(super) fn run_list(&mut self, queues: &[UserQueue], chain: bool, processes: u32) -> Turn {
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
    pub(super) fn unmap(&mut self, control: u32, what: u32) -> Turn {
        self.rig.bus.poke64(0, FENCE, 10);
        let unmap = packet(UNMAP_QUEUES, &[control, what, 0, 0, 0]);
        let query = packet(QUERY_STATUS, &[2 << 30, 0, FENCE as u32, 0, 100, 0]);
        self.submit(&[unmap, query].concat())
    }

    pub(super) fn fence(&self) -> u64 {
        self.rig.bus.peek64(0, FENCE)
    }

    /// Where a user queue is mapped.
    pub(super) fn slot_of(&self, q: UserQueue) -> Option<Slot> {
        self.rig
            .engine
            .queues
            .iter()
            .flatten()
            .find(|x| x.ident.doorbell == q.doorbell())
            .map(|x| x.slot)
    }

    pub(super) fn vmid_of(&self, q: UserQueue) -> u8 {
        self.rig.engine.queue(self.slot_of(q).unwrap()).unwrap().vmid
    }

    /// Writes packets into a user queue's memory as its program does, and rings.
    pub(super) fn user_submit(&mut self, q: UserQueue, at: u64, dwords: &[u32]) -> Turn {
        self.rig
            .bus
            .poke_dwords(process(q.pasid), q.ring() + at * 4, dwords);
        let wptr = at + dwords.len() as u64;
        self.rig.bus.poke64(process(q.pasid), q.wptr(), wptr);
        self.rig.doorbell(q.doorbell(), wptr)
    }
}

pub(super) const ALL: u32 = 2 << 4;
pub(super) const NON_STATIC: u32 = 3 << 4;
pub(super) const BY_PASID: u32 = 1 << 4;
pub(super) const A0: UserQueue = UserQueue { pasid: 1, n: 0 };
pub(super) const A1: UserQueue = UserQueue { pasid: 1, n: 1 };
pub(super) const B0: UserQueue = UserQueue { pasid: 2, n: 0 };
pub(super) const C0: UserQueue = UserQueue { pasid: 3, n: 0 };

pub(super) fn launch() -> Vec<u32> {
    [
        packet(SET_SH_REG, &[0x207, 1, 1, 1]),
        packet(DISPATCH_DIRECT, &[1, 1, 1, 1]),
    ]
    .concat()
}

#[test]
fn a_run_list_binds_processes_and_maps_queues() {
    let mut h = Hws::new(0xfff8, 0xff00);
    for q in [A0, A1, B0] {
        h.create(q);
    }
    h.run_list(&[A0, A1, B0], false, 2);
    assert_eq!(
        (h.slot_of(A0), h.slot_of(A1), h.slot_of(B0)),
        (Some(slot(1, 1, 0)), Some(slot(1, 1, 1)), Some(slot(1, 1, 2)))
    );
    assert_eq!((h.vmid_of(A0), h.vmid_of(A1), h.vmid_of(B0)), (3, 3, 4));
    let bound = h.rig.bus.log.lock().bound.clone();
    assert_eq!(bound, [(3, 0x1001, 1), (4, 0x2001, 2)]);
    assert_eq!(h.rig.bus.vmid_state(3).sh_mem_bases, 0x0001_0002);
    h.user_submit(
        B0,
        0,
        &packet(WRITE_DATA, &[5 << 8, B0.ring() as u32 + 0x7000, 0, 42]),
    );
    assert_eq!(h.rig.bus.peek32(process(2), B0.ring() + 0x7000), 42);
    assert_eq!(h.rig.bus.peek32(process(2), B0.rptr()), 5);
    h.rig.no_violations();
}

#[test]
fn doorbells_rung_while_unmapped_are_not_lost() {
    let mut h = Hws::new(0xfff8, 0xff00);
    h.create(A0);
    h.user_submit(
        A0,
        0,
        &packet(WRITE_DATA, &[5 << 8, A0.ring() as u32 + 0x7000, 0, 42]),
    );
    h.run_list(&[A0], false, 1);
    assert_eq!(h.rig.bus.peek32(process(1), A0.ring() + 0x7000), 42);
    h.unmap(NON_STATIC, 0);
    assert_eq!(h.fence(), 100);
    h.user_submit(
        A0,
        5,
        &packet(WRITE_DATA, &[5 << 8, A0.ring() as u32 + 0x7000, 0, 43]),
    );
    assert_eq!(h.rig.bus.peek32(process(1), A0.ring() + 0x7000), 42);
    h.run_list(&[A0], false, 1);
    assert_eq!(h.rig.bus.peek32(process(1), A0.ring() + 0x7000), 43);
    h.rig.no_violations();
}

#[test]
fn unmapping_drains_writes_back_and_only_then_fences() {
    let mut h = Hws::new(0xfff8, 0xff00);
    h.create(A0);
    h.create(B0);
    h.run_list(&[A0, B0], false, 2);
    h.user_submit(A0, 0, &launch());
    h.unmap(NON_STATIC, 0);
    assert_eq!(h.fence(), 10, "a kernel runs");
    assert_eq!((h.slot_of(A0).is_some(), h.slot_of(B0)), (true, None));
    h.user_submit(
        A0,
        10,
        &packet(WRITE_DATA, &[5 << 8, A0.ring() as u32 + 0x7000, 0, 42]),
    );
    assert_eq!(
        h.rig.bus.peek32(process(1), A0.ring() + 0x7000),
        0,
        "no packet is fetched any more"
    );
    h.rig.bus.end(0, Outcome::Done);
    h.rig.run();
    assert_eq!((h.fence(), h.slot_of(A0)), (100, None));
    assert_eq!(
        h.rig.bus.peek32(0, A0.mqd() + 138 * 4),
        10,
        "read pointer in the descriptor"
    );
    assert_eq!(h.rig.bus.peek32(0, A0.mqd() + 130 * 4), 0, "not active");
    assert_eq!(
        h.rig.bus.peek32(0, A0.mqd() + 8 * 4),
        1,
        "dispatch registers are kept"
    );
    h.rig.no_violations();
}

#[test]
fn unmapping_by_process_leaves_others_alone() {
    let mut h = Hws::new(0xfff8, 0xff00);
    for q in [A0, A1, B0] {
        h.create(q);
    }
    h.run_list(&[A0, A1, B0], false, 2);
    h.unmap(BY_PASID, 1);
    assert_eq!(h.fence(), 100);
    assert_eq!(
        (h.slot_of(A0), h.slot_of(A1), h.slot_of(B0).is_some()),
        (None, None, true)
    );
}

#[test]
fn a_queue_that_does_not_stop_is_named_in_the_descriptor() {
    let mut h = Hws::new(0xfff8, 0xff00);
    h.create(A0);
    h.run_list(&[A0], false, 1);
    h.user_submit(A0, 0, &launch());
    h.unmap(NON_STATIC, 0);
    h.rig.wait(3_900_000);
    assert_eq!(h.fence(), 10);
    h.rig.wait(200_000);
    assert_eq!(h.fence(), 100);
    assert_eq!(h.rig.bus.peek32(0, HIQ_MQD + 240 * 4), A0.doorbell());
    assert!(h.slot_of(A0).is_some());
    // the driver resets its waves by register
    let s = h.slot_of(A0).unwrap();
    h.rig.hqd(s, Hqd::DequeueRequest, 2);
    h.rig.run();
    assert_eq!(h.slot_of(A0), None);
}

#[test]
fn reset_removes_running_waves() {
    let mut h = Hws::new(0xfff8, 0xff00);
    h.create(A0);
    h.run_list(&[A0], false, 1);
    h.user_submit(A0, 0, &launch());
    h.unmap(1 | BY_PASID, 1);
    assert_eq!((h.fence(), h.slot_of(A0)), (100, None));
    assert!(h.rig.bus.running().is_empty());
}

#[test]
fn sdma_queues_go_to_their_engines() {
    let mut h = Hws::new(0xfff8, 0xff00);
    let mut body = [0; 20];
    body[0] = 1;
    body[12] = 2 << 22;
    let list = [
        packet(MAP_PROCESS, &body),
        packet(
            MAP_QUEUES,
            &[1 << 29 | 1 << 4 | 2 << 26, 0x1200 << 2, 0x9000, 0, 0xa000, 0],
        ),
        packet(
            MAP_QUEUES,
            &[
                1 << 29 | 1 << 4 | 1 << 2 | 3 << 26,
                0x1202 << 2,
                0x9000,
                0,
                0xa000,
                0,
            ],
        ),
    ]
    .concat();
    h.rig.bus.poke_dwords(0, LIST, &list);
    h.submit(&packet(RUN_LIST, &[LIST as u32, 0, list.len() as u32 | 1 << 23]));
    let mapped: Vec<_> = h
        .rig
        .bus
        .log
        .lock()
        .sdma
        .iter()
        .map(|q| (q.engine, q.vmid, q.pasid, q.doorbell))
        .collect();
    assert_eq!(mapped, [(0, 3, 1, 0x1200), (3, 3, 1, 0x1202)]);
    h.rig
        .bus
        .slow_sdma
        .store(true, std::sync::atomic::Ordering::Relaxed);
    h.unmap(ALL, 0);
    assert_eq!(h.fence(), 10);
    let stopped = std::mem::take(&mut *h.rig.bus.stopping.lock());
    assert_eq!(stopped.len(), 2);
    for s in stopped {
        s();
    }
    h.rig.run();
    assert_eq!(h.fence(), 100);
    h.rig.no_violations();
}
