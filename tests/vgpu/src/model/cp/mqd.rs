// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The memory queue descriptor of a compute queue (v9_structs.h: v9_mqd, 512 dwords): loading it into a slot, and
//! writing the slot back.

use super::regs::{mqd_layout, Bank, Hqd, HQD_REGS};

/// Dwords of a descriptor.
pub(crate) const MQD_DWORDS: usize = 512;
/// First dword of every descriptor.
pub(crate) const MQD_HEADER: u32 = 0xc031_0800;
/// Dword of the first mirrored queue register, cp_mqd_base_addr_lo.
const HQD_DWORD: usize = 128;
/// cp_mqd_readindex_lo/hi: 64-bit index of the next AQL packet.
const READ_INDEX: usize = 96;
/// cp_packet_exe_status_lo/hi: private to the CP; here the size of the indirect buffer that was being executed, in
/// dwords (0: none), and its VMID.
const IB_STATE: usize = 118;
/// queue_doorbell_id0: in the descriptor of the scheduler queue, doorbells of queues that did not stop in time.
pub(crate) const DOORBELL_ID0: usize = 240;
/// Number of queue_doorbell_id fields.
pub(crate) const DOORBELL_IDS: usize = 16;

/// A descriptor as read from memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mqd(pub(crate) Vec<u32>);

/// An indirect buffer that a queue was in when it was taken off its slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SavedIb {
    /// Address of the buffer.
    pub(crate) base: u64,
    /// Size in dwords, not 0.
    pub(crate) dwords: u32,
    /// Next dword to execute.
    pub(crate) at: u32,
    /// Address space of the buffer.
    pub(crate) vmid: u8,
}

impl Mqd {
    /// A dword; 0 outside.
    pub(crate) fn get(&self, dword: usize) -> u32 {
        self.0.get(dword).copied().unwrap_or(0)
    }

    fn set(&mut self, dword: usize, value: u32) {
        if let Some(d) = self.0.get_mut(dword) {
            *d = value;
        }
    }

    /// The slot's registers as this descriptor sets them: not active yet, no request pending.
    pub(crate) fn bank(&self) -> Bank {
        let mut bank = Bank::default();
        for (n, r) in bank.hqd.iter_mut().enumerate() {
            *r = self.get(HQD_DWORD + n);
        }
        for (dword, reg) in mqd_layout() {
            if let Some(r) = bank.compute.0.get_mut(reg) {
                *r = self.get(dword);
            }
        }
        bank.set(Hqd::Active, 0);
        bank.set(Hqd::DequeueRequest, 0);
        bank.set(Hqd::Error, 0);
        bank
    }

    /// The doorbell as BAR2 dword index, whether enabled or not.
    pub(crate) fn doorbell(&self) -> u32 {
        (self.get(HQD_DWORD + Hqd::DoorbellControl as usize) & 0x0fff_fffc) >> 2
    }

    /// Index of the next AQL packet.
    pub(crate) fn read_index(&self) -> u64 {
        u64::from(self.get(READ_INDEX + 1)) << 32 | u64::from(self.get(READ_INDEX))
    }

    /// The indirect buffer to go on with.
    pub(crate) fn saved_ib(&self) -> Option<SavedIb> {
        let bank = self.bank();
        let dwords = self.get(IB_STATE);
        let base = u64::from(bank.get(Hqd::IbBaseHi)) << 32 | u64::from(bank.get(Hqd::IbBaseLo));
        let at = bank.get(Hqd::IbRptr);
        let vmid = (self.get(IB_STATE + 1) & 0xf) as u8;
        (dwords != 0 && at < dwords).then_some(SavedIb {
            base,
            dwords,
            at,
            vmid,
        })
    }

    /// Takes over what the slot's registers became, with the queue no longer active. Everything the CP does not own
    /// stays.
    pub(crate) fn save(&mut self, bank: &Bank, read_index: u64, ib: Option<SavedIb>) {
        for (n, r) in bank.hqd.iter().enumerate() {
            self.set(HQD_DWORD + n, *r);
        }
        for (dword, reg) in mqd_layout() {
            self.set(dword, bank.compute.0.get(reg).copied().unwrap_or(0));
        }
        self.set(HQD_DWORD + Hqd::Active as usize, 0);
        self.set(HQD_DWORD + Hqd::DequeueRequest as usize, 0);
        self.set(READ_INDEX, read_index as u32);
        self.set(READ_INDEX + 1, (read_index >> 32) as u32);
        if let Some(ib) = ib {
            self.set(HQD_DWORD + Hqd::IbBaseLo as usize, ib.base as u32);
            self.set(HQD_DWORD + Hqd::IbBaseHi as usize, (ib.base >> 32) as u32);
            self.set(HQD_DWORD + Hqd::IbRptr as usize, ib.at);
        }
        self.set(IB_STATE, ib.map_or(0, |ib| ib.dwords));
        self.set(IB_STATE + 1, ib.map_or(0, |ib| u32::from(ib.vmid)));
    }

    /// The descriptor as it lies in memory.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|d| d.to_le_bytes()).collect()
    }

    /// Dwords that are only the driver's: it must not change them while the queue is mapped, and the CP does not.
    pub(crate) fn driver_part(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        let private = |d: usize| (92..128).contains(&d) || d >= HQD_DWORD + HQD_REGS;
        self.0
            .iter()
            .copied()
            .enumerate()
            .filter(move |(d, _)| !private(*d))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_fields_lie_where_the_kernel_puts_them() {
        let mut m = Mqd(vec![0; MQD_DWORDS]);
        for (dword, value) in [
            (130, 1),
            (131, 8),
            (136, 0x80),
            (137, 1),
            (143, 0x40 << 2),
            (145, 9),
            (181, 1),
        ] {
            m.0[dword] = value;
        }
        m.0[25] = 0x2001; // compute_tmpring_size
        let b = m.bank();
        assert!(!b.active(), "loading does not activate");
        assert_eq!(
            (b.vmid(), b.pq_base(), b.pq_dwords(), b.aql()),
            (8, 0x100_0000_8000, Some(1024), true)
        );
        assert_eq!(b.get(Hqd::DoorbellControl), 0x100);
        assert_eq!(b.compute.get(super::super::regs::Reg::TmpringSize), 0x2001);
    }

    proptest! {
        /// What is saved comes back, and nothing of the driver's is touched.
        #[test]
        fn saving_and_loading_keeps_the_queue(seed in proptest::collection::vec(any::<u32>(), MQD_DWORDS),
                                              index: u64, size in 1u32..1000, base: u64) {
            let mut m = Mqd(seed.clone());
            let mut bank = m.bank();
            bank.set(Hqd::PqRptr, 77);
            bank.set_wptr(0x1_0000_0042);
            let ib = SavedIb { base, dwords: size, at: size - 1, vmid: 9 };
            m.save(&bank, index, Some(ib));
            prop_assert_eq!(m.read_index(), index);
            prop_assert_eq!(m.saved_ib(), Some(ib));
            prop_assert_eq!(m.bank().wptr(), 0x1_0000_0042);
            prop_assert_eq!(m.bank().get(Hqd::PqRptr), 77);
            prop_assert_eq!(&m.0[183 + 1..], &seed[183 + 1..]);
            m.save(&bank, index, None);
            prop_assert_eq!(m.saved_ib(), None);
        }
    }
}
