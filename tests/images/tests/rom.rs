// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The virtual GPU's VBIOS: its numbers are the card's, and damage to it is refused or read as other numbers.

use amdgpu_logic::atom::{AtomError, Bios, MemoryKind};
use images::damage;
use proptest::prelude::*;

fn rom() -> Vec<u8> {
    vgpu::pci::build_rom(vgpu::pci::Identity::default())
}

#[test]
fn the_cards_numbers() {
    let rom = rom();
    let bios = Bios::parse(&rom).unwrap();
    let firmware = bios.firmware_info().unwrap();
    assert_eq!((firmware.gfxclk, firmware.uclk), (50_000, 160_000));
    assert!(!firmware.sram_ecc());
    let gfx = bios.gfx_info().unwrap();
    assert_eq!(
        (gfx.shader_engines, gfx.arrays_per_engine, gfx.units_per_array),
        (8, 1, 14)
    );
    assert_eq!((gfx.wave_size, gfx.waves_per_simd, gfx.lds), (64, 8, 64));
    assert_eq!(bios.smu_info().unwrap().refclk, 10_000);
    let vram = bios.vram_info(0).unwrap().unwrap();
    assert_eq!((vram.kind, vram.width), (MemoryKind::Hbm, 4096));
    assert!(!bios.umc_info().unwrap().unwrap().ecc);
    let power = bios.power_table().unwrap();
    assert_eq!((power.power_limit(), power.gfxclk()), (300, (500, 1700)));
    assert_eq!((power.hotspot_limit(), power.memory_limit()), (100, 95));
    assert_ne!(bios.part_number(), "");
    assert_ne!(bios.name(), "");
    assert_ne!(bios.date(), "");
}

#[test]
fn an_image_cut_off() {
    let rom = rom();
    for size in (0..rom.len()).step_by(257) {
        let error = Bios::parse(&rom[..size]).unwrap_err();
        assert!(matches!(error, AtomError::Image { .. }), "{size}: {error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_damaged_image(damage in damage(0x1000), module: u8) {
        let bytes = damage.apply(&rom());
        let Ok(bios) = Bios::parse(&bytes) else { return Ok(()) };
        let errors = [
            bios.firmware_info().err(),
            bios.gfx_info().err(),
            bios.smu_info().err(),
            bios.umc_info().err(),
            bios.vram_info(module).err(),
            bios.power_table().err(),
        ];
        for error in errors.into_iter().flatten() {
            prop_assert!(error.to_string().len() < 120);
        }
        if let Ok(gfx) = bios.gfx_info() {
            prop_assert!((1..=8).contains(&gfx.shader_engines) && (1..=16).contains(&gfx.units_per_array));
        }
        for text in [bios.part_number(), bios.name(), bios.date()] {
            prop_assert!(text.len() < 64);
        }
    }
}
