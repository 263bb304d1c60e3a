// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One VM hub: its registers, what they say about contexts and apertures, and the latched fault.

use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::Mutex;

use super::entry::Entry;
use super::hold::Before;
use super::regs::*;
use super::tlb::Tlb;
use super::types::{Fault, HubId};
use super::walk::Geometry;
use crate::regs::{extract, place};

/// Number of VMIDs.
pub(crate) const VMIDS: usize = 16;
/// First 16 MiB of VRAM in the card's address space, as the platform firmware sets it up.
pub const FB_BASE: u32 = 0x8000;

/// A range of addresses, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) first: u64,
    pub(crate) last: u64,
}

impl Range {
    fn new(first: u32, last: u32, shift: u32) -> Self {
        Self {
            first: u64::from(first) << shift,
            last: u64::from(last) << shift | ((1 << shift) - 1),
        }
    }

    pub(crate) fn contains(&self, a: u64) -> bool {
        (self.first..=self.last).contains(&a)
    }
}

/// Registers, TLBs and fault latch of a hub.
pub(crate) struct Hub {
    pub(crate) id: HubId,
    regs: Vec<AtomicU32>,
    pub(crate) tlbs: [Tlb; VMIDS],
    /// What the invalidations wait for, per engine.
    pub(crate) pending: Mutex<[Before; ENGINES as usize]>,
    vram_size: u64,
}

impl Hub {
    pub(crate) fn new(id: HubId, vram_size: u64) -> Self {
        let regs = (0..SIZE / 4).map(|_| AtomicU32::new(0)).collect();
        let hub = Self {
            id,
            regs,
            tlbs: Default::default(),
            pending: Mutex::default(),
            vram_size,
        };
        hub.reset();
        hub
    }

    /// Power-on values: VRAM is in place, everything else is off.
    pub(crate) fn reset(&self) {
        self.regs.iter().for_each(|r| r.store(0, Ordering::Relaxed));
        let units = u32::try_from(self.vram_size >> 24).unwrap_or(u32::MAX).max(1);
        self.set(MC_VM_FB_LOCATION_BASE, FB_BASE);
        self.set(MC_VM_FB_LOCATION_TOP, FB_BASE.saturating_add(units - 1));
        *self.pending.lock() = Default::default();
        self.tlbs.iter().for_each(Tlb::invalidate);
    }

    /// A register by its offset in the hub; 0 outside.
    pub(crate) fn get(&self, reg: u32) -> u32 {
        self.regs
            .get((reg / 4) as usize)
            .map_or(0, |r| r.load(Ordering::Acquire))
    }

    pub(crate) fn set(&self, reg: u32, value: u32) {
        if let Some(r) = self.regs.get((reg / 4) as usize) {
            r.store(value, Ordering::Release);
        }
    }

    /// Takes the semaphore of an invalidation engine if it is free: 1 if taken.
    pub(crate) fn take_semaphore(&self, reg: u32) -> u32 {
        let taken = self
            .regs
            .get((reg / 4) as usize)
            .is_some_and(|r| r.swap(1, Ordering::AcqRel) == 0);
        u32::from(taken)
    }

    fn pair(&self, reg: u32, n: usize) -> u64 {
        let reg = reg.saturating_add(8 * n as u32);
        u64::from(self.get(reg)) | u64::from(self.get(reg.saturating_add(4))) << 32
    }

    /// Whether one of these contexts (bit n: VMID n) is enabled.
    pub(crate) fn any_enabled(&self, mask: u32) -> bool {
        (0..VMIDS).any(|vmid| mask >> vmid & 1 != 0 && self.context(vmid).is_some())
    }

    /// The context's control register, if the context is enabled.
    pub(crate) fn context(&self, vmid: usize) -> Option<u32> {
        let cntl = self.get(VM_CONTEXT0_CNTL.saturating_add(4 * vmid as u32));
        (vmid < VMIDS && cntl & ENABLE_CONTEXT != 0).then_some(cntl)
    }

    /// The addresses of a context.
    pub(crate) fn context_range(&self, vmid: usize) -> Range {
        let page = |reg| self.pair(reg, vmid).wrapping_shl(12);
        Range {
            first: page(VM_CONTEXT0_PAGE_TABLE_START_ADDR_LO32),
            last: page(VM_CONTEXT0_PAGE_TABLE_END_ADDR_LO32) | 0xfff,
        }
    }

    /// How the tables of a context are built.
    pub(crate) fn geometry(&self, vmid: usize, cntl: u32) -> Geometry {
        Geometry {
            root: Entry(self.pair(VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32, vmid)),
            depth: extract(cntl, PAGE_TABLE_DEPTH),
            block: extract(cntl, PAGE_TABLE_BLOCK_SIZE),
            start: self.context_range(vmid).first,
            fb_offset: self.fb_offset(),
        }
    }

    /// Sets a context's root table; says if that is a change.
    pub(crate) fn set_root(&self, vmid: usize, root: u64) -> bool {
        let reg = VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32.saturating_add(8 * vmid as u32);
        let changed = self.pair(VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32, vmid) != root;
        self.set(reg, root as u32);
        self.set(reg.saturating_add(4), (root >> 32) as u32);
        changed
    }

    /// Physical address of the first byte of VRAM.
    pub(crate) fn fb_offset(&self) -> u64 {
        u64::from(self.get(MC_VM_FB_OFFSET)) << 24
    }

    /// What VMID 0 reaches without translation.
    pub(crate) fn system_aperture(&self) -> Range {
        Range::new(
            self.get(MC_VM_SYSTEM_APERTURE_LOW_ADDR),
            self.get(MC_VM_SYSTEM_APERTURE_HIGH_ADDR),
            18,
        )
    }

    /// Where VRAM is in the card's address space.
    pub(crate) fn fb(&self) -> Range {
        Range::new(
            self.get(MC_VM_FB_LOCATION_BASE),
            self.get(MC_VM_FB_LOCATION_TOP),
            24,
        )
    }

    /// The AGP aperture and where it leads; `None` if there is none.
    pub(crate) fn agp(&self) -> Option<(Range, u64)> {
        let (bot, top) = (self.get(MC_VM_AGP_BOT), self.get(MC_VM_AGP_TOP));
        (bot <= top && top != 0).then(|| {
            (
                Range::new(bot, top, 24),
                u64::from(self.get(MC_VM_AGP_BASE)) << 24,
            )
        })
    }

    /// Whether an invalidation engine covers all addresses.
    pub(crate) fn covers_all(&self, engine: u32) -> bool {
        self.pair(VM_INVALIDATE_ENG0_ADDR_RANGE_LO32, engine as usize) == 0x1f_ffff_ffff
    }

    /// Latches a fault, or notes that there were more.
    pub(crate) fn latch(&self, vmid: u8, cid: u32, f: &Fault) {
        let old = self.get(VM_L2_PROTECTION_FAULT_STATUS);
        if old != 0 && self.get(VM_L2_PROTECTION_FAULT_CNTL) & ALLOW_UPDATES == 0 {
            return self.set(VM_L2_PROTECTION_FAULT_STATUS, old | MORE_FAULTS);
        }
        self.set(
            VM_L2_PROTECTION_FAULT_STATUS,
            super::fault::status(vmid, cid, f) | place(u32::from(old != 0), MORE_FAULTS),
        );
        self.set(VM_L2_PROTECTION_FAULT_ADDR_LO32, (f.va >> 12) as u32);
        self.set(
            VM_L2_PROTECTION_FAULT_ADDR_HI32,
            (f.va >> 44) as u32 & FAULT_ADDR_HI,
        );
    }

    /// Forgets the latched fault.
    pub(crate) fn clear_fault(&self) {
        self.set(VM_L2_PROTECTION_FAULT_STATUS, 0);
        self.set(VM_L2_PROTECTION_FAULT_ADDR_LO32, 0);
        self.set(VM_L2_PROTECTION_FAULT_ADDR_HI32, 0);
    }

    /// A write to VM_L2_PROTECTION_FAULT_CNTL: bit 0 acts and does not stay.
    pub(crate) fn write_fault_cntl(&self, value: u32) {
        if value & CLEAR_STATUS != 0 {
            self.clear_fault();
        }
        self.set(VM_L2_PROTECTION_FAULT_CNTL, value & !CLEAR_STATUS);
    }
}
