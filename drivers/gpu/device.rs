// SPDX-License-Identifier: GPL-2.0
//! The GPU: who owns what, in which order it comes up, and in which it goes down.

use super::{
    drm::Device,
    hw::{
        faults::Faults,
        gfx::{Gfx, Hiq, Kiq},
        gmc::{Gmc, Layout, SetUp, Tlb},
        hdp::Hdp,
        ih::{self, Ih, Listener},
        ip::IpVersions,
        nbio::Nbio,
        sdma::{Mover, Sdma},
        Bars,
    },
    mem::{Domain, KernelBo, Memory},
    queue::Scheduler,
};
use crate::glue::{
    irq,
    mmio::{Doorbells, Registers},
};
use kernel::{
    dev_err, dev_info,
    device::{self, Bound},
    pci,
    prelude::*,
    sync::{aref::ARef, Arc},
    time::Delta,
};

/// A bound GPU. Fields go down in the order in which they stand, each with the reason why it comes before the next.
pub(crate) struct Gpu {
    /// No handler runs any more: the blocks it tells of interrupts may go.
    _vector: irq::Vector<ih::Handler>,
    /// Takes all queues of users off the hardware, and gives up the HIQ.
    scheduler: Arc<Scheduler>,
    /// The CPU moves memory again: the engines that did may stop.
    _mover: MoverOn,
    /// Stops the SDMA engines, whose rings are in memory behind the GART.
    _sdma: Arc<Sdma>,
    /// Nobody is told of interrupts any more.
    ih: Arc<Ih>,
    /// Gives up the KIQ but for the flushes of translations, with which it goes.
    _kiq: Arc<Kiq>,
    gfx: Arc<Gfx>,
    /// Switches translation off: no engine runs that would need it.
    _translation: Translation,
    /// Pages that translation led to.
    _pages: SparePages,
    tlb: Arc<Tlb>,
    memory: Arc<Memory>,
    /// Closes the doorbell BAR.
    nbio: NbioOpen,
    bars: Arc<Bars>,
    versions: IpVersions,
    pci: PciIds,
}

/// What PCI says of the card.
#[derive(Clone, Copy)]
pub(crate) struct PciIds {
    /// Device id.
    pub(crate) device: u16,
    /// Revision id.
    pub(crate) revision: u8,
}

impl Gpu {
    /// Brings the GPU up. Whatever fails is named in the log, and what is up by then goes down again.
    pub(crate) fn new(pdev: &pci::Device<Bound>) -> Result<(ARef<Device>, Pin<KBox<Self>>)> {
        let dev: &device::Device<Bound> = pdev.as_ref();
        let step = Steps { dev };
        let versions = step.run(
            "chip identification",
            IpVersions::of_device(pdev.device_id()).ok_or(ENODEV),
        )?;
        let bars = step.run("BARs", Self::map(pdev))?;

        let nbio = step.run("NBIO", NbioOpen::new(&bars, &versions))?;
        let vram = step.run("VRAM size", nbio.nbio.vram_size(&bars))?;
        let gmc = step.run("GMC", Gmc::new(&bars, versions.gc))?;
        let layout = step.run("GMC: layout", gmc.layout(&bars, vram))?;
        let hdp = step.run("HDP", Self::hdp(&bars, &versions, &nbio, &layout))?;
        let memory = step.run("memory", Memory::new(pdev, bars.clone(), hdp, layout, vram))?;
        let pages = step.run("spare pages", SparePages::new(&memory))?;
        let tlb = step.run("TLB", Arc::pin_init(Tlb::new(bars.clone(), gmc, hdp), GFP_KERNEL))?;
        let translation = step.run(
            "GMC: translation",
            Translation::new(&bars, gmc, &memory, &pages, &tlb),
        )?;

        let gfx = step.run("GC", Gfx::new(bars.clone(), versions.gc))?;
        step.run("GC: set-up", gfx.set_up())?;
        let kiq = step.run("KIQ", Self::start_kiq(&memory, &gfx, &tlb))?;
        let dummy = step.run("IH: dummy page", pages.system.bus_addr())?;
        let ih = step.run(
            "IH",
            Ih::new(dev, bars.clone(), versions.osssys, &nbio.nbio, dummy),
        )?;
        step.run("fault reports", Self::report_faults(&bars, gmc, &ih))?;
        let sdma = step.run("SDMA", Self::start_sdma(&bars, &memory, hdp, &versions, &ih))?;
        let mover = step.run("SDMA: memory moves", MoverOn::new(&memory, &sdma))?;
        let scheduler = step.run(
            "scheduler",
            Self::start_scheduler(&bars, &memory, &gfx, &kiq, &sdma),
        )?;
        let vector = step.run(
            "interrupt vector",
            irq::Vector::new(pdev, c"amdgpu", Ok(ih::Handler(ih.clone()))),
        )?;

        dev_info!(dev, "GC {} is up\n", versions.gc);
        let device = memory.device().clone();
        let gpu = Self {
            _vector: vector,
            scheduler,
            _mover: mover,
            _sdma: sdma,
            ih,
            _kiq: kiq,
            gfx,
            _translation: translation,
            _pages: pages,
            tlb,
            memory,
            nbio,
            bars,
            versions,
            pci: PciIds {
                device: pdev.device_id(),
                revision: pdev.revision_id(),
            },
        };
        Ok((device, KBox::pin(gpu, GFP_KERNEL)?))
    }

    fn map(pdev: &pci::Device<Bound>) -> Result<Arc<Bars>> {
        let dev: &device::Device<Bound> = pdev.as_ref();
        let bars = Bars {
            dev: dev.into(),
            registers: Registers::new(pdev)?,
            doorbells: Doorbells::new(pdev)?,
        };
        Ok(Arc::new(bars, GFP_KERNEL)?)
    }

    fn hdp(bars: &Bars, versions: &IpVersions, nbio: &NbioOpen, layout: &Layout) -> Result<Hdp> {
        let hdp = Hdp::new(bars, versions.hdp, nbio.nbio)?;
        hdp.set_up(bars, layout.vram.start)?;
        Ok(hdp)
    }

    fn start_kiq(memory: &Memory, gfx: &Gfx, tlb: &Tlb) -> Result<Arc<Kiq>> {
        let ring = KernelBo::new(memory, Kiq::memory_bytes()?, 0, Domain::Gtt)?;
        let extra = KernelBo::new(memory, Kiq::extra_bytes(), 0, Domain::Gtt)?;
        let kiq = gfx.start_kiq(ring, extra)?;
        tlb.set_kiq(kiq.clone());
        Ok(kiq)
    }

    fn report_faults(bars: &Arc<Bars>, gmc: Gmc, ih: &Ih) -> Result {
        let faults: Arc<dyn Listener> = Faults::new(bars.clone(), gmc)?;
        ih.add(faults)
    }

    fn start_sdma(
        bars: &Arc<Bars>,
        memory: &Memory,
        hdp: Hdp,
        versions: &IpVersions,
        ih: &Ih,
    ) -> Result<Arc<Sdma>> {
        let bytes = Sdma::memory_bytes()?;
        let ring = || KernelBo::new(memory, bytes, 0, Domain::Gtt);
        let sdma = Sdma::new(bars.clone(), hdp, versions.sdma, ring)?;
        let listener: Arc<dyn Listener> = sdma.clone();
        ih.add(listener)?;
        Ok(sdma)
    }

    fn start_scheduler(
        bars: &Arc<Bars>,
        memory: &Memory,
        gfx: &Gfx,
        kiq: &Arc<Kiq>,
        sdma: &Sdma,
    ) -> Result<Arc<Scheduler>> {
        let ring = KernelBo::new(memory, Hiq::memory_bytes()?, 0, Domain::Gtt)?;
        let extra = KernelBo::new(memory, Hiq::extra_bytes(), 0, Domain::Gtt)?;
        let list = KernelBo::new(memory, Scheduler::LIST_BYTES, 0, Domain::Gtt)?;
        let hiq = Hiq::new(bars.clone(), kiq.clone(), ring, extra)?;
        Scheduler::new(bars.clone(), gfx, hiq, list, sdma.engines(), PREEMPTION)
    }

    /// Access to registers and doorbells.
    pub(crate) fn bars(&self) -> &Arc<Bars> {
        &self.bars
    }

    /// What PCI says of the card.
    pub(crate) fn pci(&self) -> PciIds {
        self.pci
    }

    /// The generation of each block.
    pub(crate) fn versions(&self) -> &IpVersions {
        &self.versions
    }

    /// The PCIe side.
    pub(crate) fn nbio(&self) -> &Nbio {
        &self.nbio.nbio
    }

    /// The GPU's memory.
    pub(crate) fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    /// The way to drop cached translations.
    pub(crate) fn tlb(&self) -> &Arc<Tlb> {
        &self.tlb
    }

    /// Shader engines and command processor.
    pub(crate) fn gfx(&self) -> &Arc<Gfx> {
        &self.gfx
    }

    /// Interrupts.
    pub(crate) fn ih(&self) -> &Arc<Ih> {
        &self.ih
    }

    /// Queues of users.
    pub(crate) fn scheduler(&self) -> &Arc<Scheduler> {
        &self.scheduler
    }
}

/// How long the device may take to take all queues of users off the hardware (the C driver's default).
const PREEMPTION: Delta = Delta::from_millis(9000);

/// Names the step that fails.
struct Steps<'a> {
    dev: &'a device::Device<Bound>,
}

impl Steps<'_> {
    fn run<T>(&self, name: &str, result: Result<T>) -> Result<T> {
        result.inspect_err(|e| dev_err!(self.dev, "bring-up stops at {}: {:?}\n", name, e))
    }
}

/// NBIO with VRAM and doorbells opened; closed when dropped.
struct NbioOpen {
    nbio: Nbio,
    bars: Arc<Bars>,
}

impl NbioOpen {
    fn new(bars: &Arc<Bars>, versions: &IpVersions) -> Result<Self> {
        let nbio = Nbio::new(bars, versions.nbio)?;
        let engines = Sdma::engines_of(versions.sdma)?;
        nbio.set_up(bars, engines.pcie.saturating_add(engines.xgmi))?;
        Ok(Self {
            nbio,
            bars: bars.clone(),
        })
    }
}

impl Drop for NbioOpen {
    fn drop(&mut self) {
        self.nbio.tear_down(&self.bars);
    }
}

/// Pages for accesses that lead nowhere: they read zeroes, and what is written to them means nothing.
struct SparePages {
    vram: KernelBo,
    system: KernelBo,
}

impl SparePages {
    fn new(memory: &Memory) -> Result<Self> {
        Ok(Self {
            vram: KernelBo::new(memory, 4096, 0, Domain::Vram)?,
            system: KernelBo::new(memory, 4096, 0, Domain::Gtt)?,
        })
    }
}

/// Both hubs translate; off when dropped.
struct Translation {
    bars: Arc<Bars>,
    gmc: Gmc,
    memory: Arc<Memory>,
    tlb: Arc<Tlb>,
}

impl Translation {
    fn new(
        bars: &Arc<Bars>,
        gmc: Gmc,
        memory: &Arc<Memory>,
        pages: &SparePages,
        tlb: &Arc<Tlb>,
    ) -> Result<Self> {
        let layout = memory.layout().clone();
        let physical = |vram: Option<u64>| layout.vram_entry_address(vram?);
        let set_up = SetUp {
            gart_table: physical(Some(memory.gart().table_vram())).ok_or(EIO)?,
            default_page: physical(pages.vram.vram()).ok_or(EIO)?,
            fault_page: pages.system.bus_addr()?,
            layout: layout.clone(),
        };
        memory.flush_hdp();
        // From here on dropping `this` switches translation off.
        let this = Self {
            bars: bars.clone(),
            gmc,
            memory: memory.clone(),
            tlb: tlb.clone(),
        };
        gmc.set_up(bars, &set_up)?;
        memory.set_tlb(Some(tlb.clone()));
        Ok(this)
    }
}

impl Drop for Translation {
    fn drop(&mut self) {
        self.memory.set_tlb(None);
        // stops the KIQ, which needs translation to the end
        self.tlb.shut();
        if let Err(e) = self.gmc.tear_down(&self.bars) {
            dev_err!(self.bars.dev, "GMC: translation stays on: {:?}\n", e);
        }
    }
}

/// SDMA clears and moves memory; the CPU does when dropped.
struct MoverOn {
    memory: Arc<Memory>,
}

impl MoverOn {
    fn new(memory: &Arc<Memory>, sdma: &Arc<Sdma>) -> Result<Self> {
        let mover = Mover::new(sdma.clone(), memory.layout().vram.start, None)?;
        memory.set_copier(Some(mover));
        Ok(Self {
            memory: memory.clone(),
        })
    }
}

impl Drop for MoverOn {
    fn drop(&mut self) {
        self.memory.set_copier(None);
    }
}
