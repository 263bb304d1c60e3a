// SPDX-License-Identifier: GPL-2.0
//! What the device was like when it did not do as it was told: text for userspace, as a device core dump.
//!
//! It is written under the scheduler's lock, before anything is reset, into memory that is there already; a kernel thread
//! hands it out.

use crate::glue::coredump::{self, Text};
use crate::glue::work::{new_later, Later};
use crate::gpu::hw::{
    faults::Faults,
    firmware::FirmwareVersions,
    gfx::{Gfx, Slot, HIQ_SLOT, QUEUE_REGISTERS},
    sdma::Sdma,
    Bars,
};
use core::fmt::{self, Write};
use kernel::{
    dev_info, new_mutex,
    prelude::*,
    sync::{Arc, Mutex},
    time::Delta,
};

/// What a dump tells of besides the scheduler's own.
pub(crate) struct Witnesses {
    /// Registers of compute queues.
    pub(crate) gfx: Arc<Gfx>,
    /// Registers of SDMA queues.
    pub(crate) sdma: Arc<Sdma>,
    /// The last page faults.
    pub(crate) faults: Arc<Faults>,
    /// What runs in the engines.
    pub(crate) firmware: FirmwareVersions,
}

/// Bytes of the longest dump: what is beyond is cut off.
const BYTES: usize = 64 << 10;
/// The word of a compute queue's registers that says whether it is mapped (gc_9_4_2_offset.h: regCP_HQD_ACTIVE,
/// after regCP_MQD_BASE_ADDR and its upper half).
const ACTIVE: usize = 2;

/// Writes dumps.
pub(super) struct Dumper {
    desk: Arc<Desk>,
    publish: Pin<KBox<Later<Job>>>,
}

#[pin_data]
struct Desk {
    bars: Arc<Bars>,
    witnesses: Witnesses,
    #[pin]
    text: Mutex<Text>,
}

struct Job(Arc<Desk>);

impl Dumper {
    pub(super) fn new(bars: &Arc<Bars>, witnesses: Witnesses) -> Result<Self> {
        let (bars, text) = (bars.clone(), Text::with_capacity(BYTES, GFP_KERNEL)?);
        let desk = pin_init!(Desk { bars, witnesses, text <- new_mutex!(text, "core dump") });
        let desk = Arc::pin_init(desk, GFP_KERNEL)?;
        let publish = KBox::pin_init(new_later!(Job(desk.clone())), GFP_KERNEL)?;
        Ok(Self { desk, publish })
    }

    /// Access to registers.
    pub(super) fn bars(&self) -> &Arc<Bars> {
        &self.desk.bars
    }

    /// Writes a dump: why, what the scheduler says by `own`, and the registers. Nothing is written if the one before
    /// has not been handed out. Allocates nothing.
    pub(super) fn write(&self, why: &str, own: impl FnOnce(&mut dyn Write) -> fmt::Result) {
        let mut text = self.desk.text.lock();
        if !text.is_empty() {
            return;
        }
        // a dump that is full ends there
        let mut out = Bounded(&mut text);
        let _ = self.desk.begin(&mut out, why);
        let _ = own(&mut out);
        let _ = self.desk.registers(&mut out);
        drop(text);
        self.publish.schedule(Delta::ZERO);
    }
}

impl Drop for Dumper {
    fn drop(&mut self) {
        self.publish.end();
        self.desk.publish();
    }
}

impl Desk {
    fn begin(&self, out: &mut dyn Write, why: &str) -> fmt::Result {
        writeln!(out, "amdgpu core dump 1\nreason: {why}")?;
        let f = &self.witnesses.firmware;
        writeln!(
            out,
            "firmware: MEC {:#x} SDMA {:#x} RLC {:#x} SMC {:#x} SOS {:#x}",
            f.mec, f.sdma, f.rlc, f.smc, f.sos
        )
    }

    fn registers(&self, out: &mut dyn Write) -> fmt::Result {
        self.queue(out, HIQ_SLOT)?;
        let shape = self.witnesses.gfx.shape();
        for pipe in 0..shape.pipes {
            for queue in 0..shape.queues_per_pipe {
                self.queue(out, Slot { me: 1, pipe, queue })?;
            }
        }
        let sdma = &self.witnesses.sdma;
        let engines = sdma.engines();
        for engine in 0..usize::from(engines.pcie.saturating_add(engines.xgmi)) {
            for queue in 0..Sdma::USER_QUEUES {
                let (mut on, mut result) = (None, Ok(()));
                let read = sdma.queue_registers(engine, queue, |at, word| {
                    // the first is SDMA_RLC_RB_CNTL with RB_ENABLE (sdma0_4_2_2_offset.h)
                    if *on.get_or_insert(word & 1 != 0) && result.is_ok() {
                        result = writeln!(out, "sdma {engine}.{queue} {at:#x}: {word:08x}");
                    }
                });
                read.map_err(|_| fmt::Error)?;
                result?;
            }
        }
        Ok(())
    }

    fn queue(&self, out: &mut dyn Write, slot: Slot) -> fmt::Result {
        let words = self.witnesses.gfx.queue_registers(slot).map_err(|_| fmt::Error)?;
        if words.get(ACTIVE).is_none_or(|active| active & 1 == 0) {
            return Ok(());
        }
        let Slot { me, pipe, queue } = slot;
        for (at, line) in (QUEUE_REGISTERS..).step_by(32).zip(words.chunks(8)) {
            write!(out, "hqd {me}.{pipe}.{queue} {at:#x}:")?;
            line.iter().try_for_each(|word| write!(out, " {word:08x}"))?;
            writeln!(out)?;
        }
        Ok(())
    }

    /// Hands out the dump that was written last, if there is one.
    fn publish(&self) {
        // the next may be written at once; without memory for it there will be none
        let next = Text::with_capacity(BYTES, GFP_KERNEL).unwrap_or_default();
        let mut place = self.text.lock();
        if place.is_empty() {
            return;
        }
        let mut text = core::mem::replace(&mut *place, next);
        drop(place);
        let _ = write!(Bounded(&mut text), "{}", LastFaults(&self.witnesses.faults));
        coredump::publish(&self.bars.dev, text);
        if cfg!(CONFIG_DEV_COREDUMP = "y") {
            dev_info!(
                self.bars.dev,
                "core dump: in /sys/class/devcoredump, unless an earlier one has not been read\n"
            );
        }
    }
}

impl crate::glue::work::Job for Job {
    fn run(&self) -> Option<Delta> {
        self.0.publish();
        None
    }
}

struct LastFaults<'a>(&'a Faults);

impl fmt::Display for LastFaults<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.show(f)
    }
}

/// Text that does not grow beyond its memory.
struct Bounded<'a>(&'a mut Text);

impl Write for Bounded<'_> {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        let room = self.0.capacity().saturating_sub(self.0.len());
        let bytes = s.as_bytes().get(..s.len().min(room)).unwrap_or_default();
        // there is room: nothing is allocated
        self.0
            .extend_from_slice(bytes, GFP_NOWAIT)
            .map_err(|_| fmt::Error)?;
        if bytes.len() == s.len() {
            Ok(())
        } else {
            Err(fmt::Error)
        }
    }
}
