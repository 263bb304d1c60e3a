// SPDX-License-Identifier: GPL-2.0
//! One SDMA engine with the kernel's ring on it.

use super::hal::SdmaHal;
use super::registers::RingSetUp;
use crate::glue::wait::{new_wait_queue, WaitError, WaitQueue, Wakeable};
use crate::gpu::hw::ring::{Answer, Answers, Ring, Submission, Unit};
use crate::gpu::hw::{memory_wait, Bars};
use crate::gpu::mem::KernelBo;
use amdgpu_logic::mqd::RingSize;
use amdgpu_logic::sdma_packet::{self, Fence, Trap, Write};
use amdgpu_logic::slots::doorbell;
use kernel::{
    dev_err, dev_warn, new_mutex,
    prelude::*,
    sync::{Arc, Mutex},
    time::{Delta, Instant, Monotonic},
};

/// An engine.
#[pin_data(PinnedDrop)]
pub(super) struct Engine {
    bars: Arc<Bars>,
    hal: &'static dyn SdmaHal,
    number: u8,
    answers: Answers,
    #[pin]
    queue: Mutex<Queue>,
    /// Woken by the engine's interrupts.
    #[pin]
    progress: WaitQueue,
}

struct Queue {
    ring: Ring,
    /// Last fence handed out.
    sequence: u32,
    /// It was stopped because it did not do its work in time.
    failed: bool,
}

/// How long the engine may take for one submission.
const DEADLINE: Delta = Delta::from_secs(10);
/// Time after which the fence is looked at even without an interrupt.
const LOST_INTERRUPT: Delta = Delta::from_millis(100);
/// Dwords of fence and trap at the end of a submission.
const FENCE_DWORDS: u32 = 6;
/// Value of the ring test.
const TEST: u32 = 0xdead_beef;

impl Engine {
    /// Dwords that one submission can have.
    pub(super) const ROOM: u32 = 512;

    /// Size of the ring.
    pub(super) fn ring_size() -> Result<RingSize> {
        RingSize::new(4096).ok_or(EINVAL)
    }

    /// Starts the engine and tests it. `memory` is zeroed system memory for a ring of [`Engine::ring_size`].
    pub(super) fn new(
        bars: Arc<Bars>,
        hal: &'static dyn SdmaHal,
        number: u8,
        memory: KernelBo,
    ) -> Result<Arc<Self>> {
        let (size, doorbell) = (Self::ring_size()?, doorbell::sdma(number));
        let ring = Ring::new("SDMA", memory, size, doorbell, Unit::Bytes, sdma_packet::NOP)?;
        let set_up = RingSetUp {
            base: ring.base(),
            size,
            read_pointer: ring.read_pointer_addr(),
            write_pointer: ring.write_pointer_addr(),
            doorbell,
        };
        let engine = Arc::pin_init(
            pin_init!(Self {
                bars,
                hal,
                number,
                answers: ring.answers(),
                queue <- new_mutex!(Queue { ring, sequence: 0, failed: false }, "sdma"),
                progress <- new_wait_queue!(),
            }),
            GFP_KERNEL,
        )?;
        hal.start(&engine.bars.registers, number, &set_up)?;
        engine.test()?;
        Ok(engine)
    }

    /// Runs packets of up to `dwords` (at most [`Engine::ROOM`]) dwords and waits until they are done.
    ///
    /// `ETIMEDOUT` if the engine does not finish within [`DEADLINE`]: then it is stopped, so that it uses no memory
    /// any more, and later calls fail with `EIO`. `ERESTARTSYS` if a signal of the admitted kind came, in which case
    /// the packets still run.
    pub(super) fn run(
        &self,
        wakeable: Wakeable,
        dwords: u32,
        build: impl FnOnce(&mut Submission<'_>) -> Result,
    ) -> Result {
        let result = self
            .submit(dwords, build)
            .and_then(|sequence| self.wait(sequence, wakeable));
        if result == Err(ETIMEDOUT) {
            self.give_up();
        }
        result
    }

    /// Hands packets to the engine, and yields the fence after them.
    fn submit(&self, dwords: u32, build: impl FnOnce(&mut Submission<'_>) -> Result) -> Result<u32> {
        let mut queue = self.queue.lock();
        if queue.failed {
            return Err(EIO);
        }
        let sequence = queue.sequence.wrapping_add(1);
        let fence = Fence {
            addr: self.answers.addr(Answer::Fence),
            value: sequence,
        };
        queue
            .ring
            .submit(&self.bars, dwords.saturating_add(FENCE_DWORDS), |s| {
                build(s)?;
                s.sdma(&fence)?;
                s.sdma(&Trap { context: 0 })
            })?;
        queue.sequence = sequence;
        Ok(sequence)
    }

    /// Stops an engine that is late, for good.
    fn give_up(&self) {
        let mut queue = self.queue.lock();
        if !core::mem::replace(&mut queue.failed, true) {
            dev_err!(
                self.bars.dev,
                "SDMA{}: stopped, the CPU does its work\n",
                self.number
            );
            self.hal.stop(&self.bars.registers, self.number);
        }
    }

    /// An interrupt of the engine came.
    pub(super) fn interrupt(&self) {
        self.progress.wake_all();
    }

    fn wait(&self, sequence: u32, wakeable: Wakeable) -> Result {
        let start = Instant::<Monotonic>::now();
        loop {
            let elapsed = start.elapsed();
            match self
                .progress
                .wait(wakeable, LOST_INTERRUPT, || self.is_done(sequence))
            {
                Ok(()) => return Ok(()),
                Err(WaitError::Signal) => return Err(ERESTARTSYS),
                Err(WaitError::TimedOut) if elapsed < DEADLINE => {}
                Err(WaitError::TimedOut) => {
                    dev_err!(
                        self.bars.dev,
                        "SDMA{}: fence {} not reached within {} ms\n",
                        self.number,
                        sequence,
                        DEADLINE.as_millis()
                    );
                    return Err(ETIMEDOUT);
                }
            }
        }
    }

    /// Whether the fence, which counts upwards and around, has reached `sequence`.
    fn is_done(&self, sequence: u32) -> bool {
        self.answers
            .get(Answer::Fence)
            .is_ok_and(|fence| (fence as u32).wrapping_sub(sequence) as i32 >= 0)
    }

    /// Lets the engine write to memory, and looks if it does. Interrupts need not work yet.
    fn test(&self) -> Result {
        self.answers.set(Answer::Scratch, 0xcafe_dead)?;
        let packet = Write {
            addr: self.answers.addr(Answer::Scratch),
            value: TEST,
        };
        self.queue
            .lock()
            .ring
            .submit(&self.bars, 5, |s| s.sdma(&packet))?;
        let what = match self.number {
            0 => "SDMA0: ring test",
            1 => "SDMA1: ring test",
            2 => "SDMA2: ring test",
            3 => "SDMA3: ring test",
            4 => "SDMA4: ring test",
            _ => "SDMA: ring test",
        };
        memory_wait(
            &self.bars.dev,
            what,
            Delta::from_millis(500),
            Wakeable::Never,
            || Ok(self.answers.get(Answer::Scratch)? as u32 == TEST),
        )
    }
}

#[pinned_drop]
impl PinnedDrop for Engine {
    fn drop(self: Pin<&mut Self>) {
        let last = self.queue.lock().sequence;
        if !self.is_done(last) {
            dev_warn!(
                self.bars.dev,
                "SDMA{}: stopped with work in its ring\n",
                self.number
            );
        }
        self.hal.stop(&self.bars.registers, self.number);
    }
}
