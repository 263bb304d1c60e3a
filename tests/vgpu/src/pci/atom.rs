// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The ATOM tables that drivers read from the VBIOS (layouts: kernel atomfirmware.h; which are needed: device-contract
//! 2.2). The contents are this card's.

use super::rom::Image;

/// Where things are in the image.
mod at {
    /// Pointer to the ROM header; fixed.
    pub(super) const HEADER_POINTER: usize = 0x48;
    /// Number of strings, and pointer to them; fixed.
    pub(super) const STRING_COUNT: usize = 0x2f;
    pub(super) const STRING_POINTER: usize = 0x6e;
    /// Date; fixed.
    pub(super) const DATE: usize = 0x50;
    pub(super) const STRINGS: usize = 0x100;
    pub(super) const HEADER: usize = 0x200;
    pub(super) const COMMANDS: usize = 0x280;
    pub(super) const DATA: usize = 0x400;
    pub(super) const FIRMWARE_INFO: usize = 0x480;
    pub(super) const GFX_INFO: usize = 0x500;
    pub(super) const SMU_INFO: usize = 0x580;
    pub(super) const UMC_INFO: usize = 0x680;
    pub(super) const INDIRECT_IO: usize = 0x700;
    pub(super) const ASIC_INIT: usize = 0x740;
    pub(super) const POWERPLAY_INFO: usize = 0x800;
    pub(super) const SMC_DPM_INFO: usize = 0xd00;
    pub(super) const VRAM_INFO: usize = 0xe00;
}

/// Indices into the master table of data tables.
mod table {
    pub(super) const SMC_DPM_INFO: usize = 2;
    pub(super) const FIRMWARE_INFO: usize = 4;
    pub(super) const SMU_INFO: usize = 8;
    pub(super) const GFX_INFO: usize = 14;
    pub(super) const POWERPLAY_INFO: usize = 15;
    pub(super) const INDIRECT_IO: usize = 23;
    pub(super) const UMC_INFO: usize = 24;
    pub(super) const VRAM_INFO: usize = 28;
    /// Number of tables.
    pub(super) const COUNT: usize = 35;
}

/// Command tables in the master table; the first is ASIC_INIT.
const COMMAND_COUNT: usize = 80;
/// Dword offset of BIOS_SCRATCH_0 (nbio_7_4_offset.h).
const BIOS_SCRATCH: u32 = 0x4c;
/// The opcode that ends a command table.
const END_OF_TABLE: u8 = 91;
/// 100 MHz in units of 10 kHz.
const REFERENCE_CLOCK: u32 = 10_000;

/// Puts the tables into the image.
pub(crate) fn add(image: &mut Image) {
    image.bytes(0x30, b" 761295520");
    image.u16(at::HEADER_POINTER, at::HEADER);
    image.bytes(at::DATE, b"11/30/26 00:00\0");
    strings(image);
    header(image);
    common(image, at::COMMANDS, 4 + 2 * COMMAND_COUNT, 1, 1);
    image.u16(at::COMMANDS + 4, at::ASIC_INIT);
    common(image, at::DATA, 4 + 2 * table::COUNT, 2, 1);
    for (n, offset) in [
        (table::FIRMWARE_INFO, at::FIRMWARE_INFO),
        (table::SMU_INFO, at::SMU_INFO),
        (table::GFX_INFO, at::GFX_INFO),
        (table::INDIRECT_IO, at::INDIRECT_IO),
        (table::UMC_INFO, at::UMC_INFO),
        (table::VRAM_INFO, at::VRAM_INFO),
        (table::POWERPLAY_INFO, at::POWERPLAY_INFO),
        (table::SMC_DPM_INFO, at::SMC_DPM_INFO),
    ] {
        image.u16(at::DATA + 4 + 2 * n, offset);
    }
    firmware_info(image);
    gfx_info(image);
    // core_refclk_10khz
    common(image, at::SMU_INFO, 240, 3, 6);
    image.u32(at::SMU_INFO + 16, REFERENCE_CLOCK);
    // no ECC
    common(image, at::UMC_INFO, 68, 3, 3);
    // no indirect I/O programs
    common(image, at::INDIRECT_IO, 8, 1, 1);
    vram_info(image);
    powerplay_info(image);
    // atom_smc_dpm_info_v4_10: board parameters, none on this board
    common(image, at::SMC_DPM_INFO, 172, 4, 10);
    asic_init(image);
}

/// The header of a table: size, format revision, content revision.
fn common(image: &mut Image, at: usize, size: usize, format: u8, content: u8) {
    image.u16(at, size);
    image.u8(at + 2, format);
    image.u8(at + 3, content);
}

/// Part number, chip, bus and memory type, then the name behind CR LF.
fn strings(image: &mut Image) {
    image.u8(at::STRING_COUNT, 4);
    image.u16(at::STRING_POINTER, at::STRINGS);
    image.bytes(
        at::STRINGS,
        b"113-VGPU90A-001\0GFX90A\0PCI_EXPRESS\0HBM\0\r\nVirtual gfx90a\r\n\0",
    );
}

fn header(image: &mut Image) {
    let h = at::HEADER;
    common(image, h, 40, 2, 2);
    image.bytes(h + 4, b"ATOM");
    image.u16(h + 0x18, 0x1002);
    image.u16(h + 0x1e, at::COMMANDS);
    image.u16(h + 0x20, at::DATA);
}

/// atom_firmware_info_v3_4.
fn firmware_info(image: &mut Image) {
    let t = at::FIRMWARE_INFO;
    common(image, t, 108, 3, 4);
    image.u32(t + 4, 0x0001_0000);
    // boot clocks in units of 10 kHz: 500 MHz core, 1600 MHz memory
    image.u32(t + 8, 50_000);
    image.u32(t + 12, 160_000);
    image.u32(t + 24, BIOS_SCRATCH);
}

/// atom_gfx_info_v2_4.
fn gfx_info(image: &mut Image) {
    let t = at::GFX_INFO;
    common(image, t, 72, 2, 4);
    // shader engines; CUs per array, arrays per engine, backends, texture caches
    image.u8(t + 6, 8);
    image.bytes(t + 8, &[14, 1, 1, 32]);
    image.u32(t + 40, REFERENCE_CLOCK);
    // CUs and backends in use
    image.bytes(t + 44, &[13, 0]);
    // GPRs, primitive buffer, parameter cache, wave size, waves per SIMD, LDS in KiB
    for (i, v) in [256, 1792, 1024, 64, 8, 64].into_iter().enumerate() {
        image.u16(t + 48 + 2 * i, v);
    }
    // GS threads and table, off-chip buffers, scratch slots per CU
    image.bytes(t + 60, &[32, 32, 1, 32]);
}

/// atom_vram_info_header_v2_6 with one atom_vram_module_v9: HBM2E of 32 channels, 128 bits each.
fn vram_info(image: &mut Image) {
    const HEAD: usize = 24;
    const MODULE: usize = 52;
    let t = at::VRAM_INFO;
    common(image, t, HEAD + MODULE, 2, 6);
    image.u8(t + 20, 1);
    let m = t + HEAD;
    image.u32(m + 4, u32::MAX);
    image.u16(m + 20, MODULE);
    // type, channels, log2 of their width
    image.bytes(m + 23, &[0x61, 32, 7]);
}

/// smu_13_0_powerplay_table (kernel smu_v13_0_pptable.h) with the firmware's PPTable_t (smu13_driver_if_aldebaran.h)
/// behind it.
fn powerplay_info(image: &mut Image) {
    /// Bytes before PPTable_t, and of it.
    const HEAD: usize = 482;
    const BODY: usize = 760;
    let t = at::POWERPLAY_INFO;
    common(image, t, HEAD + BODY, 15, 0);
    image.u8(t + 4, 7);
    image.u16(t + 5, HEAD);
    // shutdown temperature
    image.u16(t + 32, 110);
    let p = t + HEAD;
    // features to run: clocks, deep sleep, power and current limits, thermal
    image.u32(p + 4, 0x0033_2fbe);
    // limits: watts; amperes of core, SOC, memory; degrees of hot spot, memory, regulators
    for (i, v) in [300, 300, 60, 60, 100, 95, 115, 115, 115].into_iter().enumerate() {
        image.u16(p + 12 + 2 * i, v);
    }
    // graphics clock in MHz: highest, lowest, idle, initial
    for (i, v) in [1700, 500, 500, 500].into_iter().enumerate() {
        image.u16(p + 324 + 2 * i, v);
    }
}

/// A command table that does nothing: the card comes initialised.
fn asic_init(image: &mut Image) {
    common(image, at::ASIC_INIT, 8, 2, 1);
    // work space and parameter sizes are 0
    image.u16(at::ASIC_INIT + 4, 0);
    image.u8(at::ASIC_INIT + 6, END_OF_TABLE);
}
