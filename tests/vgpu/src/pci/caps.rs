// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The capabilities: power management, PCI Express, MSI or MSI-X, advanced error reporting, serial number.

use super::config::ConfigSpace;
use super::IrqMode;

/// Where capabilities are.
pub(crate) mod offset {
    /// Power management.
    pub(crate) const POWER: usize = 0x50;
    /// PCI Express.
    pub(crate) const EXPRESS: usize = 0x64;
    /// Device Control, with Device Status in the upper half.
    pub(crate) const DEVICE_CONTROL: usize = EXPRESS + 8;
    /// MSI.
    pub(crate) const MSI: usize = 0xa0;
    /// MSI-X.
    pub(crate) const MSI_X: usize = 0xc0;
    /// Advanced error reporting.
    pub(crate) const AER: usize = 0x100;
    /// Device serial number.
    pub(crate) const SERIAL: usize = 0x150;
    /// Vendor-specific.
    pub(crate) const VENDOR: usize = 0x170;
}

/// MSI-X table and pending bits: in a hole of the register BAR (BAR5), where no block has registers.
pub(crate) const MSI_X_TABLE: u32 = 0x42000;
const MSI_X_PENDING: u32 = 0x43000;
const REGISTER_BAR: u32 = 5;

/// Power-on value of Device Control. QEMU decides by it whether errors it injects are reported.
const DEVICE_CONTROL: u16 = 0x281f;

/// Device Control 2: the card may send AtomicOps.
const ATOMIC_OPS: u16 = 1 << 6;

pub(crate) fn add(c: &mut ConfigSpace, irq: IrqMode, atomics: bool) {
    power(c);
    express(c, irq, atomics);
    match irq {
        IrqMode::Msi => msi(c),
        IrqMode::MsiX => msi_x(c),
    }
    error_reporting(c);
    serial_number(c);
    vendor_specific(c);
}

fn power(c: &mut ConfigSpace) {
    c.set16(offset::POWER, 0x01 | (offset::EXPRESS as u16) << 8, 0);
    // version 3; D1 and D2 not supported; PME from no state
    c.set16(offset::POWER + 2, 0x0003, 0);
    // no soft reset between D3hot and D0; the power state can be written
    c.set16(offset::POWER + 4, 1 << 3, 0b11);
}

fn express(c: &mut ConfigSpace, irq: IrqMode, atomics: bool) {
    let at = offset::EXPRESS;
    let next = match irq {
        IrqMode::Msi => offset::MSI,
        IrqMode::MsiX => offset::MSI_X,
    };
    c.set16(at, 0x10 | (next as u16) << 8, 0);
    // version 2, endpoint
    c.set16(at + 0x02, 0x0002, 0);
    // payload 256, extended tags, role-based errors, function-level reset
    c.set32(at + 0x04, 0x0000_0021 | 1 << 15 | 1 << 28, 0);
    c.set16(at + 0x08, DEVICE_CONTROL, 0xffff);
    c.clear_bits(at + 0x08, 0x000f_0000);
    // 16 GT/s, x16, ASPM L0s and L1, clock power management off
    c.set32(at + 0x0c, 4 | 16 << 4 | 3 << 10, 0);
    c.set16(at + 0x10, 0x0040, 0x01fb);
    c.set16(at + 0x12, 4 | 16 << 4, 0);
    // completion timeout can be set and disabled
    c.set32(at + 0x24, 0x1f, 0);
    c.set16(at + 0x28, if atomics { ATOMIC_OPS } else { 0 }, 0x045f);
    // 2.5 to 16 GT/s
    c.set32(at + 0x2c, 0x1e, 0);
    c.set16(at + 0x30, 4, 0x000f);
}

fn msi(c: &mut ConfigSpace) {
    let at = offset::MSI;
    c.set16(at, 0x05, 0);
    // 64-bit address, one vector
    c.set16(at + 0x02, 1 << 7, 0x0071);
    c.set32(at + 0x04, 0, 0xffff_fffc);
    c.set32(at + 0x08, 0, 0xffff_ffff);
    c.set16(at + 0x0c, 0, 0xffff);
}

fn msi_x(c: &mut ConfigSpace) {
    let at = offset::MSI_X;
    c.set16(at, 0x11, 0);
    // one vector; enable and function mask can be written
    c.set16(at + 0x02, 0, 0xc000);
    c.set32(at + 0x04, MSI_X_TABLE | REGISTER_BAR, 0);
    c.set32(at + 0x08, MSI_X_PENDING | REGISTER_BAR, 0);
}

fn error_reporting(c: &mut ConfigSpace) {
    let at = offset::AER;
    /// Uncorrectable errors of PCIe 4.0.
    const UNCORRECTABLE: u32 = 0x03ff_f030;
    /// Correctable errors.
    const CORRECTABLE: u32 = 0x0000_f1c1;
    c.set32(at, 0x0001 | 1 << 16 | (offset::SERIAL as u32) << 20, 0);
    c.clear_bits(at + 0x04, UNCORRECTABLE);
    c.set32(at + 0x08, 0, UNCORRECTABLE);
    c.set32(at + 0x0c, 0x0046_2030, UNCORRECTABLE);
    c.clear_bits(at + 0x10, CORRECTABLE);
    c.set32(at + 0x14, 0x0000_2000, CORRECTABLE);
    // ECRC can be generated and checked
    c.set32(at + 0x18, 0xa0, 0x140);
}

fn serial_number(c: &mut ConfigSpace) {
    let at = offset::SERIAL;
    c.set32(at, 0x0003 | 1 << 16 | (offset::VENDOR as u32) << 20, 0);
    c.set32(at + 0x04, 0x0000_0001, 0);
    c.set32(at + 0x08, 0x0000_740f, 0);
}

/// By its presence the kernel's driver tells whether it reaches the extended space (amdgpu_device.c:
/// amdgpu_device_resize_fb_bar). Nothing is in it.
fn vendor_specific(c: &mut ConfigSpace) {
    let at = offset::VENDOR;
    c.set32(at, 0x000b | 1 << 16, 0);
    // identifier, revision, length
    c.set32(at + 0x04, 0x0001 | 1 << 16 | 0x10 << 20, 0);
}
