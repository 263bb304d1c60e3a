// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The expansion ROM: PCI header, PCI data structure, and the ATOM tables inside.

use super::atom;
use super::config::{Identity, VENDOR};

/// The ROM's size; the region must be a power of two.
const SIZE: usize = 64 << 10;
/// Where the PCI data structure is; must be a multiple of 4.
const PCIR: usize = 0x1c0;
/// ROM sizes are given in units of 512 bytes.
const UNIT: usize = 512;

/// Bytes that are put together at fixed offsets.
pub(crate) struct Image(Vec<u8>);

impl Image {
    pub(crate) fn bytes(&mut self, at: usize, data: &[u8]) {
        for (b, d) in self.0.iter_mut().skip(at).zip(data) {
            *b = *d;
        }
    }

    pub(crate) fn u8(&mut self, at: usize, v: u8) {
        self.bytes(at, &[v]);
    }

    pub(crate) fn u16(&mut self, at: usize, v: usize) {
        self.bytes(at, &(v as u16).to_le_bytes());
    }

    pub(crate) fn u32(&mut self, at: usize, v: u32) {
        self.bytes(at, &v.to_le_bytes());
    }
}

/// The ROM of a card.
pub fn build(id: Identity) -> Vec<u8> {
    let mut image = Image(vec![0; SIZE]);
    // signature, length in units, entry point: a far return, for a BIOS that calls it
    image.bytes(0, &[0x55, 0xaa, (SIZE / UNIT) as u8, 0xcb]);
    image.u16(0x18, PCIR);
    image.bytes(PCIR, b"PCIR");
    image.u16(PCIR + 0x04, usize::from(VENDOR));
    image.u16(PCIR + 0x06, usize::from(id.device));
    // length and revision of the structure
    image.u16(PCIR + 0x0a, 0x18);
    image.u8(PCIR + 0x0c, 0);
    let [interface, subclass, base, _] = id.class.to_le_bytes();
    image.bytes(PCIR + 0x0d, &[interface, subclass, base]);
    image.u16(PCIR + 0x10, SIZE / UNIT);
    image.u16(PCIR + 0x12, 0x0001);
    // x86 code, last image
    image.u8(PCIR + 0x14, 0x00);
    image.u8(PCIR + 0x15, 0x80);
    atom::add(&mut image);
    let mut rom = image.0;
    // the bytes of an x86 image add up to 0
    let sum = rom.iter().fold(0u8, |s, b| s.wrapping_add(*b));
    if let Some(last) = rom.last_mut() {
        *last = sum.wrapping_neg();
    }
    rom
}

#[cfg(test)]
mod tests {
    use super::*;

    fn u16_at(b: &[u8], at: usize) -> usize {
        usize::from(u16::from_le_bytes([b[at], b[at + 1]]))
    }

    #[test]
    fn linux_accepts_it() {
        // what drivers/pci/rom.c checks
        let rom = build(Identity::default());
        assert_eq!(rom[..2], [0x55, 0xaa]);
        let pcir = u16_at(&rom, 0x18);
        assert_eq!(pcir % 4, 0);
        assert_eq!(rom[pcir..pcir + 4], *b"PCIR");
        assert_eq!((u16_at(&rom, pcir + 4), u16_at(&rom, pcir + 6)), (0x1002, 0x740f));
        assert_eq!(u16_at(&rom, pcir + 16) * 512, rom.len());
        assert_eq!(rom[pcir + 21] & 0x80, 0x80);
        assert_eq!(rom.iter().fold(0u8, |s, b| s.wrapping_add(*b)), 0);
    }

    #[test]
    fn the_atom_parser_finds_its_way() {
        // what amdgpu_bios.c and atom.c check
        let rom = build(Identity::default());
        assert_eq!(rom[0x30..0x3a], *b" 761295520");
        let header = u16_at(&rom, 0x48);
        assert_eq!(rom[header + 4..header + 8], *b"ATOM");
        let (commands, data) = (u16_at(&rom, header + 0x1e), u16_at(&rom, header + 0x20));
        let table = |n: usize| u16_at(&rom, data + 4 + 2 * n);
        let revision = |at: usize| (rom[at + 2], rom[at + 3]);
        assert_eq!(revision(table(4)), (3, 4));
        assert_eq!(revision(table(8)), (3, 6));
        assert_eq!(revision(table(14)), (2, 4));
        assert_eq!(revision(table(24)), (3, 3));
        assert_eq!(revision(table(2)), (4, 10));
        assert_eq!(revision(table(28)), (2, 6));
        assert_eq!(u16_at(&rom, table(15)), 482 + 760);
        let gfx = table(14);
        assert_eq!((rom[gfx + 6], rom[gfx + 8], rom[gfx + 9]), (8, 14, 1));
        // no indirect I/O program starts behind the table's header
        assert_ne!(rom[table(23) + 4], 1);
        // ASIC_INIT is there and ends at once
        let init = u16_at(&rom, commands + 4);
        assert_eq!(rom[init + 6], 91);
        assert!(u16_at(&rom, init) > 6);
    }
}
