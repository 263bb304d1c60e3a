// SPDX-License-Identifier: GPL-2.0
//! Parts of a GPU that are switched on when they are made and off when they are dropped.

use super::{
    hw::{
        gfx::{Gfx, Kiq},
        gmc::{Gmc, SetUp, Tlb},
        ip::IpVersions,
        nbio::Nbio,
        sdma::{Mover, Sdma},
        Bars,
    },
    mem::{Domain, KernelBo, Memory},
};
use kernel::{dev_err, prelude::*, sync::Arc};

/// NBIO with VRAM and doorbells opened; closed when dropped.
pub(super) struct NbioOpen {
    pub(super) nbio: Nbio,
    bars: Arc<Bars>,
}

impl NbioOpen {
    pub(super) fn new(bars: &Arc<Bars>, nbio: Nbio, versions: &IpVersions) -> Result<Self> {
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
pub(super) struct SparePages {
    vram: KernelBo,
    pub(super) system: KernelBo,
}

impl SparePages {
    pub(super) fn new(memory: &Memory) -> Result<Self> {
        Ok(Self {
            vram: KernelBo::new(memory, 4096, 0, Domain::Vram)?,
            system: KernelBo::new(memory, 4096, 0, Domain::Gtt)?,
        })
    }
}

/// Both hubs translate; off when dropped.
pub(super) struct Translation {
    bars: Arc<Bars>,
    gmc: Gmc,
    memory: Arc<Memory>,
    tlb: Arc<Tlb>,
}

impl Translation {
    pub(super) fn new(
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
        if let Err(e) = self.gmc.tear_down(&self.bars) {
            dev_err!(self.bars.dev, "GMC: translation stays on: {:?}\n", e);
        }
        self.tlb.shut();
    }
}

/// SDMA clears and moves memory; the CPU does when dropped.
pub(super) struct MoverOn {
    memory: Arc<Memory>,
}

impl MoverOn {
    pub(super) fn new(memory: &Arc<Memory>, sdma: &Arc<Sdma>) -> Result<Self> {
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

/// RLC and compute units; MEC and RLC are stopped when dropped.
pub(super) struct GfxOn {
    gfx: Arc<Gfx>,
    bars: Arc<Bars>,
}

impl GfxOn {
    /// `mec` is the version of the MEC's firmware.
    pub(super) fn new(bars: &Arc<Bars>, gfx: Arc<Gfx>, mec: u32) -> Result<Self> {
        // from here on dropping `this` stops what runs
        let this = Self {
            gfx,
            bars: bars.clone(),
        };
        this.gfx.set_up(mec)?;
        Ok(this)
    }

    pub(super) fn gfx(&self) -> &Arc<Gfx> {
        &self.gfx
    }
}

impl Drop for GfxOn {
    fn drop(&mut self) {
        if let Err(e) = self.gfx.tear_down() {
            dev_err!(self.bars.dev, "GC: the RLC does not come to rest: {:?}\n", e);
        }
    }
}

/// The KIQ runs, and flushes translations; given up when dropped, and stopped with its last user.
pub(super) struct KiqOn {
    kiq: Arc<Kiq>,
    tlb: Arc<Tlb>,
}

impl KiqOn {
    pub(super) fn new(memory: &Memory, gfx: &Gfx, tlb: &Arc<Tlb>) -> Result<Self> {
        let ring = KernelBo::new(memory, Kiq::memory_bytes()?, 0, Domain::Gtt)?;
        let extra = KernelBo::new(memory, Kiq::extra_bytes(), 0, Domain::Gtt)?;
        let kiq = gfx.start_kiq(ring, extra)?;
        tlb.set_kiq(kiq.clone());
        Ok(Self {
            kiq,
            tlb: tlb.clone(),
        })
    }

    pub(super) fn kiq(&self) -> &Arc<Kiq> {
        &self.kiq
    }
}

impl Drop for KiqOn {
    fn drop(&mut self) {
        self.tlb.give_up_kiq();
    }
}
