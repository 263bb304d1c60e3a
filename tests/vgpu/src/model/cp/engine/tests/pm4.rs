// SPDX-License-Identifier: Apache-2.0 OR MIT
use super::*;
use crate::model::cp::dispatch_request::Outcome;
use crate::model::cp::pm4::opcode::*;
use proptest::prelude::*;

#[test]
fn ring_test_of_the_kernel_driver() {
    let mut rig = Rig::new();
    let mut kiq = rig.kiq();
    rig.write(0x30100, Select::default(), 0xcafe_dead);
    kiq.submit(&mut rig, &packet(SET_UCONFIG_REG, &[0x40, 0xdead_beef]));
    assert_eq!(
        rig.shared.regs.lock().read(0x30100, Select::default()),
        Some(0xdead_beef)
    );
    assert_eq!(rig.bus.peek32(0, 0x2_0000), 3, "read pointer report");
    rig.no_violations();
}

#[test]
fn a_halted_engine_keeps_doorbells() {
    let mut rig = Rig::new();
    let mut kiq = rig.kiq();
    rig.write(CP_MEC_CNTL, Select::default(), 1 << 28 | 1 << 30);
    kiq.submit(&mut rig, &packet(WRITE_DATA, &[5 << 8, 0x2_0010, 0, 7]));
    assert_eq!(rig.bus.peek32(0, 0x2_0010), 0);
    rig.write(CP_MEC_CNTL, Select::default(), 0);
    rig.run();
    assert_eq!(rig.bus.peek32(0, 0x2_0010), 7);
}

#[test]
fn write_data_to_memory_and_registers() {
    let mut rig = Rig::new();
    let mut kiq = rig.kiq();
    kiq.submit(
        &mut rig,
        &packet(WRITE_DATA, &[5 << 8 | 1 << 20, 0x2_0020, 0, 1, 2, 3]),
    );
    assert_eq!(
        (rig.bus.peek64(0, 0x2_0020), rig.bus.peek32(0, 0x2_0028)),
        (0x2_0000_0001, 3)
    );
    kiq.submit(&mut rig, &packet(WRITE_DATA, &[1 << 16, 0x2345, 0, 1, 2]));
    assert_eq!(
        rig.bus.log.lock().reg_writes,
        [(0x2345 * 4, 1), (0x2345 * 4, 2)],
        "same address"
    );
    kiq.submit(&mut rig, &packet(WRITE_DATA, &[1 << 16, 0xc2c0 / 4, 0, 9]));
    assert_eq!(
        rig.shared.regs.lock().read(0xc2c0, Select::default()),
        Some(9),
        "a register of the CP itself"
    );
    rig.no_violations();
}

#[test]
fn waits_are_polled_and_do_not_block_others() {
    let mut rig = Rig::new();
    let mut kiq = rig.kiq();
    rig.register_queue(slot(1, 0, 0), 0, 1 << 31);
    let wait = packet(WAIT_REG_MEM, &[3 | 1 << 4, 0x2_0030, 0, 5, 0xff, 4]);
    let turn = kiq.submit(
        &mut rig,
        &[wait, packet(WRITE_DATA, &[5 << 8, 0x2_0034, 0, 1])].concat(),
    );
    assert!(matches!(turn, Turn::Sleep(Some(_))), "{turn:?}");
    rig.bus.poke32(0, 0x2_0030, 0x105);
    rig.wait(2000);
    assert_eq!(rig.bus.peek32(0, 0x2_0034), 1);
    assert_eq!(rig.run(), Turn::Sleep(None));
}

#[test]
fn polling_slows_down_but_not_below_a_millisecond() {
    let mut rig = Rig::new();
    let mut kiq = rig.kiq();
    kiq.submit(
        &mut rig,
        &packet(WAIT_REG_MEM, &[3 | 1 << 4, 0x2_0030, 0, 5, 0xff, 4]),
    );
    let mut last = 0;
    for _ in 0..20 {
        let Turn::Sleep(Some(at)) = rig.run() else {
            panic!()
        };
        let pause = at - rig.bus.now();
        assert!((5_000..=100_000).contains(&pause) && pause >= last, "{pause}");
        last = pause;
        rig.bus.advance(pause);
    }
    assert_eq!(last, 100_000);
}

#[test]
fn write_then_wait_writes_once() {
    let mut rig = Rig::new();
    let mut kiq = rig.kiq();
    // request to register 0x1000, acknowledge in 0x1001: TLB flush of VMID 3
    kiq.submit(
        &mut rig,
        &packet(WAIT_REG_MEM, &[3 | 1 << 6, 0x1000, 0x1001, 0xf8_0008, 8, 0x20]),
    );
    rig.wait(2000);
    assert_eq!(rig.bus.log.lock().reg_writes, [(0x4000, 0xf8_0008)]);
    assert_eq!(rig.bus.peek32(0, 0x2_0000), 0);
    rig.bus.regs.lock().insert(0x4004, 8 | 2);
    rig.wait(2000);
    assert_eq!(rig.bus.peek32(0, 0x2_0000), 7);
    assert_eq!(rig.bus.log.lock().reg_writes.len(), 1);
}

#[test]
fn copies_between_clock_registers_and_memory() {
    let mut rig = Rig::new();
    let mut kiq = rig.kiq();
    rig.bus.advance(0x1_0000_0007);
    kiq.submit(
        &mut rig,
        &packet(COPY_DATA, &[9 | 5 << 8 | 1 << 16 | 1 << 20, 0, 0, 0x2_0040, 0]),
    );
    assert_eq!(rig.bus.peek64(0, 0x2_0040), 0x1_0000_0007);
    rig.bus.regs.lock().insert(0x4000, 0x55);
    kiq.submit(&mut rig, &packet(COPY_DATA, &[5 << 8, 0x1000, 0, 0x2_0048, 0]));
    assert_eq!(rig.bus.peek32(0, 0x2_0048), 0x55);
    kiq.submit(
        &mut rig,
        &packet(COPY_DATA, &[5 | 5 << 8 | 1 << 16, 1, 2, 0x2_0050, 0]),
    );
    assert_eq!(rig.bus.peek64(0, 0x2_0050), 0x2_0000_0001);
    rig.no_violations();
}

#[test]
fn atomics_return_and_loop() {
    let mut rig = Rig::new();
    let mut kiq = rig.kiq();
    rig.bus.poke64(0, 0x2_0060, 5);
    let add = packet(ATOMIC_MEM, &[0x2f, 0x2_0060, 0, 3, 0, 0, 0, 0]);
    let copy = packet(COPY_DATA, &[6 | 5 << 8 | 1 << 16, 0, 0, 0x2_0068, 0]);
    kiq.submit(&mut rig, &[add, copy].concat());
    assert_eq!((rig.bus.peek64(0, 0x2_0060), rig.bus.peek64(0, 0x2_0068)), (8, 5));
    // compare and swap until it succeeds: take the lock that is 8 now
    let swap = packet(ATOMIC_MEM, &[0x08 | 1 << 8, 0x2_0060, 0, 1, 0, 0, 0, 10]);
    let turn = kiq.submit(&mut rig, &swap);
    assert!(matches!(turn, Turn::Sleep(Some(_))));
    rig.bus.poke32(0, 0x2_0060, 0);
    rig.wait(2000);
    assert_eq!(rig.bus.peek32(0, 0x2_0060), 1);
    rig.no_violations();
}

#[test]
fn dma_data_copies_and_fills_in_pieces() {
    let mut rig = Rig::new();
    let mut kiq = rig.kiq();
    let bytes = (1 << 20) + 16;
    rig.bus.map(0, 0x100_0000, bytes);
    rig.bus.map(0, 0x200_0000, bytes);
    let fill = packet(DMA_DATA, &[2 << 29, 0x0403_0201, 0, 0x100_0000, 0, bytes as u32]);
    kiq.submit(&mut rig, &fill);
    assert_eq!(rig.bus.peek64(0, 0x100_0000 + bytes - 8), 0x0403_0201_0403_0201);
    let copy = packet(DMA_DATA, &[0, 0x100_0000, 0, 0x200_0000, 0, bytes as u32]);
    kiq.submit(&mut rig, &copy);
    assert_eq!(rig.bus.peek64(0, 0x200_0000 + bytes - 8), 0x0403_0201_0403_0201);
    rig.no_violations();
}

#[test]
fn indirect_buffers_return_behind_the_call() {
    let mut rig = Rig::new();
    let mut kiq = rig.kiq();
    rig.bus
        .poke_dwords(5, 0x3000, &packet(WRITE_DATA, &[5 << 8, 0x3100, 0, 0xabc]));
    let call = packet(INDIRECT_BUFFER, &[0x3000, 0, 5 | 1 << 23 | 5 << 24]);
    kiq.submit(
        &mut rig,
        &[call, packet(WRITE_DATA, &[5 << 8, 0x2_0070, 0, 1])].concat(),
    );
    assert_eq!(rig.bus.peek32(5, 0x3100), 0xabc, "in the buffer's address space");
    assert_eq!(rig.bus.peek32(0, 0x2_0070), 1);
    rig.no_violations();
}

#[test]
fn a_buffer_of_a_process_has_no_privileges() {
    let mut rig = Rig::new();
    let mut kiq = rig.kiq();
    rig.bus
        .poke_dwords(5, 0x3000, &packet(WRITE_DATA, &[0, 0x1000, 0, 1]));
    kiq.submit(
        &mut rig,
        &packet(INDIRECT_BUFFER, &[0x3000, 0, 5 | 1 << 23 | 5 << 24]),
    );
    assert_eq!(rig.bus.violations(), ["pm4-privileged-register"]);
    assert_eq!(rig.bus.sources(), [184]);
    assert!(rig.bus.log.lock().reg_writes.is_empty());
}

#[test]
fn fences_wait_for_kernels_launched_before_them() {
    let mut rig = Rig::new();
    let s = slot(1, 0, 0);
    rig.register_queue(s, 0, 1 << 31);
    let mut ring = TestRing::new(0, 0x1_0000, 64, 0);
    let regs = [
        packet(SET_SH_REG, &[0x207, 64, 1, 1]),
        packet(SET_SH_REG, &[0x20c, 0x1234, 0]),
        packet(SET_SH_REG, &[0x213, 2 << 1]),
        packet(SET_SH_REG, &[0x240, 7, 8]),
    ];
    ring.submit(&mut rig, &regs.concat());
    let fence = |at: u32, v: u32| packet(RELEASE_MEM, &[0x14 | 5 << 8, 1 << 29 | 2 << 24, at, 0, v, 0, v]);
    let launch = packet(DISPATCH_DIRECT, &[100, 1, 1, 0x21]);
    ring.submit(
        &mut rig,
        &[launch.clone(), fence(0x2_0080, 11), launch, fence(0x2_0084, 12)].concat(),
    );
    let [a, b] = rig.bus.running()[..] else { panic!() };
    rig.bus.kernel(a, |k| {
        assert_eq!(
            (k.code, k.end_group, k.last_workgroup),
            (0x12_3400, [2, 1, 1], [36, 1, 1])
        );
        assert_eq!(k.user_sgprs, [7, 8]);
    });
    rig.bus.end(b, Outcome::Done);
    rig.run();
    assert_eq!((rig.bus.peek32(0, 0x2_0080), rig.bus.peek32(0, 0x2_0084)), (0, 0));
    rig.bus.end(a, Outcome::Done);
    rig.run();
    assert_eq!(
        (rig.bus.peek32(0, 0x2_0080), rig.bus.peek32(0, 0x2_0084)),
        (11, 12)
    );
    let log = rig.bus.log.lock();
    let eops: Vec<_> = log
        .interrupts
        .iter()
        .map(|iv| (iv.source, iv.ring_id, iv.data[0]))
        .collect();
    assert_eq!(eops, [(181, s.ring_id(), 11), (181, s.ring_id(), 12)]);
    drop(log);
    rig.no_violations();
}

#[test]
fn partial_flush_waits_for_the_queue_only() {
    let mut rig = Rig::new();
    rig.register_queue(slot(1, 0, 0), 0, 1 << 31);
    let mut ring = TestRing::new(0, 0x1_0000, 64, 0);
    let launch = [
        packet(SET_SH_REG, &[0x207, 1, 1, 1]),
        packet(DISPATCH_DIRECT, &[1, 1, 1, 1]),
    ]
    .concat();
    let after = [
        packet(EVENT_WRITE, &[7 | 4 << 8]),
        packet(WRITE_DATA, &[5 << 8, 0x2_0090, 0, 1]),
    ]
    .concat();
    let turn = ring.submit(&mut rig, &[launch, after].concat());
    assert_eq!(
        turn,
        Turn::Sleep(None),
        "woken by the end of the kernel, not by looking"
    );
    assert_eq!(rig.bus.peek32(0, 0x2_0090), 0);
    rig.bus.end(0, Outcome::Done);
    rig.run();
    assert_eq!(rig.bus.peek32(0, 0x2_0090), 1);
    rig.no_violations();
}

#[test]
fn tlb_flush_by_pasid() {
    let mut rig = Rig::new();
    let mut kiq = rig.kiq();
    kiq.submit(
        &mut rig,
        &packet(INVALIDATE_TLBS, &[1 | 1 << 4 | 0x8003 << 5 | 2 << 29]),
    );
    let log = rig.bus.log.lock();
    assert_eq!(log.flushes.len(), 1);
    assert_eq!(
        (log.flushes[0].pasid, log.flushes[0].all_hubs, log.flushes[0].kind),
        (0x8003, true, 2)
    );
}

#[test]
fn acquire_drops_instructions_if_told() {
    let mut rig = Rig::new();
    let mut kiq = rig.kiq();
    kiq.submit(&mut rig, &packet(ACQUIRE_MEM, &[1 << 23, !0, 0, 0, 0, 4]));
    assert_eq!(rig.bus.log.lock().instruction_flushes, 0);
    kiq.submit(
        &mut rig,
        &packet(ACQUIRE_MEM, &[1 << 29 | 1 << 23, !0, 0, 0, 0, 4]),
    );
    assert_eq!(rig.bus.log.lock().instruction_flushes, 1);
}

proptest! {
    /// However packets fall over the end of the ring, each is executed once and in order.
    #[test]
    fn packets_wrap(sizes in proptest::collection::vec(1usize..20, 1..60)) {
        let mut rig = Rig::new();
        let mut kiq = rig.kiq();
        let mut expect = 0;
        for n in sizes {
            // n padding dwords, then a counter that goes up
            let nop = packet(NOP, &vec![0; n]);
            let add = packet(ATOMIC_MEM, &[0x0f, 0x2_0100, 0, 1, 0, 0, 0, 0]);
            let note = packet(WRITE_DATA, &[5 << 8, 0x2_0104, 0, expect]);
            kiq.submit(&mut rig, &[nop, add, note].concat());
            expect += 1;
            prop_assert_eq!(rig.bus.peek32(0, 0x2_0100), expect);
            prop_assert_eq!(rig.bus.peek32(0, 0x2_0104), expect - 1);
            prop_assert_eq!(u64::from(rig.bus.peek32(0, 0x2_0000)), kiq.ring.wptr % 64);
        }
        prop_assert_eq!(rig.bus.violations().len(), 0);
    }

    /// Whatever is in a ring, the engine neither panics nor hangs.
    #[test]
    fn any_dwords_are_survived(dwords in proptest::collection::vec(any::<u32>(), 1..64), user: bool) {
        let mut rig = Rig::new();
        rig.register_queue(slot(1, 0, 0), if user { 3 } else { 0 }, if user { 0 } else { 1 << 31 });
        let mut ring = TestRing::new(if user { 3 } else { 0 }, 0x1_0000, 64, 0);
        ring.submit(&mut rig, &dwords);
        rig.wait(5000);
    }

    /// Nor with known opcodes and any payload.
    #[test]
    fn any_payloads_are_survived(op in proptest::sample::select(vec![
            NOP, DISPATCH_DIRECT, DISPATCH_INDIRECT, ATOMIC_MEM, WRITE_DATA, WAIT_REG_MEM, INDIRECT_BUFFER, COPY_DATA,
            EVENT_WRITE, RELEASE_MEM, DMA_DATA, ACQUIRE_MEM, SET_CONFIG_REG, SET_SH_REG, SET_UCONFIG_REG,
            INVALIDATE_TLBS, SET_RESOURCES, MAP_QUEUES, UNMAP_QUEUES, QUERY_STATUS, RUN_LIST]),
        body in proptest::collection::vec(prop_oneof![any::<u32>(), 0u32..16, 0x1_0000u32..0x3_0000], 1..21)) {
        let mut rig = Rig::new();
        let mut kiq = rig.kiq();
        kiq.submit(&mut rig, &packet(op, &body));
        rig.wait(5000);
    }
}
