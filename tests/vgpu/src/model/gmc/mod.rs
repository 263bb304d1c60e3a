// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The memory controller: two hubs (GFXHUB, MMHUB) that translate 16 address spaces each.
//!
//! VMID 0 reaches VRAM through the system aperture without translation and guest memory through the GART, a flat
//! table. VMIDs 1 to 15 are walked (see [`walk`]). Every translation is cached per hub and VMID until it is
//! invalidated; a cached entry that memory no longer holds is *used*, as silicon would, and reported.

mod entry;
mod hold;
mod hub;
mod regs;
mod tlb;
mod types;
mod walk;

use std::sync::Arc;
use std::time::Duration;

pub use hold::Hold;
pub use hub::FB_BASE;
pub use regs::{GFXHUB, MMHUB};
pub use types::{Access, Client, Fault, FaultKind, HubId, Page};

use crate::mem::{MemError, PhysAddr, PhysMem};
use crate::model::ih::{client, Ih, Iv};
use crate::regs::{Block, Select};
use crate::report::{Counter, Report};
use entry::Entry;
use hold::Accesses;
use hub::{Hub, VMIDS};

/// How long a register access may wait for accesses under way; the driver polls, so it need not be long.
const DRAIN_STEP: Duration = Duration::from_millis(2);
/// How long an engine's own invalidation may wait for accesses under way.
const DRAIN_LIMIT: Duration = Duration::from_secs(5);

/// Both hubs with their page-table walkers, TLBs, invalidation engines and fault registers.
pub struct Gmc {
    mem: Arc<PhysMem>,
    ih: Arc<Ih>,
    report: Arc<Report>,
    hubs: [Hub; 2],
    accesses: [Accesses; 2],
    walks: Counter,
    hits: Counter,
    flushes: [Counter; 2],
    faults: Counter,
}

impl Gmc {
    /// The power-on state.
    pub fn new(mem: Arc<PhysMem>, ih: Arc<Ih>, report: Arc<Report>) -> Self {
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
        }
    }

    /// Keeps translations made from now on good until the hold is dropped: no invalidation is acknowledged meanwhile.
    /// Take it around translating and using the result, and drop it before waiting for anything.
    pub fn hold(&self, hub: HubId) -> Hold<'_> {
        self.accesses_of(hub).hold(hub)
    }

    /// Translates one address; fills the TLB and counts, nothing else.
    pub fn translate(&self, c: Client, va: u64, access: Access) -> Result<Page, Fault> {
        let fault = |kind, no_retry| Fault {
            va,
            access,
            kind,
            no_retry,
        };
        let hub = self.hub(c.hub);
        if c.vmid == 0 {
            if let Some(page) = self.system_aperture(hub, va) {
                return page.map_err(|kind| fault(kind, true));
            }
        }
        let tlb = hub
            .tlbs
            .get(usize::from(c.vmid))
            .ok_or_else(|| fault(FaultKind::ContextDisabled, true))?;
        if let Some(page) = tlb.with(va, |b| self.hit(c, va, access, b)) {
            self.hits.add(1);
            return page;
        }
        let generation = tlb.generation();
        let cntl = hub
            .context(usize::from(c.vmid))
            .ok_or_else(|| fault(FaultKind::ContextDisabled, true))?;
        if !hub.context_range(usize::from(c.vmid)).contains(va) {
            return Err(fault(FaultKind::OutOfRange, true));
        }
        self.walks.add(1);
        let geometry = hub.geometry(usize::from(c.vmid), cntl);
        let leaf = walk::walk(&geometry, va, |at| self.entry(at)).map_err(|k| fault(k, false))?;
        let block = tlb::Block::new(va, &leaf, geometry.fb_offset)
            .ok_or_else(|| fault(FaultKind::BadEntry { entry: leaf.entry.0 }, false))?;
        let page = check(leaf.entry, &block, va, access)?;
        let low = leaf.entry.page_addr() & ((1 << leaf.shift) - 1);
        if low != 0 && !page.prt {
            self.report.violation(
                "misaligned-leaf",
                format!(
                    "{} vmid {} va {va:#x}: {:#x} maps {} bytes",
                    c.name,
                    c.vmid,
                    leaf.entry.0,
                    1u64 << leaf.shift
                ),
            );
        }
        if block.at.space == crate::mem::Space::Vram && page.at.addr >= self.mem.vram_size() && !page.prt {
            let e = MemError::BeyondVram {
                addr: page.at.addr,
                len: 1,
            };
            self.report.violation(
                "page-beyond-vram",
                format!("{} vmid {} va {va:#x}: {e}", c.name, c.vmid),
            );
            return Err(fault(FaultKind::Walker(e), false));
        }
        tlb.insert(block, generation);
        Ok(page)
    }

    /// Reads all of `buf`, page by page; fails at the first byte without translation.
    pub fn read(&self, c: Client, va: u64, buf: &mut [u8]) -> Result<(), Fault> {
        let _hold = self.hold(c.hub);
        let mut at = va;
        let mut rest = buf;
        while !rest.is_empty() {
            let page = self.translate(c, at, Access::Read)?;
            let n = usize::try_from(page.len).unwrap_or(usize::MAX).min(rest.len());
            let (now, later) = rest.split_at_mut(n);
            if page.prt {
                now.fill(0);
            } else {
                self.mem
                    .read(page.at, now)
                    .map_err(|e| memory_fault(at, Access::Read, e))?;
            }
            at = at.wrapping_add(n as u64);
            rest = later;
        }
        Ok(())
    }

    /// Writes all of `data`, page by page; what comes before a failing byte is written.
    pub fn write(&self, c: Client, va: u64, data: &[u8]) -> Result<(), Fault> {
        let _hold = self.hold(c.hub);
        let mut at = va;
        let mut rest = data;
        while !rest.is_empty() {
            let page = self.translate(c, at, Access::Write)?;
            let n = usize::try_from(page.len).unwrap_or(usize::MAX).min(rest.len());
            let (now, later) = rest.split_at(n);
            if !page.prt {
                self.mem
                    .write(page.at, now)
                    .map_err(|e| memory_fault(at, Access::Write, e))?;
            }
            at = at.wrapping_add(n as u64);
            rest = later;
        }
        Ok(())
    }

    /// Replaces the aligned 32-bit word with `f` of it, atomically; returns the old value. `f` may run again.
    pub fn rmw32(&self, c: Client, va: u64, f: impl FnMut(u32) -> u32) -> Result<u32, Fault> {
        let _hold = self.hold(c.hub);
        let page = self.translate(c, va, Access::Atomic)?;
        if page.prt {
            return Ok(0);
        }
        self.mem
            .rmw32(page.at, f)
            .map_err(|e| memory_fault(va, Access::Atomic, e))
    }

    /// Replaces the aligned 64-bit word with `f` of it, atomically; returns the old value. `f` may run again.
    pub fn rmw64(&self, c: Client, va: u64, f: impl FnMut(u64) -> u64) -> Result<u64, Fault> {
        let _hold = self.hold(c.hub);
        let page = self.translate(c, va, Access::Atomic)?;
        if page.prt {
            return Ok(0);
        }
        self.mem
            .rmw64(page.at, f)
            .map_err(|e| memory_fault(va, Access::Atomic, e))
    }

    /// Latches the fault registers of the client's hub and sends the fault's interrupt vector, if the context's
    /// interrupt for this kind of fault is enabled.
    pub fn report_fault(&self, c: Client, f: &Fault) {
        let hub = self.hub(c.hub);
        self.faults.add(1);
        tracing::warn!(
            "page fault: {} vmid {} pasid {} {f:x?}",
            c.name,
            c.vmid,
            self.pasid(c.vmid)
        );
        hub.latch(c.vmid, hub::client_id(c.hub, c.name), f);
        let cntl = hub.context(usize::from(c.vmid)).unwrap_or(0);
        if cntl >> interrupt_enable(f) & 1 == 0 {
            self.report.count("vm_fault_without_interrupt", 1);
            return;
        }
        let write = matches!(f.access, Access::Write | Access::Atomic);
        let absent = !matches!(f.kind, FaultKind::Permission);
        self.ih.send(Iv {
            client: match c.hub {
                HubId::Gfx => client::UTCL2,
                HubId::Mm => client::VMC,
            },
            source: 0,
            // kernel kfd_int_process_v9.c: bit 3 not present, bit 4 read, bit 5 write
            ring_id: u8::from(absent) << 3 | u8::from(!write) << 4 | u8::from(write) << 5,
            vmid: c.vmid,
            vmid_src: u8::from(c.hub == HubId::Mm),
            pasid: self.pasid(c.vmid),
            data: [
                (f.va >> 12) as u32,
                (f.va >> 44) as u32 & 0xf | u32::from(write) << 5,
                0,
                0,
            ],
        });
    }

    /// Drops the cached translations of these VMIDs (bit n: VMID n) in one hub, and waits for accesses under way.
    /// For engines; the caller must not be inside a [`hold`](Self::hold) of that hub.
    pub fn invalidate(&self, hub: HubId, vmid_mask: u16) {
        self.drop_cached(hub, vmid_mask);
        if !self.accesses_of(hub).drained(hub, DRAIN_LIMIT) {
            self.report
                .violation("model-failure", format!("invalidation in {hub:?} waits for ever"));
        }
    }

    /// Drops the cached translations of every VMID that runs this PASID, in both hubs; see
    /// [`invalidate`](Self::invalidate).
    pub fn invalidate_pasid(&self, pasid: u16) {
        let mask = (0..VMIDS as u8)
            .filter(|v| self.pasid(*v) == pasid)
            .fold(0, |m, v| m | 1 << v);
        if pasid != 0 && mask != 0 {
            self.invalidate(HubId::Gfx, mask);
            self.invalidate(HubId::Mm, mask);
        }
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

    /// Reads a page-table entry.
    fn entry(&self, at: PhysAddr) -> Result<Entry, MemError> {
        let mut b = [0; 8];
        self.mem.read(at, &mut b)?;
        Ok(Entry(u64::from_le_bytes(b)))
    }

    /// An access that the cache answers; says so if memory holds something else by now.
    fn hit(&self, c: Client, va: u64, access: Access, b: &tlb::Block) -> Result<Page, Fault> {
        if let Some(s) = b.stale(va, |at| self.entry(at).ok()) {
            self.report.violation(
                "stale-translation",
                format!(
                    "{} vmid {} {access:?} va {va:#x} uses entry {:#x}, but {:x?} holds {:x?} since no flush",
                    c.name,
                    c.vmid,
                    s.cached.0,
                    s.at,
                    s.now.map(|e| e.0)
                ),
            );
        }
        check(b.entry(), b, va, access)
    }

    /// What VMID 0 reaches without translation; `None` if `va` is outside the system aperture.
    fn system_aperture(&self, hub: &Hub, va: u64) -> Option<Result<Page, FaultKind>> {
        let aperture = hub.system_aperture();
        if !aperture.contains(va) {
            return None;
        }
        let page = |at, last: u64| Page {
            at,
            len: (last.min(aperture.last) - va).saturating_add(1),
            mtype: 3,
            prt: false,
        };
        let fb = hub.fb();
        if fb.contains(va) {
            let offset = va - fb.first;
            let size = self.mem.vram_size();
            if offset >= size {
                return Some(Err(FaultKind::Walker(MemError::BeyondVram {
                    addr: offset,
                    len: 1,
                })));
            }
            return Some(Ok(page(
                PhysAddr::vram(offset),
                fb.last.min(fb.first.saturating_add(size - 1)),
            )));
        }
        if let Some((agp, base)) = hub.agp().filter(|(r, _)| r.contains(va)) {
            return Some(Ok(page(
                PhysAddr::system(base.wrapping_add(va - agp.first)),
                agp.last,
            )));
        }
        Some(Err(FaultKind::OutOfRange))
    }

    fn drop_cached(&self, id: HubId, vmid_mask: u16) {
        let [gfx, mm] = &self.flushes;
        match id {
            HubId::Gfx => gfx.add(1),
            HubId::Mm => mm.add(1),
        }
        let hub = self.hub(id);
        for (vmid, tlb) in hub.tlbs.iter().enumerate() {
            if vmid_mask >> vmid & 1 != 0 {
                tlb.invalidate();
            }
        }
    }

    /// A write to VM_INVALIDATE_ENGn_REQ. The acknowledgement follows when no old access is left.
    fn request(&self, hub: &Hub, engine: u32, value: u32) {
        let mask = value & 0xffff;
        if value & hub::REQ_CLEAR_FAULT != 0 {
            hub.clear_fault();
        }
        if mask != 0 && value & hub::REQ_ALL_PARTS != hub::REQ_ALL_PARTS {
            self.report.violation(
                "partial-invalidate",
                format!("{:?} engine {engine} request {value:#x}", hub.id),
            );
        } else if mask != 0 && !hub.covers_all(engine) {
            self.report.violation(
                "ranged-invalidate",
                format!("{:?} engine {engine} request {value:#x}", hub.id),
            );
        } else {
            self.drop_cached(hub.id, mask as u16);
        }
        let ack = regs::VM_INVALIDATE_ENG0_ACK + 4 * engine;
        hub.set(ack, hub.get(ack) & !mask);
        if let Some(p) = hub.pending.lock().get_mut(engine as usize) {
            *p |= mask;
        }
        self.acknowledge(hub, engine);
    }

    /// Acknowledges what an engine has been asked for, if no old access is left.
    fn acknowledge(&self, hub: &Hub, engine: u32) {
        let mut pending = hub.pending.lock();
        let Some(p) = pending.get_mut(engine as usize).filter(|p| **p != 0) else {
            return;
        };
        if self.accesses_of(hub.id).drained(hub.id, DRAIN_STEP) {
            let ack = regs::VM_INVALIDATE_ENG0_ACK + 4 * engine;
            hub.set(ack, hub.get(ack) | *p);
            *p = 0;
        }
    }
}

/// Whether a leaf allows an access, and where it leads.
fn check(leaf: Entry, b: &tlb::Block, va: u64, access: Access) -> Result<Page, Fault> {
    let fault = |kind| Fault {
        va,
        access,
        kind,
        no_retry: leaf.no_retry_marker(),
    };
    let into = va.saturating_sub(b.start);
    let page = Page {
        at: b.at.offset(into),
        len: b.len - into,
        mtype: leaf.mtype(),
        prt: false,
    };
    if !leaf.valid() {
        return match leaf.prt() {
            true => Ok(Page { prt: true, ..page }),
            false => Err(fault(FaultKind::NotValid { level: 0 })),
        };
    }
    let allowed = match access {
        Access::Read => leaf.readable(),
        Access::Write => leaf.writable(),
        Access::Execute => leaf.executable(),
        Access::Atomic => leaf.readable() && leaf.writable(),
    };
    allowed
        .then_some(page)
        .ok_or_else(|| fault(FaultKind::Permission))
}

/// The bit of VM_CONTEXTn_CNTL that enables the interrupt for a fault (gc_9_4_2_sh_mask.h).
fn interrupt_enable(f: &Fault) -> u32 {
    match f.kind {
        FaultKind::ContextDisabled | FaultKind::OutOfRange => 9,
        FaultKind::NotValid { level: 1.. } | FaultKind::BadEntry { .. } | FaultKind::Walker(_) => 13,
        FaultKind::NotValid { level: 0 } | FaultKind::Memory(_) => 15,
        FaultKind::Permission => match f.access {
            Access::Read => 17,
            Access::Write | Access::Atomic => 19,
            Access::Execute => 21,
        },
    }
}

fn memory_fault(va: u64, access: Access, e: MemError) -> Fault {
    Fault {
        va,
        access,
        kind: FaultKind::Memory(e),
        no_retry: true,
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
