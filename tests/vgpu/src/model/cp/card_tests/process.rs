// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A process with an AQL and a SDMA queue.

use super::*;

#[test]
fn a_process_runs_a_kernel_and_a_copy() {
    let mut d = Driver::new();
    d.load_kernel();
    d.start_process();
    let signal = d.signal(0);
    d.dispatch(signal);
    d.until("the kernel completes", |d| d.signal_value(0) == 0);
    assert_eq!(
        d.card.get_words(d.user(DATA), 65),
        [[42; 64].as_slice(), &[0]].concat()
    );
    assert!(
        d.interrupts().contains(&(0x14, 181, PASID.into(), 0x30)),
        "{:x?}",
        d.interrupts()
    );

    // SDMA FENCE: address, value
    let at = USER + SDMA_POINTERS + 0x100;
    d.card.put_words(d.user(SDMA_RING), &[5, lo(at), hi(at), 0x77]);
    d.card.put(d.user(SDMA_POINTERS + 8), 16);
    d.ring(SDMA_DOORBELL, 16);
    d.until("the fence is written", |d| {
        d.card.get_words(d.user(SDMA_POINTERS + 0x100), 1)[0] == 0x77
    });
    d.unmap();
    assert_eq!(
        d.card.get_words(PhysAddr::system(SDMA_MQD), 7)[3],
        16,
        "read pointer in the descriptor"
    );
    assert_eq!(d.card.get_words(PhysAddr::system(AQL_MQD), 131)[130], 0);
    d.card.assert_clean();
}

#[test]
fn work_submitted_while_unmapped_runs_when_mapped_again() {
    let mut d = Driver::new();
    d.load_kernel();
    d.start_process();
    let first = d.signal(0);
    d.dispatch(first);
    d.until("the first kernel completes", |d| d.signal_value(0) == 0);
    d.unmap();
    let second = d.signal(1);
    d.dispatch(second);
    std::thread::sleep(Duration::from_millis(5));
    assert_eq!(d.signal_value(1), 1);
    let at = GART + LIST;
    let dwords = 21 + 7 + 7;
    d.hiq(&packet(RUN_LIST, &[lo(at), hi(at), dwords | 1 << 23 | 1 << 24]));
    d.until("the second kernel completes", |d| d.signal_value(1) == 0);
    assert_eq!(d.card.get(d.user(QUEUE + 0x80)), 2);
    d.unmap();
    d.card.assert_clean();
}

#[test]
fn many_kernels_in_a_row() {
    let mut d = Driver::new();
    d.load_kernel();
    d.start_process();
    for n in 0..300 {
        let signal = d.signal(n % 32);
        d.dispatch(signal);
        d.until("the kernel completes", |d| d.signal_value(n % 32) == 0);
    }
    assert_eq!(d.card.get(d.user(QUEUE + 0x80)), 300);
    d.unmap();
    d.card.assert_clean();
}

#[test]
fn a_fault_of_the_packet_processor_stops_the_queue_only() {
    let mut d = Driver::new();
    d.load_kernel();
    d.start_process();
    // the completion signal is not mapped
    d.dispatch(0x10_0000_1000);
    d.until("the fault is reported", |d| {
        d.interrupts()
            .iter()
            .any(|iv| (iv.0, iv.1, iv.2) == (0x1b, 0, PASID.into()))
    });
    let signal = d.signal(0);
    d.dispatch(signal);
    std::thread::sleep(Duration::from_millis(5));
    assert_eq!(d.signal_value(0), 1);
    d.unmap();
    d.card.assert_clean();
}

#[test]
fn a_reset_quiets_everything() {
    let mut d = Driver::new();
    d.load_kernel();
    d.start_process();
    let signal = d.signal(0);
    d.dispatch(signal);
    d.card.gpu.reset();
    let value = d.signal_value(0);
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(d.signal_value(0), value);
    d.card.write(GFX_CNTL, 2 << 2 | 1);
    assert_eq!(d.card.read(Hqd::Active.offset()), 0);
}
