// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Mapping and unmapping the queues of run lists.

use super::*;
use crate::model::cp::dispatch_request::Outcome;

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
