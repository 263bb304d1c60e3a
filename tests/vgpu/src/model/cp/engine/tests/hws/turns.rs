// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Over-subscribed run lists, and rules of scheduling.

use super::*;
use crate::model::cp::dispatch_request::Outcome;

#[test]
fn more_queues_than_slots_take_turns() {
    let mut h = Hws::new(0xfff8, 0x0300);
    for q in [A0, A1, B0] {
        h.create(q);
    }
    h.run_list(&[A0, A1, B0], true, 2);
    let mapped = |h: &Hws| [A0, A1, B0].map(|q| h.slot_of(q).is_some());
    assert_eq!(mapped(&h), [true, true, false]);
    h.rig.wait(10_000);
    assert_eq!(mapped(&h), [true, false, true]);
    h.rig.wait(100_000);
    assert_eq!(mapped(&h), [false, true, true]);
    assert_eq!(h.rig.bus.counted("hws_rotation"), 2);
    h.unmap(NON_STATIC, 0);
    assert_eq!((mapped(&h), h.fence()), ([false; 3], 100));
    assert_eq!(h.rig.run(), Turn::Sleep(None), "no more slices");
    h.rig.no_violations();
}

#[test]
fn more_processes_than_vmids_take_turns() {
    let mut h = Hws::new(0x0018, 0xff00);
    for q in [A0, B0, C0] {
        h.create(q);
    }
    h.run_list(&[A0, B0, C0], true, 2);
    assert_eq!([A0, B0, C0].map(|q| h.slot_of(q).is_some()), [true, true, false]);
    h.user_submit(A0, 0, &launch());
    h.rig.wait(10_000);
    assert_eq!(h.slot_of(C0), None, "a kernel of the first process still runs");
    h.rig.bus.end(0, Outcome::Done);
    h.rig.run();
    assert_eq!([A0, B0, C0].map(|q| h.slot_of(q).is_some()), [true, false, true]);
    assert_ne!(h.vmid_of(A0), h.vmid_of(C0));
    h.rig.no_violations();
}

#[test]
fn too_many_without_a_chain_is_a_violation() {
    let mut h = Hws::new(0xfff8, 0x0100);
    h.create(A0);
    h.create(A1);
    h.run_list(&[A0, A1], false, 1);
    assert_eq!(h.rig.bus.violations(), ["run-list"]);
}

#[test]
fn a_list_over_a_list_waits_for_the_old_one() {
    let mut h = Hws::new(0xfff8, 0xff00);
    h.create(A0);
    h.create(B0);
    h.run_list(&[A0], false, 1);
    h.user_submit(A0, 0, &launch());
    h.run_list(&[B0], false, 1);
    assert_eq!(h.rig.bus.violations(), ["run-list"]);
    assert_eq!(h.slot_of(B0), None);
    h.rig.bus.end(0, Outcome::Done);
    h.rig.run();
    assert_eq!((h.slot_of(A0), h.slot_of(B0).is_some()), (None, true));
}

#[test]
fn descriptors_must_not_change_while_mapped() {
    let mut h = Hws::new(0xfff8, 0xff00);
    h.create(A0);
    h.run_list(&[A0], false, 1);
    h.rig.bus.poke32(0, A0.mqd() + 23 * 4, 0xff);
    h.unmap(NON_STATIC, 0);
    assert_eq!(h.rig.bus.violations(), ["mqd-changed-while-mapped"]);
}

#[test]
fn a_wait_in_a_buffer_survives_unmapping() {
    let mut h = Hws::new(0xfff8, 0xff00);
    h.create(A0);
    h.run_list(&[A0], false, 1);
    let at = A0.ring() as u32;
    let buffer = [
        packet(WRITE_DATA, &[5 << 8, at + 0x7000, 0, 1]),
        packet(WAIT_REG_MEM, &[3 | 1 << 4, at + 0x7004, 0, 7, !0, 4]),
        packet(WRITE_DATA, &[5 << 8, at + 0x7000, 0, 2]),
    ]
    .concat();
    h.rig.bus.poke_dwords(process(1), A0.ring() + 0x6000, &buffer);
    h.user_submit(
        A0,
        0,
        &packet(INDIRECT_BUFFER, &[at + 0x6000, 0, buffer.len() as u32 | 1 << 23]),
    );
    assert_eq!(h.rig.bus.peek32(process(1), A0.ring() + 0x7000), 1);
    h.unmap(NON_STATIC, 0);
    assert_eq!(h.fence(), 100, "a wait does not hold up the unmapping");
    h.rig.bus.poke32(process(1), A0.ring() + 0x7000, 0);
    h.run_list(&[A0], false, 1);
    assert_eq!(
        h.rig.bus.peek32(process(1), A0.ring() + 0x7000),
        0,
        "goes on where it was"
    );
    h.rig.bus.poke32(process(1), A0.ring() + 0x7004, 7);
    h.rig.wait(5000);
    assert_eq!(h.rig.bus.peek32(process(1), A0.ring() + 0x7000), 2);
    h.rig.no_violations();
}

#[test]
fn packets_of_the_firmware_are_refused_elsewhere() {
    let mut h = Hws::new(0xfff8, 0xff00);
    let list = packet(RUN_LIST, &[LIST as u32, 0, 1 << 23]);
    h.kiq.submit(&mut h.rig, &list);
    assert_eq!(h.rig.bus.violations(), ["pm4-opcode"]);
    let mut h = Hws::new(0xfff8, 0xff00);
    h.create(A0);
    h.run_list(&[A0], false, 1);
    h.user_submit(A0, 0, &packet(INVALIDATE_TLBS, &[1 | 1 << 5]));
    assert_eq!(h.rig.bus.violations(), ["pm4-opcode"]);
}

#[test]
fn kernel_queues_are_mapped_and_unmapped_by_doorbell() {
    let mut h = Hws::new(0xfff8, 0xff00);
    let mask = packet(SET_RESOURCES, &[0, 0xff, 0, 0, 0, 0, 0]);
    h.rig
        .bus
        .poke_dwords(0, 0x9_0000, &mqd_of(6, 0xa_0000, 0xa_1000, 9 | 1 << 31));
    h.rig.bus.map(0, 0xa_0000, 0x2000);
    let map = packet(MAP_QUEUES, &[1 << 29 | 1 << 13, 6 << 2, 0x9_0000, 0, 0xa_1008, 0]);
    h.kiq.submit(&mut h.rig, &[mask, map].concat());
    assert_eq!(h.rig.read_hqd(slot(1, 0, 1), Hqd::Active), 1);
    let unmap = packet(UNMAP_QUEUES, &[1 | 1 << 29, 6 << 2, 0, 0, 0]);
    h.kiq.submit(
        &mut h.rig,
        &[unmap, packet(WRITE_DATA, &[5 << 8, FENCE as u32, 0, 5])].concat(),
    );
    assert_eq!(h.rig.read_hqd(slot(1, 0, 1), Hqd::Active), 0);
    assert_eq!(h.fence(), 5);
    h.rig.no_violations();
    let unmap = packet(UNMAP_QUEUES, &[1 << 29, 8 << 2, 0, 0, 0]);
    h.kiq.submit(&mut h.rig, &unmap);
    assert_eq!(h.rig.bus.violations(), ["unmap-queues"]);
}

#[test]
fn a_pipe_reset_forgets_queues() {
    let mut h = Hws::new(0xfff8, 0xff00);
    h.create(A0);
    h.run_list(&[A0], false, 1);
    h.user_submit(A0, 0, &launch());
    h.rig
        .write(CP_MEC_CNTL, Select::default(), 1 << 30 | 1 << 28 | 0x3f << 16);
    h.rig.run();
    assert!(h.rig.engine.queues.iter().all(Option::is_none));
    assert!(h.rig.bus.running().is_empty());
    assert_eq!(h.rig.run(), Turn::Sleep(None));
}

#[test]
fn the_scheduler_queue_must_outlive_its_queues() {
    let mut h = Hws::new(0xfff8, 0xff00);
    h.create(A0);
    h.run_list(&[A0], false, 1);
    let unmap = packet(UNMAP_QUEUES, &[1 | 1 << 29, HIQ_DOORBELL << 2, 0, 0, 0]);
    h.kiq.submit(&mut h.rig, &unmap);
    assert_eq!(h.rig.bus.violations(), ["unmap-queues"]);
    assert_eq!(h.rig.read_hqd(slot(2, 0, 0), Hqd::Active), 0);
}

#[test]
fn a_doorbell_that_meets_the_mapping_half_way_is_not_lost() {
    let mut h = Hws::new(0xfff8, 0xff00);
    h.create(A0);
    h.run_list(&[A0], false, 1);
    // the doorbell found no queue, then the queue was mapped, and only then the engine hears of it
    let write = packet(WRITE_DATA, &[5 << 8, A0.ring() as u32 + 0x7000, 0, 42]);
    h.rig.bus.poke_dwords(process(1), A0.ring(), &write);
    h.rig.bus.poke64(process(1), A0.wptr(), 5);
    h.rig.shared.post(Message::Unattached(A0.doorbell(), 5));
    h.rig.run();
    assert_eq!(h.rig.bus.peek32(process(1), A0.ring() + 0x7000), 42);
    h.rig.no_violations();
}
