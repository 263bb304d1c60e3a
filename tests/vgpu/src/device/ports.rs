// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BAR5 as the CPU sees it: the registers, and ports in its first words that lead elsewhere (device-contract 1.4).

use parking_lot::Mutex;

use super::Gpu;
use crate::inject::event::{Event, Point, Verdict};
use crate::mem::PhysAddr;

/// Ports (nbio_7_4_offset.h, NBIO base 0).
pub(super) mod port {
    crate::registers! {
        /// Address of [`MM_DATA`], bit 31: in VRAM, else a register offset.
        MM_INDEX = 0x00;
        /// The word that MM_INDEX names.
        MM_DATA = 0x04;
        /// VRAM address bits above 30.
        MM_INDEX_HI = 0x18;
        /// SMN address of [`PCIE_DATA`].
        PCIE_INDEX = 0x30;
        /// The SMN register that PCIE_INDEX names.
        PCIE_DATA = 0x34;
        /// SMN address of [`PCIE_DATA2`].
        PCIE_INDEX2 = 0x38;
        /// The SMN register that PCIE_INDEX2 names.
        PCIE_DATA2 = 0x3c;
    }
}

crate::fields! {
    /// The address is in VRAM.
    IN_VRAM = MM_INDEX.MM_APER[31:31];
}

/// Who accesses in logs.
const CPU: &str = "CPU";

/// The index registers.
#[derive(Debug, Default)]
pub(super) struct Ports {
    index: Mutex<Index>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Index {
    mm: u32,
    mm_hi: u32,
    pcie: u32,
    pcie2: u32,
}

impl Ports {
    pub(super) fn reset(&self) {
        *self.index.lock() = Index::default();
    }
}

/// What MM_INDEX names.
enum Mm {
    Vram(u64),
    Register(u32),
}

impl Index {
    fn mm(&self) -> Mm {
        match self.mm & IN_VRAM {
            0 => Mm::Register(self.mm & !3),
            _ => Mm::Vram((u64::from(self.mm_hi) << 31 | u64::from(self.mm & !IN_VRAM)) & !3),
        }
    }
}

impl Gpu {
    /// The CPU reads BAR5. Registers are 32 bits wide; 64-bit reads are two of them.
    pub fn bar5_read(&self, off: u32, buf: &mut [u8]) {
        if !self.whole_registers("reads", off, buf.len()) {
            return buf.fill(0);
        }
        for (i, b) in buf.chunks_exact_mut(4).enumerate() {
            b.copy_from_slice(&self.cpu_read(off.wrapping_add(4 * i as u32)).to_le_bytes());
        }
    }

    /// The CPU writes BAR5; as for [`bar5_read`](Self::bar5_read).
    pub fn bar5_write(&self, off: u32, data: &[u8]) {
        if !self.whole_registers("writes", off, data.len()) {
            return;
        }
        for (i, b) in data.chunks_exact(4).enumerate() {
            let value = b.iter().rev().fold(0, |v, b| v << 8 | u32::from(*b));
            self.cpu_write(off.wrapping_add(4 * i as u32), value);
        }
    }

    fn whole_registers(&self, what: &str, off: u32, len: usize) -> bool {
        let whole = off % 4 == 0 && (len == 4 || len == 8);
        if !whole {
            self.report.violation(
                "register-access-size",
                format!("CPU {what} {len} bytes at {off:#x}"),
            );
        }
        whole
    }

    fn cpu_read(&self, off: u32) -> u32 {
        if self.is_off_the_bus()
            || self.inject.at(Event::new(Point::RegisterRead, CPU, "")) == Verdict::Garble
        {
            return u32::MAX;
        }
        let index = *self.ports.index.lock();
        match off {
            port::MM_INDEX => index.mm,
            port::MM_INDEX_HI => index.mm_hi,
            port::MM_DATA => match index.mm() {
                Mm::Register(off) => self.reg_read(CPU, off),
                Mm::Vram(at) => {
                    self.report.count("mm_data", 1);
                    let mut b = [0; 4];
                    match self.mem.read(PhysAddr::vram(at), &mut b) {
                        Ok(()) => u32::from_le_bytes(b),
                        Err(e) => {
                            self.report.violation("vram-window", e.to_string());
                            u32::MAX
                        }
                    }
                }
            },
            port::PCIE_INDEX => index.pcie,
            port::PCIE_INDEX2 => index.pcie2,
            port::PCIE_DATA => self.reg_read(CPU, index.pcie),
            port::PCIE_DATA2 => self.reg_read(CPU, index.pcie2),
            _ => self.reg_read(CPU, off),
        }
    }

    fn cpu_write(&self, off: u32, value: u32) {
        if self.is_off_the_bus() || self.inject.at(Event::new(Point::RegisterWrite, CPU, "")) == Verdict::Lose
        {
            return;
        }
        let index = *self.ports.index.lock();
        match off {
            port::MM_INDEX => self.ports.index.lock().mm = value,
            port::MM_INDEX_HI => self.ports.index.lock().mm_hi = value,
            port::MM_DATA => match index.mm() {
                Mm::Register(off) => self.reg_write(CPU, off, value),
                Mm::Vram(at) => {
                    self.report.count("mm_data", 1);
                    if let Err(e) = self.mem.write(PhysAddr::vram(at), &value.to_le_bytes()) {
                        self.report.violation("vram-window", e.to_string());
                    }
                }
            },
            port::PCIE_INDEX => self.ports.index.lock().pcie = value & !3,
            port::PCIE_INDEX2 => self.ports.index.lock().pcie2 = value & !3,
            port::PCIE_DATA => self.reg_write(CPU, index.pcie, value),
            port::PCIE_DATA2 => self.reg_write(CPU, index.pcie2, value),
            _ => self.reg_write(CPU, off, value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{TestCard, VRAM};
    use proptest::prelude::*;

    fn read(card: &TestCard, off: u32) -> u32 {
        let mut b = [0; 4];
        card.gpu.bar5_read(off, &mut b);
        u32::from_le_bytes(b)
    }

    fn write(card: &TestCard, off: u32, value: u32) {
        card.gpu.bar5_write(off, &value.to_le_bytes());
    }

    #[test]
    fn vram_window() {
        let card = TestCard::new();
        write(&card, port::MM_INDEX, 0x1000 | IN_VRAM);
        write(&card, port::MM_INDEX_HI, 0);
        write(&card, port::MM_DATA, 0x1234_5678);
        assert_eq!(card.get(PhysAddr::vram(0x1000)), 0x1234_5678);
        assert_eq!(read(&card, port::MM_DATA), 0x1234_5678);
        card.assert_clean();
        write(&card, port::MM_INDEX_HI, 1 + (VRAM >> 31) as u32);
        assert_eq!(read(&card, port::MM_DATA), u32::MAX);
        assert_eq!(card.gpu.report.violations_of("vram-window"), 1);
    }

    #[test]
    fn smn_registers_and_plain_ones_through_the_same_port() {
        let card = TestCard::new();
        write(&card, port::PCIE_INDEX2, 0x03b1_0024);
        assert_eq!(
            (read(&card, port::PCIE_INDEX2), read(&card, port::PCIE_DATA2)),
            (0x03b1_0024, 1)
        );
        write(&card, port::PCIE_INDEX2, 0x3780);
        write(&card, port::PCIE_DATA2, 1);
        assert_eq!(read(&card, 0x3780), 1);
        write(&card, port::MM_INDEX, 0x3780);
        assert_eq!(read(&card, port::MM_DATA), 1);
        card.assert_clean();
    }

    #[test]
    fn unknown_registers_name_their_offset() {
        let card = TestCard::new();
        assert_eq!(read(&card, 0x4_0000), 0);
        write(&card, 0x7_f008, 1);
        let s = card.gpu.report.status();
        assert_eq!(s.kinds["unknown-register"].first.len(), 2);
        assert!(s.kinds["unknown-register"].first[0].contains("0x40000"));
    }

    #[test]
    fn odd_accesses_are_refused() {
        let card = TestCard::new();
        card.gpu.bar5_write(0x3780, &[1]);
        card.gpu.bar5_write(0x3782, &[1; 4]);
        card.gpu.bar5_read(0x3780, &mut [0; 2]);
        assert_eq!(card.gpu.report.violations_of("register-access-size"), 3);
        let mut b = [0; 8];
        card.gpu.bar5_read(0x3788, &mut b);
        assert_eq!(u32::from_le_bytes([b[4], b[5], b[6], b[7]]), (VRAM >> 20) as u32);
    }

    /// Prints what an access costs inside the card. `cargo test --release -p vgpu access_rate -- --ignored --nocapture`
    #[test]
    #[ignore = "a measurement"]
    fn access_rate() {
        const ACCESSES: u32 = 2_000_000;
        let card = TestCard::new();
        let mut best = [f64::MAX; 2];
        for _ in 0..5 {
            for (n, best) in best.iter_mut().enumerate() {
                let start = std::time::Instant::now();
                for i in 0..ACCESSES {
                    match n {
                        0 => drop(std::hint::black_box(read(&card, 0x8c34))),
                        _ => write(&card, 0x8c34, i),
                    }
                }
                *best = best.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(ACCESSES));
            }
        }
        println!("ns per access: read {:.1}, write {:.1}", best[0], best[1]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        /// No register access panics, whatever the offset and value.
        #[test]
        fn survives_any_access(accesses in proptest::collection::vec((0u32..0x8_0000, any::<u32>(), any::<bool>()), 1..200)) {
            let card = TestCard::new();
            for (off, value, w) in accesses {
                let off = off & !3;
                if w { write(&card, off, value) } else { read(&card, off); }
            }
        }
    }
}
