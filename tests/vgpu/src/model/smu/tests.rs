// SPDX-License-Identifier: Apache-2.0 OR MIT
use super::answer::*;
use super::messages::*;
use super::power::Clock;
use super::tables::PPTABLE_SIZE;
use super::*;
use crate::mem::PhysAddr;
use crate::testing::{TestCard, FB};

fn send(card: &TestCard, message: u32, argument: u32) -> (u32, u32) {
    card.write(MP1_SMN_C2PMSG_90, 0);
    card.write(MP1_SMN_C2PMSG_82, argument);
    card.write(MP1_SMN_C2PMSG_66, message);
    (card.read(MP1_SMN_C2PMSG_90), card.read(MP1_SMN_C2PMSG_82))
}

#[test]
fn messages_are_answered() {
    let card = TestCard::new();
    assert_eq!(send(&card, 1, 41), (OK, 42));
    assert_eq!(send(&card, 2, 0), (OK, SMU_VERSION));
    card.assert_clean();
    assert_eq!(send(&card, 0x46, 0).0, UNKNOWN_CMD);
    assert_eq!(card.gpu.report.violations_of("smu-message"), 1);
    card.write(MP1_SMN_C2PMSG_66, 1);
    assert_eq!(card.gpu.report.violations_of("smu-protocol"), 1);
}

/// A power table with 300 W, 500 to 1700 MHz and all features, in VRAM.
fn power_table(card: &TestCard) {
    let mut b = [0; PPTABLE_SIZE];
    b[4..12].fill(0xff);
    b[12..14].copy_from_slice(&250u16.to_le_bytes());
    b[324..326].copy_from_slice(&1700u16.to_le_bytes());
    b[326..328].copy_from_slice(&500u16.to_le_bytes());
    card.gpu.mem.write(PhysAddr::vram(0x3000), &b).unwrap();
    let at = FB + 0x3000;
    assert_eq!(send(card, 0xf, (at >> 32) as u32).0, OK);
    assert_eq!(send(card, 0x10, at as u32).0, OK);
}

#[test]
fn features_follow_the_power_table() {
    let card = TestCard::new();
    assert_eq!(send(&card, 0xd, 0), (OK, 0));
    power_table(&card);
    assert_eq!(send(&card, 0x14, 0).0, OK);
    assert_eq!(send(&card, 7, 0).0, OK);
    assert_eq!(send(&card, 0xd, 0), (OK, FEATURES as u32));
    assert_eq!(send(&card, 0x23, 0), (OK, 250));
    card.assert_clean();
    assert_eq!(send(&card, 0x22, 1000).0, FAILED);
}

#[test]
fn features_need_a_power_table() {
    let card = TestCard::new();
    assert_eq!(send(&card, 7, 0).0, REJECTED_PREREQ);
    card.gpu
        .mem
        .write(PhysAddr::vram(0x3000), &[0; PPTABLE_SIZE])
        .unwrap();
    send(&card, 0xf, (FB >> 32) as u32);
    send(&card, 0x10, (FB + 0x3000) as u32);
    assert_eq!(send(&card, 0x14, 0).0, FAILED);
    send(&card, 0xf, 0xffff_ffff);
    assert_eq!(send(&card, 0x14, 0).0, FAILED);
    assert_eq!(card.gpu.report.violations_of("smu-protocol"), 3);
}

#[test]
fn clocks_have_levels_and_limits() {
    let card = TestCard::new();
    // UCLK is 4; 0xff asks for the highest level
    assert_eq!(send(&card, 0x1e, 4 << 16 | 0xff), (OK, 3));
    let levels: Vec<u32> = (0..4).map(|n| send(&card, 0x1e, 4 << 16 | n).1).collect();
    assert_eq!(levels, Clock::U.levels());
    assert_eq!(send(&card, 0x1d, 0), (OK, 1700));
    assert_eq!(send(&card, 0x18, 800).0, OK);
    assert_eq!(send(&card, 0x18, 1701).0, FAILED);
    card.assert_clean();
    assert_eq!(send(&card, 0x1d, 9 << 16).0, FAILED);
    assert_eq!(card.gpu.report.violations_of("smu-protocol"), 1);
}

#[test]
fn metrics_move_with_the_load() {
    let card = TestCard::new();
    power_table(&card);
    let read = || {
        assert_eq!(send(&card, 0x13, 4).0, OK);
        let w = card.get_words(PhysAddr::vram(0x3000), 30);
        // graphics clock; activity; power; time in which shaders worked; energy
        (w[0] & 0xffff, w[5] >> 16, w[7] >> 16, w[16], w[18])
    };
    let idle = read();
    assert_eq!((idle.0, idle.1, idle.3), (500, 0, 0));
    let busy = card.gpu.grbm.busy(crate::model::grbm::Unit::Spi);
    std::thread::sleep(std::time::Duration::from_millis(400));
    drop(busy);
    let worked = read();
    assert!(
        worked.0 > 1000 && worked.1 > 50 && worked.2 > idle.2,
        "{worked:?}"
    );
    assert!(worked.3 > 0 && worked.4 > idle.4, "{worked:?}");
    card.assert_clean();
}

#[test]
fn a_mode_1_reset_powers_the_card_on_again() {
    let card = TestCard::new();
    card.write(0x3780, 1);
    assert_eq!(send(&card, 3, 1).0, OK);
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while card.read(0x3780) != 0 {
        assert!(std::time::Instant::now() < deadline);
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    card.assert_clean();
}
