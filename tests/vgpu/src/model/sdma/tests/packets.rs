// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One test per packet, on the kernel's ring.

use super::*;
use crate::testing::FB;

#[test]
fn ring_test_and_read_pointer() {
    let mut b = Bench::new();
    b.run(&write_linear(DATA_VA, &[0xdead_beef]));
    assert_eq!(b.data(0, 1), [0xdead_beef]);
    assert_eq!(b.card.get(PhysAddr::system(RPTR)), 20);
    assert_eq!(b.card.read(qreg(ENGINE, GFX, q::RB_RPTR)), 20);
    b.card.assert_clean();
}

#[test]
fn the_ring_wraps() {
    let mut b = Bench::new();
    for n in 0..300u32 {
        b.run(&write_linear(DATA_VA, &[n, n + 1]));
        assert_eq!(b.data(0, 2), [n, n + 1]);
    }
    assert_eq!(b.card.get(PhysAddr::system(RPTR)), 300 * 24);
    b.card.assert_clean();
}

#[test]
fn nop_skips_its_payload() {
    let mut b = Bench::new();
    let mut words = vec![3 << 16, 7, 7, 7, 0];
    words.extend(fence(DATA_VA, 1));
    b.run(&words);
    assert_eq!(b.data(0, 1), [1]);
    b.card.assert_clean();
}

#[test]
fn copies_between_guest_memory_and_vram() {
    let mut b = Bench::new();
    let pattern: Vec<u32> = (0..2_000).map(|i| i * 7).collect();
    b.set(0, &pattern);
    let bytes = pattern.len() as u32 * 4 - 3;
    b.run(&copy(DATA_VA + 1, FB + 0x3003, bytes));
    b.run(&copy(FB + 0x3003, DATA_VA + 0x10_0001, bytes));
    let mut back = b.data(0x10_0000, pattern.len());
    back[0] |= pattern[0] & 0xff;
    let last = pattern.len() - 1;
    back[last] |= pattern[last] & 0xffff_0000 & if bytes % 4 == 1 { 0xff00_0000 } else { 0 };
    assert_eq!(back[..last], pattern[..last]);
    assert_eq!(back[last] & 0xffff, pattern[last] & 0xffff);
    b.card.assert_clean();
}

#[test]
fn a_copy_may_have_two_destinations() {
    let mut b = Bench::new();
    b.set(0, &[1, 2, 3, 4]);
    let second = DATA_VA + 0x2000;
    let mut words = copy(DATA_VA, DATA_VA + 0x1000, 16);
    words[0] |= 1 << 27;
    words.extend([lo(second), hi(second)]);
    b.run(&words);
    assert_eq!(
        (b.data(0x1000, 4), b.data(0x2000, 4)),
        (vec![1, 2, 3, 4], vec![1, 2, 3, 4])
    );
    b.card.assert_clean();
}

#[test]
fn a_sub_window_copies_rows_and_slices() {
    let mut b = Bench::new();
    // source: 2 slices of 4 rows of 8 dwords; destination: rows of 16 dwords, slices of 64
    let source: Vec<u32> = (0..64).collect();
    b.set(0, &source);
    let (src, dst) = (DATA_VA, DATA_VA + 0x1000);
    b.run(&[
        1 | 4 << 8 | 2 << 29,
        lo(src),
        hi(src),
        2 | 1 << 16,
        7 << 13,
        31,
        lo(dst),
        hi(dst),
        3,
        15 << 13,
        63,
        2 | 1 << 16,
        1,
    ]);
    let at = |x: usize, y: usize, z: usize| b.data(0x1000 + 4 * (x + 16 * y + 64 * z) as u64, 1)[0];
    for (x, y, z) in [(0, 0, 0), (2, 1, 0), (0, 1, 1), (2, 0, 1)] {
        assert_eq!(
            at(3 + x, y, z),
            (2 + x + 8 * (1 + y) + 32 * z) as u32,
            "{x} {y} {z}"
        );
    }
    assert_eq!(at(6, 0, 0), 0);
    assert_eq!(at(3, 2, 0), 0);
    b.card.assert_clean();
}

#[test]
fn fills_by_dword_and_by_byte() {
    let mut b = Bench::new();
    let dst = DATA_VA + 0x1000;
    b.run(&[11 | 2 << 30, lo(dst), hi(dst), 0x1234_5678, 64 - 1]);
    b.run(&[11, lo(dst + 65), hi(dst), 0x0707_0707, 3 - 1]);
    assert_eq!(
        b.data(0x1000, 18)[14..],
        [0x1234_5678, 0x1234_5678, 0x0707_0700, 0]
    );
    b.card.assert_clean();
}

/// A driver clears hundreds of megabytes when a process ends and gives the engine two seconds for all of it
/// (amdgpu_device.c: amdgpu_device_get_job_timeout_settings): the time must not depend on how much was written there.
#[test]
fn clearing_gives_pages_back() {
    const START: u64 = 0x10_0000;
    const LEN: u64 = 12 << 20;
    let mut b = Bench::new();
    let blocks = |b: &Bench| rustix::fs::fstat(b.card.gpu.mem.vram_fd()).unwrap().st_blocks;
    b.card
        .gpu
        .mem
        .write(PhysAddr::vram(START), &[0x5a; LEN as usize])
        .unwrap();
    let before = blocks(&b);
    // all but the first and the last 16 bytes, in packets of at most 4 MiB
    let (mut at, end) = (START + 16, START + LEN - 16);
    while at < end {
        let n = (end - at).min(4 << 20);
        b.run(&[11 | 2 << 30, lo(FB + at), hi(FB + at), 0, n as u32 - 1]);
        at += n;
    }
    // looking at them makes pages again
    assert!(before - blocks(&b) >= (LEN / 512 - 1024) as i64);
    let word = |at| b.card.get(PhysAddr::vram(at));
    let kept = 0x5a5a_5a5a_5a5a_5a5a;
    assert_eq!((word(START + 8), word(end)), (kept, kept));
    assert!((START + 16..end).step_by(8).all(|at| word(at) == 0));
    b.card.assert_clean();
}

#[test]
fn page_table_entries_are_generated() {
    let mut b = Bench::new();
    let pe = FB + 0x8000;
    b.run(&[12, lo(pe), hi(pe), 0x71, 0, 0x20_0000, 0, 0x1000, 0, 3 - 1]);
    let entries: Vec<u64> = (0..4)
        .map(|i| b.card.get(PhysAddr::vram(0x8000 + i * 8)))
        .collect();
    assert_eq!(entries, [0x20_0071, 0x20_1071, 0x20_2071, 0]);
    b.card.assert_clean();
}

#[test]
fn a_trap_interrupts_with_its_context() {
    let mut b = Bench::new();
    b.run(&[6, 0xf123_4567]);
    let iv = b.interrupt(0);
    assert_eq!(iv[0], 9 | 224 << 8 | 1 << 31);
    assert_eq!(iv[4], 0x0123_4567);
    b.card.write(reg(ENGINE, global::CNTL), 0);
    b.run(&[6, 1]);
    assert_eq!(b.interrupt(1)[0], 0, "TRAP_ENABLE is off");
    assert_eq!(b.card.gpu.report.status().counters["sdma_trap_masked"], 1);
    b.card.assert_clean();
}

#[test]
fn a_poll_waits_for_memory() {
    let mut b = Bench::new();
    let mut words = vec![
        8 | 3 << 28 | 1 << 31,
        lo(DATA_VA),
        hi(DATA_VA),
        5,
        0xff,
        0xfff << 16 | 4,
    ];
    words.extend(fence(DATA_VA + 8, 1));
    b.submit(&words);
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(b.data(8, 1), [0]);
    b.set(0, &[0x7705]);
    wait("fence", || b.data(8, 1) == [1]);
    b.card.assert_clean();
}

#[test]
fn a_poll_with_a_limit_gives_up_with_an_interrupt() {
    let mut b = Bench::new();
    let mut words = vec![
        8 | 3 << 28 | 1 << 31,
        lo(DATA_VA),
        hi(DATA_VA),
        5,
        0xff,
        4 << 16 | 4,
    ];
    words.extend(fence(DATA_VA + 8, 1));
    b.run(&words);
    assert_eq!(b.data(8, 1), [1]);
    assert_eq!(b.interrupt(0)[0] >> 8 & 0xff, 246);
    b.card.assert_clean();
}

#[test]
fn registers_are_written_and_polled() {
    let mut b = Bench::new();
    let scratch = reg(2, 0x51);
    let mut words = vec![14 | 0xf << 28, scratch >> 2, 0x11_2233];
    words.extend([14 | 2 << 28, scratch >> 2, 0xffff_ffff]);
    words.extend([8 | 3 << 28, scratch, 0, 0x11_ff33, 0xffff_ffff, 0xfff << 16]);
    words.extend([8 | 1 << 8, scratch, lo(DATA_VA), hi(DATA_VA)]);
    b.run(&words);
    assert_eq!(b.data(0, 1), [0x11_ff33]);
    b.card.assert_clean();
}

#[test]
fn atomics_return_into_the_preop_register() {
    let mut b = Bench::new();
    b.set(0, &[5, 1]);
    b.run(&[10 | 47 << 25, lo(DATA_VA), hi(DATA_VA), !0, !0, 0, 0, 0]);
    assert_eq!(b.data(0, 2), [4, 1]);
    assert_eq!(b.card.read(reg(ENGINE, global::ATOMIC_PREOP_LO)), 5);
    assert_eq!(b.card.read(reg(ENGINE, global::ATOMIC_PREOP_HI)), 1);
    // 32-bit compare and swap, repeated until somebody stores the expected value
    b.submit(&[10 | 8 << 25 | 1 << 16, lo(DATA_VA), hi(DATA_VA), 99, 0, 7, 0, 0]);
    std::thread::sleep(Duration::from_millis(5));
    assert_eq!(b.data(0, 1), [4]);
    b.set(0, &[7]);
    wait("swap", || b.data(0, 1) == [99]);
    b.card.assert_clean();
}

#[test]
fn timestamps() {
    let mut b = Bench::new();
    let mut words = vec![13, 1000, 0];
    words.extend([13 | 1 << 8, lo(DATA_VA), hi(DATA_VA)]);
    words.extend([13 | 2 << 8, lo(DATA_VA + 32), hi(DATA_VA)]);
    words.extend([13 | 2 << 8, lo(DATA_VA + 64), hi(DATA_VA)]);
    b.run(&words);
    let own = b.card.get(PhysAddr::system(DATA));
    let (first, second) = (
        b.card.get(PhysAddr::system(DATA + 32)),
        b.card.get(PhysAddr::system(DATA + 64)),
    );
    assert!((1000..1_000_000_000).contains(&own), "{own}");
    assert!(first > 0 && second >= first);
    b.card.assert_clean();
}

#[test]
fn conditional_execution_skips() {
    let mut b = Bench::new();
    b.set(0, &[1]);
    for (reference, expected) in [(1, 7), (2, 0)] {
        b.set(8, &[0]);
        let mut words = vec![9, lo(DATA_VA), hi(DATA_VA), reference, 4];
        words.extend(fence(DATA_VA + 8, 7));
        words.extend(fence(DATA_VA + 12, reference));
        b.run(&words);
        assert_eq!(b.data(8, 2), [expected, reference]);
    }
    b.card.assert_clean();
}

#[test]
fn an_indirect_buffer_runs_and_returns() {
    let mut b = Bench::new();
    let ib = DATA_VA + 0x1000;
    let mut words = write_linear(DATA_VA, &[3]);
    words.extend([0; 3]);
    b.set(0x1000, &words);
    // the packet ends at a multiple of 8 dwords
    let mut ring = vec![1 << 16, 0, 4, lo(ib), hi(ib), 8, 0, 0];
    ring.extend(fence(DATA_VA + 8, 4));
    b.run(&ring);
    assert_eq!(b.data(0, 1), [3]);
    assert_eq!(b.data(8, 1), [4]);
    b.card.assert_clean();
}

#[test]
fn an_indirect_buffer_has_the_vmid_of_its_packet() {
    let mut b = Bench::new();
    let va = 0x7000_0000;
    b.card.map(9, va, PhysAddr::system(DATA), 8192, RWX);
    let mut words = write_linear(va, &[3]);
    words.extend([0; 3]);
    b.set(0x1000, &words);
    b.run(&[1 << 16, 0, 4 | 9 << 16, lo(va + 0x1000), hi(va), 8, 0, 0]);
    assert_eq!(b.data(0, 1), [3]);
    b.card.assert_clean();
}
