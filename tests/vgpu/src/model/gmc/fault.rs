// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Telling the driver of a fault: the hub's latched status, and an interrupt vector.

use super::{regs, Access, Client, Fault, FaultKind, Gmc, HubId};
use crate::model::ih::{client, Iv};
use crate::regs::place;

impl Gmc {
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
        hub.latch(c.vmid, client_id(c.hub, c.name), f);
        let cntl = hub.context(usize::from(c.vmid)).unwrap_or(0);
        if cntl & interrupt_enable(f) == 0 {
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
}

/// The field of VM_CONTEXTn_CNTL that enables the interrupt for a fault.
fn interrupt_enable(f: &Fault) -> u32 {
    match f.kind {
        FaultKind::ContextDisabled | FaultKind::OutOfRange => regs::RANGE_INTERRUPT,
        FaultKind::NotValid { level: 1.. } | FaultKind::BadEntry { .. } | FaultKind::Walker(_) => {
            regs::PDE0_INTERRUPT
        }
        FaultKind::NotValid { level: 0 } | FaultKind::Memory(_) => regs::VALID_INTERRUPT,
        FaultKind::Permission => match f.access {
            Access::Read => regs::READ_INTERRUPT,
            Access::Write | Access::Atomic => regs::WRITE_INTERRUPT,
            Access::Execute => regs::EXECUTE_INTERRUPT,
        },
    }
}

/// VM_L2_PROTECTION_FAULT_STATUS of a fault (gc_9_4_2_sh_mask.h). PERMISSION_FAULTS is V, R, W, X from bit 0: each bit
/// that the access needs and the entry lacks. The encoding of WALKER_ERROR is not public: 1 stands for "outside the
/// context", 2 and up for the directory level.
pub(super) fn status(vmid: u8, cid: u32, f: &Fault) -> u32 {
    let needs = match f.access {
        Access::Read => 0b0010,
        Access::Write => 0b0100,
        Access::Execute => 0b1000,
        Access::Atomic => 0b0110,
    };
    let (walker, permission, mapping) = match f.kind {
        FaultKind::ContextDisabled | FaultKind::OutOfRange => (1, 0, 0),
        FaultKind::NotValid { level: 0 } => (0, needs | 1, 0),
        FaultKind::NotValid { level } => (1 + u32::from(level), needs | 1, 0),
        FaultKind::Permission => (0, needs, 0),
        FaultKind::BadEntry { .. } | FaultKind::Walker(_) => (7, 0, 1),
        FaultKind::Memory(_) => (0, 0, 1),
    };
    let write = u32::from(matches!(f.access, Access::Write | Access::Atomic));
    let atomic = u32::from(f.access == Access::Atomic);
    place(walker, regs::WALKER_ERROR)
        | place(permission, regs::PERMISSION_FAULTS)
        | place(mapping, regs::MAPPING_ERROR)
        | place(cid, regs::CID)
        | place(write, regs::RW)
        | place(atomic, regs::ATOMIC)
        | place(u32::from(vmid), regs::VMID)
}

/// The fault status' client id (kernel gmc_v9_0.c: gfxhub_client_ids, mmhub_client_ids_aldebaran).
fn client_id(hub: HubId, name: &str) -> u32 {
    match (hub, name) {
        (HubId::Gfx, "CPF") => 4,
        (HubId::Gfx, "CPC" | "CP") => 5,
        (HubId::Gfx, "RLC") => 7,
        (HubId::Gfx, "TCP") => 8,
        (HubId::Gfx, "SQC (inst)") => 9,
        (HubId::Gfx, "SQC (data)") => 10,
        (HubId::Gfx, _) => 0x1ff,
        (HubId::Mm, "MP1") => 2,
        (HubId::Mm, "MP0") => 3,
        (HubId::Mm, "HDP") => 160 + 14,
        (HubId::Mm, "SDMA0") => 256,
        (HubId::Mm, "SDMA1") => 257,
        (HubId::Mm, "SDMA2") => 258,
        (HubId::Mm, "SDMA3") => 259,
        (HubId::Mm, "SDMA4") => 260,
        (HubId::Mm, "OSS") => 384,
        (HubId::Mm, _) => 0x1ff,
    }
}
