// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Queues as a whole: errors, write pointers, stopping.

use super::*;
use crate::model::cp::dispatch_request::Outcome;
use crate::model::cp::pm4::opcode::*;
use crate::model::cp::regs::SPI_COMPUTE_QUEUE_RESET;

#[test]
fn bad_packets_stop_their_queue_by_name() {
    for (dwords, kind, source) in [
        (packet(0x77, &[0]), "pm4-opcode", 183),
        (vec![0x1234, 0], "pm4-opcode", 183),
        (packet(MAP_PROCESS, &[0; 20]), "pm4-opcode", 183),
        (packet(WRITE_DATA, &[4 << 8, 0x2_0000, 0, 1]), "pm4-field", 183),
        (packet(WRITE_DATA, &[5 << 8]), "pm4-malformed", 183),
        (packet(WAIT_REG_MEM, &[7, 0, 0, 0, 0, 0]), "pm4-field", 183),
        (packet(SET_SH_REG, &[0x300, 1]), "pm4-field", 183),
        (packet(DISPATCH_DIRECT, &[1, 1, 1, 1]), "pm4-malformed", 183),
        (packet(INDIRECT_BUFFER, &[0x2_0000, 0, 5]), "pm4-field", 183),
        (
            packet(RELEASE_MEM, &[5 << 8, 5 << 29, 0, 0, 0, 0, 0]),
            "pm4-field",
            183,
        ),
        (packet(EVENT_WRITE, &[0x28 | 5 << 8]), "pm4-field", 183),
    ] {
        let mut rig = Rig::new();
        let mut kiq = rig.kiq();
        kiq.submit(
            &mut rig,
            &[dwords.clone(), packet(WRITE_DATA, &[5 << 8, 0x2_00a0, 0, 1])].concat(),
        );
        assert_eq!(rig.bus.violations(), [kind], "{dwords:x?}");
        assert_eq!(rig.bus.sources(), [source], "{dwords:x?}");
        assert_eq!(rig.bus.peek32(0, 0x2_00a0), 0, "the queue has stopped");
    }
}

#[test]
fn faults_stop_their_queue_and_no_other() {
    let mut rig = Rig::new();
    let mut kiq = rig.kiq();
    kiq.submit(&mut rig, &packet(WRITE_DATA, &[5 << 8, 0x7000_0000, 0, 1]));
    assert_eq!(rig.bus.log.lock().faults, [(0, 0x7000_0000)]);
    assert_ne!(rig.read_hqd(slot(2, 1, 0), Hqd::Error), 0);
    kiq.submit(&mut rig, &packet(WRITE_DATA, &[5 << 8, 0x2_00b0, 0, 1]));
    assert_eq!(rig.bus.peek32(0, 0x2_00b0), 0);
    rig.no_violations();
    // it can still be taken off
    rig.hqd(slot(2, 1, 0), Hqd::DequeueRequest, 1);
    rig.run();
    assert_eq!(rig.read_hqd(slot(2, 1, 0), Hqd::Active), 0);
}

#[test]
fn a_packet_may_arrive_in_parts() {
    let mut rig = Rig::new();
    let mut kiq = rig.kiq();
    let p = packet(WRITE_DATA, &[5 << 8, 0x2_00c0, 0, 9]);
    kiq.submit(&mut rig, &p[..3]);
    assert_eq!(rig.bus.peek32(0, 0x2_00c0), 0);
    kiq.submit(&mut rig, &p[3..]);
    assert_eq!(rig.bus.peek32(0, 0x2_00c0), 9);
    rig.no_violations();
}

#[test]
fn an_overrun_is_a_violation() {
    let mut rig = Rig::new();
    rig.kiq();
    rig.bus.poke_dwords(0, 0x1_0000, &[0xffff_1000; 64]);
    rig.doorbell(0, 65);
    assert_eq!(rig.bus.violations(), ["ring-overrun"]);
}

#[test]
fn a_doorbell_for_nobody_becomes_a_violation_in_time() {
    let mut rig = Rig::new();
    rig.doorbell(0x1000, 1);
    rig.no_violations();
    rig.wait(11_000_000);
    assert_eq!(rig.bus.violations(), ["doorbell-unmapped"]);
}

/// A queue with a kernel that has been dispatched and does not end by itself.
fn a_kernel_runs() -> (Rig, Slot) {
    let mut rig = Rig::new();
    let s = slot(1, 0, 0);
    rig.register_queue(s, 0, 1 << 31);
    let mut ring = TestRing::new(0, 0x1_0000, 64, 0);
    ring.submit(
        &mut rig,
        &[
            packet(SET_SH_REG, &[0x207, 1, 1, 1]),
            packet(DISPATCH_DIRECT, &[1, 1, 1, 1]),
        ]
        .concat(),
    );
    (rig, s)
}

#[test]
fn dequeue_drains_kernels_first() {
    let (mut rig, s) = a_kernel_runs();
    rig.hqd(s, Hqd::DequeueRequest, 1);
    rig.run();
    assert_eq!(rig.read_hqd(s, Hqd::Active), 1);
    rig.bus.end(0, Outcome::Done);
    rig.run();
    assert_eq!(
        (rig.read_hqd(s, Hqd::Active), rig.read_hqd(s, Hqd::DequeueRequest)),
        (0, 0)
    );
    rig.no_violations();
}

#[test]
fn reset_waves_does_not_wait() {
    let (mut rig, s) = a_kernel_runs();
    rig.hqd(s, Hqd::DequeueRequest, 2);
    rig.run();
    assert_eq!(rig.read_hqd(s, Hqd::Active), 0);
    assert!(rig.bus.running().is_empty());
}

#[test]
fn a_queue_reset_ends_a_drain() {
    let (mut rig, s) = a_kernel_runs();
    rig.hqd(s, Hqd::DequeueRequest, 1);
    rig.run();
    assert_eq!(rig.read_hqd(s, Hqd::Active), 1);
    rig.write(SPI_COMPUTE_QUEUE_RESET, Rig::select(s), 1);
    rig.run();
    assert_eq!(rig.read_hqd(s, Hqd::Active), 0);
    assert!(rig.bus.running().is_empty());
    rig.no_violations();
}

#[test]
fn a_pipe_reset_lets_the_driver_start_over_at_once() {
    let mut rig = Rig::new();
    rig.kiq();
    let s = slot(2, 1, 0);
    rig.write(CP_MEC_CNTL, Select::default(), 1 << 28 | 1 << 30 | 0x3f << 16);
    assert_eq!(rig.read_hqd(s, Hqd::Active), 0, "without waiting for the engine");
    rig.hqd(s, Hqd::Active, 1);
    rig.write(CP_MEC_CNTL, Select::default(), 0);
    rig.run();
    let mut ring = TestRing::new(0, 0x1_0000, 64, 0);
    ring.submit(&mut rig, &packet(WRITE_DATA, &[5 << 8, 0x2_00d0, 0, 9]));
    assert_eq!(rig.bus.peek32(0, 0x2_00d0), 9);
    rig.no_violations();
}

#[test]
fn one_shot_poll_of_the_write_pointer() {
    let mut rig = Rig::new();
    let s = slot(1, 2, 0);
    rig.bus.map(3, 0x2_0000, 0x1000);
    rig.bus
        .poke_dwords(3, 0x1_0000, &packet(WRITE_DATA, &[5 << 8, 0x2_00e0, 0, 9]));
    rig.bus.poke64(3, 0x2_0008, 5);
    rig.hqd(s, Hqd::WptrPollLo, 0x2_0008);
    // as the driver without scheduler firmware: the poll is asked for before the queue is active
    rig.write(0xc210, Select::default(), 1 << s.index());
    rig.register_queue(s, 3, 0);
    assert_eq!(rig.bus.peek32(3, 0x2_00e0), 9);
    rig.no_violations();
}

#[test]
fn registers_that_make_no_queue_can_be_taken_back() {
    let mut rig = Rig::new();
    let s = slot(1, 0, 0);
    rig.hqd(s, Hqd::PqControl, 0x3f);
    rig.hqd(s, Hqd::Active, 1);
    rig.run();
    assert_eq!(rig.bus.violations(), ["ring-size"]);
    rig.hqd(s, Hqd::DequeueRequest, 1);
    rig.run();
    assert_eq!(
        (rig.read_hqd(s, Hqd::Active), rig.read_hqd(s, Hqd::DequeueRequest)),
        (0, 0)
    );
}
