// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The register bank of one hardware queue slot, and what its fields mean.
//!
//! CP_MQD_BASE_ADDR..=CP_HQD_PQ_WPTR_HI are 56 consecutive registers that mirror dwords 128..=183 of the memory queue
//! descriptor (v9_structs.h: v9_mqd). Field positions: gc_9_4_2_sh_mask.h.

use super::compute::Compute;
use super::names::hqd::{CP_HQD_GFX_CONTROL, CP_MQD_BASE_ADDR};
use crate::regs::{extract, place};

/// First register of the mirrored part, CP_MQD_BASE_ADDR.
pub(crate) const HQD_FIRST: u32 = CP_MQD_BASE_ADDR;
/// Number of mirrored registers; the last is CP_HQD_PQ_WPTR_HI.
pub(crate) const HQD_REGS: usize = 56;
/// First register of the pipe's own part, CP_HQD_GFX_CONTROL.
pub(crate) const HPD_FIRST: u32 = CP_HQD_GFX_CONTROL;
/// Number of registers of the pipe's own part.
pub(crate) const HPD_REGS: usize = 7;

/// Registers of a slot by their position in the mirrored part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Hqd {
    MqdBaseLo = 0,
    MqdBaseHi = 1,
    Active = 2,
    Vmid = 3,
    PqBaseLo = 8,
    PqBaseHi = 9,
    PqRptr = 10,
    RptrReportLo = 11,
    RptrReportHi = 12,
    WptrPollLo = 13,
    WptrPollHi = 14,
    DoorbellControl = 15,
    PqControl = 17,
    IbBaseLo = 18,
    IbBaseHi = 19,
    IbRptr = 20,
    DequeueRequest = 24,
    Error = 51,
    AqlControl = 53,
    WptrLo = 54,
    WptrHi = 55,
}

impl Hqd {
    /// BAR5 byte offset of the register.
    #[cfg(test)]
    pub(crate) const fn offset(self) -> u32 {
        HQD_FIRST + self as u32 * 4
    }
}

crate::fields! {
    ACTIVE = CP_HQD_ACTIVE.ACTIVE[0:0];
    VMID = CP_HQD_VMID.VMID[3:0];
    /// BAR2 dword index.
    DOORBELL_OFFSET = CP_HQD_PQ_DOORBELL_CONTROL.DOORBELL_OFFSET[27:2];
    DOORBELL_EN = CP_HQD_PQ_DOORBELL_CONTROL.DOORBELL_EN[30:30];
    DOORBELL_HIT = CP_HQD_PQ_DOORBELL_CONTROL.DOORBELL_HIT[31:31];
    /// log2 of the dwords, minus one.
    QUEUE_SIZE = CP_HQD_PQ_CONTROL.QUEUE_SIZE[5:0];
    NO_UPDATE_RPTR = CP_HQD_PQ_CONTROL.NO_UPDATE_RPTR[27:27];
    PRIV_STATE = CP_HQD_PQ_CONTROL.PRIV_STATE[30:30];
    KMD_QUEUE = CP_HQD_PQ_CONTROL.KMD_QUEUE[31:31];
    /// 1: when the queue is at rest; 2: at once.
    DEQUEUE_REQ = CP_HQD_DEQUEUE_REQUEST.DEQUEUE_REQ[2:0];
    /// Not 0 on queues that hold AQL packets.
    AQL_CONTROL0 = CP_HQD_AQL_CONTROL.CONTROL0[14:0];
    ERROR_AQL = CP_HQD_ERROR.AQL_ERROR[5:5];
    /// A memory fault while fetching or executing packets.
    ERROR_PQ_UTCL1 = CP_HQD_ERROR.PQ_UTCL1_ERROR[8:8];
}

/// All registers of one slot.
#[derive(Clone, Debug)]
pub(crate) struct Bank {
    /// CP_MQD_BASE_ADDR..=CP_HQD_PQ_WPTR_HI.
    pub(crate) hqd: [u32; HQD_REGS],
    /// CP_HQD_GFX_CONTROL..=CP_HPD_UTCL1_ERROR_ADDR: stored only.
    pub(crate) hpd: [u32; HPD_REGS],
    /// The dispatch registers.
    pub(crate) compute: Compute,
}

impl Default for Bank {
    fn default() -> Self {
        Self {
            hqd: [0; HQD_REGS],
            hpd: [0; HPD_REGS],
            compute: Compute::default(),
        }
    }
}

impl Bank {
    /// A register's value.
    pub(crate) fn get(&self, reg: Hqd) -> u32 {
        self.hqd.get(reg as usize).copied().unwrap_or(0)
    }

    /// Changes a register.
    pub(crate) fn set(&mut self, reg: Hqd, value: u32) {
        if let Some(r) = self.hqd.get_mut(reg as usize) {
            *r = value;
        }
    }

    fn pair(&self, lo: Hqd, hi: Hqd) -> u64 {
        u64::from(self.get(hi)) << 32 | u64::from(self.get(lo))
    }

    /// Address of the descriptor in VMID 0.
    pub(crate) fn mqd_base(&self) -> u64 {
        self.pair(Hqd::MqdBaseLo, Hqd::MqdBaseHi) & !3
    }

    /// CP_HQD_ACTIVE.ACTIVE.
    pub(crate) fn active(&self) -> bool {
        self.get(Hqd::Active) & ACTIVE != 0
    }

    /// VMID of the ring, its indirect buffers and its dispatches.
    pub(crate) fn vmid(&self) -> u8 {
        extract(self.get(Hqd::Vmid), VMID) as u8
    }

    /// Start of the ring in the queue's VMID.
    pub(crate) fn pq_base(&self) -> u64 {
        (self.pair(Hqd::PqBaseLo, Hqd::PqBaseHi) & 0xff_ffff_ffff) << 8
    }

    /// Size of the ring in dwords, a power of two: CP_HQD_PQ_CONTROL.QUEUE_SIZE holds log2 minus one. `None` if larger
    /// than 2^31 dwords.
    pub(crate) fn pq_dwords(&self) -> Option<u64> {
        let log2 = extract(self.get(Hqd::PqControl), QUEUE_SIZE) + 1;
        (log2 <= 31).then(|| 1u64 << log2)
    }

    /// Where the read pointer is reported, in the queue's VMID; 0 if nowhere.
    pub(crate) fn rptr_report(&self) -> u64 {
        self.pair(Hqd::RptrReportLo, Hqd::RptrReportHi) & !3
    }

    /// Where the write pointer is kept in memory, in the queue's VMID; 0 if nowhere.
    pub(crate) fn wptr_poll(&self) -> u64 {
        self.pair(Hqd::WptrPollLo, Hqd::WptrPollHi) & !7
    }

    /// The doorbell as BAR2 dword index, if enabled.
    pub(crate) fn doorbell(&self) -> Option<u32> {
        let c = self.get(Hqd::DoorbellControl);
        (c & DOORBELL_EN != 0).then_some(extract(c, DOORBELL_OFFSET))
    }

    /// Sets the doorbell (BAR2 dword index) and enables it.
    pub(crate) fn enable_doorbell(&mut self, index: u32) {
        let other = self.get(Hqd::DoorbellControl) & !(DOORBELL_OFFSET | DOORBELL_HIT);
        self.set(
            Hqd::DoorbellControl,
            other | place(index, DOORBELL_OFFSET) | DOORBELL_EN,
        );
    }

    /// Whether the ring holds AQL packets rather than PM4.
    pub(crate) fn aql(&self) -> bool {
        self.get(Hqd::AqlControl) & AQL_CONTROL0 != 0
    }

    /// Whether the queue may touch privileged registers.
    pub(crate) fn privileged(&self) -> bool {
        self.get(Hqd::PqControl) & (PRIV_STATE | KMD_QUEUE) != 0
    }

    /// Whether CP_HQD_PQ_RPTR is reported to memory.
    pub(crate) fn reports_rptr(&self) -> bool {
        self.get(Hqd::PqControl) & NO_UPDATE_RPTR == 0
    }

    /// The 64-bit write pointer: dwords for PM4; for AQL whatever the doorbell brought last.
    pub(crate) fn wptr(&self) -> u64 {
        self.pair(Hqd::WptrLo, Hqd::WptrHi)
    }

    /// Changes the write pointer.
    pub(crate) fn set_wptr(&mut self, wptr: u64) {
        self.set(Hqd::WptrLo, wptr as u32);
        self.set(Hqd::WptrHi, (wptr >> 32) as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_match_the_public_names() {
        for (reg, name) in [
            (Hqd::MqdBaseLo, "CP_MQD_BASE_ADDR"),
            (Hqd::Active, "CP_HQD_ACTIVE"),
            (Hqd::Vmid, "CP_HQD_VMID"),
            (Hqd::PqBaseLo, "CP_HQD_PQ_BASE"),
            (Hqd::PqRptr, "CP_HQD_PQ_RPTR"),
            (Hqd::RptrReportLo, "CP_HQD_PQ_RPTR_REPORT_ADDR"),
            (Hqd::WptrPollLo, "CP_HQD_PQ_WPTR_POLL_ADDR"),
            (Hqd::DoorbellControl, "CP_HQD_PQ_DOORBELL_CONTROL"),
            (Hqd::PqControl, "CP_HQD_PQ_CONTROL"),
            (Hqd::IbBaseLo, "CP_HQD_IB_BASE_ADDR"),
            (Hqd::IbRptr, "CP_HQD_IB_RPTR"),
            (Hqd::DequeueRequest, "CP_HQD_DEQUEUE_REQUEST"),
            (Hqd::Error, "CP_HQD_ERROR"),
            (Hqd::AqlControl, "CP_HQD_AQL_CONTROL"),
            (Hqd::WptrLo, "CP_HQD_PQ_WPTR_LO"),
            (Hqd::WptrHi, "CP_HQD_PQ_WPTR_HI"),
        ] {
            assert!(
                super::super::names::hqd::NAMES.contains(&(reg.offset(), name)),
                "{name}"
            );
        }
        assert_eq!(HQD_FIRST + 4 * (HQD_REGS as u32 - 1), Hqd::WptrHi.offset());
    }

    #[test]
    fn fields_are_decoded() {
        let mut b = Bank::default();
        b.set(Hqd::PqBaseLo, 0x1234_5678);
        b.set(Hqd::PqBaseHi, 0x1f);
        b.set(Hqd::PqControl, 9 | 1 << 27 | 1 << 31);
        assert_eq!(b.pq_base(), 0x1f12_3456_7800);
        assert_eq!(b.pq_dwords(), Some(1024));
        assert!(b.privileged() && !b.reports_rptr());
        b.set(Hqd::PqControl, 0x3f);
        assert_eq!(b.pq_dwords(), None);
        assert_eq!(b.doorbell(), None);
        b.enable_doorbell(0x2f0);
        assert_eq!(b.doorbell(), Some(0x2f0));
        b.set_wptr(0x1_0000_0002);
        assert_eq!(b.wptr(), 0x1_0000_0002);
    }
}
