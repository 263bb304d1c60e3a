// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A wave's view of memory: translation through the GFXHUB in its VMID, loads, stores and atomics on host memory.

use std::sync::atomic::Ordering::{AcqRel, Acquire};
use std::sync::Arc;

use vgpu_isa::{CodePage, MemFault, Memory};

use super::code::CodeCache;
use super::tlb::{Entry, Target, Tlb};
use crate::ctx::Ctx;
use crate::model::gmc::{Access, Client, Fault, FaultKind, Hold, HubId};

/// Shader clocks per tick of the 100 MHz reference clock: 1.7 GHz.
const CLOCKS_PER_TICK: u64 = 17;

/// The caches that a worker keeps from wave to wave.
pub(super) struct Caches {
    load: Tlb,
    store: Tlb,
    atomic: Tlb,
}

impl Caches {
    /// Empty caches.
    pub(super) fn new() -> Self {
        Self {
            load: Tlb::new(),
            store: Tlb::new(),
            atomic: Tlb::new(),
        }
    }

    /// Drops all translations: a new hold begins, or another VMID.
    pub(super) fn forget(&mut self) {
        self.load.forget();
        self.store.forget();
        self.atomic.forget();
    }
}

/// Memory as the waves of one dispatch see it. Holds the translations of its VMID; [`WaveMemory::renew`] lets invalidations
/// through.
pub(super) struct WaveMemory<'a> {
    ctx: &'a Ctx,
    vmid: u8,
    code: &'a CodeCache,
    caches: &'a mut Caches,
    hold: Option<Hold<'a>>,
    /// The access that failed last, for the fault interrupt.
    pub(super) fault: Option<(Client, Fault)>,
}

impl<'a> WaveMemory<'a> {
    /// The address space of a VMID, with empty translation caches.
    pub(super) fn new(ctx: &'a Ctx, vmid: u8, code: &'a CodeCache, caches: &'a mut Caches) -> Self {
        caches.forget();
        let hold = Some(ctx.gmc.hold(HubId::Gfx, vmid));
        Self {
            ctx,
            vmid,
            code,
            caches,
            hold,
            fault: None,
        }
    }

    /// Lets waiting invalidations happen. To be called every few thousand instructions: the driver waits meanwhile.
    pub(super) fn renew(&mut self) {
        self.hold = None;
        self.caches.forget();
        self.hold = Some(self.ctx.gmc.hold(HubId::Gfx, self.vmid));
    }

    fn client(&self, access: Access) -> Client {
        let name = if access == Access::Execute {
            "SQC (inst)"
        } else {
            "TCP"
        };
        Client {
            hub: HubId::Gfx,
            vmid: self.vmid,
            name,
        }
    }

    /// Remembers a fault for the interrupt and turns it into what the wave sees.
    #[cold]
    fn failed(&mut self, fault: Fault) -> MemFault {
        self.fault = Some((self.client(fault.access), fault));
        let access = match fault.access {
            Access::Read => vgpu_isa::Access::Read,
            Access::Write => vgpu_isa::Access::Write,
            Access::Atomic => vgpu_isa::Access::Atomic,
            Access::Execute => vgpu_isa::Access::Execute,
        };
        MemFault { va: fault.va, access }
    }

    /// Translates the page around `va` and caches it.
    fn fill(&mut self, va: u64, access: Access) -> Result<(), MemFault> {
        let client = self.client(access);
        let start = Tlb::page_start(va);
        let page = self
            .ctx
            .gmc
            .translate(client, start, access)
            .map_err(|f| self.failed(Fault { va, ..f }))?;
        let entry = Entry::new(&self.ctx.mem, start, &page);
        if entry.at(va).is_none() {
            // the guest's memory ends within the page
            let kind = FaultKind::Memory(crate::mem::MemError::Unmapped(page.at.offset(va - start).addr));
            return Err(self.failed(Fault {
                va,
                access,
                kind,
                no_retry: true,
            }));
        }
        match access {
            Access::Write => self.caches.store.insert(entry),
            Access::Atomic => self.caches.atomic.insert(entry),
            Access::Read | Access::Execute => self.caches.load.insert(entry),
        }
        Ok(())
    }

    /// Fallback through the memory controller: pages that cannot be cached, accesses that fail.
    #[cold]
    fn slow_load(&mut self, va: u64, data: &mut [u8]) -> Result<(), MemFault> {
        let client = self.client(Access::Read);
        self.ctx.gmc.read(client, va, data).map_err(|f| self.failed(f))
    }

    #[cold]
    fn slow_store(&mut self, va: u64, data: &[u8]) -> Result<(), MemFault> {
        let client = self.client(Access::Write);
        self.ctx.gmc.write(client, va, data).map_err(|f| self.failed(f))
    }
}

impl Memory for WaveMemory<'_> {
    fn load(&mut self, va: u64, _elem: usize, data: &mut [u8]) -> Result<(), MemFault> {
        let (mut va, mut rest) = (va, data);
        while !rest.is_empty() {
            let Some(entry) = self.caches.load.find(&self.ctx.mem, va) else {
                self.fill(va, Access::Read)?;
                continue;
            };
            let Some((off, left)) = entry.at(va) else {
                return self.slow_load(va, rest);
            };
            let n = rest.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            let (now, later) = rest.split_at_mut(n);
            match &entry.target {
                Target::Span(span) if span.read(off, now) => {}
                Target::Prt => now.fill(0),
                _ => self.slow_load(va, now)?,
            }
            va = va.wrapping_add(n as u64);
            rest = later;
        }
        Ok(())
    }

    fn store(&mut self, va: u64, _elem: usize, data: &[u8]) -> Result<(), MemFault> {
        let (mut va, mut rest) = (va, data);
        while !rest.is_empty() {
            let Some(entry) = self.caches.store.find(&self.ctx.mem, va) else {
                self.fill(va, Access::Write)?;
                continue;
            };
            let Some((off, left)) = entry.at(va) else {
                return self.slow_store(va, rest);
            };
            let n = rest.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            let (now, later) = rest.split_at(n);
            match &entry.target {
                Target::Span(span) if span.write(off, now) => {}
                Target::Prt => {}
                _ => self.slow_store(va, now)?,
            }
            va = va.wrapping_add(n as u64);
            rest = later;
        }
        Ok(())
    }

    fn atomic32(&mut self, va: u64, f: &mut dyn FnMut(u32) -> u32) -> Result<u32, MemFault> {
        if self.caches.atomic.find(&self.ctx.mem, va).is_none() {
            self.fill(va, Access::Atomic)?;
        }
        let entry = self.caches.atomic.find(&self.ctx.mem, va);
        if let Some((Target::Span(span), (off, _))) = entry.and_then(|e| Some((&e.target, e.at(va)?))) {
            if let Some(word) = span.atomic32(off).filter(|_| span.writable()) {
                let done = word.fetch_update(AcqRel, Acquire, |old| Some(f(old)));
                return Ok(done.unwrap_or_else(|old| old));
            }
        }
        let client = self.client(Access::Atomic);
        self.ctx.gmc.rmw32(client, va, f).map_err(|e| self.failed(e))
    }

    fn atomic64(&mut self, va: u64, f: &mut dyn FnMut(u64) -> u64) -> Result<u64, MemFault> {
        if self.caches.atomic.find(&self.ctx.mem, va).is_none() {
            self.fill(va, Access::Atomic)?;
        }
        let entry = self.caches.atomic.find(&self.ctx.mem, va);
        if let Some((Target::Span(span), (off, _))) = entry.and_then(|e| Some((&e.target, e.at(va)?))) {
            if let Some(word) = span.atomic64(off).filter(|_| span.writable()) {
                let done = word.fetch_update(AcqRel, Acquire, |old| Some(f(old)));
                return Ok(done.unwrap_or_else(|old| old));
            }
        }
        let client = self.client(Access::Atomic);
        self.ctx.gmc.rmw64(client, va, f).map_err(|e| self.failed(e))
    }

    fn code(&mut self, va: u64) -> Result<Arc<CodePage>, MemFault> {
        let client = self.client(Access::Execute);
        let ctx = self.ctx;
        let fetch = |at: u64, buf: &mut [u8]| {
            let page = ctx.gmc.translate(client, at, Access::Execute)?;
            if page.prt {
                buf.fill(0);
                return Ok(());
            }
            let memory = |e| Fault {
                va: at,
                access: Access::Execute,
                kind: FaultKind::Memory(e),
                no_retry: true,
            };
            ctx.mem.read(page.at, buf).map_err(memory)
        };
        self.code.page(self.vmid, va, fetch).map_err(|f| {
            self.failed(Fault {
                va,
                access: Access::Execute,
                ..f
            })
        })
    }

    fn invalidate_code(&mut self) {
        self.code.invalidate();
    }

    fn realtime(&mut self) -> u64 {
        self.ctx.clock.now()
    }

    fn clock(&mut self) -> u64 {
        self.ctx.clock.now().wrapping_mul(CLOCKS_PER_TICK)
    }
}
