// SPDX-License-Identifier: GPL-2.0
//! KIQ, kernel interface queue: by it the driver asks the MEC firmware for what registers cannot do well.

use super::grbm::Grbm;
use super::mec::{self, KIQ_SLOT};
use super::regs::SCRATCH_REG0;
use super::rlc::Rlc;
use crate::glue::wait::Wakeable;
use crate::gpu::hw::ring::{Answer, Answers, Ring, Submission, Unit};
use crate::gpu::hw::{memory_wait, Bars, RegisterIo};
use crate::gpu::mem::KernelBo;
use amdgpu_logic::mqd::{KernelQueue, RingSize};
use amdgpu_logic::pm4::{self, InvalidateTlbs, RegOffset, SetUconfigRegister, WriteMemory};
use amdgpu_logic::slots::doorbell;
use kernel::{
    io::register::Register,
    new_mutex,
    prelude::*,
    sync::{Arc, Mutex},
    time::Delta,
};

/// The queue.
#[pin_data(PinnedDrop)]
pub(crate) struct Kiq {
    bars: Arc<Bars>,
    grbm: Arc<Grbm>,
    answers: Answers,
    #[pin]
    queue: Mutex<Queue>,
}

struct Queue {
    ring: Ring,
    /// Last fence handed out.
    sequence: u32,
    /// Descriptor and end-of-pipe buffer.
    _extra: KernelBo,
}

/// Bytes of the memory that holds descriptor and end-of-pipe buffer.
const EXTRA_BYTES: u64 = 8192;
/// Offset of the end-of-pipe buffer in it.
const EOP: u64 = 4096;

/// How long the firmware may take for one submission.
const DEADLINE: Delta = Delta::from_secs(1);
/// Dwords of the fence at the end of a submission.
const FENCE_DWORDS: u32 = 5;

impl Kiq {
    fn ring_size() -> Result<RingSize> {
        RingSize::new(4096).ok_or(EINVAL)
    }

    /// Bytes of system memory that [`Kiq::new`] needs.
    pub(crate) fn memory_bytes() -> Result<u64> {
        Ok(Ring::memory_bytes(Self::ring_size()?))
    }

    /// Bytes of system memory that [`Kiq::new`] needs besides, on a page of its own.
    pub(crate) const fn extra_bytes() -> u64 {
        EXTRA_BYTES
    }

    /// Puts the queue on the halted MEC, starts the MEC, and tests the queue.
    pub(super) fn new(
        bars: Arc<Bars>,
        grbm: Arc<Grbm>,
        rlc: &Rlc,
        memory: KernelBo,
        extra: KernelBo,
    ) -> Result<Arc<Self>> {
        let size = Self::ring_size()?;
        let ring = Ring::new("KIQ", memory, size, doorbell::KIQ, Unit::Dwords, pm4::NOP)?;
        rlc.set_kiq(&bars, KIQ_SLOT);
        let description = KernelQueue {
            mqd: extra.gpu_addr(),
            ring: ring.base(),
            ring_size: ring.size(),
            read_pointer: ring.read_pointer_addr(),
            write_pointer: ring.write_pointer_addr(),
            doorbell: ring.doorbell().dword(),
            eop: extra.gpu_addr().wrapping_add(EOP),
        };
        super::descriptor::write(&extra, 0, description.create(true))?;
        mec::load(&bars, &grbm, KIQ_SLOT, description.create(true))?;
        mec::start(&bars);
        let kiq = Arc::pin_init(
            pin_init!(Self {
                bars,
                grbm,
                answers: ring.answers(),
                queue <- new_mutex!(Queue { ring, sequence: 0, _extra: extra }, "kiq"),
            }),
            GFP_KERNEL,
        )?;
        kiq.test()?;
        Ok(kiq)
    }

    /// Runs packets of up to `dwords` dwords and waits until they have taken effect.
    ///
    /// `ETIMEDOUT` if the firmware does not answer within [`DEADLINE`]; `ERESTARTSYS` if a signal of the admitted
    /// kind came, in which case the packets still run.
    pub(super) fn run(
        &self,
        what: &'static str,
        wakeable: Wakeable,
        dwords: u32,
        build: impl FnOnce(&mut Submission<'_>) -> Result,
    ) -> Result {
        let sequence = {
            let mut queue = self.queue.lock();
            let sequence = queue.sequence.wrapping_add(1);
            let fence = WriteMemory {
                addr: self.answers.addr(Answer::Fence),
                value: sequence,
            };
            queue
                .ring
                .submit(&self.bars, dwords.saturating_add(FENCE_DWORDS), |s| {
                    build(s)?;
                    s.pm4(&fence)
                })?;
            queue.sequence = sequence;
            sequence
        };
        memory_wait(&self.bars.dev, what, DEADLINE, wakeable, || {
            Ok(is_reached(self.answers.get(Answer::Fence)? as u32, sequence))
        })
    }

    /// Drops all translations of a process address space, in both hubs.
    pub(crate) fn invalidate_tlbs(&self, packet: &InvalidateTlbs, wakeable: Wakeable) -> Result {
        self.run("KIQ: TLB of a process invalidated", wakeable, 2, |s| {
            s.pm4(packet)
        })
    }

    /// Lets the firmware write a register, and looks if it does.
    fn test(&self) -> Result {
        let scratch = RegOffset::from_byte(SCRATCH_REG0::OFFSET as u32);
        self.bars.registers.write_reg(SCRATCH_REG0::from(0xcafe_dead));
        let packet = SetUconfigRegister::new(scratch, 0xdead_beef).ok_or(EINVAL)?;
        self.run("KIQ: ring test", Wakeable::Never, 3, |s| s.pm4(&packet))?;
        self.bars
            .poll(
                "KIQ: register written by the ring test",
                Delta::from_millis(100),
                |r| r.read(SCRATCH_REG0),
                |v| u32::from(v) == 0xdead_beef,
            )
            .map(|_| ())
    }
}

/// Whether a fence that counts upwards, and around, has reached `sequence`.
fn is_reached(fence: u32, sequence: u32) -> bool {
    (fence.wrapping_sub(sequence) as i32) >= 0
}

#[pinned_drop]
impl PinnedDrop for Kiq {
    fn drop(self: Pin<&mut Self>) {
        // a queue that does not stop is halted with its processor
        if mec::stop(&self.bars, &self.grbm, KIQ_SLOT).is_err() {
            dev_warn!(
                self.bars.dev,
                "KIQ: still on the hardware while the MEC is halted\n"
            );
        }
        mec::halt(&self.bars);
    }
}
