// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Packets of all kinds: order, completion, waiting.

use super::*;
use crate::model::cp::dispatch_request::Outcome;
use crate::model::cp::pm4::opcode::*;
use proptest::prelude::*;

#[test]
fn a_kernel_runs_and_completes() {
    let mut a = Aql::new();
    let s = a.signal(0, 1);
    a.bus().poke64(VMID, s + 0x10, SIGNALS + 0xf00);
    a.bus().poke32(VMID, s + 0x18, 77);
    a.submit(
        DISPATCH | BARRIER | 2 << 9 | 2 << 11,
        &dispatch(0x55_0000_0066, s),
    );
    let bus = a.bus();
    assert_eq!(bus.running(), [0]);
    bus.kernel(0, |k| {
        assert_eq!(
            (k.code, k.vmid, k.end_group, k.workgroup),
            (KERNEL + 0x100, VMID, [4, 1, 1], [64, 1, 1])
        );
        assert_eq!(k.user_sgprs, [RING as u32, 0, 0x66, 0x55]);
        assert_eq!(k.queue.doorbell, DOORBELL);
    });
    assert_eq!(
        (a.read_index(), a.header(0)),
        (0, DISPATCH | BARRIER | 2 << 9 | 2 << 11),
        "not before it is done"
    );
    bus.advance(1000);
    bus.end(0, Outcome::Done);
    a.rig.run();
    assert_eq!((a.read_index(), a.header(0), a.value(s)), (1, 1, 0));
    assert_eq!(
        (bus.peek64(VMID, s + 0x20), bus.peek64(VMID, s + 0x28)),
        (1000, 1005)
    );
    assert_eq!(bus.peek64(VMID, SIGNALS + 0xf00), 77);
    let iv = bus.log.lock().interrupts[0];
    assert_eq!(
        (iv.source, iv.vmid, iv.data[0], iv.ring_id),
        (181, VMID, 77, 0x27)
    );
    assert_eq!(
        (
            bus.counted("cp_aql_acquire_system"),
            bus.counted("cp_aql_release_system")
        ),
        (1, 1)
    );
    a.rig.no_violations();
}

#[test]
fn kernels_overlap_unless_the_barrier_bit_is_set() {
    let mut a = Aql::new();
    let (s0, s1, s2) = (a.signal(0, 1), a.signal(1, 1), a.signal(2, 1));
    a.submit(DISPATCH, &dispatch(0, s0));
    a.submit(DISPATCH, &dispatch(0, s1));
    a.submit(DISPATCH | BARRIER, &dispatch(0, s2));
    let bus = a.bus();
    assert_eq!(bus.running(), [0, 1]);
    bus.end(1, Outcome::Done);
    a.rig.run();
    assert_eq!(
        (a.value(s1), a.read_index()),
        (0, 0),
        "completed, but its slot waits for the one before"
    );
    assert_eq!(bus.running(), [0]);
    bus.end(0, Outcome::Done);
    a.rig.run();
    assert_eq!((a.read_index(), bus.running()), (2, vec![2]));
}

#[test]
fn packets_reserved_but_not_written_are_waited_for() {
    let mut a = Aql::new();
    let (s0, s1) = (a.signal(0, 1), a.signal(1, 1));
    let first = a.reserve(&barrier(&[], s0));
    let second = a.reserve(&barrier(&[], s1));
    a.publish(second, BARRIER_AND);
    assert_eq!((a.value(s1), a.read_index()), (1, 0));
    a.publish(first, BARRIER_AND);
    assert_eq!((a.value(s0), a.value(s1), a.read_index()), (0, 0, 2));
    // and without a doorbell, by looking
    let third = a.reserve(&barrier(&[], a.signal(2, 1)));
    let fourth = a.reserve(&barrier(&[], 0));
    a.publish(fourth, BARRIER_AND);
    a.bus()
        .poke(VMID, RING + third % PACKETS * 64, &BARRIER_AND.to_le_bytes());
    a.rig.wait(2000);
    assert_eq!(a.read_index(), 4);
    a.rig.no_violations();
}

#[test]
fn barrier_packets_wait_for_signals_and_hold_later_packets() {
    let mut a = Aql::new();
    let (d0, d1, done) = (a.signal(0, 1), a.signal(1, 1), a.signal(2, 1));
    a.submit(BARRIER_AND, &barrier(&[d0, 0, d1], done));
    a.submit(DISPATCH, &dispatch(0, 0));
    a.signal(0, 0);
    a.rig.wait(2000);
    assert_eq!((a.value(done), a.bus().running().len()), (1, 0));
    a.signal(1, 0);
    a.rig.wait(2000);
    assert_eq!((a.value(done), a.bus().running().len()), (0, 1));
    let (d3, d4, or) = (a.signal(3, 1), a.signal(4, 1), a.signal(5, 1));
    a.submit(BARRIER_OR, &barrier(&[d3, d4], or));
    assert_eq!(a.value(or), 1);
    a.signal(4, 0);
    a.rig.wait(2000);
    assert_eq!(a.value(or), 0);
    a.rig.no_violations();
}

#[test]
fn a_waiting_barrier_does_not_block_other_queues() {
    let mut a = Aql::new();
    let mut kiq = a.rig.kiq();
    let dep = a.signal(0, 1);
    a.submit(BARRIER_AND, &barrier(&[dep], 0));
    // the other queue is what the barrier waits for
    let wait = packet(WRITE_DATA, &[5 << 8, 0x2_0000 + 0x40, 0, 3]);
    kiq.submit(&mut a.rig, &wait);
    assert_eq!(a.bus().peek32(0, 0x2_0040), 3);
}

#[test]
fn barrier_value_compares() {
    for (condition, value, met) in [
        (0u32, 5i64, 5u64),
        (1, 5, 6),
        (2, 5, 4),
        (3, 5, 9),
        (2, 0, -1i64 as u64),
    ] {
        let mut a = Aql::new();
        let unmet = match condition {
            0 => 6u64,
            1 => 5,
            2 => value as u64,
            _ => 4,
        };
        let (dep, done) = (a.signal(0, unmet), a.signal(1, 1));
        let mut b = barrier(&[dep], done);
        b[2] = 2;
        set(&mut b, 16, &value.to_le_bytes());
        set(&mut b, 24, &(-1i64).to_le_bytes());
        set(&mut b, 32, &condition.to_le_bytes());
        a.submit(0, &b);
        assert_eq!(a.value(done), 1, "condition {condition}");
        a.signal(0, met);
        a.rig.wait(2000);
        assert_eq!(a.value(done), 0, "condition {condition}");
    }
}

#[test]
fn pm4_buffer_completes_when_its_kernels_have() {
    let mut a = Aql::new();
    let s = a.signal(0, 1);
    let buffer = [
        packet(ACQUIRE_MEM, &[1 << 29 | 1 << 27 | 1 << 23, !0, 0, 0, 0, 4]),
        packet(SET_SH_REG, &[0x207, 1, 1, 1]),
        packet(DISPATCH_DIRECT, &[1, 1, 1, 1]),
    ]
    .concat();
    a.bus().poke_dwords(VMID, KERNEL + 0x800, &buffer);
    a.submit(0, &pm4_ib(KERNEL + 0x800, buffer.len() as u32, s));
    assert_eq!((a.value(s), a.bus().log.lock().instruction_flushes), (1, 1));
    a.bus().end(0, Outcome::Done);
    a.rig.run();
    assert_eq!((a.value(s), a.read_index(), a.header(0)), (0, 1, 1));
    a.rig.no_violations();
}

#[test]
fn a_wait_inside_a_pm4_buffer_is_polled() {
    let mut a = Aql::new();
    let s = a.signal(0, 1);
    let buffer = packet(WAIT_REG_MEM, &[3 | 1 << 4, SIGNALS as u32 + 0xf80, 0, 9, !0, 4]);
    a.bus().poke_dwords(VMID, KERNEL + 0x800, &buffer);
    a.submit(0, &pm4_ib(KERNEL + 0x800, buffer.len() as u32, s));
    assert_eq!(a.value(s), 1);
    a.bus().poke32(VMID, SIGNALS + 0xf80, 9);
    a.rig.wait(2000);
    assert_eq!(a.value(s), 0);
}

proptest! {
    /// Packets of any kind, completions in any order: every packet completes once, slots are given back in order.
    #[test]
    fn every_packet_completes_once(kinds in proptest::collection::vec((0u8..3, any::<bool>()), 1..100), order: u64) {
        let mut a = Aql::new();
        let bus = a.bus();
        let counter = a.signal(0, kinds.len() as u64);
        let mut pick = order;
        for (kind, with_barrier) in &kinds {
            while a.next - a.read_index() >= PACKETS {
                let running = bus.running();
                prop_assert!(!running.is_empty(), "stuck with {} packets", a.next - a.read_index());
                pick = pick.wrapping_mul(6364136223846793005).wrapping_add(1);
                bus.end(running[(pick >> 33) as usize % running.len()], Outcome::Done);
                a.rig.run();
            }
            let (header, body) = match kind {
                0 => (BARRIER_AND, barrier(&[], counter)),
                1 => (0, pm4_ib(0, 0, counter)),
                _ => (DISPATCH, dispatch(0, counter)),
            };
            a.submit(header | if *with_barrier { BARRIER } else { 0 }, &body);
        }
        while let Some(n) = bus.running().first() {
            bus.end(*n, Outcome::Done);
            a.rig.run();
        }
        prop_assert_eq!(a.value(counter), 0);
        prop_assert_eq!(a.read_index(), kinds.len() as u64);
        prop_assert_eq!(bus.violations().len(), 0);
    }

    #[test]
    fn any_packet_is_survived(header: u16, body in proptest::collection::vec(any::<u8>(), 64)) {
        let mut a = Aql::new();
        a.submit(header, &body.try_into().unwrap());
        a.rig.wait(5000);
    }
}
