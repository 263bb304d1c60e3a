// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The interrupt handler as a driver sees it.

use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::testing::TestCard;

const RING: u64 = 0x10_0000;
const WRITEBACK: u64 = 0x20_0000;

struct Count(AtomicU32);
impl IrqSink for Count {
    fn signal(&self, _vector: u32) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed);
        true
    }
}

/// A card whose ring 0 has 8 entries, with writeback, overflow and re-arming messages.
fn card() -> (TestCard, Arc<Count>) {
    let card = TestCard::new();
    let count = Arc::new(Count(AtomicU32::new(0)));
    card.gpu.ih.set_sink(Some(count.clone()));
    card.write(regs::IH_CHICKEN_ALDEBARAN, regs::MC_SPACE_GPA_ENABLE);
    card.write(regs::IH_RB_BASE, (RING >> 8) as u32);
    card.write(regs::IH_RB_WPTR_ADDR_LO, WRITEBACK as u32);
    card.write(regs::IH_RB_CNTL, RING0);
    (card, count)
}

const RING0: u32 = regs::RB_ENABLE
    | 6 << 1
    | regs::WPTR_WRITEBACK_ENABLE
    | regs::WPTR_OVERFLOW_ENABLE
    | regs::ENABLE_INTR
    | regs::RPTR_REARM
    | regs::SPACE_BUS << 28;

fn iv(source: u8) -> Iv {
    Iv {
        client: client::GRBM_CP,
        source,
        data: [7, 0, 0, 0],
        ..Iv::default()
    }
}

fn messages(c: &Count) -> u32 {
    c.0.load(Ordering::Relaxed)
}

#[test]
fn vectors_land_with_writeback_and_one_message() {
    let (card, count) = card();
    card.gpu.ih.send(iv(181));
    card.gpu.ih.send(iv(182));
    assert_eq!(card.get_words(PhysAddr::system(RING), 1), [0x14 | 181 << 8]);
    assert_eq!(card.get_words(PhysAddr::system(RING + 32), 5)[4], 7);
    assert_eq!(card.get_words(PhysAddr::system(WRITEBACK), 1), [64]);
    assert_eq!(card.read(regs::IH_RB_WPTR), 64);
    assert_eq!(messages(&count), 1);
    card.assert_clean();
}

#[test]
fn writing_rptr_rearms_and_asks_again_if_more_waits() {
    let (card, count) = card();
    card.write(regs::IH_DOORBELL_RPTR, 0x2f0 | regs::DOORBELL_ENABLE);
    card.gpu.ih.send(iv(1));
    card.gpu.ih.send(iv(2));
    card.gpu.ih.doorbell(0x2f0, 32);
    assert_eq!(messages(&count), 2);
    card.gpu.ih.doorbell(0x2f0, 64);
    assert_eq!(messages(&count), 2);
    card.gpu.ih.send(iv(3));
    assert_eq!(messages(&count), 3);
    card.write(regs::IH_RB_RPTR, 96);
    card.gpu.ih.send(iv(4));
    assert_eq!(messages(&count), 4);
    card.assert_clean();
}

#[test]
fn without_rearm_every_vector_is_a_message() {
    let (card, count) = card();
    card.write(regs::IH_RB_CNTL, RING0 & !regs::RPTR_REARM);
    (0..3).for_each(|i| card.gpu.ih.send(iv(i)));
    assert_eq!(messages(&count), 3);
    card.write(regs::IH_RB_CNTL, RING0 & !regs::ENABLE_INTR);
    card.gpu.ih.send(iv(9));
    assert_eq!(messages(&count), 3);
}

#[test]
fn overflow_is_flagged_in_memory_and_cleared_by_an_edge() {
    let (card, _) = card();
    (0..9).for_each(|i| card.gpu.ih.send(iv(i)));
    assert_eq!(
        card.get_words(PhysAddr::system(WRITEBACK), 1),
        [32 | regs::RB_OVERFLOW]
    );
    // the oldest entry left is behind WPTR
    assert_eq!(card.get_words(PhysAddr::system(RING + 32), 1), [0x14 | 1 << 8]);
    assert_eq!(card.get_words(PhysAddr::system(RING), 1), [0x14 | 8 << 8]);
    card.write(regs::IH_RB_CNTL, RING0 | regs::WPTR_OVERFLOW_CLEAR);
    card.write(regs::IH_RB_CNTL, RING0);
    assert_eq!(card.read(regs::IH_RB_WPTR), 32);
    card.write(regs::IH_RB_RPTR, 64);
    card.assert_clean();
}

#[test]
fn a_ring_that_is_off_may_be_rewound() {
    let (card, _) = card();
    (0..3).for_each(|i| card.gpu.ih.send(iv(i)));
    card.write(regs::IH_RB_RPTR, 96);
    card.write(regs::IH_RB_CNTL, RING0 & !regs::RB_ENABLE);
    card.write(regs::IH_RB_RPTR, 0);
    card.assert_clean();
}

#[test]
fn rings_1_and_2_are_announced_in_ring_0() {
    let (card, count) = card();
    card.write(regs::IH_RB_BASE_RING1, ((RING + 0x1000) >> 8) as u32);
    card.write(
        regs::IH_RB_CNTL_RING1,
        regs::RB_ENABLE | 6 << 1 | regs::SPACE_BUS << 28,
    );
    card.gpu.ih.send_to(1, iv(0));
    assert_eq!(card.get_words(PhysAddr::system(RING + 0x1000), 1), [0x14]);
    assert_eq!(card.get_words(PhysAddr::system(RING), 1), [1 << 16]);
    assert_eq!((card.read(regs::IH_RB_WPTR_RING1), messages(&count)), (32, 1));
    card.assert_clean();
}

#[test]
fn wrong_set_up_is_noticed() {
    let (card, _) = card();
    card.write(regs::IH_RB_RPTR, 64);
    assert_eq!(card.gpu.report.violations_of("ih-read-pointer"), 1);
    card.write(regs::IH_CHICKEN_ALDEBARAN, 0);
    card.gpu.ih.send(iv(1));
    assert_eq!(card.gpu.report.violations_of("ih-address-space"), 1);
    card.gpu.ih.doorbell(0x300, 0);
    assert_eq!(card.gpu.report.violations_of("doorbell-unattached"), 1);
    card.write(regs::IH_RB_CNTL, RING0 & !regs::RB_ENABLE);
    card.gpu.ih.send(iv(1));
    assert_eq!(card.gpu.report.counter("iv_dropped").get(), 1);
}

#[test]
fn pasids_are_kept_per_hub_table() {
    let (card, _) = card();
    card.gpu.ih.set_pasid(9, 0x8123);
    assert_eq!(card.read(regs::IH_VMID_0_LUT + 36), 0x8123);
    assert_eq!(card.read(regs::IH_VMID_0_LUT_MM + 36), 0x8123);
    card.write(regs::IH_VMID_0_LUT + 12, 5);
    assert_eq!(card.gpu.ih.pasid(3), 5);
}
