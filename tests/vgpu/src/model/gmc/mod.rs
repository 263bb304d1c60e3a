// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The memory controller: two hubs (GFXHUB, MMHUB) that translate 16 address spaces each.

mod types;

use std::sync::Arc;

pub use types::{Access, Client, Fault, FaultKind, HubId, Page};

use crate::mem::PhysMem;
use crate::model::ih::Ih;
use crate::regs::{Block, Select};
use crate::report::Report;

/// Both hubs with their page-table walkers, TLBs, invalidation engines and fault registers.
pub struct Gmc {
    mem: Arc<PhysMem>,
    ih: Arc<Ih>,
    report: Arc<Report>,
}

impl Gmc {
    /// The power-on state.
    pub fn new(mem: Arc<PhysMem>, ih: Arc<Ih>, report: Arc<Report>) -> Self {
        Self { mem, ih, report }
    }

    /// Translates one address; fills the TLB and counts, nothing else.
    pub fn translate(&self, c: Client, va: u64, access: Access) -> Result<Page, Fault> {
        let _ = c;
        Err(Fault { va, access, kind: FaultKind::ContextDisabled, no_retry: false })
    }

    /// Reads all of `buf`, page by page; fails at the first byte without translation.
    pub fn read(&self, c: Client, va: u64, buf: &mut [u8]) -> Result<(), Fault> {
        let page = self.translate(c, va, Access::Read)?;
        self.mem.read(page.at, buf).map_err(|e| self.memory_fault(va, Access::Read, e))
    }

    /// Writes all of `data`, page by page; what comes before a failing byte is written.
    pub fn write(&self, c: Client, va: u64, data: &[u8]) -> Result<(), Fault> {
        let page = self.translate(c, va, Access::Write)?;
        self.mem.write(page.at, data).map_err(|e| self.memory_fault(va, Access::Write, e))
    }

    /// Replaces the aligned 32-bit word with `f` of it, atomically; returns the old value. `f` may run again.
    pub fn rmw32(&self, c: Client, va: u64, f: impl FnMut(u32) -> u32) -> Result<u32, Fault> {
        let page = self.translate(c, va, Access::Atomic)?;
        self.mem.rmw32(page.at, f).map_err(|e| self.memory_fault(va, Access::Atomic, e))
    }

    /// Replaces the aligned 64-bit word with `f` of it, atomically; returns the old value. `f` may run again.
    pub fn rmw64(&self, c: Client, va: u64, f: impl FnMut(u64) -> u64) -> Result<u64, Fault> {
        let page = self.translate(c, va, Access::Atomic)?;
        self.mem.rmw64(page.at, f).map_err(|e| self.memory_fault(va, Access::Atomic, e))
    }

    /// Latches the fault registers of the client's hub and sends the fault's interrupt vector.
    pub fn report_fault(&self, c: Client, f: &Fault) {
        let _ = &self.ih;
        self.report.violation("gmc-not-complete", format!("{} vmid {} {f:x?}", c.name, c.vmid));
    }

    /// Drops the cached translations of these VMIDs (bit n: VMID n) in one hub.
    pub fn invalidate(&self, hub: HubId, vmid_mask: u16) {
        let _ = (hub, vmid_mask);
    }

    /// Drops the cached translations of every VMID that runs this PASID, in both hubs.
    pub fn invalidate_pasid(&self, pasid: u16) {
        let _ = pasid;
    }

    /// Binds an address space to a VMID in both hubs, as the scheduler firmware does: page directory base in PDE format
    /// (address and V), PASID for faults and interrupts. Drops the VMID's translations if anything changed.
    pub fn set_context(&self, vmid: u8, page_table_base: u64, pasid: u16) {
        let _ = (vmid, page_table_base, pasid);
    }

    /// The PASID a VMID runs, 0 if none.
    pub fn pasid(&self, vmid: u8) -> u16 {
        let _ = vmid;
        0
    }

    fn memory_fault(&self, va: u64, access: Access, e: crate::mem::MemError) -> Fault {
        Fault { va, access, kind: FaultKind::Memory(e), no_retry: false }
    }
}

impl Block for Gmc {
    fn name(&self) -> &'static str {
        "GMC"
    }
    fn read_reg(&self, _off: u32, _sel: Select) -> Option<u32> {
        None
    }
    fn write_reg(&self, _off: u32, _sel: Select, _value: u32) -> bool {
        false
    }
    fn reg_name(&self, _off: u32) -> Option<&'static str> {
        None
    }
    fn reset(&self) {}
}
