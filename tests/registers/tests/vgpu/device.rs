// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a virtual GPU says of its registers.

use std::collections::BTreeMap;
use std::sync::Arc;

use vgpu::clock::Clock;
use vgpu::device::{Config, Gpu};
use vgpu::report::Report;
use vgpu::trace::Trace;

/// Offsets in the register BAR.
const BAR: std::ops::Range<u32> = 0..0x8_0000;

/// Registers on the system management network, which is too large to be searched.
pub(crate) const SMN: &[u32] = &[
    0x03b1_0024,
    0x1110_03d0,
    0x1114_0288,
    0x1114_0290,
    0x1118_0070,
    0x1118_0200,
    0x1118_021c,
    0x1118_0220,
    0x1118_0224,
    0x1118_0460,
];

const MM_INDEX: u32 = 0;
const PCIE_INDEX: u32 = 0x30;
const PCIE_INDEX2: u32 = 0x38;
const RCC_CONFIG_MEMSIZE: u32 = 0x378c;

fn gpu() -> Arc<Gpu> {
    let config = Config {
        vram_size: 64 << 20,
        ..Config::default()
    };
    let clock = Clock::start();
    let report = Arc::new(Report::default());
    Gpu::new(&config, report, clock, Arc::new(Trace::off(clock))).expect("a GPU")
}

fn offsets() -> impl Iterator<Item = u32> {
    BAR.step_by(4).chain(SMN.iter().copied())
}

/// The offsets of each name, in ascending order.
pub(crate) fn registers() -> BTreeMap<&'static str, Vec<u32>> {
    let gpu = gpu();
    let mut registers = BTreeMap::<_, Vec<u32>>::new();
    for offset in offsets() {
        let (_, name) = gpu.name_of(offset);
        if name != "?" {
            registers.entry(name).or_default().push(offset);
        }
    }
    registers
}

/// The offsets of registers that can be read and have no name, or have a name and cannot be read.
pub(crate) fn nameless() -> Vec<u32> {
    let gpu = gpu();
    // windows lead somewhere
    for index in [MM_INDEX, PCIE_INDEX, PCIE_INDEX2] {
        gpu.bar5_write(index, &RCC_CONFIG_MEMSIZE.to_le_bytes());
    }
    let unknown = || gpu.report.violations_of("unknown-register");
    offsets()
        .filter(|offset| {
            let before = unknown();
            match BAR.contains(offset) {
                true => gpu.bar5_read(*offset, &mut [0; 4]),
                false => drop(gpu.reg_read("CPU", *offset)),
            }
            (unknown() == before) != (gpu.name_of(*offset).1 != "?")
        })
        .collect()
}
