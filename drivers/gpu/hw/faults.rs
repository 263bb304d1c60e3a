// SPDX-License-Identifier: GPL-2.0
//! Says in the log what went wrong in the device: page faults with what the hub recorded of them, and errors of the
//! command processor and the SDMA engines. What follows for a process is decided elsewhere.

use super::{gmc::Gmc, ih::Listener, Bars};
use crate::glue::machine;
use amdgpu_logic::iv::{Access, Cause, Fault, FaultStatus, Hub, Iv, SqMessage};
use amdgpu_logic::rate::{Admission, RateLimit};
use kernel::{dev_err, dev_warn, fmt, new_mutex, prelude::*, sync::Arc, sync::Mutex};

/// Reports in a row, and after how long there may be as many again.
const BURST: u32 = 20;
const PERIOD_MS: u64 = 5000;

/// The listener that reports.
#[pin_data]
pub(crate) struct Faults {
    bars: Arc<Bars>,
    gmc: Gmc,
    #[pin]
    limit: Mutex<RateLimit>,
}

impl Faults {
    /// Reports faults of the device with these registers.
    pub(crate) fn new(bars: Arc<Bars>, gmc: Gmc) -> Result<Arc<Self>> {
        Arc::pin_init(
            pin_init!(Self {
                bars,
                gmc,
                limit <- new_mutex!(RateLimit::new(PERIOD_MS, BURST), "fault reports"),
            }),
            GFP_KERNEL,
        )
    }

    /// Whether there may be another report now. Says how many there were not.
    fn admitted(&self) -> bool {
        let now = machine::raw_ns() / 1_000_000;
        match self.limit.lock().admit(now) {
            Admission::Skip => false,
            Admission::Go { missed } => {
                if missed > 0 {
                    dev_warn!(self.bars.dev, "{} faults were not reported\n", missed);
                }
                true
            }
        }
    }

    fn page_fault(&self, iv: &Iv, fault: &Fault) {
        // whether reported or not: the hub records no other until this one has been taken
        let status = self.gmc.take_fault(&self.bars, fault.hub);
        if !self.admitted() {
            return;
        }
        dev_err!(
            self.bars.dev,
            "{}: page fault of VMID {}, PASID {:#x}: {} at {:#x}: {}{}\n",
            fault.hub.name(),
            iv.vmid,
            iv.pasid,
            verb(fault.access),
            fault.addr,
            if fault.not_present {
                "no page"
            } else {
                "not permitted"
            },
            if fault.retry { ", is repeated" } else { "" }
        );
        if let Some(status) = status {
            self.status(fault.hub, status);
        }
    }

    /// The hub's own record, which may be of an earlier fault than the interrupt.
    fn status(&self, hub: Hub, status: FaultStatus) {
        dev_err!(
            self.bars.dev,
            "{}: status {:#010x}: {} of {} (unit {:#x}), VMID {}, walker error {}, missing rights {:#x}{}{}\n",
            hub.name(),
            status.0,
            if status.atomic() { "atomic" } else { verb(status.access()) },
            status.unit_name(hub),
            status.unit(),
            status.vmid(),
            status.walker_error(),
            status.permissions(),
            if status.mapping_error() { ", in no aperture" } else { "" },
            if status.more() { ", more followed" } else { "" }
        );
    }

    fn error(&self, iv: &Iv, what: fmt::Arguments<'_>) {
        if self.admitted() {
            dev_err!(
                self.bars.dev,
                "{}: {} (VMID {}, PASID {:#x}, ring {:#x})\n",
                iv.client.name(),
                what,
                iv.vmid,
                iv.pasid,
                iv.ring_id
            );
        }
    }
}

const fn verb(access: Access) -> &'static str {
    match access {
        Access::Read => "read",
        Access::Write => "write",
    }
}

impl Listener for Faults {
    fn interrupt(&self, iv: &Iv, cause: &Cause) {
        match *cause {
            Cause::PageFault(ref fault) => self.page_fault(iv, fault),
            Cause::CpBadOpcode { doorbell, code } => self.error(
                iv,
                fmt!(
                    "packet refused, queue with doorbell {:#x}, code {:#x}",
                    doorbell,
                    code
                ),
            ),
            Cause::CpPrivilegedRegister => self.error(iv, fmt!("register that the queue may not access")),
            Cause::CpPrivilegedInstruction => self.error(iv, fmt!("instruction that the queue may not use")),
            Cause::CpUnattachedDoorbell => self.error(iv, fmt!("doorbell of no mapped queue")),
            Cause::SdmaError { what, .. } => self.error(iv, fmt!("{}", what)),
            Cause::Sq(SqMessage::Error { kind }) => self.error(iv, fmt!("wave error {}", wave_error(kind))),
            Cause::CpEndOfPipe { .. }
            | Cause::KiqFence
            | Cause::SdmaTrap { .. }
            | Cause::Sq(SqMessage::Auto | SqMessage::Wave { .. } | SqMessage::Trap { .. })
            | Cause::OtherRing { .. }
            | Cause::Unknown => {}
        }
    }

    fn overflow(&self) {
        for hub in [Hub::Gfx, Hub::Mm] {
            if let Some(status) = self.gmc.take_fault(&self.bars, hub) {
                self.status(hub, status);
            }
        }
    }
}

const fn wave_error(kind: u32) -> &'static str {
    match kind {
        0 => "fatal memory error",
        1 => "illegal instruction",
        2 => "memory violation",
        3 => "uncorrectable memory error",
        _ => "of unknown kind",
    }
}
