// SPDX-License-Identifier: GPL-2.0
//! Says what went wrong in the device: page faults, in the log and kept for debugfs, and errors of the command
//! processor and the SDMA engines, in the log. What follows for a process is decided elsewhere.

use super::{gmc::Gmc, ih::Listener, Bars};
use crate::glue::{machine, trace};
use amdgpu_logic::fault::{Owner, PageFault, Record};
use amdgpu_logic::iv::{Access, Cause, Fault, FaultStatus, Hub, Iv, SqMessage};
use amdgpu_logic::rate::{Admission, RateLimit};
use kernel::{dev_err, dev_warn, fmt, new_mutex, prelude::*, sync::Arc, sync::Mutex};

/// Reports in a row, and after how long there may be as many again.
const BURST: u32 = 20;
const PERIOD_MS: u64 = 5000;

/// Page faults that are kept for debugfs.
const KEPT: usize = 16;

/// Who knows the processes.
pub(crate) trait Processes: Send + Sync {
    /// A page fault of an address space of a process: takes it over, to [record](Faults::record) it soon. False if the
    /// process is not known. Called by the interrupt thread; must not wait for locks that are held while memory is
    /// allocated or mapped.
    fn page_fault(&self, fault: &PageFault) -> bool;
}

/// The listener that reports.
#[pin_data]
pub(crate) struct Faults {
    bars: Arc<Bars>,
    gmc: Gmc,
    #[pin]
    limit: Mutex<RateLimit>,
    #[pin]
    processes: Mutex<Option<Arc<dyn Processes>>>,
    #[pin]
    last: Mutex<Last>,
}

/// The page faults that came last.
struct Last {
    /// The newest is the last. There is room for [`KEPT`].
    records: KVec<Record>,
    /// How many there were.
    count: u64,
}

impl Faults {
    /// Reports faults of the device with these registers.
    pub(crate) fn new(bars: Arc<Bars>, gmc: Gmc) -> Result<Arc<Self>> {
        let last = Last {
            records: KVec::with_capacity(KEPT, GFP_KERNEL)?,
            count: 0,
        };
        Arc::pin_init(
            pin_init!(Self {
                bars,
                gmc,
                limit <- new_mutex!(RateLimit::new(PERIOD_MS, BURST), "fault reports"),
                processes <- new_mutex!(None, "fault processes"),
                last <- new_mutex!(last, "last faults"),
            }),
            GFP_KERNEL,
        )
    }

    /// From now on page faults of processes are told to `processes`, or nobody.
    pub(crate) fn set_processes(&self, processes: Option<Arc<dyn Processes>>) {
        let former = core::mem::replace(&mut *self.processes.lock(), processes);
        drop(former);
    }

    /// Reports a page fault with what is known of its process.
    pub(crate) fn record(&self, fault: &PageFault, owner: Option<Owner>) {
        let mut last = self.last.lock();
        last.count = last.count.saturating_add(1);
        let record = Record {
            number: last.count,
            fault: *fault,
            owner,
        };
        trace::fault(
            record.number,
            fault.pasid.into(),
            fault.vmid.into(),
            fault.fault.addr,
            fault.fault.access == Access::Write,
            fault.status.map_or(0, |status| status.0),
        );
        if last.records.len() >= KEPT {
            let _ = last.records.remove(0);
        }
        // there is room
        let _ = last.records.push_within_capacity(record);
        drop(last);
        if self.admitted() {
            for line in record.lines() {
                dev_err!(self.bars.dev, "{}\n", Shown(line));
            }
        }
    }

    /// Writes the last page faults, oldest first.
    pub(crate) fn show(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = self.last.lock();
        for line in last.records.iter().flat_map(Record::lines) {
            writeln!(out, "{line}")?;
        }
        Ok(())
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
        let fault = PageFault {
            vmid: iv.vmid,
            pasid: iv.pasid,
            fault: *fault,
            // whether reported or not: the hub records no other until this one has been taken
            status: self.gmc.take_fault(&self.bars, fault.hub),
        };
        let processes = self.processes.lock().clone();
        // kernel queues have no PASID
        let known = iv.pasid != 0 && processes.is_some_and(|known| known.page_fault(&fault));
        if !known {
            self.record(&fault, None);
        }
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

    /// What a hub recorded of a fault whose interrupt was lost.
    fn lost(&self, hub: Hub, status: FaultStatus) {
        dev_err!(
            self.bars.dev,
            "{}: a page fault's interrupt was lost: status {:#010x}, {} of VMID {}\n",
            hub.name(),
            status.0,
            status.unit_name(hub),
            status.vmid()
        );
    }
}

/// Something that only `core` can format.
struct Shown<T>(T);

impl<T: core::fmt::Display> fmt::Display for Shown<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        core::fmt::Display::fmt(&self.0, f)
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
                self.lost(hub, status);
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
