// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Resets: whatever a driver has written, and whatever the engines are doing, every kind of reset leads back to the
//! state at power-on.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::{Gpu, Profile};
use crate::mem::PhysAddr;
use crate::pci::{Function, Identity, IrqMode};
use crate::regs::Select;
use crate::testing::{TestCard, FB, GART};
use crate::vfio::Device;

/// Reads of these move on: the ROM's stream, the memories of the RLC.
const STREAMS: [&str; 3] = ["ROM_DATA", "RLC_GPM_SCRATCH_DATA", "RLC_SRM_ARAM_DATA"];

/// The banks that are looked at: none, a queue's registers, another's with a VMID's.
fn banks() -> [Select; 3] {
    [
        Select::decode(0, 0xe000_0000),
        // pipe, micro engine, VMID, queue
        Select::decode(1 | 1 << 2 | 2 << 8, 0xe000_0000),
        Select::decode(2 << 2 | 8 << 4, 2 << 16),
    ]
}

/// Offsets of registers.
fn offsets(gpu: &Gpu) -> &'static [u32] {
    static OFFSETS: OnceLock<Vec<u32>> = OnceLock::new();
    OFFSETS.get_or_init(|| {
        let known =
            |off: &u32| !matches!(gpu.name_of(*off).1, name if name == "?" || STREAMS.contains(&name));
        (0..0x8_0000).step_by(4).filter(known).collect()
    })
}

/// All registers of a card.
fn registers(gpu: &Gpu) -> BTreeMap<(usize, u32), u32> {
    let mut found = BTreeMap::new();
    for (bank, select) in banks().into_iter().enumerate() {
        for &off in offsets(gpu) {
            let mut blocks = gpu.candidates(off).into_iter().flatten();
            if let Some(value) = blocks.find_map(|b| b.read_reg(off, select)) {
                found.insert((bank, off), value);
            }
        }
    }
    found
}

/// Writes something into every register, in every bank.
fn scribble(gpu: &Gpu, registers: &BTreeMap<(usize, u32), u32>) {
    let banks = banks();
    for (n, ((bank, off), value)) in registers.iter().enumerate() {
        let other = value ^ (n as u32).wrapping_mul(0x9e37_79b9) ^ 0x1111;
        let mut blocks = gpu.candidates(*off).into_iter().flatten();
        blocks.any(|b| b.write_reg(*off, banks[*bank], other));
    }
}

fn doorbells_on(card: &TestCard) {
    card.write(0x3780, 1);
}

/// Sets engine 1 of the system DMA working on the kernel's ring without end: it fills memory again and again.
fn busy_engine(card: &TestCard) {
    const RING: u64 = 0x1_0000;
    let sdma = |reg: u32| (0x1860 + reg) * 4;
    let fill = |at: u64| {
        [
            11 | 2 << 30,
            at as u32,
            (at >> 32) as u32,
            0x55aa_55aa,
            (4 << 20) - 1,
        ]
    };
    let words: Vec<u32> = (0..200).flat_map(|_| fill(FB + 0x10_0000)).collect();
    card.put_words(PhysAddr::system(RING), &words);
    for (reg, value) in [
        (0x80 + 1, (GART + RING) >> 8),
        (0x80 + 2, (GART + RING) >> 40),
        (0x80 + 5, words.len() as u64 * 4),
        (0x80, 1 | 10 << 1),
        // F32_CNTL: let it run
        (0x2a, 0),
    ] {
        card.write(sdma(reg), value as u32);
    }
    let deadline = Instant::now() + Duration::from_secs(10);
    while card.get(PhysAddr::vram(0x10_0000)) == 0 {
        assert!(Instant::now() < deadline, "the engine does not start");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn function(card: &TestCard) -> Function {
    Function::new(card.gpu.clone(), Identity::default(), IrqMode::MsiX)
}

/// Brings a card into disorder, resets it and looks at what is left.
fn leads_back(profile: Profile, reset: impl FnOnce(&TestCard, &Function)) {
    let fresh = TestCard::blank(profile);
    let registers_then = registers(&fresh.gpu);
    assert!(registers_then.len() > 3000, "{}", registers_then.len());

    let card = TestCard::in_profile(profile);
    let function = function(&card);
    doorbells_on(&card);
    if profile == Profile::Running {
        busy_engine(&card);
    }
    scribble(&card.gpu, &registers_then);
    assert_ne!(registers(&card.gpu), registers_then);
    reset(&card, &function);
    let now = registers(&card.gpu);
    let changed: Vec<_> = registers_then
        .iter()
        .filter(|&(at, value)| now.get(at) != Some(value))
        .map(|((bank, off), value)| {
            let name = card.gpu.name_of(*off);
            format!(
                "{name:?} bank {bank}: {value:#x}, now {:x?}",
                now.get(&(*bank, *off))
            )
        })
        .collect();
    assert!(changed.is_empty(), "{changed:#?}");
    assert_eq!(now.len(), registers_then.len());
    // no engine writes any more
    assert_eq!(card.get(PhysAddr::vram(0x10_0000)), 0);
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(card.get(PhysAddr::vram(0x10_0000)), 0);
    assert_eq!(card.gpu.report.violations_of("model-failure"), 0);
}

const PROFILES: [Profile; 2] = [Profile::Running, Profile::PowerOn];

#[test]
fn a_reset_by_the_platform_leads_back_to_power_on() {
    for profile in PROFILES {
        leads_back(profile, |_, f| f.reset().unwrap());
    }
}

#[test]
fn a_function_level_reset_leads_back_to_power_on() {
    for profile in PROFILES {
        leads_back(profile, |_, f| {
            f.write(7, 0x6c, &0xa81fu16.to_le_bytes()).unwrap();
        });
    }
}

#[test]
fn the_machine_s_end_leads_back_to_power_on() {
    for profile in PROFILES {
        leads_back(profile, |_, f| f.disconnected());
    }
}

#[test]
fn a_mode_1_reset_leads_back_to_power_on() {
    for profile in PROFILES {
        leads_back(profile, |card, _| card.gpu.reset_off_the_bus());
    }
}

#[test]
fn a_card_off_the_bus_is_deaf_and_dumb() {
    let card = TestCard::new();
    let read = || {
        let mut b = [0; 4];
        card.gpu.bar5_read(0x378c, &mut b);
        u32::from_le_bytes(b)
    };
    let size = read();
    card.gpu
        .off_the_bus
        .store(true, std::sync::atomic::Ordering::SeqCst);
    assert_eq!(read(), u32::MAX);
    card.gpu.bar5_write(0x3780, &1u32.to_le_bytes());
    card.gpu.bar2_write(0, &[0; 8]);
    card.gpu
        .off_the_bus
        .store(false, std::sync::atomic::Ordering::SeqCst);
    assert_eq!((read(), card.read(0x3780)), (size, 0));
    card.assert_clean();
}
