// SPDX-License-Identifier: GPL-2.0
//! HIQ, HSA interface queue: by it the driver commands the hardware scheduler.

use super::kiq::Kiq;
use super::mec::{self, HIQ_SLOT};
use crate::glue::wait::Wakeable;
use crate::gpu::hw::ring::{Answer, Answers, Ring, Unit};
use crate::gpu::hw::{memory_wait, Bars};
use crate::gpu::mem::KernelBo;
use amdgpu_logic::mqd::{KernelQueue, RingSize, UNPREEMPTED_DOORBELL};
use amdgpu_logic::pm4::{
    self, Engine, MapQueueToSlot, Preemption, QueryStatus, RunList, SetResources, UnmapQueues,
    UnmapSelection, WriteRegister,
};
use amdgpu_logic::slots::doorbell;
use kernel::{prelude::*, sync::Arc, time::Delta};

/// The queue. Its owner is the scheduler, whose lock keeps submissions apart.
pub(crate) struct Hiq {
    bars: Arc<Bars>,
    kiq: Arc<Kiq>,
    ring: Ring,
    answers: Answers,
    /// Descriptor and end-of-pipe buffer.
    extra: KernelBo,
    /// Last fence handed out.
    sequence: u64,
}

/// A fence behind everything submitted so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HiqFence(u64);

/// Bytes of the memory that holds descriptor and end-of-pipe buffer.
const EXTRA_BYTES: u64 = 8192;
/// Offset of the end-of-pipe buffer in it.
const EOP: u64 = 4096;

impl Hiq {
    fn ring_size() -> Result<RingSize> {
        RingSize::new(4096).ok_or(EINVAL)
    }

    /// Bytes of system memory that [`Hiq::new`] needs.
    pub(crate) fn memory_bytes() -> Result<u64> {
        Ok(Ring::memory_bytes(Self::ring_size()?))
    }

    /// Bytes of system memory that [`Hiq::new`] needs besides, on a page of its own.
    pub(crate) const fn extra_bytes() -> u64 {
        EXTRA_BYTES
    }

    /// Maps the queue by the KIQ.
    pub(crate) fn new(bars: Arc<Bars>, kiq: Arc<Kiq>, memory: KernelBo, extra: KernelBo) -> Result<Self> {
        let size = Self::ring_size()?;
        let ring = Ring::new("HIQ", memory, size, doorbell::HIQ, Unit::Dwords, pm4::NOP)?;
        let description = KernelQueue {
            mqd: extra.gpu_addr(),
            ring: ring.base(),
            ring_size: ring.size(),
            read_pointer: ring.read_pointer_addr(),
            write_pointer: ring.write_pointer_addr(),
            doorbell: ring.doorbell().dword(),
            eop: extra.gpu_addr().wrapping_add(EOP),
        };
        super::descriptor::write(&extra, 0, description.create(false))?;
        let packet = MapQueueToSlot {
            me: HIQ_SLOT.me,
            pipe: HIQ_SLOT.pipe,
            queue: HIQ_SLOT.queue,
            doorbell: ring.doorbell().dword(),
            mqd: extra.gpu_addr(),
            write_pointer: ring.write_pointer_addr(),
        };
        kiq.run("KIQ: HIQ mapped", Wakeable::Never, 7, |s| s.pm4(&packet))?;
        let answers = ring.answers();
        Ok(Self {
            bars,
            kiq,
            ring,
            answers,
            extra,
            sequence: 0,
        })
    }

    /// Tells the scheduler what it may hand out.
    pub(crate) fn set_resources(&mut self, packet: &SetResources) -> Result {
        self.ring.submit(&self.bars, 8, |s| s.pm4(packet))
    }

    /// Writes a register.
    pub(crate) fn write_register(&mut self, packet: &WriteRegister) -> Result {
        self.ring.submit(&self.bars, 5, |s| s.pm4(packet))
    }

    /// Hands a run list to the scheduler. It must have none, and the list must stay as it is until it has been
    /// taken away again.
    pub(crate) fn run(&mut self, list: &RunList) -> Result {
        self.ring.submit(&self.bars, 4, |s| s.pm4(list))
    }

    /// Takes queues off the hardware. They are off once the returned fence is reached and
    /// [`Hiq::unpreempted`] is none.
    pub(crate) fn unmap(&mut self, selection: UnmapSelection, preemption: Preemption) -> Result<HiqFence> {
        let sequence = self.sequence.wrapping_add(1);
        self.extra.write32(UNPREEMPTED_DOORBELL.byte() as u64, 0)?;
        let unmap = UnmapQueues {
            preemption,
            selection,
        };
        let fence = QueryStatus {
            addr: self.answers.addr(Answer::Fence),
            value: sequence,
        };
        self.ring.submit(&self.bars, 13, |s| {
            s.pm4(&unmap)?;
            s.pm4(&fence)
        })?;
        self.sequence = sequence;
        Ok(HiqFence(sequence))
    }

    /// Waits for a fence. See [`memory_wait`] for the errors.
    pub(crate) fn wait(
        &self,
        fence: HiqFence,
        what: &'static str,
        deadline: Delta,
        wakeable: Wakeable,
    ) -> Result {
        memory_wait(&self.bars.dev, what, deadline, wakeable, || {
            Ok(self.answers.get(Answer::Fence)? >= fence.0)
        })
    }

    /// After an unmap: the doorbell (a dword index into the doorbell BAR, or part of one) of a queue that did not
    /// leave the hardware in time.
    pub(crate) fn unpreempted(&self) -> Result<Option<u32>> {
        let doorbell = self.extra.read32(UNPREEMPTED_DOORBELL.byte() as u64)?;
        Ok((doorbell != 0).then_some(doorbell))
    }

    /// Stops the MEC with everything on it, for good.
    pub(crate) fn halt(&self) {
        mec::halt(&self.bars);
    }
}

impl Drop for Hiq {
    fn drop(&mut self) {
        let packet = UnmapQueues {
            preemption: Preemption::Reset,
            selection: UnmapSelection::Doorbell(Engine::Compute, doorbell::HIQ.dword()),
        };
        if self
            .kiq
            .run("KIQ: HIQ unmapped", Wakeable::Never, 6, |s| s.pm4(&packet))
            .is_err()
        {
            dev_warn!(self.bars.dev, "HIQ: still mapped when the MEC is halted\n");
        }
    }
}
