// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Invalidation of cached translations, by the hubs' engines and by the firmware of the command processor.

use std::time::Duration;

use super::hold::Before;
use super::hub::{Hub, VMIDS};
use super::{regs, Gmc, HubId};
use crate::inject::event::{Event, Point, Verdict};

/// How long a register access may wait for accesses under way; the driver polls, so it need not be long.
const DRAIN_STEP: Duration = Duration::from_millis(2);
/// How long an engine's own invalidation may wait for accesses under way.
const DRAIN_LIMIT: Duration = Duration::from_secs(5);

impl Gmc {
    /// Drops the cached translations of these VMIDs (bit n: VMID n) in one hub, and waits for accesses under way.
    /// For engines; the caller must not be inside a [`hold`](Self::hold) of one of them.
    pub fn invalidate(&self, hub: HubId, vmid_mask: u16) {
        self.drop_cached(hub, vmid_mask);
        let accesses = self.accesses_of(hub);
        if !accesses.drained(accesses.until_now(vmid_mask.into()), DRAIN_LIMIT) {
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
    pub(super) fn request(&self, hub: &Hub, engine: u32, value: u32) {
        let mask = value & regs::PER_VMID_REQ;
        if value & regs::REQ_CLEAR_FAULT != 0 {
            hub.clear_fault();
        }
        if mask != 0 && value & regs::REQ_ALL_PARTS != regs::REQ_ALL_PARTS {
            self.report.violation(
                "partial-invalidate",
                format!("{:?} engine {engine} request {value:#x}", hub.id),
            );
        } else if !hub.any_enabled(mask) && !hub.covers_all(engine) {
            // the kernel flushes once before it has set the range (amdgpu_ttm.c: amdgpu_ttm_alloc_gart, for a buffer made
            // before gfxhub_v1_0_program_invalidation has run); with every context off there is nothing to miss, and nothing
            // that an earlier context left behind is dropped
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
        let old = self.accesses_of(hub.id).until_now(mask);
        if let Some(p) = hub.pending.lock().get_mut(engine as usize) {
            *p = p.and(old);
        }
        self.acknowledge(hub, engine);
    }

    /// Acknowledges what an engine has been asked for, if no old access is left.
    pub(super) fn acknowledge(&self, hub: &Hub, engine: u32) {
        let mut pending = hub.pending.lock();
        let Some(p) = pending.get_mut(engine as usize).filter(|p| p.vmids() != 0) else {
            return;
        };
        if self.inject.at(Event::new(Point::Acknowledge, hub.id.name(), "")) != Verdict::Go {
            return;
        }
        if self.accesses_of(hub.id).drained(*p, DRAIN_STEP) {
            let ack = regs::VM_INVALIDATE_ENG0_ACK + 4 * engine;
            hub.set(ack, hub.get(ack) | p.vmids());
            *p = Before::default();
        }
    }
}
