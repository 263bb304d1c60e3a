// SPDX-License-Identifier: GPL-2.0
//! A small VBIOS image for the tests, with one table.

#[cfg(test)]
use super::Bios;
use super::TableId;

/// Bytes of the image.
pub(super) const SIZE: usize = 0x800;
/// Where its table begins.
pub(super) const TABLE: usize = 0x100;

/// The image. It is changed in place: the kernel's stack has no room for many.
pub(super) struct Sample {
    pub(super) bytes: [u8; SIZE],
}

impl Sample {
    /// An image with a table of this size and revision; all its bytes but the header are 0.
    pub(super) fn new(id: TableId, size: u16, revision: (u8, u8)) -> Self {
        let mut sample = Self { bytes: [0; SIZE] };
        sample
            .put(0, [0x55, 0xaa, (SIZE / 512) as u8])
            .put(0x30, *b" 761295520")
            .half(0x48, 0x80)
            .put(0x84, *b"ATOM")
            .half(0xa0, 0xb0)
            // the master table, as long as it need be
            .half(0xb0, 4 + 2 * (id as u16 + 1))
            .half(0xb4 + 2 * id as usize, TABLE as u16)
            .half(TABLE, size)
            .put(TABLE + 2, [revision.0, revision.1]);
        sample
    }

    /// With bytes at a place.
    pub(super) fn put<const N: usize>(&mut self, at: usize, bytes: [u8; N]) -> &mut Self {
        for (to, from) in self.bytes.iter_mut().skip(at).zip(bytes) {
            *to = from;
        }
        self
    }

    /// With a number of 16 bits at a place.
    pub(super) fn half(&mut self, at: usize, value: u16) -> &mut Self {
        self.put(at, value.to_le_bytes())
    }

    /// With a number of 32 bits at a place.
    pub(super) fn word(&mut self, at: usize, value: u32) -> &mut Self {
        self.put(at, value.to_le_bytes())
    }
}

/// Reads all there is to read.
#[cfg(test)]
pub(super) fn read_all(image: &[u8], module: u8) {
    if let Ok(bios) = Bios::parse(image) {
        let _ = bios.firmware_info();
        let _ = bios.gfx_info();
        let _ = bios.smu_info();
        let _ = bios.umc_info();
        let _ = bios.vram_info(module);
        if let Ok(power) = bios.power_table() {
            let _ = (power.features(), power.power_limit(), power.gfxclk());
        }
        for text in [bios.part_number(), bios.name(), bios.date()] {
            assert!(text.bytes().all(|b| (b' '..=b'z').contains(&b)));
        }
    }
}
