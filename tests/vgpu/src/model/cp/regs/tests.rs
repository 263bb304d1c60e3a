// SPDX-License-Identifier: Apache-2.0 OR MIT
use super::*;

fn select(slot: Slot) -> Select {
    Select {
        me: slot.me(),
        pipe: slot.pipe(),
        queue: slot.queue(),
        ..Select::default()
    }
}

fn slot(me: u8, pipe: u8, queue: u8) -> Slot {
    Slot::new(me, pipe, queue).unwrap()
}

#[test]
fn queue_registers_are_banked() {
    let mut r = RegFile::new();
    let (a, b) = (slot(1, 0, 0), slot(2, 1, 0));
    let base = Hqd::PqBaseLo.offset();
    assert_eq!(r.write(base, select(a), 0x11), Some(Effect::None));
    assert_eq!(r.write(base, select(b), 0x22), Some(Effect::None));
    assert_eq!(r.read(base, select(a)), Some(0x11));
    assert_eq!(r.read(base, select(b)), Some(0x22));
    assert_eq!(
        r.read(base, Select::default()),
        Some(0),
        "micro engine 0 has no compute queues"
    );
    assert_eq!(r.write(COMPUTE_FIRST + 0x30, select(a), 5), Some(Effect::None));
    assert_eq!(r.bank(a).compute.get(Reg::PgmLo), 5);
    assert_eq!(r.bank(b).compute.get(Reg::PgmLo), 0);
}

#[test]
fn unknown_registers_are_refused() {
    let mut r = RegFile::new();
    for off in [0xb8b8, 0xc9f4, 0xc100, 0x8000, 0x30140, 0x3b2ac] {
        assert_eq!(r.read(off, Select::default()), None, "{off:#x}");
        assert_eq!(r.write(off, Select::default(), 1), None, "{off:#x}");
    }
}

#[test]
fn starting_and_stopping_a_queue_is_an_effect() {
    let mut r = RegFile::new();
    let q = slot(2, 1, 0);
    let active = Hqd::Active.offset();
    assert_eq!(r.write(active, select(q), 1), Some(Effect::Active(q, true)));
    assert_eq!(r.write(active, select(q), 1), Some(Effect::None));
    assert_eq!(
        r.write(Hqd::DequeueRequest.offset(), select(q), 2),
        Some(Effect::Dequeue(q, 2))
    );
    assert_eq!(
        r.write(Hqd::DequeueRequest.offset(), select(q), 0),
        Some(Effect::None)
    );
    assert_eq!(
        r.write(Hqd::WptrLo.offset(), select(q), 16),
        Some(Effect::Wptr(q))
    );
    assert_eq!(r.write(active, select(q), 0), Some(Effect::Active(q, false)));
}

#[test]
fn doorbells_find_active_queues_only() {
    let mut r = RegFile::new();
    let q = slot(1, 2, 3);
    r.bank_mut(q).enable_doorbell(0x16);
    assert_eq!(r.doorbell(0x16, 5), Rung::Disabled);
    r.write(0xc2e0, Select::default(), 2);
    assert_eq!(r.doorbell(0x16, 5), Rung::Unmapped);
    r.write(Hqd::Active.offset(), select(q), 1);
    assert_eq!(r.doorbell(0x16, 0x1_0000_0005), Rung::Queue(q));
    assert_eq!(r.bank(q).wptr(), 0x1_0000_0005);
    assert_ne!(r.bank(q).get(Hqd::DoorbellControl) >> 31, 0);
    assert_eq!(r.doorbell(0x17, 0), Rung::Unmapped);
}

#[test]
fn interrupt_enables_belong_to_pipes_under_two_names() {
    let mut r = RegFile::new();
    r.write(0xc2d0, select(slot(1, 2, 0)), 1 << 26);
    assert_eq!(
        r.read(0xc21c, Select::default()),
        Some(1 << 26),
        "CP_ME1_PIPE2_INT_CNTL"
    );
    assert_eq!(r.int_cntl(slot(1, 2, 7)), 1 << 26);
    assert_eq!(r.int_cntl(slot(1, 1, 7)), 0);
    r.write(0xc224, Select::default(), 7);
    assert_eq!(r.int_cntl(slot(2, 0, 0)), 7, "CP_ME2_PIPE0_INT_CNTL");
}

#[test]
fn engines_come_up_halted_and_name_their_scheduler() {
    let mut r = RegFile::new();
    assert!(!r.running(slot(1, 0, 0)) && !r.running(slot(2, 0, 0)));
    assert_eq!(
        r.write(CP_MEC_CNTL, Select::default(), 0),
        Some(Effect::MecCntl { reset_pipes: 0 })
    );
    assert!(r.running(slot(1, 0, 0)) && r.running(slot(2, 0, 0)));
    assert_eq!(
        r.write(CP_MEC_CNTL, Select::default(), ME1_HALT | 0x3f << 16),
        Some(Effect::MecCntl { reset_pipes: 0x3f })
    );
    assert!(!r.running(slot(1, 0, 0)) && r.running(slot(2, 0, 0)));
    assert_eq!(r.kiq(), None);
    r.write(0x3b2a8, Select::default(), 2 << 5 | 1 << 3);
    assert_eq!(r.kiq(), None);
    r.write(0x3b2a8, Select::default(), 2 << 5 | 1 << 3 | 0x80);
    assert_eq!(r.kiq(), Some(slot(2, 1, 0)));
}
