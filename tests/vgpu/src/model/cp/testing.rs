// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A card made of tables, for unit tests of everything in the command processor.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;

use parking_lot::Mutex;

use super::bus::{Bus, Mem, MemFault, SdmaQueue, Stopped, TlbFlush};
use super::dispatch_request::{DispatchEnd, DispatchId, DispatchRequest, Outcome};
use crate::model::grbm::VmidState;
use crate::model::ih::Iv;
use crate::trace::Trace;

const PAGE: u64 = 4096;
type Page = Box<[u8; PAGE as usize]>;

/// Everything that was done to the card.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) interrupts: Vec<Iv>,
    pub(crate) violations: Vec<(&'static str, String)>,
    pub(crate) faults: Vec<(u8, u64)>,
    pub(crate) counts: BTreeMap<&'static str, u64>,
    pub(crate) bound: Vec<(u8, u64, u16)>,
    pub(crate) flushes: Vec<TlbFlush>,
    pub(crate) instruction_flushes: u64,
    pub(crate) sdma: Vec<SdmaQueue>,
    pub(crate) reg_writes: Vec<(u32, u32)>,
}

/// The memory of a process, for peeking and poking, whatever VMID it has.
pub(crate) fn process(pasid: u16) -> u8 {
    16 + pasid as u8
}

/// The card. Memory is per VMID, or per process in VMIDs that are bound to one.
#[derive(Default)]
pub(crate) struct FakeBus {
    pages: Mutex<HashMap<(u8, u64), Page>>,
    pub(crate) log: Mutex<Log>,
    pub(crate) regs: Mutex<BTreeMap<u32, u32>>,
    now: AtomicU64,
    kernels: Mutex<BTreeMap<u64, DispatchRequest>>,
    next_kernel: AtomicU64,
    states: Mutex<[VmidState; 16]>,
    processes: Mutex<[Option<u16>; 16]>,
    /// SDMA queues that were told to stop, and have not yet.
    pub(crate) stopping: Mutex<Vec<Stopped>>,
    /// Let SDMA queues stop only when the test says so.
    pub(crate) slow_sdma: std::sync::atomic::AtomicBool,
}

impl FakeBus {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Makes the pages of a range accessible; they hold zeroes.
    pub(crate) fn map(&self, vmid: u8, va: u64, bytes: u64) {
        let mut pages = self.pages.lock();
        for page in va / PAGE..=(va + bytes.max(1) - 1) / PAGE {
            pages
                .entry((vmid, page))
                .or_insert_with(|| Box::new([0; PAGE as usize]));
        }
    }

    pub(crate) fn poke(&self, vmid: u8, va: u64, data: &[u8]) {
        self.map(vmid, va, data.len() as u64);
        self.copy(vmid, va, data.len(), |i, b| *b = data[i]).unwrap();
    }

    pub(crate) fn poke32(&self, vmid: u8, va: u64, v: u32) {
        self.poke(vmid, va, &v.to_le_bytes());
    }

    pub(crate) fn poke64(&self, vmid: u8, va: u64, v: u64) {
        self.poke(vmid, va, &v.to_le_bytes());
    }

    pub(crate) fn poke_dwords(&self, vmid: u8, va: u64, dwords: &[u32]) {
        for (i, d) in dwords.iter().enumerate() {
            self.poke32(vmid, va + i as u64 * 4, *d);
        }
    }

    pub(crate) fn peek32(&self, vmid: u8, va: u64) -> u32 {
        self.peek64(vmid, va) as u32
    }

    pub(crate) fn peek64(&self, vmid: u8, va: u64) -> u64 {
        let mut b = [0; 8];
        self.copy(vmid, va, 8, |i, v| b[i] = *v).unwrap();
        u64::from_le_bytes(b)
    }

    fn copy(&self, vmid: u8, va: u64, len: usize, mut f: impl FnMut(usize, &mut u8)) -> Mem<()> {
        let mut pages = self.pages.lock();
        for i in 0..len {
            let at = va.wrapping_add(i as u64);
            let page = pages.get_mut(&(vmid, at / PAGE)).ok_or(MemFault { va: at })?;
            f(i, &mut page[(at % PAGE) as usize]);
        }
        Ok(())
    }

    fn space(&self, vmid: u8) -> u8 {
        self.processes.lock()[usize::from(vmid)].map_or(vmid, process)
    }

    fn reported<T>(&self, vmid: u8, r: Mem<T>) -> Mem<T> {
        if let Err(f) = &r {
            self.log.lock().faults.push((vmid, f.va));
        }
        r
    }

    pub(crate) fn advance(&self, ticks: u64) {
        self.now.fetch_add(ticks, Relaxed);
    }

    /// Numbers of the kernels that run.
    pub(crate) fn running(&self) -> Vec<u64> {
        self.kernels.lock().keys().copied().collect()
    }

    /// Looks at a running kernel.
    pub(crate) fn kernel<T>(&self, n: u64, f: impl FnOnce(&DispatchRequest) -> T) -> T {
        f(&self.kernels.lock()[&n])
    }

    /// Ends a kernel.
    pub(crate) fn end(&self, n: u64, outcome: Outcome) {
        let request = self.kernels.lock().remove(&n).expect("no such kernel");
        let now = self.now();
        (request.completion)(DispatchEnd {
            outcome,
            started: now,
            ended: now + 5,
        });
    }

    pub(crate) fn violations(&self) -> Vec<&'static str> {
        self.log.lock().violations.iter().map(|(k, _)| *k).collect()
    }

    pub(crate) fn counted(&self, name: &str) -> u64 {
        self.log.lock().counts.get(name).copied().unwrap_or(0)
    }

    pub(crate) fn sources(&self) -> Vec<u8> {
        self.log.lock().interrupts.iter().map(|iv| iv.source).collect()
    }
}

impl Bus for FakeBus {
    fn read(&self, vmid: u8, va: u64, buf: &mut [u8]) -> Mem<()> {
        let len = buf.len();
        self.reported(vmid, self.copy(self.space(vmid), va, len, |i, b| buf[i] = *b))
    }

    fn write(&self, vmid: u8, va: u64, data: &[u8]) -> Mem<()> {
        self.reported(
            vmid,
            self.copy(self.space(vmid), va, data.len(), |i, b| *b = data[i]),
        )
    }

    fn rmw32(&self, vmid: u8, va: u64, f: &mut dyn FnMut(u32) -> u32) -> Mem<u32> {
        let mut b = [0; 4];
        self.read(vmid, va, &mut b)?;
        let old = u32::from_le_bytes(b);
        self.write(vmid, va, &f(old).to_le_bytes())?;
        Ok(old)
    }

    fn rmw64(&self, vmid: u8, va: u64, f: &mut dyn FnMut(u64) -> u64) -> Mem<u64> {
        let mut b = [0; 8];
        self.read(vmid, va, &mut b)?;
        let old = u64::from_le_bytes(b);
        self.write(vmid, va, &f(old).to_le_bytes())?;
        Ok(old)
    }

    fn reg_read(&self, off: u32) -> u32 {
        self.regs.lock().get(&off).copied().unwrap_or(0)
    }

    fn reg_write(&self, off: u32, value: u32) {
        self.log.lock().reg_writes.push((off, value));
        self.regs.lock().insert(off, value);
    }

    fn interrupt(&self, iv: Iv) {
        self.log.lock().interrupts.push(iv);
    }

    fn now(&self) -> u64 {
        self.now.load(Relaxed)
    }

    fn bind_vmid(&self, vmid: u8, page_table_base: u64, pasid: u16, state: VmidState) {
        self.states.lock()[usize::from(vmid)] = state;
        self.processes.lock()[usize::from(vmid)] = Some(pasid);
        self.log.lock().bound.push((vmid, page_table_base, pasid));
    }

    fn vmid_state(&self, vmid: u8) -> VmidState {
        self.states.lock()[usize::from(vmid)]
    }

    fn pasid(&self, _vmid: u8) -> u16 {
        0
    }

    fn flush_tlb(&self, flush: TlbFlush) {
        self.log.lock().flushes.push(flush);
    }

    fn dispatch(&self, request: DispatchRequest) -> DispatchId {
        let n = self.next_kernel.fetch_add(1, Relaxed);
        self.kernels.lock().insert(n, request);
        DispatchId(n)
    }

    fn kill(&self, id: DispatchId) {
        if self.kernels.lock().contains_key(&id.0) {
            self.end(id.0, Outcome::Killed);
        }
    }

    fn invalidate_instructions(&self) {
        self.log.lock().instruction_flushes += 1;
    }

    fn sdma_map(&self, queue: SdmaQueue) -> Result<(), String> {
        self.log.lock().sdma.push(queue);
        Ok(())
    }

    fn sdma_unmap(&self, engine: u8, doorbell: u32, _reset: bool, stopped: Stopped) {
        self.log
            .lock()
            .sdma
            .retain(|q| (q.engine, q.doorbell) != (engine, doorbell));
        if self.slow_sdma.load(Relaxed) {
            self.stopping.lock().push(stopped);
        } else {
            stopped();
        }
    }

    fn trace(&self) -> Option<&Trace> {
        None
    }

    fn violation(&self, kind: &'static str, detail: String) {
        self.log.lock().violations.push((kind, detail));
    }

    fn unknown(&self, kind: &'static str, detail: String) {
        self.violation(kind, detail);
    }

    fn count(&self, name: &'static str) {
        *self.log.lock().counts.entry(name).or_default() += 1;
    }
}
