// SPDX-License-Identifier: GPL-2.0
//! The order in which a GPU comes up, and what each step needs.

use super::{
    device::{Gpu, PciIds},
    drm::Device,
    hw::{
        bios::Board,
        faults::Faults,
        firmware::Files,
        gfx::{Gfx, Hiq, Kiq},
        gmc::{Gmc, Layout, Tlb},
        hdp::Hdp,
        ih::{self, Ih, Listener},
        ip::IpVersions,
        nbio::{Nbio, Smn},
        psp::Psp,
        reset,
        sdma::Sdma,
        smu::Smu,
        Bars,
    },
    mem::{Domain, KernelBo, Memory},
    parts::{GfxOn, KiqOn, MoverOn, NbioOpen, SparePages, Translation},
    queue::{Scheduler, Witnesses},
};
use crate::glue::{
    inject, irq,
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

impl Gpu {
    /// Brings the GPU up. Whatever fails is named in the log, and what is up by then goes down again, in the order in
    /// which the fields of [`Gpu`] do.
    pub(crate) fn new(pdev: &pci::Device<Bound>) -> Result<(ARef<Device>, Pin<KBox<Self>>)> {
        let dev: &device::Device<Bound> = pdev.as_ref();
        let step = Steps { dev };
        let versions = step.run(
            "chip identification",
            IpVersions::of_device(pdev.device_id()).ok_or(ENODEV),
        )?;
        let files = Files::new(dev, versions.gc);
        let images = step.run(
            "firmware files",
            files.as_ref().map_err(|e| *e).and_then(|files| files.images(dev)),
        )?;
        let bars = step.run("BARs", Self::map(pdev))?;
        let smn = step.run("SMN", Smn::new(&bars))?;
        let nbio = step.run("NBIO", Nbio::new(&bars, versions.nbio))?;
        step.run("reset", reset::if_running(pdev, &bars, &smn, &nbio, &versions))?;
        let board = step.run("VBIOS", Board::new(pdev, &bars))?;
        step.run("VBIOS: card initialised", board.check_posted(&bars))?;

        let nbio = step.run("NBIO: set-up", NbioOpen::new(&bars, nbio, &versions))?;
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

        let psp = step.run("PSP", Psp::new(&bars, &memory, versions.mp0, &images))?;
        let gfx = step.run("GC", Gfx::new(bars.clone(), versions.gc))?;
        let primary = gfx.is_primary_die();
        let smu = step.run(
            "SMU",
            Smu::new(&bars, &memory, &smn, versions.mp1, &board.power, primary),
        )?;
        let gfx = step.run("GC: set-up", GfxOn::new(&bars, gfx, images.versions().mec))?;
        let kiq = step.run("KIQ", KiqOn::new(&memory, gfx.gfx(), &tlb))?;
        let dummy = step.run("IH: dummy page", pages.system.bus_addr())?;
        let ih = step.run(
            "IH",
            Ih::new(dev, bars.clone(), versions.osssys, &nbio.nbio, dummy),
        )?;
        let faults = step.run("fault reports", Self::report_faults(&bars, gmc, &ih))?;
        let sdma = step.run("SDMA", Self::start_sdma(&bars, &memory, hdp, &versions, &ih))?;
        let mover = step.run("SDMA: memory moves", MoverOn::new(&memory, &sdma))?;
        let scheduler = step.run(
            "scheduler",
            Self::start_scheduler(
                &bars,
                &memory,
                kiq.kiq(),
                Witnesses {
                    gfx: gfx.gfx().clone(),
                    sdma: sdma.clone(),
                    faults: faults.clone(),
                    firmware: images.versions(),
                },
            ),
        )?;
        let vector = step.run(
            "interrupt vector",
            irq::Vector::new(pdev, c"amdgpu", Ok(ih::Handler(ih.clone()))),
        )?;
        let watch = step.run("interrupt watch", ih::Watch::new(ih.clone()))?;

        dev_info!(dev, "GC {} is up\n", versions.gc);
        let device = memory.device().clone();
        let gpu = Self {
            _watch: watch,
            _vector: vector,
            scheduler,
            _mover: mover,
            sdma,
            ih,
            faults,
            _kiq: kiq,
            gfx,
            smu,
            _psp: psp,
            _translation: translation,
            _pages: pages,
            tlb,
            memory,
            nbio,
            bars,
            versions,
            firmware: images.versions(),
            part_number: board.part_number,
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

    fn report_faults(bars: &Arc<Bars>, gmc: Gmc, ih: &Ih) -> Result<Arc<Faults>> {
        let faults = Faults::new(bars.clone(), gmc)?;
        let listener: Arc<dyn Listener> = faults.clone();
        ih.add(listener)?;
        Ok(faults)
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
        memory: &Arc<Memory>,
        kiq: &Arc<Kiq>,
        witnesses: Witnesses,
    ) -> Result<Arc<Scheduler>> {
        let ring = KernelBo::new(memory, Hiq::memory_bytes()?, 0, Domain::Gtt)?;
        let extra = KernelBo::new(memory, Hiq::extra_bytes(), 0, Domain::Gtt)?;
        let hiq = Hiq::new(bars.clone(), kiq.clone(), ring, extra)?;
        Scheduler::new(bars.clone(), memory, witnesses, hiq, PREEMPTION)
    }
}

/// How long the device may take to take all queues of users off the hardware (the C driver's default).
const PREEMPTION: Delta = Delta::from_millis(9000);

/// Names the step that fails.
pub(super) struct Steps<'a> {
    pub(super) dev: &'a device::Device<Bound>,
}

impl Steps<'_> {
    /// `result`, which is that of the step `name`.
    pub(super) fn run<T>(&self, name: &str, result: Result<T>) -> Result<T> {
        // a step that is to fail for a test has been taken, so that there is something to undo
        let result = result.and_then(|done| inject::device().map(|()| done));
        result.inspect_err(|e| dev_err!(self.dev, "bring-up stops at {}: {:?}\n", name, e))
    }
}
