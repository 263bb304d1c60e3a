// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Configuration space: what is where, which bits can be written, and which are cleared by writing 1.

use super::caps::{self, offset};
use super::IrqMode;

/// Bytes of configuration space.
pub(crate) const SIZE: usize = 4096;

/// COMMAND register.
const COMMAND: usize = 0x04;
/// Device Control.INITIATE_FLR.
const INITIATE_FLR: u16 = 1 << 15;

/// What the function says it is.
#[derive(Clone, Copy, Debug)]
pub struct Identity {
    /// Device id; the vendor is 1002.
    pub device: u16,
    /// Class code, 24 bits.
    pub class: u32,
    /// Revision.
    pub revision: u8,
    /// Subsystem id; the vendor is 1002.
    pub subsystem: u16,
    /// Whether the platform routes AtomicOps to memory and has switched them on in the card. For a platform whose root port
    /// the guest does not see; where it does, the operating system finds out and switches them on itself.
    pub atomics: bool,
}

impl Default for Identity {
    /// An Instinct MI210.
    fn default() -> Self {
        Self {
            device: 0x740f,
            class: 0x03_8000,
            revision: 2,
            subsystem: 0x0c34,
            atomics: false,
        }
    }
}

/// Vendor id of AMD's GPUs.
pub(crate) const VENDOR: u16 = 0x1002;

/// What a write to configuration space asks for beyond being remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing.
    None,
    /// A function-level reset.
    FunctionLevelReset,
}

/// Configuration space of the function.
pub(crate) struct ConfigSpace {
    bytes: Vec<u8>,
    /// Bits that a write changes.
    writable: Vec<u8>,
    /// Bits that writing 1 clears.
    clear: Vec<u8>,
    power_on: Vec<u8>,
}

/// Sizes of the BARs and the ROM, all powers of two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    pub(crate) vram: u64,
    pub(crate) doorbells: u64,
    pub(crate) registers: u64,
    pub(crate) rom: u64,
}

impl ConfigSpace {
    pub(crate) fn new(id: Identity, sizes: Sizes, irq: IrqMode) -> Self {
        let mut c = Self {
            bytes: vec![0; SIZE],
            writable: vec![0; SIZE],
            clear: vec![0; SIZE],
            power_on: Vec::new(),
        };
        c.set16(0x00, VENDOR, 0);
        c.set16(0x02, id.device, 0);
        // MEM, bus master, parity and SERR response, INTx disable
        c.set16(COMMAND, 0, 0x0546);
        // capability list; the error bits clear by writing 1
        c.set16(0x06, 0x0010, 0);
        c.clear_bits(0x06, 0xf900);
        c.set32(0x08, id.class << 8 | u32::from(id.revision), 0);
        c.set8(0x0c, 0, 0xff);
        c.bar64(0x10, sizes.vram);
        c.bar64(0x18, sizes.doorbells);
        c.set32(0x24, 0, mask(sizes.registers) as u32);
        c.set32(0x30, 0, mask(sizes.rom) as u32 & 0xffff_f800 | 1);
        c.set16(0x2c, VENDOR, 0);
        c.set16(0x2e, id.subsystem, 0);
        c.set8(0x34, offset::POWER as u8, 0);
        // interrupt line is software's; no interrupt pin: the card signals by messages only
        c.set8(0x3c, 0, 0xff);
        caps::add(&mut c, irq, id.atomics);
        c.power_on = c.bytes.clone();
        c
    }

    /// Copies out; bytes outside read as 0.
    pub(crate) fn read(&self, at: usize, buf: &mut [u8]) {
        for (i, b) in buf.iter_mut().enumerate() {
            *b = at
                .checked_add(i)
                .and_then(|at| self.bytes.get(at))
                .copied()
                .unwrap_or(0);
        }
    }

    /// Writes what may be written.
    pub(crate) fn write(&mut self, at: usize, data: &[u8]) -> Effect {
        for (i, new) in data.iter().enumerate() {
            let Some(at) = at.checked_add(i) else { break };
            let (Some(b), Some(w), Some(c)) =
                (self.bytes.get_mut(at), self.writable.get(at), self.clear.get(at))
            else {
                break;
            };
            *b = (*b & !w | new & w) & !(new & c);
        }
        if self.get16(offset::DEVICE_CONTROL) & INITIATE_FLR != 0 {
            self.bytes.copy_from_slice(&self.power_on);
            return Effect::FunctionLevelReset;
        }
        Effect::None
    }

    /// Back to power-on.
    pub(crate) fn reset(&mut self) {
        self.bytes.copy_from_slice(&self.power_on);
    }

    fn get16(&self, at: usize) -> u16 {
        let mut b = [0; 2];
        self.read(at, &mut b);
        u16::from_le_bytes(b)
    }

    /// Sets error bits in the AER status registers and the device status, as the link would.
    pub(crate) fn raise_errors(&mut self, uncorrectable: u32, correctable: u32) {
        self.or32(offset::AER + 0x04, uncorrectable);
        self.or32(offset::AER + 0x10, correctable);
        let status = u32::from(correctable != 0) | u32::from(uncorrectable != 0) << 2;
        // device status is the upper half of the word with device control
        self.or32(offset::DEVICE_CONTROL, status << 16);
    }

    fn or32(&mut self, at: usize, bits: u32) {
        for (b, new) in self.bytes.iter_mut().skip(at).zip(bits.to_le_bytes()) {
            *b |= new;
        }
    }

    fn bar64(&mut self, at: usize, size: u64) {
        let m = mask(size);
        // 64-bit, prefetchable memory
        self.set32(at, 0xc, m as u32 & !0xf);
        self.set32(at + 4, 0, (m >> 32) as u32);
    }

    pub(crate) fn set8(&mut self, at: usize, value: u8, writable: u8) {
        self.put(at, &[value], &[writable]);
    }

    pub(crate) fn set16(&mut self, at: usize, value: u16, writable: u16) {
        self.put(at, &value.to_le_bytes(), &writable.to_le_bytes());
    }

    pub(crate) fn set32(&mut self, at: usize, value: u32, writable: u32) {
        self.put(at, &value.to_le_bytes(), &writable.to_le_bytes());
    }

    /// Marks bits of a 32-bit word as cleared by writing 1.
    pub(crate) fn clear_bits(&mut self, at: usize, bits: u32) {
        for (c, b) in self.clear.iter_mut().skip(at).zip(bits.to_le_bytes()) {
            *c |= b;
        }
    }

    fn put(&mut self, at: usize, value: &[u8], writable: &[u8]) {
        for (b, v) in self.bytes.iter_mut().skip(at).zip(value) {
            *b = *v;
        }
        for (b, w) in self.writable.iter_mut().skip(at).zip(writable) {
            *b = *w;
        }
    }
}

/// The address bits of a BAR of this size.
fn mask(size: u64) -> u64 {
    !(size.max(1) - 1)
}

#[cfg(test)]
mod tests;
