// SPDX-License-Identifier: Apache-2.0 OR MIT
//! SMU I/O: package configuration, and the VBIOS ROM as a stream of words (smuio_13_0_2_offset.h).

use std::sync::Arc;

use parking_lot::Mutex;

use crate::regs::{name_in, Block, PlainRegs, Select};

crate::registers! {
    /// Package: TOPOLOGY_ID, DIE_ID; 0 for a single die on PCIe.
    SMUIO_MCM_CONFIG = 0x5a090;
    /// Byte offset into the ROM.
    ROM_INDEX = 0x5a394;
    /// The word at the offset; reading advances it.
    ROM_DATA = 0x5a398;
}

/// Registers that only remember.
const PLAIN: &[(u32, &str)] = &[(0x5a010, "SMUSVI0_TEL_PLANE0"), (0x5a390, "CGTT_ROM_CLK_CTRL0")];

/// SMUIO 13.0.2.
pub struct Smuio {
    rom: Arc<[u8]>,
    index: Mutex<u32>,
    plain: PlainRegs,
}

impl Smuio {
    /// The power-on state of a card with this ROM.
    pub fn new(rom: Arc<[u8]>) -> Self {
        Self {
            rom,
            index: Mutex::new(0),
            plain: PlainRegs::named(PLAIN),
        }
    }

    fn next_word(&self) -> u32 {
        let mut index = self.index.lock();
        let at = *index as usize;
        *index = index.wrapping_add(4);
        let bytes = at.checked_add(4).and_then(|end| self.rom.get(at..end));
        bytes.map_or(u32::MAX, |b| {
            b.iter().rev().fold(0, |w, b| w << 8 | u32::from(*b))
        })
    }
}

impl Block for Smuio {
    fn name(&self) -> &'static str {
        "SMUIO"
    }

    fn read_reg(&self, off: u32, _sel: Select) -> Option<u32> {
        match off {
            SMUIO_MCM_CONFIG => Some(0),
            ROM_INDEX => Some(*self.index.lock()),
            ROM_DATA => Some(self.next_word()),
            _ => self.plain.read(off),
        }
    }

    fn write_reg(&self, off: u32, _sel: Select, value: u32) -> bool {
        match off {
            ROM_INDEX => *self.index.lock() = value & !3,
            _ => return self.plain.write(off, value),
        }
        true
    }

    fn reg_name(&self, off: u32) -> Option<&'static str> {
        name_in(NAMES, off).or_else(|| name_in(PLAIN, off))
    }

    fn reset(&self) {
        *self.index.lock() = 0;
        self.plain.reset();
    }
}
