// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Configuration space as a driver and a bridge see it.

use super::*;
use proptest::prelude::*;

const SIZES: Sizes = Sizes {
    vram: 16 << 30,
    doorbells: 2 << 20,
    registers: 512 << 10,
    rom: 64 << 10,
};

fn space(irq: IrqMode) -> ConfigSpace {
    ConfigSpace::new(Identity::default(), SIZES, irq)
}

fn get32(c: &ConfigSpace, at: usize) -> u32 {
    let mut b = [0; 4];
    c.read(at, &mut b);
    u32::from_le_bytes(b)
}

fn sized(c: &mut ConfigSpace, at: usize) -> u32 {
    c.write(at, &[0xff; 4]);
    get32(c, at)
}

#[test]
fn identity_and_bar_sizes() {
    let mut c = space(IrqMode::MsiX);
    assert_eq!(get32(&c, 0), 0x740f_1002);
    assert_eq!(get32(&c, 8), 0x0380_0002);
    assert_eq!(
        (sized(&mut c, 0x10), sized(&mut c, 0x14)),
        (0x0000_000c, 0xffff_fffc)
    );
    assert_eq!(
        (sized(&mut c, 0x18), sized(&mut c, 0x1c)),
        (0xffe0_000c, 0xffff_ffff)
    );
    assert_eq!((sized(&mut c, 0x20), sized(&mut c, 0x24)), (0, 0xfff8_0000));
    assert_eq!(sized(&mut c, 0x30), 0xffff_0001);
    // identity does not change
    assert_eq!(sized(&mut c, 0), 0x740f_1002);
}

fn capabilities(c: &ConfigSpace) -> Vec<u8> {
    let mut at = (get32(c, 0x34) & 0xff) as usize;
    let mut ids = Vec::new();
    while at != 0 {
        ids.push(get32(c, at) as u8);
        at = (get32(c, at) >> 8 & 0xff) as usize;
    }
    ids
}

#[test]
fn capabilities_by_interrupt_mode() {
    assert_eq!(capabilities(&space(IrqMode::MsiX)), [0x01, 0x10, 0x11]);
    assert_eq!(capabilities(&space(IrqMode::Msi)), [0x01, 0x10, 0x05]);
    let c = space(IrqMode::MsiX);
    let aer = get32(&c, 0x100);
    assert_eq!(aer & 0xffff, 1);
    let dsn = get32(&c, (aer >> 20) as usize);
    assert_eq!(dsn & 0xffff, 3);
    let vendor = get32(&c, (dsn >> 20) as usize);
    assert_eq!((vendor & 0xffff, vendor >> 20), (0xb, 0));
}

#[test]
fn function_level_reset_restores_everything() {
    let mut c = space(IrqMode::MsiX);
    c.write(COMMAND, &[6, 0]);
    c.write(0x14, &[0x40, 0, 0, 0]);
    assert_eq!(c.get16(COMMAND), 6);
    assert_eq!(
        c.write(offset::DEVICE_CONTROL, &0xa81fu16.to_le_bytes()),
        Effect::FunctionLevelReset
    );
    assert_eq!(c.get16(COMMAND), 0);
    assert_eq!(get32(&c, 0x14), 0);
    assert_eq!(c.write(COMMAND, &[6, 0]), Effect::None);
}

#[test]
fn errors_clear_by_writing_one() {
    let mut c = space(IrqMode::MsiX);
    c.raise_errors(1 << 12 | 1 << 20, 0);
    assert_eq!(get32(&c, offset::AER + 4), 1 << 12 | 1 << 20);
    c.write(offset::AER + 4, &(1u32 << 12).to_le_bytes());
    assert_eq!(get32(&c, offset::AER + 4), 1 << 20);
    assert_eq!(get32(&c, offset::DEVICE_CONTROL) >> 16 & 0xf, 1 << 2);
    c.write(offset::DEVICE_CONTROL + 2, &[0xf, 0]);
    assert_eq!(get32(&c, offset::DEVICE_CONTROL) >> 16 & 0xf, 0);
}

proptest! {
    /// Whatever is written, read-only bits stay and nothing panics.
    #[test]
    fn only_writable_bits_change(writes in proptest::collection::vec((0usize..4200, proptest::collection::vec(any::<u8>(), 0..8)), 0..50)) {
        let mut c = space(IrqMode::Msi);
        for (at, data) in writes {
            c.write(at, &data);
        }
        for at in 0..SIZE {
            let fixed = !(c.writable[at] | c.clear[at]);
            prop_assert_eq!(c.bytes[at] & fixed, c.power_on[at] & fixed);
        }
    }
}
