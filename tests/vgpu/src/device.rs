// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The card: owns all blocks, routes register accesses and doorbells to them, and resets them.

use std::sync::Arc;

use crate::clock::Clock;
use crate::ctx::Ctx;
use crate::mem::PhysMem;
use crate::model::cp::Cp;
use crate::model::gmc::Gmc;
use crate::model::grbm::Grbm;
use crate::model::hdp::Hdp;
use crate::model::ih::Ih;
use crate::model::nbio::Nbio;
use crate::model::psp::Psp;
use crate::model::rlc::Rlc;
use crate::model::sdma::Sdma;
use crate::model::smu::Smu;
use crate::model::spi::Spi;
use crate::regs::Block;
use crate::report::{Counter, Report};
use crate::trace::Trace;

/// SDMA engines of the card.
pub const SDMA_ENGINES: usize = 5;

/// What can be chosen about a card.
#[derive(Clone, Debug)]
pub struct Config {
    /// VRAM in bytes, a power of two of at least 16 MiB; BAR0 shows all of it.
    pub vram_size: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self { vram_size: 4 << 30 }
    }
}

/// One card. Engines come after the blocks they use; dropping the card stops their threads first.
pub struct Gpu {
    /// Command processor (compute micro engines and their firmware).
    pub cp: Arc<Cp>,
    /// All SDMA engines.
    pub sdma: Arc<Sdma>,
    /// Dispatcher and waves.
    pub spi: Arc<Spi>,
    /// Bank selects, shader configuration.
    pub grbm: Arc<Grbm>,
    /// Clock capture, safe mode.
    pub rlc: Arc<Rlc>,
    /// Security processor.
    pub psp: Arc<Psp>,
    /// System management.
    pub smu: Arc<Smu>,
    /// Host data path.
    pub hdp: Arc<Hdp>,
    /// Bus interface, doorbell routing.
    pub nbio: Arc<Nbio>,
    /// Translation.
    pub gmc: Arc<Gmc>,
    /// Interrupts.
    pub ih: Arc<Ih>,
    /// Memory.
    pub mem: Arc<PhysMem>,
    /// Access trace.
    pub trace: Arc<Trace>,
    /// Counters and violations.
    pub report: Arc<Report>,
    reg_reads: Counter,
    reg_writes: Counter,
    doorbells: Counter,
}

impl Gpu {
    /// A card in its power-on state.
    pub fn new(
        config: &Config,
        report: Arc<Report>,
        clock: Clock,
        trace: Arc<Trace>,
    ) -> std::io::Result<Arc<Self>> {
        let mem = Arc::new(PhysMem::new(config.vram_size, report.clone())?);
        let ih = Arc::new(Ih::new(mem.clone(), report.clone(), clock, trace.clone()));
        let gmc = Arc::new(Gmc::new(mem.clone(), ih.clone(), report.clone()));
        let grbm = Arc::new(Grbm::new());
        Ok(Arc::new_cyclic(|gpu| {
            let ctx = Ctx {
                mem: mem.clone(),
                gmc: gmc.clone(),
                ih: ih.clone(),
                grbm: grbm.clone(),
                report: report.clone(),
                clock,
                trace: trace.clone(),
                gpu: gpu.clone(),
            };
            let spi = Arc::new(Spi::new(ctx.clone()));
            Self {
                cp: Arc::new(Cp::new(ctx.clone(), spi.clone())),
                sdma: Arc::new(Sdma::new(ctx)),
                spi,
                grbm,
                rlc: Arc::new(Rlc::new()),
                psp: Arc::new(Psp::new()),
                smu: Arc::new(Smu::new()),
                hdp: Arc::new(Hdp::new()),
                nbio: Arc::new(Nbio::new()),
                gmc,
                ih,
                mem,
                trace,
                reg_reads: report.counter("reg_read"),
                reg_writes: report.counter("reg_write"),
                doorbells: report.counter("doorbell"),
                report,
            }
        }))
    }

    /// Reads a register for `who` ("CPU", "CP", "SDMA0"); an unknown one is counted and reads 0.
    pub fn reg_read(&self, who: &'static str, off: u32) -> u32 {
        self.reg_reads.add(1);
        let sel = self.grbm.select();
        let value = self.blocks().into_iter().find_map(|b| b.read_reg(off, sel));
        value.unwrap_or_else(|| {
            self.report
                .unknown("unknown-register", format!("{who} reads {off:#07x}"));
            0
        })
    }

    /// Writes a register for `who`; an unknown one is counted and the value dropped.
    pub fn reg_write(&self, who: &'static str, off: u32, value: u32) {
        self.reg_writes.add(1);
        let sel = self.grbm.select();
        if !self.blocks().into_iter().any(|b| b.write_reg(off, sel, value)) {
            self.report.unknown(
                "unknown-register",
                format!("{who} writes {value:#010x} to {off:#07x}"),
            );
        }
    }

    /// A doorbell arrives: BAR2 dword index, and the value, zero-extended if 4 bytes were written.
    pub fn doorbell(&self, index: u32, value: u64) {
        self.doorbells.add(1);
        self.cp.doorbell(index, value);
    }

    /// Puts every block into its power-on state and zeroes VRAM. Engines first: they must not see the rest change.
    pub fn reset(&self) {
        for b in self.blocks() {
            b.reset();
        }
        if let Err(e) = self.mem.clear_vram() {
            self.report
                .violation("model-failure", format!("cannot clear VRAM: {e}"));
        }
    }

    /// All blocks, engines first.
    fn blocks(&self) -> [&dyn Block; 11] {
        [
            &*self.cp,
            &*self.sdma,
            &*self.spi,
            &*self.grbm,
            &*self.rlc,
            &*self.psp,
            &*self.smu,
            &*self.hdp,
            &*self.nbio,
            &*self.gmc,
            &*self.ih,
        ]
    }
}
