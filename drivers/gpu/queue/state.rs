// SPDX-License-Identifier: GPL-2.0
//! What the scheduler knows, and what is on the hardware.

use super::dump::Dumper;
use super::entry::{Held, Place, Process, Queue};
use super::scheduler::{ProcessKey, QueueKey};
use crate::glue::{trace, wait::Wakeable};
use crate::gpu::hw::gfx::{Hiq, HiqFence};
use crate::gpu::hw::Bars;
use crate::gpu::mem::KernelBo;
use amdgpu_logic::mqd::ShaderEngines;
use amdgpu_logic::pm4::{Preemption, UnmapSelection};
use amdgpu_logic::runlist::{BuildError, Builder, Capacity, Demand};
use amdgpu_logic::slots::SdmaSlots;
use kernel::{dev_err, prelude::*, rbtree::RBTree, sync::Arc, time::Delta};

/// Everything behind the scheduler's lock.
pub(super) struct State {
    pub(super) bars: Arc<Bars>,
    pub(super) hiq: Hiq,
    /// The run list. The device reads it while queues are on the hardware.
    list: KernelBo,
    /// Dwords of it that were written last.
    list_dwords: u32,
    hardware: Hardware,
    capacity: Capacity,
    pub(super) shader_engines: ShaderEngines,
    preemption_deadline: Delta,
    pub(super) sdma: SdmaSlots,
    pub(super) processes: RBTree<ProcessKey, Process>,
    /// Sorted by process.
    pub(super) queues: RBTree<QueueKey, Queue>,
    last_key: u64,
    /// What processes left behind that the device may use still. Dropped when it is stopped.
    pub(super) kept: KVec<KBox<dyn Held>>,
    dumper: Dumper,
}

/// What the hardware has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hardware {
    /// No queue of a user.
    Empty,
    /// The run list.
    Running,
    /// The run list, until this fence is reached. Whoever waited for it was killed.
    Leaving(HiqFence),
    /// Nobody knows: it did not do as it was told.
    Broken,
}

/// Queues of all users together (kernel parameter max_num_of_queues_per_device of the C driver).
pub(super) const MAX_QUEUES: u32 = 4096;
/// Processes with queues.
pub(super) const MAX_PROCESSES: u32 = 512;
/// Dwords of the longest run list.
const LIST_DWORDS: u32 = MAX_QUEUES * 7 + MAX_PROCESSES * 21 + 4;
/// Dwords of the run list in a core dump.
const DUMPED_DWORDS: u32 = 1024;
/// Bytes of memory for it.
pub(super) const LIST_BYTES: u64 = LIST_DWORDS as u64 * 4;

impl State {
    pub(super) fn new(
        hiq: Hiq,
        list: KernelBo,
        capacity: Capacity,
        shader_engines: ShaderEngines,
        sdma: SdmaSlots,
        preemption_deadline: Delta,
        dumper: Dumper,
    ) -> Self {
        Self {
            bars: dumper.bars().clone(),
            hiq,
            list,
            list_dwords: 0,
            hardware: Hardware::Empty,
            capacity,
            shader_engines,
            preemption_deadline,
            sdma,
            processes: RBTree::new(),
            queues: RBTree::new(),
            last_key: 0,
            kept: KVec::new(),
            dumper,
        }
    }

    /// A number that was never used before.
    pub(super) fn new_key(&mut self) -> u64 {
        self.last_key = self.last_key.wrapping_add(1);
        self.last_key
    }

    /// Whether nothing can be done any more.
    pub(super) fn is_broken(&self) -> bool {
        self.hardware == Hardware::Broken
    }

    /// Whether a queue is in the run list that is on the hardware, or should be.
    pub(super) fn runs(&self, key: QueueKey) -> bool {
        let stopped = self.processes.get(&key.process).is_none_or(|p| p.stopped > 0);
        !stopped && self.queues.get(&key).is_some_and(Queue::wants_to_run)
    }

    /// Puts what is to run onto the hardware, after taking off what is there.
    pub(super) fn refresh(&mut self, wakeable: Wakeable) -> Result {
        self.take_off(wakeable)?;
        self.put_on()
    }

    /// Whether queues are on their way off the hardware, for whoever waited for it was killed.
    pub(super) fn is_leaving(&self) -> bool {
        matches!(self.hardware, Hardware::Leaving(_))
    }

    /// Takes all queues off the hardware. When this returns `Ok`, the device uses none of their memory.
    ///
    /// `ERESTARTSYS` if a signal of the admitted kind came; `EIO` if the device does not do it, now or earlier.
    pub(super) fn take_off(&mut self, wakeable: Wakeable) -> Result {
        let fence = match self.hardware {
            Hardware::Empty => return Ok(()),
            Hardware::Broken => return Err(EIO),
            Hardware::Leaving(fence) => fence,
            Hardware::Running => self.leave(UnmapSelection::AllDynamic, Preemption::Preempt)?,
        };
        self.wait(fence, wakeable)?;
        if let Some(doorbell) = self.hiq.unpreempted()? {
            self.force_off(doorbell, wakeable)?;
        }
        self.hardware = Hardware::Empty;
        Ok(())
    }

    /// A queue did not leave the hardware in time: its process's queues are reset.
    fn force_off(&mut self, doorbell: u32, wakeable: Wakeable) -> Result {
        let culprit = self
            .queues
            .iter()
            .find(|(_, queue)| queue.doorbell.dword() == doorbell);
        let pasid = culprit
            .and_then(|(key, _)| self.processes.get(&key.process))
            .map(Process::pasid);
        dev_err!(
            self.bars.dev,
            "scheduler: a queue (doorbell {:#x}, PASID {:#x}) did not leave the hardware within {} ms, it is reset\n",
            doorbell,
            pasid.unwrap_or(0),
            self.preemption_deadline.as_millis()
        );
        self.dump("a queue did not leave the hardware in time", Some(doorbell));
        trace::reset(pasid.unwrap_or(0).into(), doorbell);
        let selection = pasid.map_or(UnmapSelection::All, UnmapSelection::Pasid);
        let fence = self.leave(selection, Preemption::Reset)?;
        self.wait(fence, wakeable)?;
        match self.hiq.unpreempted()? {
            None => Ok(()),
            Some(_) => Err(self.give_up("a queue does not leave the hardware even when it is reset")),
        }
    }

    fn leave(&mut self, selection: UnmapSelection, preemption: Preemption) -> Result<HiqFence> {
        match self.hiq.unmap(selection, preemption) {
            Ok(fence) => {
                self.hardware = Hardware::Leaving(fence);
                Ok(fence)
            }
            Err(_) => Err(self.give_up("the HIQ takes no commands")),
        }
    }

    fn wait(&mut self, fence: HiqFence, wakeable: Wakeable) -> Result {
        let result = self.hiq.wait(
            fence,
            "scheduler: queues off the hardware",
            self.preemption_deadline,
            wakeable,
        );
        match result {
            Ok(()) => Ok(()),
            Err(e) if e == ERESTARTSYS => Err(e),
            Err(_) => Err(self.give_up("the device does not confirm that queues are off")),
        }
    }

    fn give_up(&mut self, why: &str) -> Error {
        self.hardware = Hardware::Broken;
        self.dump(why, None);
        dev_err!(
            self.bars.dev,
            "scheduler: {}; no queue runs any more, the memory of {} queues is kept\n",
            why,
            self.queues.iter().count()
        );
        EIO
    }

    /// Writes a core dump. The culprit is the queue with the doorbell, if the device has named one.
    fn dump(&self, why: &str, culprit: Option<u32>) {
        self.dumper.write(why, |out| {
            for (key, queue) in &self.queues {
                let process = self.processes.get(&key.process);
                let doorbell = queue.doorbell.dword();
                writeln!(
                    out,
                    "{}: process {} PASID {:#x} doorbell {doorbell:#x} {:?}{}",
                    if culprit == Some(doorbell) {
                        "culprit"
                    } else {
                        "queue"
                    },
                    process.map_or(0, Process::pid),
                    process.map_or(0, Process::pasid),
                    queue.place,
                    if queue.dead { " destroyed" } else { "" },
                )?;
            }
            let read = |at: u32| self.list.read32(u64::from(at).wrapping_mul(4));
            for at in (0..self.list_dwords.min(DUMPED_DWORDS)).step_by(8) {
                write!(out, "run list {:#x}:", at.wrapping_mul(4))?;
                for word in (at..self.list_dwords.min(at.saturating_add(8))).map_while(|at| read(at).ok()) {
                    write!(out, " {word:08x}")?;
                }
                writeln!(out)?;
            }
            Ok(())
        });
    }

    /// Puts everything that is to run onto the hardware, which is empty.
    pub(super) fn put_on(&mut self) -> Result {
        if self.hardware != Hardware::Empty {
            return Err(EIO);
        }
        let demand = self.demand();
        if demand.processes == 0 {
            return Ok(());
        }
        let dwords = demand
            .dwords(&self.capacity)
            .filter(|&d| d <= LIST_DWORDS)
            .ok_or(ENOSPC)?;
        let list = &self.list;
        let mut builder = Builder::new(dwords, |at, word| {
            list.write32(u64::from(at).wrapping_mul(4), word)
        });
        let mut last = None;
        for (&key, queue) in &self.queues {
            if !self.runs(key) {
                continue;
            }
            if last.replace(key.process) != Some(key.process) {
                let process = self.processes.get(&key.process).ok_or(ESRCH)?;
                builder.process(&process.packet()?).map_err(error)?;
            }
            builder.queue(&queue.packet()).map_err(error)?;
        }
        let at_a_time = demand.processes.min(self.capacity.processes).min(15) as u8;
        let run = builder
            .finish(list.gpu_addr(), at_a_time, demand.exceeds(&self.capacity))
            .map_err(error)?;
        self.hiq.run(&run)?;
        self.list_dwords = dwords;
        let queues = demand.compute_queues.saturating_add(demand.sdma_queues);
        trace::run_list(demand.processes, queues, dwords);
        self.hardware = Hardware::Running;
        Ok(())
    }

    /// Reads the run list that the hardware has, for which there is room in `words`. False if it has none.
    pub(super) fn read_list(&self, words: &mut KVVec<u32>) -> Result<bool> {
        if !matches!(self.hardware, Hardware::Running | Hardware::Leaving(_)) {
            return Ok(false);
        }
        for at in 0..self.list_dwords {
            let word = self.list.read32(u64::from(at).wrapping_mul(4))?;
            words.push_within_capacity(word).map_err(|_| ENOSPC)?;
        }
        Ok(true)
    }

    /// Counts what is to run, also per process.
    fn demand(&mut self) -> Demand {
        self.processes
            .values_mut()
            .for_each(|process| process.running = 0);
        let mut demand = Demand::default();
        for (&key, queue) in &self.queues {
            let Some(process) = self.processes.get_mut(&key.process) else {
                continue;
            };
            if process.stopped > 0 || !queue.wants_to_run() {
                continue;
            }
            if process.running == 0 {
                demand.processes = demand.processes.saturating_add(1);
            }
            process.running = process.running.saturating_add(1);
            let count = match queue.place {
                Place::Compute => &mut demand.compute_queues,
                Place::Sdma(_) => &mut demand.sdma_queues,
            };
            *count = count.saturating_add(1);
        }
        demand
    }

    /// Takes one dead queue out, if the device has let go of it. The caller drops it outside the lock.
    pub(super) fn reap(&mut self) -> Option<Queue> {
        let key = match self.hardware {
            // dead queues are not in the list that runs: it was made after they died
            Hardware::Empty | Hardware::Running => self
                .queues
                .iter()
                .find(|(_, queue)| queue.dead)
                .map(|(&key, _)| key),
            Hardware::Leaving(_) | Hardware::Broken => None,
        }?;
        let queue = self.queues.remove(&key)?;
        match queue.place {
            Place::Sdma(id) => {
                self.sdma.release(id);
            }
            Place::Compute => {
                if let Some(process) = self.processes.get_mut(&key.process) {
                    process.doorbells.release(queue.doorbell);
                }
            }
        }
        Some(queue)
    }
}

fn error(e: BuildError<Error>) -> Error {
    match e {
        BuildError::Full => ENOSPC,
        BuildError::Write(e) => e,
    }
}

impl Drop for State {
    fn drop(&mut self) {
        if self.take_off(Wakeable::Never).is_err() {
            // what is freed now must not be used: this stops it for sure
            dev_err!(
                self.bars.dev,
                "scheduler: queues are stopped by halting the MEC\n"
            );
            self.hiq.halt();
        }
    }
}
