// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Doorbells: a write to BAR2 goes to the block whose range holds it.

use super::Gpu;
use crate::inject::event::{Event, Point, Verdict};
use crate::model::nbio::DoorbellTarget;

impl Gpu {
    /// The CPU writes BAR2. Doorbells are 4 or 8 bytes wide and aligned.
    pub fn bar2_write(&self, off: u32, data: &[u8]) {
        if self.is_off_the_bus() || self.inject.at(Event::new(Point::Doorbell, "CPU", "")) == Verdict::Lose {
            return;
        }
        let aligned = off as usize % data.len().max(1) == 0;
        match data.len() {
            4 | 8 if aligned => {
                self.doorbell(off / 4, data.iter().rev().fold(0, |v, b| v << 8 | u64::from(*b)))
            }
            n => self.report.violation(
                "doorbell-access-size",
                format!("CPU writes {n} bytes at {off:#x}"),
            ),
        }
    }

    /// A doorbell arrives: BAR2 dword index, and the value, zero-extended if 4 bytes were written.
    pub fn doorbell(&self, index: u32, value: u64) {
        self.doorbells.add(1);
        let target = self.nbio.route(index);
        self.trace.event(
            "CPU",
            format_args!("doorbell {target:?} ~ {index:#x} = {value:#x}"),
        );
        match target {
            DoorbellTarget::Cp => self.cp.doorbell(index, value),
            DoorbellTarget::Sdma(engine) => self.sdma.doorbell(engine, index, value),
            DoorbellTarget::Ih => self.ih.doorbell(index, value as u32),
            DoorbellTarget::Video => {
                self.report.violation(
                    "doorbell-unattached",
                    format!("video engine, {index:#x} = {value:#x}"),
                );
            }
            DoorbellTarget::Off => {
                self.report
                    .violation("doorbell-aperture-off", format!("{index:#x} = {value:#x}"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::TestCard;

    #[test]
    fn a_dead_aperture_and_odd_sizes_are_noticed() {
        let card = TestCard::new();
        card.gpu.bar2_write(0, &[1; 4]);
        assert_eq!(card.gpu.report.violations_of("doorbell-aperture-off"), 1);
        card.gpu.bar2_write(4, &[1; 8]);
        card.gpu.bar2_write(0, &[1; 2]);
        card.gpu.bar2_write(0, &[]);
        assert_eq!(card.gpu.report.violations_of("doorbell-access-size"), 3);
    }

    #[test]
    fn read_pointers_reach_the_interrupt_handler() {
        let card = TestCard::new();
        card.write(0x3780, 1);
        card.write(0x3bc8, 0x2f0 << 2 | 8 << 16);
        card.write(0x449c, 0x2f0 | 1 << 28);
        card.write(0x4480, 1 | 6 << 1);
        card.write(0x4490, 64);
        card.gpu.bar2_write(0x2f0 * 4, &32u32.to_le_bytes());
        assert_eq!(card.read(0x448c), 32);
        card.assert_clean();
    }
}
