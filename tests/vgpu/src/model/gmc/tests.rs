// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The hubs as a whole: apertures, user translations, staleness, invalidation, faults.

use super::*;
use crate::mem::PhysAddr;
use crate::testing::{TestCard, FB, GART, RAM, RWX, VRAM};

const CP: Client = Client {
    hub: HubId::Gfx,
    vmid: 0,
    name: "CP",
};
const USER: Client = Client {
    hub: HubId::Gfx,
    vmid: 8,
    name: "TCP",
};
const SDMA: Client = Client {
    hub: HubId::Mm,
    vmid: 8,
    name: "SDMA0",
};
const VA: u64 = 0x7f00_1234_5000;
/// Every part of the cache, VMID 8.
const REQ_VMID8: u32 = 0x1f << 18 | 1 << 8;

fn word(card: &TestCard, c: Client, va: u64) -> Result<u64, Fault> {
    let mut b = [0; 8];
    card.gpu.gmc.read(c, va, &mut b)?;
    Ok(u64::from_le_bytes(b))
}

#[test]
fn vmid0_reaches_vram_and_guest_memory() {
    let card = TestCard::new();
    card.put(PhysAddr::vram(0x1000), 11);
    card.put(PhysAddr::system(0x2000), 22);
    assert_eq!(word(&card, CP, FB + 0x1000), Ok(11));
    assert_eq!(word(&card, CP, GART + 0x2000), Ok(22));
    card.assert_clean();
    for va in [0, FB + VRAM, GART - 8, GART + RAM] {
        assert_eq!(
            word(&card, CP, va).unwrap_err().kind,
            FaultKind::OutOfRange,
            "{va:#x}"
        );
    }
}

#[test]
fn accesses_cross_pages_of_different_places() {
    let mut card = TestCard::new();
    card.map(8, VA, PhysAddr::vram(0x3000), 4096, RWX);
    card.map(8, VA + 4096, PhysAddr::system(0x9000), 4096, RWX);
    card.gpu
        .gmc
        .write(USER, VA + 4092, &[1, 2, 3, 4, 5, 6, 7, 8])
        .unwrap();
    assert_eq!(card.get(PhysAddr::vram(0x3ff8)) >> 32, 0x0403_0201);
    assert_eq!(card.get(PhysAddr::system(0x9000)), 0x0807_0605);
    assert_eq!(word(&card, SDMA, VA + 4092), Ok(0x0807_0605_0403_0201));
    card.assert_clean();
}

#[test]
fn atomics_act_on_memory() {
    let mut card = TestCard::new();
    card.map(8, VA, PhysAddr::system(0x9000), 4096, RWX);
    card.put(PhysAddr::system(0x9010), 7);
    assert_eq!(card.gpu.gmc.rmw64(USER, VA + 0x10, |v| v - 1), Ok(7));
    assert_eq!(card.gpu.gmc.rmw32(USER, VA + 0x10, |v| v + 5), Ok(6));
    assert_eq!(card.get(PhysAddr::system(0x9010)), 11);
    assert!(card.gpu.gmc.rmw64(USER, VA + 0x14, |v| v).is_err());
}

#[test]
fn permissions_are_per_access() {
    let mut card = TestCard::new();
    for (flags, read, write, execute) in [
        (0x21, true, false, false),
        (0x41, false, true, false),
        (0x11, false, false, true),
        (1, false, false, false),
    ] {
        card.map(8, VA, PhysAddr::vram(0x3000), 4096, flags);
        card.gpu.gmc.invalidate(HubId::Gfx, 1 << 8);
        let ok = |a| card.gpu.gmc.translate(USER, VA, a).is_ok();
        assert_eq!(
            (ok(Access::Read), ok(Access::Write), ok(Access::Execute)),
            (read, write, execute)
        );
        assert!(!ok(Access::Atomic));
        assert_eq!(
            card.gpu.gmc.translate(USER, VA, Access::Atomic).unwrap_err().kind,
            FaultKind::Permission
        );
    }
}

#[test]
fn partially_resident_and_marker_entries() {
    let mut card = TestCard::new();
    let at = card.pte(8, VA);
    card.put(at, 1 << 51);
    assert_eq!(word(&card, USER, VA), Ok(0));
    card.gpu.gmc.write(USER, VA, &[1; 8]).unwrap();
    card.put(at, 1 << 51 | 1 | 2);
    card.gpu.gmc.invalidate(HubId::Gfx, 1 << 8);
    let f = word(&card, USER, VA).unwrap_err();
    assert!(f.no_retry && f.kind == FaultKind::Permission);
    // cleared entries keep bits without V
    card.put(at, 1 << 4);
    card.gpu.gmc.invalidate(HubId::Gfx, 1 << 8);
    let f = word(&card, USER, VA).unwrap_err();
    assert!(!f.no_retry && f.kind == FaultKind::NotValid { level: 0 });
}

#[test]
fn a_missing_flush_shows() {
    let mut card = TestCard::new();
    card.put(PhysAddr::vram(0x3000), 1);
    card.put(PhysAddr::vram(0x4000), 2);
    card.map(8, VA, PhysAddr::vram(0x3000), 4096, RWX);
    assert_eq!(word(&card, USER, VA), Ok(1));
    card.map(8, VA, PhysAddr::vram(0x4000), 4096, RWX);
    // the cache still has the old page, and says so
    assert_eq!(word(&card, USER, VA), Ok(1));
    assert_eq!(card.gpu.report.violations_of("stale-translation"), 1);
    // another hub has its own cache
    assert_eq!(word(&card, SDMA, VA), Ok(2));
    card.write(GFXHUB + 0x18c + 4 * 17, REQ_VMID8);
    assert_eq!(card.read(GFXHUB + 0x1d4 + 4 * 17), 1 << 8);
    assert_eq!(word(&card, USER, VA), Ok(2));
    assert_eq!(card.gpu.report.violations(), 1);
}

#[test]
fn a_changed_directory_shows() {
    let mut card = TestCard::new();
    card.map(8, VA, PhysAddr::vram(0x3000), 4096, RWX);
    assert!(word(&card, USER, VA).is_ok());
    // the directory entry that leads to the table of VA now leads to a copy of the table
    let table = card.pte(8, VA).addr & !0xfff;
    let copy = VRAM / 2;
    for i in 0..512 {
        let v = card.get(PhysAddr::vram(table + i * 8));
        card.put(PhysAddr::vram(copy + i * 8), v);
    }
    let pde = (0..VRAM / 8)
        .map(|i| PhysAddr::vram(i * 8))
        .find(|at| card.get(*at) == table | 1 | 1 << 56)
        .unwrap();
    card.put(pde, copy | 1 | 1 << 56);
    assert!(word(&card, USER, VA).is_ok());
    assert_eq!(card.gpu.report.violations_of("stale-translation"), 1);
}

#[test]
fn faults_are_not_cached() {
    let mut card = TestCard::new();
    card.pte(8, VA);
    assert!(word(&card, USER, VA).is_err());
    card.map(8, VA, PhysAddr::vram(0x3000), 4096, RWX);
    assert!(word(&card, USER, VA).is_ok());
    card.assert_clean();
}

#[test]
fn an_invalidation_is_acknowledged_after_accesses_under_way() {
    let card = TestCard::new();
    let (asked, told) = (std::sync::Barrier::new(2), std::sync::Barrier::new(2));
    std::thread::scope(|s| {
        s.spawn(|| {
            let hold = card.gpu.gmc.hold(HubId::Gfx, 8);
            asked.wait();
            told.wait();
            drop(hold);
            asked.wait();
        });
        asked.wait();
        card.write(GFXHUB + 0x18c, REQ_VMID8);
        assert_eq!(card.read(GFXHUB + 0x1d4), 0);
        // the other hub does not wait
        card.write(MMHUB + 0x18c, REQ_VMID8);
        assert_eq!(card.read(MMHUB + 0x1d4), 1 << 8);
        told.wait();
        asked.wait();
        assert_eq!(card.read(GFXHUB + 0x1d4), 1 << 8);
    });
}

#[test]
fn odd_invalidations_are_refused() {
    let card = TestCard::new();
    card.write(GFXHUB + 0x18c, 1 << 8 | 1 << 18);
    assert_eq!(card.gpu.report.violations_of("partial-invalidate"), 1);
    card.write(GFXHUB + 0x21c, 0);
    card.write(GFXHUB + 0x18c, REQ_VMID8);
    assert_eq!(card.gpu.report.violations_of("ranged-invalidate"), 1);
}

#[test]
fn semaphores_are_taken_by_reading() {
    let card = TestCard::new();
    let sem = MMHUB + 0x144 + 4 * 3;
    assert_eq!((card.read(sem), card.read(sem)), (1, 0));
    card.write(sem, 0);
    assert_eq!(card.read(sem), 1);
}

#[test]
fn the_first_fault_is_latched_until_cleared() {
    let card = TestCard::new();
    let fault = |va, access| {
        let f = card.gpu.gmc.translate(USER, va, access).unwrap_err();
        card.gpu.gmc.report_fault(USER, &f);
    };
    fault(0x5abc_1234_5678, Access::Write);
    let status = card.read(GFXHUB + 0x2c);
    // CID TCP, write, VMID 8, a directory is missing
    assert_eq!(status >> 9 & 0x1ff, 8);
    assert_eq!((status >> 18 & 1, status >> 20 & 0xf, status & 1), (1, 8, 0));
    assert_eq!(
        (card.read(GFXHUB + 0x30), card.read(GFXHUB + 0x34)),
        (0xabc1_2345, 5)
    );
    fault(0x1000, Access::Read);
    assert_eq!(card.read(GFXHUB + 0x2c), status | 1);
    assert_eq!(card.read(MMHUB + 0x2c), 0);
    card.write(GFXHUB + 0x1c, 1);
    assert_eq!((card.read(GFXHUB + 0x2c), card.read(GFXHUB + 0x30)), (0, 0));
}

#[test]
fn changing_a_context_drops_its_translations() {
    let mut card = TestCard::new();
    card.map(8, VA, PhysAddr::vram(0x3000), 4096, RWX);
    assert!(word(&card, USER, VA).is_ok());
    assert_eq!(card.gpu.gmc.pasid(8), 0x8008);
    card.gpu.gmc.set_context(8, 0x10_0001, 77);
    assert!(word(&card, USER, VA).is_err());
    card.assert_clean();
}

#[test]
fn invalidating_a_pasid_finds_its_vmid() {
    let mut card = TestCard::new();
    card.map(8, VA, PhysAddr::vram(0x3000), 4096, RWX);
    assert!(word(&card, USER, VA).is_ok());
    card.map(8, VA, PhysAddr::vram(0x4000), 4096, RWX);
    card.gpu.gmc.invalidate_pasid(0x8008);
    assert!(word(&card, USER, VA).is_ok());
    card.assert_clean();
}

#[test]
fn reset_forgets_everything_but_where_vram_is() {
    let card = TestCard::new();
    card.gpu.reset();
    assert_eq!(card.read(MMHUB + 0x500), FB_BASE);
    assert_eq!(card.read(MMHUB + 0x504), FB_BASE + (VRAM >> 24) as u32 - 1);
    assert_eq!(card.read(GFXHUB + 0x100), 0);
    assert!(word(&card, USER, VA).is_err());
}
