// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a driver must not do, and what stops an engine.

use super::*;
use proptest::prelude::*;
use std::time::Instant;

#[test]
fn a_halted_engine_does_nothing() {
    let mut b = Bench::new();
    b.card.write(reg(ENGINE, global::F32_CNTL), global::HALT);
    b.submit(&fence(DATA_VA, 1));
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(b.data(0, 1), [0]);
    b.card.write(reg(ENGINE, global::F32_CNTL), 0);
    wait("fence", || b.data(0, 1) == [1]);
}

#[test]
fn a_disabled_ring_latches_its_write_pointer() {
    let mut b = Bench::new();
    let cntl = qreg(ENGINE, GFX, q::RB_CNTL);
    let on = b.card.read(cntl);
    b.card.write(cntl, on & !q::RB_ENABLE);
    b.submit(&fence(DATA_VA, 1));
    assert_eq!(b.card.read(qreg(ENGINE, GFX, q::RB_WPTR)), 16);
    assert_eq!(b.data(0, 1), [0]);
    b.card.write(cntl, on);
    wait("fence", || b.data(0, 1) == [1]);
    b.card.assert_clean();
}

#[test]
fn unknown_packets_name_themselves_and_stop_the_ring() {
    let mut b = Bench::new();
    b.run(&[0x11, 0, 0, 0]);
    assert!(b.exception());
    assert_eq!(b.violations("sdma-packet"), 1);
    b.run(&fence(DATA_VA, 1));
    assert_eq!(b.data(0, 1), [0]);
    // the driver resets the ring
    let cntl = qreg(ENGINE, GFX, q::RB_CNTL);
    let on = b.card.read(cntl);
    b.card.write(cntl, on & !q::RB_ENABLE);
    for r in [q::RB_RPTR, q::RB_RPTR_HI, q::RB_WPTR, q::RB_WPTR_HI] {
        b.card.write(qreg(ENGINE, GFX, r), 0);
    }
    b.card.write(cntl, on);
    b.wptr = 0;
    b.run(&fence(DATA_VA, 2));
    assert_eq!(b.data(0, 1), [2]);
    assert_eq!(b.card.gpu.report.violations(), 1);
}

#[test]
fn ring_rules() {
    for (value, kind) in [(8192, "sdma-ring-overrun"), (6, "sdma-pointer-misaligned")] {
        let b = Bench::new();
        b.card.gpu.sdma.doorbell(ENGINE, DOORBELL, value);
        wait("exception", || b.exception());
        assert_eq!(b.violations(kind), 1, "{kind}");
    }
    let mut b = Bench::new();
    b.run(&[0, 0]);
    b.card.gpu.sdma.doorbell(ENGINE, DOORBELL, 4);
    assert_eq!(b.violations("sdma-wptr-backwards"), 1);
    b.card.gpu.sdma.doorbell(ENGINE, 0x123, 4);
    assert_eq!(b.violations("sdma-doorbell-unmapped"), 0);
    // its queue is overdue by then
    b.card.gpu.sdma.judge(Instant::now() + Duration::from_secs(60));
    assert_eq!(b.violations("sdma-doorbell-unmapped"), 1);
}

#[test]
fn indirect_buffer_rules() {
    let ib = DATA_VA + 0x1000;
    let packet = [4, lo(ib), hi(ib), 8, 0, 0];
    let pad = |mut words: Vec<u32>| {
        words.splice(0..0, [0, 0]);
        words
    };
    let nested = || {
        let b = Bench::new();
        b.set(0x1000, &pad(packet.to_vec()));
        b
    };
    let mut b = nested();
    b.run(&pad(packet.to_vec()));
    assert_eq!(b.violations("sdma-ib-nested"), 1);
    let mut b = Bench::new();
    b.run(&packet);
    assert_eq!(b.violations("sdma-ib-packet-end"), 1);
    let mut b = Bench::new();
    b.run(&pad(vec![4, lo(ib + 16), hi(ib), 8, 0, 0]));
    assert_eq!(b.violations("sdma-ib-misaligned"), 1);
    let mut b = Bench::new();
    b.card.write(qreg(ENGINE, GFX, q::IB_CNTL), 0);
    b.run(&pad(packet.to_vec()));
    assert_eq!(b.violations("sdma-ib-disabled"), 1);
    let mut b = Bench::new();
    b.set(0x1000, &[5, 0]);
    b.run(&pad(vec![4, lo(ib), hi(ib), 2, 0, 0]));
    assert_eq!(b.violations("sdma-packet-truncated"), 1);
}

#[test]
fn addresses_in_the_hole_interrupt() {
    let mut b = Bench::new();
    b.run(&fence(0x8000_0000_0000, 1));
    assert!(b.exception());
    assert_eq!(b.interrupt(0)[0] >> 8 & 0xff, 242);
}

#[test]
fn reset_is_power_on() {
    let mut b = Bench::new();
    b.run(&fence(DATA_VA, 1));
    b.card.gpu.reset();
    assert_eq!(b.card.read(reg(ENGINE, global::F32_CNTL)), global::HALT);
    assert_eq!(b.card.read(qreg(ENGINE, GFX, q::RB_CNTL)), 0x0004_0000);
    assert_eq!(b.card.read(qreg(ENGINE, GFX, q::RB_WPTR)), 0);
    assert_eq!(b.card.read(qreg(ENGINE, GFX, q::CONTEXT_STATUS)), q::IDLE);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Garbage in the ring ends in a stopped ring or in nothing, never in a panic or a stuck engine.
    #[test]
    fn garbage_never_panics(words in proptest::collection::vec(prop_oneof![0u32..16, any::<u32>()], 1..40)) {
        let mut b = Bench::new();
        b.submit(&words);
        std::thread::sleep(Duration::from_millis(1));
        b.card.gpu.reset();
        prop_assert_eq!(b.card.read(reg(ENGINE, global::STATUS_REG)) & 1, 1);
        prop_assert_eq!(b.violations("model-failure"), 0);
    }
}
