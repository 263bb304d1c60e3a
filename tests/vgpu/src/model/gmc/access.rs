// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Accesses through the hubs: translation by cache, aperture or walk, then memory.

use super::entry::Entry;
use super::hub::Hub;
use super::{tlb, walk, Access, Client, Fault, FaultKind, Gmc, Page};
use crate::inject::event::{Event, Point, Verdict};
use crate::mem::{MemError, PhysAddr, Space};

impl Gmc {
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
        match self
            .inject
            .at(Event::new(Point::Walk, c.hub.name(), c.name).of(c.vmid))
        {
            Verdict::Lose => return Err(fault(FaultKind::NotValid { level: 0 }, false)),
            Verdict::Garble => return Err(fault(FaultKind::BadEntry { entry: u64::MAX }, false)),
            _ => {}
        }
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
        if block.at.space == Space::Vram && page.at.addr >= self.mem.vram_size() && !page.prt {
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
        let _hold = self.hold(c.hub, c.vmid);
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
        let _hold = self.hold(c.hub, c.vmid);
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

    /// Writes `len` zeroes, as [`write`](Self::write) does.
    pub fn zero(&self, c: Client, va: u64, len: u64) -> Result<(), Fault> {
        let _hold = self.hold(c.hub, c.vmid);
        let mut done = 0;
        while done < len {
            let at = va.wrapping_add(done);
            let page = self.translate(c, at, Access::Write)?;
            let n = page.len.min(len - done);
            if !page.prt {
                self.mem
                    .zero(page.at, n)
                    .map_err(|e| memory_fault(at, Access::Write, e))?;
            }
            done += n;
        }
        Ok(())
    }

    /// Replaces the aligned 32-bit word with `f` of it, atomically; returns the old value. `f` may run again.
    pub fn rmw32(&self, c: Client, va: u64, f: impl FnMut(u32) -> u32) -> Result<u32, Fault> {
        let _hold = self.hold(c.hub, c.vmid);
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
        let _hold = self.hold(c.hub, c.vmid);
        let page = self.translate(c, va, Access::Atomic)?;
        if page.prt {
            return Ok(0);
        }
        self.mem
            .rmw64(page.at, f)
            .map_err(|e| memory_fault(va, Access::Atomic, e))
    }

    /// Reads a page-table entry.
    pub(super) fn entry(&self, at: PhysAddr) -> Result<Entry, MemError> {
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

fn memory_fault(va: u64, access: Access, e: MemError) -> Fault {
    Fault {
        va,
        access,
        kind: FaultKind::Memory(e),
        no_retry: true,
    }
}
