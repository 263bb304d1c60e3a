// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The register bus: from an offset to the blocks that may have the register.

use super::ports::port;
use super::Gpu;
use crate::regs::{name_in, Bank, Block, Select};
use crate::trace::Access;

impl Gpu {
    /// Reads a register for `who` ("CPU", "CP", "SDMA0"); an unknown one is reported and reads 0. `off` is a BAR5 byte
    /// offset or, beyond the BAR, an SMN address.
    pub fn reg_read(&self, who: &'static str, off: u32) -> u32 {
        self.reg_reads.add(1);
        let sel = self.grbm.select();
        let value = self
            .candidates(off)
            .into_iter()
            .flatten()
            .find_map(|b| b.read_reg(off, sel));
        if self.trace.enabled() {
            self.record(who, false, off, sel, value.unwrap_or(0));
        }
        value.unwrap_or_else(|| {
            self.report
                .unknown("unknown-register", format!("{who} reads {off:#07x}"));
            0
        })
    }

    /// Writes a register for `who`; an unknown one is reported and the value dropped.
    pub fn reg_write(&self, who: &'static str, off: u32, value: u32) {
        self.reg_writes.add(1);
        let sel = self.grbm.select();
        if self.trace.enabled() {
            self.record(who, true, off, sel, value);
        }
        if !self
            .candidates(off)
            .into_iter()
            .flatten()
            .any(|b| b.write_reg(off, sel, value))
        {
            self.report.unknown(
                "unknown-register",
                format!("{who} writes {value:#010x} to {off:#07x}"),
            );
        }
    }

    #[cold]
    fn record(&self, who: &'static str, write: bool, off: u32, sel: Select, value: u32) {
        let mut candidates = self.candidates(off).into_iter().flatten();
        let found = candidates.find_map(|b| Some((b.name(), b.reg_name(off)?, b.reg_bank(off))));
        let (block, name, bank) = found.unwrap_or(("?", "?", Bank::One));
        self.trace.access(Access {
            who,
            write,
            block,
            name,
            off,
            bank: bank.of(sel),
            value,
        });
    }

    /// The block and the public name of a register, for logs; "?" if unknown.
    pub fn name_of(&self, off: u32) -> (&'static str, &'static str) {
        let mut candidates = self.candidates(off).into_iter().flatten();
        candidates
            .find_map(|b| b.reg_name(off).map(|n| (b.name(), n)))
            .or_else(|| name_in(port::NAMES, off).map(|n| ("NBIO", n)))
            .unwrap_or(("?", "?"))
    }

    /// The blocks in an offset's range (register bases: kernel aldebaran_ip_offset.h).
    pub(super) fn candidates(&self, off: u32) -> [Option<&dyn Block>; 4] {
        fn pick(b: &dyn Block) -> [Option<&dyn Block>; 4] {
            [Some(b), None, None, None]
        }
        match off {
            0x0000..=0x307f | 0x3480..=0x3c7f | 0x7_f000..=0x7_ffff => pick(&*self.nbio),
            0x3080..=0x347f => pick(&*self.athub),
            0x3c80..=0x427f => pick(&*self.hdp),
            0x4280..=0x497f => pick(&*self.ih),
            0x4980..=0x7fff | 0x7_8000..=0x7_efff => pick(&*self.sdma),
            0xa100..=0xa65f => pick(&*self.gmc),
            0x8000..=0xffff | 0x2_8000..=0x3_ffff => [
                Some(&*self.cp),
                Some(&*self.spi),
                Some(&*self.grbm),
                Some(&*self.rlc),
            ],
            0x1_c000..=0x2_7fff | 0x5_0000..=0x5_7fff => pick(&*self.fixed),
            0x5_8000..=0x5_89ff => pick(&*self.psp),
            0x5_8a00..=0x5_97ff => pick(&*self.smu),
            0x5_9800..=0x5_9fff => pick(&*self.fixed),
            0x5_a000..=0x5_afff => pick(&*self.smuio),
            0x6_8000..=0x6_bfff => [Some(&*self.gmc), Some(&*self.fixed), None, None],
            // SMN
            0x03b0_0000..=0x03bf_ffff => pick(&*self.smu),
            0x1000_0000..=0x1fff_ffff => pick(&*self.nbio),
            _ => [None; 4],
        }
    }
}
