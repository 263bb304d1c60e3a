// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The card: owns all blocks, routes register accesses and doorbells to them, and resets them.

mod bus;
mod doorbell;
mod ports;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use crate::clock::Clock;
use crate::ctx::Ctx;
use crate::inject::Inject;
use crate::mem::PhysMem;
use crate::model::athub::Athub;
use crate::model::cp::Cp;
use crate::model::fixed::FixedBlocks;
use crate::model::gmc::Gmc;
use crate::model::grbm::Grbm;
use crate::model::hdp::Hdp;
use crate::model::ih::Ih;
use crate::model::nbio::Nbio;
use crate::model::psp::{Firmware, Psp};
use crate::model::rlc::Rlc;
use crate::model::sdma::Sdma;
use crate::model::smu::Smu;
use crate::model::smuio::Smuio;
use crate::model::spi::Spi;
use crate::pci::{build_rom, Identity};
use crate::regs::Block;
use crate::report::{Counter, Report};
use crate::trace::Trace;
use ports::Ports;

/// SDMA engines of the card.
pub const SDMA_ENGINES: usize = 5;

/// State of the firmware at power-on and after each reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// All firmware is loaded and runs; the micro engines of the command processor are halted. For tests of engines
    /// without a driver that starts the card.
    Running,
    /// Only the security processor's bootloader runs: a card as the platform firmware leaves it.
    #[default]
    PowerOn,
}

/// What can be chosen about a card.
#[derive(Clone, Debug)]
pub struct Config {
    /// VRAM in bytes, a power of two of at least 16 MiB; BAR0 shows all of it.
    pub vram_size: u64,
    /// What it says it is.
    pub identity: Identity,
    /// State of its firmware.
    pub profile: Profile,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            vram_size: 4 << 30,
            identity: Identity::default(),
            profile: Profile::default(),
        }
    }
}

/// One card. Engines come before the blocks they use: dropping the card stops their threads first.
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
    /// ROM stream, package.
    pub smuio: Arc<Smuio>,
    /// Host data path.
    pub hdp: Arc<Hdp>,
    /// Bus interface, doorbell routing.
    pub nbio: Arc<Nbio>,
    /// PASID mappings.
    pub athub: Arc<Athub>,
    /// Blocks of which only some registers are seen.
    pub fixed: Arc<FixedBlocks>,
    /// Translation.
    pub gmc: Arc<Gmc>,
    /// Interrupts.
    pub ih: Arc<Ih>,
    /// Memory.
    pub mem: Arc<PhysMem>,
    /// The expansion ROM.
    pub rom: Arc<[u8]>,
    /// Access trace.
    pub trace: Arc<Trace>,
    /// Counters and violations.
    pub report: Arc<Report>,
    /// Faults on request.
    pub inject: Arc<Inject>,
    ports: Ports,
    /// A reset is under way that the bus outlives: the card hears and says nothing.
    off_the_bus: AtomicBool,
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
        let inject = Arc::new(Inject::default());
        let ih = Arc::new(Ih::new(
            mem.clone(),
            report.clone(),
            clock,
            trace.clone(),
            inject.clone(),
        ));
        let gmc = Arc::new(Gmc::new(mem.clone(), ih.clone(), report.clone(), inject.clone()));
        let grbm = Arc::new(Grbm::new());
        let firmware = Arc::new(Firmware::new(config.profile));
        let rom: Arc<[u8]> = build_rom(config.identity).into();
        Ok(Arc::new_cyclic(|gpu| {
            inject.attach(gpu.clone());
            let ctx = Ctx {
                mem: mem.clone(),
                gmc: gmc.clone(),
                ih: ih.clone(),
                grbm: grbm.clone(),
                firmware: firmware.clone(),
                report: report.clone(),
                clock,
                trace: trace.clone(),
                inject: inject.clone(),
                gpu: gpu.clone(),
            };
            let smu_ctx = ctx.clone();
            let spi = Arc::new(Spi::new(ctx.clone()));
            Self {
                cp: Arc::new(Cp::new(ctx.clone(), spi.clone())),
                sdma: Arc::new(Sdma::new(ctx)),
                spi,
                grbm: grbm.clone(),
                rlc: Arc::new(Rlc::new(config.profile, firmware.clone(), clock, report.clone())),
                psp: Arc::new(Psp::new(
                    config.profile,
                    firmware.clone(),
                    gmc.clone(),
                    report.clone(),
                    trace.clone(),
                    inject.clone(),
                )),
                smu: Arc::new(Smu::new(smu_ctx)),
                smuio: Arc::new(Smuio::new(rom.clone())),
                hdp: Arc::new(Hdp::new()),
                nbio: Arc::new(Nbio::new(config.vram_size, report.clone())),
                athub: Arc::new(Athub::new()),
                fixed: Arc::new(FixedBlocks::new()),
                gmc,
                ih,
                mem,
                rom,
                trace,
                ports: Ports::default(),
                off_the_bus: AtomicBool::new(false),
                reg_reads: report.counter("reg_read"),
                reg_writes: report.counter("reg_write"),
                doorbells: report.counter("doorbell"),
                report,
                inject,
            }
        }))
    }

    /// Puts every block into its power-on state and zeroes VRAM. Engines first: they must not see the rest change.
    pub fn reset(&self) {
        for b in self.blocks() {
            b.reset();
        }
        self.ports.reset();
        if let Err(e) = self.mem.clear_vram() {
            self.report
                .violation("model-failure", format!("cannot clear VRAM: {e}"));
        }
    }

    /// A reset of the chip that its place on the bus survives (mode 1): meanwhile registers read as all ones, writes and
    /// doorbells are lost, as the kernel expects (amdgpu_device.c: amdgpu_device_mode1_reset waits for that to end).
    pub fn reset_off_the_bus(&self) {
        self.off_the_bus.store(true, Ordering::SeqCst);
        self.trace.event("SMU", format_args!("mode-1 reset"));
        self.report.count("mode_1_reset", 1);
        self.reset();
        self.off_the_bus.store(false, Ordering::SeqCst);
    }

    /// Whether accesses from the bus reach nothing at present.
    fn is_off_the_bus(&self) -> bool {
        self.off_the_bus.load(Ordering::SeqCst)
    }

    /// All blocks, engines first.
    fn blocks(&self) -> [&dyn Block; 14] {
        [
            &*self.cp,
            &*self.sdma,
            &*self.spi,
            &*self.grbm,
            &*self.rlc,
            &*self.psp,
            &*self.smu,
            &*self.smuio,
            &*self.hdp,
            &*self.nbio,
            &*self.athub,
            &*self.fixed,
            &*self.gmc,
            &*self.ih,
        ]
    }
}

#[cfg(test)]
mod tests;
