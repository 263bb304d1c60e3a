// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The memory controller: two hubs (GFXHUB, MMHUB) that translate 16 address spaces each.
//!
//! VMID 0 reaches VRAM through the system aperture without translation and guest memory through the GART, a flat
//! table. VMIDs 1 to 15 are walked (see [`walk`]). Every translation is cached per hub and VMID until it is
//! invalidated; a cached entry that memory no longer holds is *used*, as silicon would, and reported.

mod access;
mod census;
mod entry;
mod fault;
mod hold;
mod hub;
mod invalidate;
mod regs;
mod tlb;
mod types;
mod walk;

use std::sync::Arc;

pub use census::Census;
pub use hold::Hold;
pub use hub::FB_BASE;
pub use regs::{GFXHUB, MMHUB};
pub use types::{Access, Client, Fault, FaultKind, HubId, Page};

use crate::inject::Inject;
use crate::mem::PhysMem;
use crate::model::ih::Ih;
use crate::regs::{Block, Select};
use crate::report::{Counter, Report};
use hold::Accesses;
use hub::{Hub, VMIDS};

/// Both hubs with their page-table walkers, TLBs, invalidation engines and fault registers.
pub struct Gmc {
    mem: Arc<PhysMem>,
    ih: Arc<Ih>,
    report: Arc<Report>,
    inject: Arc<Inject>,
    hubs: [Hub; 2],
    accesses: [Accesses; 2],
    walks: Counter,
    hits: Counter,
    flushes: [Counter; 2],
    faults: Counter,
}

impl Gmc {
    /// The power-on state.
    pub fn new(mem: Arc<PhysMem>, ih: Arc<Ih>, report: Arc<Report>, inject: Arc<Inject>) -> Self {
        let size = mem.vram_size();
        Self {
            hubs: [Hub::new(HubId::Gfx, size), Hub::new(HubId::Mm, size)],
            accesses: Default::default(),
            walks: report.counter("page_walk"),
            hits: report.counter("tlb_hit"),
            flushes: [
                report.counter("tlb_flush_gfxhub"),
                report.counter("tlb_flush_mmhub"),
            ],
            faults: report.counter("vm_fault"),
            mem,
            ih,
            report,
            inject,
        }
    }

    /// Keeps translations of the VMID that are made from now on good until the hold is dropped: no invalidation that is
    /// asked for meanwhile is acknowledged. Take it around translating and using the result, and drop it before waiting
    /// for anything.
    pub fn hold(&self, hub: HubId, vmid: u8) -> Hold<'_> {
        self.accesses_of(hub).hold(vmid)
    }

    /// Binds an address space to a VMID in both hubs, as the scheduler firmware does: page directory base in PDE format
    /// (address and V), PASID for faults and interrupts. Drops the VMID's translations if anything changed.
    pub fn set_context(&self, vmid: u8, page_table_base: u64, pasid: u16) {
        let mut changed = self.pasid(vmid) != pasid;
        for hub in &self.hubs {
            changed |= hub.set_root(usize::from(vmid), page_table_base);
        }
        self.ih.set_pasid(vmid, pasid);
        if changed && usize::from(vmid) < VMIDS {
            self.invalidate(HubId::Gfx, 1 << vmid);
            self.invalidate(HubId::Mm, 1 << vmid);
        }
    }

    /// The PASID a VMID runs, 0 if none.
    pub fn pasid(&self, vmid: u8) -> u16 {
        self.ih.pasid(vmid)
    }

    fn hub(&self, id: HubId) -> &Hub {
        let [gfx, mm] = &self.hubs;
        match id {
            HubId::Gfx => gfx,
            HubId::Mm => mm,
        }
    }

    fn accesses_of(&self, id: HubId) -> &Accesses {
        let [gfx, mm] = &self.accesses;
        match id {
            HubId::Gfx => gfx,
            HubId::Mm => mm,
        }
    }
}

impl Block for Gmc {
    fn name(&self) -> &'static str {
        "GMC"
    }

    fn read_reg(&self, off: u32, _sel: Select) -> Option<u32> {
        let (id, reg) = regs::hub_of(off)?;
        regs::name(reg)?;
        let hub = self.hub(id);
        match regs::family(reg) {
            Some((regs::VM_INVALIDATE_ENG0_SEM, ..)) => return Some(hub.take_semaphore(reg)),
            Some((regs::VM_INVALIDATE_ENG0_ACK, engine, _)) => self.acknowledge(hub, engine),
            _ => {}
        }
        Some(hub.get(reg))
    }

    fn write_reg(&self, off: u32, _sel: Select, value: u32) -> bool {
        let Some((id, reg)) = regs::hub_of(off) else {
            return false;
        };
        if regs::name(reg).is_none() {
            return false;
        }
        let hub = self.hub(id);
        match (reg, regs::family(reg)) {
            (_, Some((regs::VM_INVALIDATE_ENG0_REQ, engine, _))) => {
                hub.set(reg, value);
                self.request(hub, engine, value);
            }
            (_, Some((regs::VM_INVALIDATE_ENG0_ACK, ..))) | (regs::VM_L2_PROTECTION_FAULT_STATUS, _) => {
                self.report
                    .violation("read-only-register", format!("{off:#x} = {value:#x}"));
            }
            (regs::VM_L2_PROTECTION_FAULT_CNTL, _) => hub.write_fault_cntl(value),
            _ => hub.set(reg, value),
        }
        true
    }

    fn reg_name(&self, off: u32) -> Option<&'static str> {
        regs::hub_of(off).and_then(|(_, reg)| regs::name(reg))
    }

    fn reset(&self) {
        self.hubs.iter().for_each(Hub::reset);
    }
}

#[cfg(test)]
mod tests;
