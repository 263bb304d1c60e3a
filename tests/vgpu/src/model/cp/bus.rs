// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The card as the command processor sees it: memory in an address space, registers, interrupts, time, and the engines
//! it hands work to. One trait, so that everything else here runs without a card in tests.

mod chip;

pub(crate) use chip::Chip;

use super::dispatch_request::{DispatchId, DispatchRequest};
use crate::inject::event::{Event, Verdict};
use crate::model::grbm::VmidState;
use crate::model::ih::Iv;
use crate::trace::Trace;

/// A memory access failed. The hub's fault registers are latched and the fault interrupt is sent already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemFault {
    /// First address without translation.
    pub(crate) va: u64,
}

/// Result of an access of the command processor to memory.
pub(crate) type Mem<T> = Result<T, MemFault>;

/// What INVALIDATE_TLBS says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TlbFlush {
    /// Whose translations.
    pub(crate) pasid: u16,
    /// Both hubs, or the GFXHUB only.
    pub(crate) all_hubs: bool,
    /// 0 legacy, 1 lightweight, 2 heavyweight.
    pub(crate) kind: u8,
}

/// A SDMA queue of a run list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SdmaQueue {
    /// Engine number.
    pub(crate) engine: u8,
    /// Address of the queue descriptor in VMID 0.
    pub(crate) mqd: u64,
    /// BAR2 dword index of its doorbell.
    pub(crate) doorbell: u32,
    /// Address of the write pointer in the queue's VMID.
    pub(crate) wptr: u64,
    /// Address space of the queue.
    pub(crate) vmid: u8,
    /// PASID bound to the VMID.
    pub(crate) pasid: u16,
}

/// Called exactly once, from any thread, when a SDMA queue has stopped and its descriptor is written back.
pub(crate) type Stopped = Box<dyn FnOnce() + Send>;

/// Everything outside the command processor.
pub(crate) trait Bus: Send + Sync {
    /// Reads memory through the GFXHUB.
    fn read(&self, vmid: u8, va: u64, buf: &mut [u8]) -> Mem<()>;
    /// Writes memory through the GFXHUB.
    fn write(&self, vmid: u8, va: u64, data: &[u8]) -> Mem<()>;
    /// Replaces an aligned 32-bit word atomically; returns the old value. `f` may run more than once.
    fn rmw32(&self, vmid: u8, va: u64, f: &mut dyn FnMut(u32) -> u32) -> Mem<u32>;
    /// Replaces an aligned 64-bit word atomically; returns the old value. `f` may run more than once.
    fn rmw64(&self, vmid: u8, va: u64, f: &mut dyn FnMut(u64) -> u64) -> Mem<u64>;

    /// Reads a register by BAR5 byte offset. May come back to the command processor's own registers.
    fn reg_read(&self, off: u32) -> u32;
    /// Writes a register by BAR5 byte offset. May come back to the command processor's own registers.
    fn reg_write(&self, off: u32, value: u32);

    /// Raises an interrupt.
    fn interrupt(&self, iv: Iv);
    /// The 100 MHz reference clock, in ticks of 10 ns.
    fn now(&self) -> u64;

    /// Binds a process to a VMID in both hubs and in the interrupt look-up tables, with its shader memory setup.
    /// Translations cached for the VMID are dropped.
    fn bind_vmid(&self, vmid: u8, page_table_base: u64, pasid: u16, state: VmidState);
    /// The shader memory setup of a VMID.
    fn vmid_state(&self, vmid: u8) -> VmidState;
    /// The PASID of a VMID, 0 if none.
    fn pasid(&self, vmid: u8) -> u16;
    /// Drops cached translations of a process.
    fn flush_tlb(&self, flush: TlbFlush);

    /// Hands a kernel launch to the dispatcher.
    fn dispatch(&self, request: DispatchRequest) -> DispatchId;
    /// Removes the waves of a dispatch.
    fn kill(&self, id: DispatchId);
    /// Drops cached instructions.
    fn invalidate_instructions(&self);

    /// Gives a SDMA queue to its engine; says why not if the engine refuses.
    fn sdma_map(&self, queue: SdmaQueue) -> Result<(), String>;
    /// Takes a SDMA queue from its engine (named by engine and doorbell), at a packet boundary or at once if `reset`.
    fn sdma_unmap(&self, engine: u8, doorbell: u32, reset: bool, stopped: Stopped);

    /// What a fault makes of an event.
    fn fault(&self, _event: Event) -> Verdict {
        Verdict::Go
    }
    /// Tells whether queues of processes are mapped.
    fn show_queues(&self, _mapped: bool) {}

    /// The access trace, if one is recorded.
    fn trace(&self) -> Option<&Trace>;
    /// A driver or program broke the rules.
    fn violation(&self, kind: &'static str, detail: String);
    /// Something this model does not know.
    fn unknown(&self, kind: &'static str, detail: String);
    /// Adds one to a counter.
    fn count(&self, name: &'static str);
}

/// Shorthands on any [`Bus`].
impl dyn Bus + '_ {
    /// Reads an aligned little-endian 32-bit word.
    pub(crate) fn read32(&self, vmid: u8, va: u64) -> Mem<u32> {
        let mut b = [0; 4];
        self.read(vmid, va, &mut b)?;
        Ok(u32::from_le_bytes(b))
    }

    /// Reads an aligned little-endian 64-bit word.
    pub(crate) fn read64(&self, vmid: u8, va: u64) -> Mem<u64> {
        let mut b = [0; 8];
        self.read(vmid, va, &mut b)?;
        Ok(u64::from_le_bytes(b))
    }

    /// Reads consecutive little-endian 32-bit words.
    pub(crate) fn read_dwords(&self, vmid: u8, va: u64, count: usize) -> Mem<Vec<u32>> {
        let mut bytes = vec![0; count.saturating_mul(4)];
        self.read(vmid, va, &mut bytes)?;
        Ok(bytes.chunks_exact(4).map(dword).collect())
    }

    /// Writes a little-endian 32-bit word.
    pub(crate) fn write32(&self, vmid: u8, va: u64, value: u32) -> Mem<()> {
        self.write(vmid, va, &value.to_le_bytes())
    }

    /// Writes a little-endian 64-bit word.
    pub(crate) fn write64(&self, vmid: u8, va: u64, value: u64) -> Mem<()> {
        self.write(vmid, va, &value.to_le_bytes())
    }
}

/// The little-endian word of up to four bytes.
pub(crate) fn dword(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |v, b| v << 8 | u32::from(*b))
}
