// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The bus interface: identity, doorbell routing, HDP flush triggers, the link.

mod link;
mod regs;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

use crate::regs::{extract, name_in, place, Block, PlainRegs, Select};
use crate::report::{Counter, Report};
use link::Link;

/// Revision of the card (STRAP_ATI_REV_ID).
const REVISION: u32 = 1;
/// ATOM_S7_ASIC_INIT_COMPLETE: the platform firmware has initialised the card.
const ASIC_INIT_COMPLETE: u32 = 1 << 9;
/// Doorbell ranges are compared with the dword index within a 4 KiB page of the BAR.
const PAGE_DWORDS: u32 = 1024;

/// Who gets a doorbell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoorbellTarget {
    /// The doorbell BAR is not live.
    Off,
    /// An SDMA engine.
    Sdma(usize),
    /// The interrupt handler.
    Ih,
    /// A video engine, which this card does not have.
    Video,
    /// The command processor: everything else.
    Cp,
}

/// NBIO 7.4.4.
pub struct Nbio {
    vram_mib: u32,
    plain: PlainRegs,
    scratch: PlainRegs,
    link: Link,
    report: Arc<Report>,
    hdp_flushes: Counter,
    /// GPU_HDP_FLUSH_DONE, a bit for each engine. A flush is done as soon as it is requested, since BAR0 is memory and nothing
    /// is between; it stays done whatever other engines request.
    hdp_done: AtomicU32,
}

impl Nbio {
    /// The power-on state of a card with `vram_size` bytes.
    pub fn new(vram_size: u64, report: Arc<Report>) -> Self {
        let values = regs::PLAIN.map(|off| match off {
            regs::REMAP_HDP_MEM_FLUSH_CNTL => (off, regs::HDP_MEM_COHERENCY_FLUSH_CNTL),
            regs::REMAP_HDP_REG_FLUSH_CNTL => (off, regs::HDP_REG_COHERENCY_FLUSH_CNTL),
            _ => (off, 0),
        });
        let scratch = (0..16).map(|n| {
            (
                regs::BIOS_SCRATCH_0 + 4 * n,
                if n == 7 { ASIC_INIT_COMPLETE } else { 0 },
            )
        });
        Self {
            vram_mib: u32::try_from(vram_size >> 20).unwrap_or(u32::MAX),
            plain: PlainRegs::with_values(values),
            scratch: PlainRegs::with_values(scratch),
            link: Link::new(report.clone()),
            hdp_flushes: report.counter("hdp_flush"),
            hdp_done: AtomicU32::new(0),
            report,
        }
    }

    /// Who gets the doorbell at a BAR2 dword index.
    pub fn route(&self, index: u32) -> DoorbellTarget {
        if self.plain.get(regs::RCC_DOORBELL_APER_EN) & regs::DOORBELL_APER_EN == 0 {
            return DoorbellTarget::Off;
        }
        let at = index % PAGE_DWORDS;
        let inside = |range: u32| {
            let v = self.plain.get(range);
            let (offset, size) = (extract(v, regs::RANGE_OFFSET), extract(v, regs::RANGE_SIZE));
            at.checked_sub(offset).is_some_and(|n| n < size)
        };
        if let Some(engine) = regs::SDMA_RANGES.iter().position(|r| inside(*r)) {
            DoorbellTarget::Sdma(engine)
        } else if inside(regs::BIF_IH_DOORBELL_RANGE) {
            DoorbellTarget::Ih
        } else if inside(regs::BIF_MMSCH0_DOORBELL_RANGE) || inside(regs::BIF_MMSCH1_DOORBELL_RANGE_ALDE) {
            DoorbellTarget::Video
        } else {
            DoorbellTarget::Cp
        }
    }

    /// Where the card itself sees the doorbell BAR, if it may ring doorbells.
    pub fn selfring(&self) -> Option<u64> {
        let on = self.plain.get(regs::DOORBELL_SELFRING_GPA_APER_CNTL) & regs::SELFRING_EN != 0;
        let lo = self.plain.get(regs::DOORBELL_SELFRING_GPA_APER_BASE_LOW);
        let hi = self.plain.get(regs::DOORBELL_SELFRING_GPA_APER_BASE_HIGH);
        on.then_some(u64::from(hi) << 32 | u64::from(lo))
    }

    /// Whether a register offset triggers an HDP flush at present.
    fn flushes_hdp(&self, off: u32) -> bool {
        off == self.plain.get(regs::REMAP_HDP_MEM_FLUSH_CNTL)
            || off == self.plain.get(regs::REMAP_HDP_REG_FLUSH_CNTL)
    }
}

impl Block for Nbio {
    fn name(&self) -> &'static str {
        "NBIO"
    }

    fn read_reg(&self, off: u32, _sel: Select) -> Option<u32> {
        match off {
            regs::RCC_DEV0_EPF0_STRAP0_ALDE => Some(place(REVISION, regs::STRAP_ATI_REV_ID)),
            regs::RCC_CONFIG_MEMSIZE => Some(self.vram_mib),
            regs::RCC_CONFIG_APER_SIZE => Some(self.vram_mib.checked_mul(1 << 20).unwrap_or(u32::MAX)),
            regs::RCC_IOV_FUNC_IDENTIFIER | regs::RESERVED_7 => Some(0),
            regs::GPU_HDP_FLUSH_DONE => Some(self.hdp_done.load(Ordering::Acquire)),
            _ if self.flushes_hdp(off) => Some(0),
            _ => {
                let plain = self.plain.read(off).or_else(|| self.scratch.read(off));
                plain.or_else(|| self.link.read(off))
            }
        }
    }

    fn write_reg(&self, off: u32, _sel: Select, value: u32) -> bool {
        if self.flushes_hdp(off) {
            self.hdp_flushes.add(1);
            return true;
        }
        match off {
            regs::GPU_HDP_FLUSH_REQ => {
                self.hdp_flushes.add(1);
                self.hdp_done.fetch_or(value, Ordering::AcqRel);
                self.plain.write(off, value)
            }
            regs::RCC_DEV0_EPF0_STRAP0_ALDE
            | regs::RCC_CONFIG_MEMSIZE
            | regs::RCC_CONFIG_APER_SIZE
            | regs::RCC_IOV_FUNC_IDENTIFIER
            | regs::RESERVED_7
            | regs::GPU_HDP_FLUSH_DONE => {
                self.report
                    .violation("read-only-register", format!("{off:#x} = {value:#x}"));
                true
            }
            _ => {
                self.plain.write(off, value) || self.scratch.write(off, value) || self.link.write(off, value)
            }
        }
    }

    fn reg_name(&self, off: u32) -> Option<&'static str> {
        if self.scratch.read(off).is_some() {
            return name_in(regs::NAMES, regs::BIOS_SCRATCH_0);
        }
        if off > regs::BIF_SDMA4_DOORBELL_RANGE && self.flushes_hdp(off) {
            return Some("HDP_FLUSH_REMAPPED");
        }
        name_in(regs::NAMES, off).or_else(|| self.link.name(off))
    }

    fn reset(&self) {
        self.hdp_done.store(0, Ordering::Release);
        self.plain.reset();
        self.scratch.reset();
        self.link.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{TestCard, VRAM};

    /// Doorbells as the driver routes them: engine e from dword 0x200 + 20e, 20 dwords (device-contract 5.6).
    fn routed() -> TestCard {
        let card = TestCard::new();
        card.write(regs::RCC_DOORBELL_APER_EN, 1);
        for (e, r) in regs::SDMA_RANGES.iter().enumerate() {
            card.write(*r, (0x200 + 20 * e as u32) << 2 | 20 << 16);
        }
        card.write(regs::BIF_IH_DOORBELL_RANGE, 0x2f0 << 2 | 8 << 16);
        card
    }

    #[test]
    fn doorbells_go_by_the_index_within_a_page() {
        let card = routed();
        let route = |i| card.gpu.nbio.route(i);
        assert_eq!(
            (route(0), route(2), route(0x1ff)),
            (DoorbellTarget::Cp, DoorbellTarget::Cp, DoorbellTarget::Cp)
        );
        for e in 0..5 {
            let first = 0x200 + 20 * e as u32;
            for i in [first, first + 19, first + 1024, first + 19 + 2048] {
                assert_eq!(route(i), DoorbellTarget::Sdma(e), "{i:#x}");
            }
        }
        assert_eq!(
            (route(0x200 + 100), route(0x2f0), route(0x2f8)),
            (DoorbellTarget::Cp, DoorbellTarget::Ih, DoorbellTarget::Cp)
        );
        card.write(regs::RCC_DOORBELL_APER_EN, 0);
        assert_eq!(card.gpu.nbio.route(0), DoorbellTarget::Off);
    }

    #[test]
    fn hdp_flushes_follow_the_remap() {
        let card = TestCard::new();
        let n = || card.gpu.report.counter("hdp_flush").get();
        card.write(regs::HDP_MEM_COHERENCY_FLUSH_CNTL, 0);
        assert_eq!(n(), 1);
        card.write(0x7f000, 0);
        assert_eq!(card.gpu.report.violations_of("unknown-register"), 1);
        card.write(regs::REMAP_HDP_MEM_FLUSH_CNTL, 0x7f000);
        card.write(regs::REMAP_HDP_REG_FLUSH_CNTL, 0x7f004);
        card.write(0x7f000, 0);
        card.write(0x7f004, 0);
        assert_eq!((n(), card.gpu.report.violations()), (3, 1));
        card.write(regs::GPU_HDP_FLUSH_REQ, 1 << 3);
        assert_eq!((card.read(regs::GPU_HDP_FLUSH_DONE), n()), (1 << 3, 4));
    }

    #[test]
    fn a_flush_of_one_engine_does_not_undo_another_s() {
        let card = TestCard::new();
        // SDMA4 asks, and the CP asks before SDMA4 looks
        card.write(regs::GPU_HDP_FLUSH_REQ, 1 << 14);
        card.write(regs::GPU_HDP_FLUSH_REQ, 1 << 2);
        assert_eq!(card.read(regs::GPU_HDP_FLUSH_DONE), 1 << 14 | 1 << 2);
        card.gpu.reset();
        assert_eq!(card.read(regs::GPU_HDP_FLUSH_DONE), 0);
        card.assert_clean();
    }

    #[test]
    fn identity() {
        let card = TestCard::new();
        assert_eq!(card.read(regs::RCC_CONFIG_MEMSIZE), (VRAM >> 20) as u32);
        assert_eq!(card.read(regs::RCC_DEV0_EPF0_STRAP0_ALDE), 1 << 24);
        assert_eq!(card.read(regs::RCC_IOV_FUNC_IDENTIFIER), 0);
        assert_eq!(
            card.read(regs::BIOS_SCRATCH_0 + 28) & ASIC_INIT_COMPLETE,
            ASIC_INIT_COMPLETE
        );
        card.assert_clean();
        card.write(regs::RCC_CONFIG_MEMSIZE, 0);
        assert_eq!(card.gpu.report.violations_of("read-only-register"), 1);
    }
}
