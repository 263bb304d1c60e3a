// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares the places of numbers, as the driver's parsers have them, with AMD's structures in the kernel source: a C
//! program (c/tables.c) writes files and tables with them, the parsers read those.

use amdgpu_logic::{
    atom::{Bios, FirmwareInfo, GfxInfo, MemoryKind, SmuInfo},
    discovery::Discovery,
    firmware::{HostLink, Image, Mec, Rlc, Sos, Ta, TaKind},
    smu::{GpuMetrics, Link, Metrics},
};
use registers::linux;
use std::{
    collections::BTreeMap,
    io::Write,
    path::PathBuf,
    process::{Command, Stdio},
    sync::OnceLock,
};

/// The compiled program.
fn program() -> &'static PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        // a header of the kernel that is included for a constant not used here
        std::fs::create_dir_all(folder.join("linux")).unwrap();
        std::fs::write(folder.join("linux/units.h"), "").unwrap();
        let amd = linux().join("drivers/gpu/drm/amd");
        let program = folder.join("tables");
        let mut compiler = Command::new(std::env::var("CC").unwrap_or_else(|_| "gcc".into()));
        compiler.args(["-w", "-I"]).arg(&folder);
        for headers in ["include", "amdgpu", "pm/swsmu/inc", "pm/swsmu/inc/pmfw_if"] {
            compiler.arg("-I").arg(amd.join(headers));
        }
        compiler.arg("-o").arg(&program);
        let built = compiler
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/c/tables.c"))
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&built.stderr);
        assert!(built.status.success(), "the compiler refuses:\n{errors}");
        program
    })
}

/// What the program writes.
fn written(kind: &str) -> Vec<u8> {
    let output = Command::new(program()).arg(kind).output().unwrap();
    assert!(output.status.success(), "{kind}");
    output.stdout
}

/// Each image is at 0x200 and an offset, and as long as that says.
fn image(bytes: &[u8], version: u32, offset: usize, size: usize) -> Image<'_> {
    Image {
        version,
        bytes: &bytes[offset..offset + size],
    }
}

#[test]
fn sos() {
    let bytes = written("sos");
    let pcie = Sos::parse(&bytes, HostLink::Pcie).unwrap();
    assert_eq!(pcie.toc, Some(image(&bytes, 12, 0x400, 0x30)));
    assert_eq!(pcie.key_database, Some(image(&bytes, 13, 0x500, 0x40)));
    assert_eq!(pcie.spl, Some(image(&bytes, 14, 0x600, 0x50)));
    assert_eq!(pcie.register_list, Some(image(&bytes, 15, 0x700, 0x60)));
    assert_eq!(pcie.system_driver, image(&bytes, 16, 0x800, 0x70));
    assert_eq!(pcie.secure_os, image(&bytes, 17, 0x900, 0x80));
    let xgmi = Sos::parse(&bytes, HostLink::Xgmi).unwrap();
    assert_eq!(xgmi.system_driver, image(&bytes, 7, 0x200, 0x100));
    assert_eq!(xgmi.secure_os, image(&bytes, 7, 0x300, 0x20));
}

#[test]
fn mec() {
    let bytes = written("mec");
    let mec = Mec::parse(&bytes).unwrap();
    assert_eq!(mec.feature, 21);
    assert_eq!(mec.code, image(&bytes, 7, 0x200, 0xc0));
    assert_eq!(mec.jump_table, image(&bytes, 7, 0x2c0, 0x40));
}

#[test]
fn rlc() {
    let bytes = written("rlc");
    let rlc = Rlc::parse(&bytes).unwrap();
    assert_eq!(rlc.feature, 31);
    assert_eq!(rlc.code, image(&bytes, 7, 0x200, 0x100));
    assert_eq!(rlc.restore_cntl, image(&bytes, 32, 0x400, 0x20));
    assert_eq!(rlc.restore_gpm, image(&bytes, 33, 0x500, 0x30));
    assert_eq!(rlc.restore_srm, image(&bytes, 34, 0x600, 0x40));
}

#[test]
fn ta() {
    let bytes = written("ta");
    let ta = Ta::parse(&bytes).unwrap();
    assert_eq!(ta.find(TaKind::Ras), Some(image(&bytes, 41, 0x300, 0x20)));
    assert_eq!(ta.find(TaKind::Xgmi), Some(image(&bytes, 42, 0x400, 0x30)));
    assert_eq!(ta.find(TaKind::Rap), Some(image(&bytes, 43, 0x500, 0x40)));
}

#[test]
fn vbios() {
    let rom = written("rom");
    let bios = Bios::parse(&rom).unwrap();
    let firmware = FirmwareInfo {
        revision: 101,
        gfxclk: 102,
        uclk: 103,
        capability: 0x200,
        scratch: 105,
        reserved: 106,
    };
    assert_eq!(bios.firmware_info(), Ok(firmware));
    assert!(firmware.sram_ecc());
    let gfx = GfxInfo {
        shader_engines: 8,
        units_per_array: 16,
        arrays_per_engine: 2,
        backends_per_engine: 3,
        cache_channels: 4,
        registers: 205,
        wave_size: 64,
        waves_per_simd: 10,
        scratch_slots: 33,
        lds: 66,
    };
    assert_eq!(bios.gfx_info(), Ok(gfx));
    let smu = SmuInfo {
        refclk: 301,
        socclk: 302,
        fclk: 303,
    };
    assert_eq!(bios.smu_info(), Ok(smu));
    assert!(bios.umc_info().unwrap().unwrap().ecc);
    let vram = bios.vram_info(1).unwrap().unwrap();
    assert_eq!((vram.kind, vram.vendor, vram.width), (MemoryKind::Hbm, 6, 4096));
    let power = bios.power_table().unwrap();
    assert_eq!(power.shutdown_temperature, 118);
    assert_eq!(power.features(), 402 << 32 | 401);
    assert_eq!(power.power_limit(), 403);
    assert_eq!((power.hotspot_limit(), power.memory_limit()), (104, 95));
    assert_eq!(power.gfxclk(), (406, 407));
    // the board's parameters, from the first to the last
    let [.., a, b, c, d] = *power.bytes();
    assert_eq!([a, b, c, d], [0x78, 0x56, 0x34, 0x12]);
    assert_eq!(power.bytes()[592..594], [0x34, 0x12]);
    assert_eq!(bios.part_number(), "113-TEST-001");
    assert_eq!(bios.name(), "A board");
    assert_eq!(bios.date(), "12/31/26 23:59");
}

#[test]
fn discovery() {
    let bytes = written("discovery");
    let discovery = Discovery::parse(&bytes).unwrap();
    let blocks: Vec<_> = discovery.blocks().collect();
    let [gc] = blocks[..] else {
        panic!("{blocks:?}");
    };
    assert_eq!((gc.id, gc.instance, gc.version), (11, 2, (9, 4, 3)));
    assert_eq!([0, 1, 2].map(|n| gc.base(n)), [Some(0x1111), Some(0x2222), None]);
    assert_eq!(discovery.harvested().collect::<Vec<_>>(), [(12, 0)]);
}

fn metrics() -> Metrics {
    Metrics::decode(&written("metrics").try_into().unwrap())
}

#[test]
fn measurements() {
    let wanted = Metrics {
        clocks: [1, 2, 3, 4, 5, 6, 7],
        average_gfxclk: 8,
        average_socclk: 9,
        average_uclk: 10,
        gfx_activity: 11,
        memory_activity: 12,
        power: 13,
        edge: 14,
        hotspot: 15,
        memory: 16,
        regulators: [17, 18, 19],
        throttlers: 1 << 19 | 1 << 13,
        serial: 22 << 32 | 21,
        stacks: [23, 24, 25, 26],
        gfx_busy: 27,
        memory_busy: 28,
        energy: 30 << 32 | 29,
        time: 32 << 32 | 31,
    };
    assert_eq!(metrics(), wanted);
}

#[test]
fn the_record_of_measurements() {
    let record = GpuMetrics {
        metrics: &metrics(),
        link: Link { width: 33, speed: 34 },
        boottime: 35,
    };
    let mut child = Command::new(program())
        .arg("record")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&record.encode()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let fields: BTreeMap<_, u64> = text
        .lines()
        .map(|line| line.split_once(' ').unwrap())
        .map(|(name, value)| (name, value.parse().unwrap()))
        .collect();
    let none = u64::from(u16::MAX);
    let wanted = [
        ("common_header.structure_size", 120),
        ("common_header.format_revision", 1),
        ("common_header.content_revision", 3),
        ("temperature_edge", 14),
        ("temperature_hotspot", 15),
        ("temperature_mem", 16),
        ("temperature_vrgfx", 17),
        ("temperature_vrsoc", 18),
        ("temperature_vrmem", 19),
        ("average_gfx_activity", 11),
        ("average_umc_activity", 12),
        ("average_mm_activity", none),
        ("average_socket_power", 13),
        ("energy_accumulator", 30 << 32 | 29),
        ("system_clock_counter", 35),
        ("average_gfxclk_frequency", 8),
        ("average_socclk_frequency", 9),
        ("average_uclk_frequency", 10),
        ("average_vclk0_frequency", 0),
        ("average_dclk0_frequency", 0),
        ("average_vclk1_frequency", none),
        ("current_gfxclk", 1),
        ("current_socclk", 4),
        ("current_uclk", 5),
        ("current_vclk0", 2),
        ("current_dclk0", 3),
        ("current_dclk1", none),
        ("throttle_status", 1 << 19 | 1 << 13),
        ("current_fan_speed", 0),
        ("pcie_link_width", 33),
        ("pcie_link_speed", 34),
        ("gfx_activity_acc", 27),
        ("mem_activity_acc", 28),
        ("temperature_hbm[0]", 23),
        ("temperature_hbm[3]", 26),
        ("firmware_timestamp", 32 << 32 | 31),
        ("voltage_gfx", none),
        // SMU_THROTTLER_APCC_BIT, SMU_THROTTLER_TEMP_VR_MEM0_BIT
        ("indep_throttle_status", 1 << 23 | 1 << 40),
    ];
    assert_eq!(fields, BTreeMap::from(wanted));
}
