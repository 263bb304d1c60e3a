// SPDX-License-Identifier: GPL-2.0
//! The scheduler: what others may ask of it.

use super::descriptors::{Descriptor, Descriptors};
use super::dump::{Dumper, Witnesses};
use super::entry::{Held, Place, Process, ProcessSetUp, Queue, QueueSetUp};
use super::state::{State, LIST_BYTES, MAX_PROCESSES, MAX_QUEUES};
use super::turn::{Taken, Turn};
use crate::glue::{trace, wait::Wakeable};
use crate::gpu::hw::gfx::Hiq;
use crate::gpu::hw::Bars;
use crate::gpu::mem::{Domain, KernelBo, Memory};
use amdgpu_logic::kfd::queue::{QueueKind, QueueRequest, QueueUpdate};
use amdgpu_logic::mqd::{self, CuMask};
use amdgpu_logic::pm4::{SetResources, WriteRegister};
use amdgpu_logic::runlist::Capacity;
use amdgpu_logic::slots::{SdmaKind, SdmaSlots};
use kernel::{dev_info, dev_warn, prelude::*, rbtree::RBTreeNodeReservation, sync::Arc, time::Delta};

/// A process of a scheduler. Never used again for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ProcessKey(u64);

/// A queue of a scheduler. Never used again for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct QueueKey {
    /// Whose it is.
    pub(crate) process: ProcessKey,
    queue: u64,
}

/// A queue that has been added.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Created {
    /// Which it is.
    pub(crate) key: QueueKey,
    /// Byte offset of its doorbell in the process's part of the doorbell BAR.
    pub(crate) doorbell: u32,
}

/// All queues of users on a GPU.
#[pin_data]
pub(crate) struct Scheduler {
    bars: Arc<Bars>,
    #[pin]
    state: Turn<State>,
    #[pin]
    descriptors: Descriptors,
}

impl Scheduler {
    /// A scheduler without queues, in command of the hardware scheduler at the other end of `hiq`.
    ///
    /// `preemption` is how long the device may take to take all queues off the hardware.
    pub(crate) fn new(
        bars: Arc<Bars>,
        memory: &Arc<Memory>,
        witnesses: Witnesses,
        mut hiq: Hiq,
        preemption: Delta,
    ) -> Result<Arc<Self>> {
        let gfx = &witnesses.gfx;
        let shape = gfx.shape();
        // the C driver's arithmetic: two SDMA engines one after the other, and a tenth for the rest
        let unmap_latency = preemption.as_millis().saturating_mul(9) / 10 / 2 / 100;
        hiq.set_resources(&SetResources {
            vmids: shape.process_vmids,
            queues: shape.queue_slots(),
            gws: u64::MAX,
            unmap_latency: u8::try_from(unmap_latency).unwrap_or(u8::MAX),
        })?;
        let (register, value) = gfx.queue_retry_time();
        hiq.write_register(&WriteRegister { register, value })?;
        let capacity = Capacity {
            processes: shape.process_vmids.count_ones(),
            compute_queues: shape.queue_slots().count_ones(),
        };
        dev_info!(
            bars.dev,
            "scheduler: {} processes and {} compute queues at a time\n",
            capacity.processes,
            capacity.compute_queues
        );
        let sdma = SdmaSlots::new(witnesses.sdma.engines()).ok_or(EINVAL)?;
        let engines = gfx.shader_engines()?;
        let list = KernelBo::new(memory, LIST_BYTES, 0, Domain::Gtt)?;
        let descriptors = Descriptors::new(memory)?;
        let dumper = Dumper::new(&bars, witnesses)?;
        let state = State::new(hiq, list, capacity, engines, sdma, preemption, dumper);
        let scheduler = pin_init!(Self {
            bars,
            state <- Turn::new(state),
            descriptors <- descriptors,
        });
        Arc::pin_init(scheduler, GFP_KERNEL)
    }

    /// Makes a process known, which has no queues yet. `ENOSPC` if there are too many.
    pub(crate) fn add_process(&self, set_up: ProcessSetUp) -> Result<ProcessKey> {
        let node = RBTreeNodeReservation::new(GFP_KERNEL)?;
        let mut state = self.state.take(Wakeable::ByKill)?;
        if state.processes.iter().count() >= MAX_PROCESSES as usize {
            return Err(ENOSPC);
        }
        let key = ProcessKey(state.new_key());
        state.processes.insert(node.into_node(key, Process::new(set_up)));
        Ok(key)
    }

    /// Takes all queues of a process off the hardware and forgets it.
    ///
    /// `EIO` if the device does not confirm: then everything the queues were created with is kept, and the process's
    /// address space must not be freed.
    pub(crate) fn remove_process(&self, process: ProcessKey) -> Result {
        let mut state = self.state.take(Wakeable::Never)?;
        for (_, queue) in state.queues.iter_mut().filter(|(key, _)| key.process == process) {
            queue.dead = true;
        }
        let entry = state.processes.get(&process).ok_or(ESRCH)?;
        if entry.running > 0 || state.is_leaving() {
            state.refresh(Wakeable::Never)?;
        }
        drop(state);
        self.reap()?;
        let mut state = self.state.take(Wakeable::Never)?;
        if state.queues.keys().any(|key| key.process == process) {
            return Err(EIO);
        }
        let removed = state.processes.remove_node(&process);
        drop(state);
        drop(removed);
        Ok(())
    }

    /// Keeps what a process had that the device may use still, until the device is stopped.
    pub(crate) fn keep(&self, held: KBox<dyn Held>) -> Result {
        Ok(self.state.take(Wakeable::Never)?.kept.push(held, GFP_KERNEL)?)
    }

    /// Adds a queue, and puts it on the hardware unless it is not to run.
    ///
    /// `ESRCH`: no such process. `ENOMEM`: no SDMA queue of that kind is free. `EBUSY`: no doorbell is free. `EPERM`:
    /// there are too many queues. `EIO`: the device does not do it. `ERESTARTSYS`: the caller was killed. On an error
    /// there is no queue; what it was to be created with is kept as long as the device may use it.
    pub(crate) fn add_queue(&self, process: ProcessKey, set_up: QueueSetUp<'_>) -> Result<Created> {
        let node = RBTreeNodeReservation::new(GFP_KERNEL)?;
        let descriptor = self.descriptors.take()?;
        let mut state = self.state.take(Wakeable::ByKill)?;
        if state.is_broken() {
            return Err(EIO);
        }
        if state.queues.iter().count() >= MAX_QUEUES as usize {
            return Err(EPERM);
        }
        let key = QueueKey {
            process,
            queue: state.new_key(),
        };
        let created = state.create(key, node, set_up, descriptor)?;
        let result = if state.runs(key) {
            state.refresh(Wakeable::ByKill)
        } else {
            Ok(())
        };
        if result.is_err() {
            state.bury(key);
        }
        drop(state);
        if result.is_err() {
            self.reap()?;
        }
        if result.is_ok() {
            trace::queue(process.0, key.queue, true);
        }
        result.map(|()| created)
    }

    /// Changes a queue; `held` is what the ring is, if there is another. `ESRCH`: no such queue. Other errors as for
    /// [`Scheduler::add_queue`]; on an error the queue may be off the hardware until the next change of any queue.
    pub(crate) fn update_queue(
        &self,
        key: QueueKey,
        update: &QueueUpdate,
        mut held: Option<KBox<dyn Held>>,
    ) -> Result {
        // what is held no longer is dropped outside the lock
        self.change(key, |queue| queue.change(update, &mut held))
    }

    /// Restricts a queue to compute units, as userspace numbers them (see [`CuMask::from_user`]). `EINVAL` for an
    /// SDMA queue, other errors as for [`Scheduler::update_queue`].
    pub(crate) fn set_cu_mask(&self, key: QueueKey, mask: &[u32]) -> Result {
        let engines = self.state.take(Wakeable::ByKill)?.shader_engines;
        self.change(key, |queue| match queue.place {
            Place::Compute => queue.set_cu_mask(CuMask::from_user(mask, &engines)),
            Place::Sdma(_) => Err(EINVAL),
        })
    }

    /// Sets the trap handler of queues that are created from now on: code and memory, 256-byte aligned; 0 for none.
    pub(crate) fn set_trap_handler(&self, process: ProcessKey, code: u64, memory: u64) -> Result {
        let mut state = self.state.take(Wakeable::ByKill)?;
        state.processes.get_mut(&process).ok_or(ESRCH)?.trap = (code, memory);
        Ok(())
    }

    /// Takes a queue off the hardware and forgets it. `ESRCH`: no such queue.
    ///
    /// On other errors the queue does not exist any more for userspace; what it was created with is kept as long as
    /// the device may use it.
    pub(crate) fn remove_queue(&self, key: QueueKey) -> Result {
        let mut state = self.state.take(Wakeable::ByKill)?;
        if state.queues.get(&key).is_none_or(|queue| queue.dead) {
            return Err(ESRCH);
        }
        let ran = state.runs(key);
        state.bury(key);
        trace::queue(key.process.0, key.queue, false);
        let result = if ran {
            state.refresh(Wakeable::ByKill)
        } else {
            Ok(())
        };
        drop(state);
        self.reap()?;
        result
    }

    /// Stops all queues of a process until [`Scheduler::resume`] has been called as often as this. When this returns
    /// `Ok`, none of them uses any memory. Allocates nothing.
    ///
    /// On an error they must be taken for running still; they count as stopped nevertheless.
    pub(crate) fn quiesce(&self, process: ProcessKey) -> Result {
        let mut state = self.state.take(Wakeable::Never)?;
        trace::evict(process.0, true);
        let entry = state.processes.get_mut(&process).ok_or(ESRCH)?;
        entry.stopped = entry.stopped.saturating_add(1);
        let first = entry.stopped == 1;
        let on_hardware = first && entry.running > 0 || state.is_leaving();
        if !on_hardware {
            return if state.is_broken() { Err(EIO) } else { Ok(()) };
        }
        state.refresh(Wakeable::Never)
    }

    /// Undoes one [`Scheduler::quiesce`]. `EINVAL` if there was none.
    pub(crate) fn resume(&self, process: ProcessKey) -> Result {
        let mut state = self.state.take(Wakeable::Never)?;
        let entry = state.processes.get_mut(&process).ok_or(ESRCH)?;
        entry.stopped = entry.stopped.checked_sub(1).ok_or(EINVAL)?;
        if entry.stopped > 0 {
            return Ok(());
        }
        trace::evict(process.0, false);
        state.refresh(Wakeable::Never)
    }

    /// The descriptor of a queue as memory has it, for debugfs. `ESRCH`: no such queue.
    pub(crate) fn descriptor(&self, key: QueueKey) -> Result<KVec<u32>> {
        let mut words = KVec::with_capacity(mqd::SIZE / 4, GFP_KERNEL)?;
        let state = self.state.take(Wakeable::ByKill)?;
        state.queues.get(&key).ok_or(ESRCH)?.read_descriptor(&mut words)?;
        Ok(words)
    }

    /// The run list that the hardware has, for debugfs; `None` if it has none.
    pub(crate) fn run_list(&self) -> Result<Option<KVVec<u32>>> {
        let mut words = KVVec::with_capacity((LIST_BYTES / 4) as usize, GFP_KERNEL)?;
        let state = self.state.take(Wakeable::ByKill)?;
        Ok(state.read_list(&mut words)?.then_some(words))
    }

    /// Changes a queue while it is off the hardware.
    fn change(&self, key: QueueKey, change: impl FnOnce(&mut Queue) -> Result) -> Result {
        let mut state = self.state.take(Wakeable::ByKill)?;
        if state.queues.get(&key).is_none_or(|queue| queue.dead) {
            return Err(ESRCH);
        }
        let take_off = state.runs(key) || state.is_leaving();
        if take_off {
            state.take_off(Wakeable::ByKill)?;
        }
        let changed = state.queues.get_mut(&key).ok_or(ESRCH).and_then(change);
        let put_on = if take_off || state.runs(key) {
            state.refresh(Wakeable::ByKill)
        } else {
            Ok(())
        };
        drop(state);
        self.reap()?;
        changed.and(put_on)
    }

    /// Frees what belonged to dead queues that are off the hardware. What could not be freed is reported.
    fn reap(&self) -> Result {
        loop {
            let mut state: Taken<'_, State> = self.state.take(Wakeable::Never)?;
            let dead = state.reap();
            let kept = dead
                .is_none()
                .then(|| state.queues.values().filter(|queue| queue.dead).count());
            drop(state);
            match kept {
                None => drop(dead),
                Some(0) => return Ok(()),
                Some(kept) => {
                    dev_warn!(
                        self.bars.dev,
                        "scheduler: {} destroyed queues may be on the hardware still; they are kept until they are off it\n",
                        kept
                    );
                    return Ok(());
                }
            }
        }
    }
}

impl State {
    /// Makes a queue, with its place and its doorbell, that is not on the hardware yet.
    fn create(
        &mut self,
        key: QueueKey,
        node: RBTreeNodeReservation<QueueKey, Queue>,
        set_up: QueueSetUp<'_>,
        descriptor: Descriptor,
    ) -> Result<Created> {
        let process = self.processes.get_mut(&key.process).ok_or(ESRCH)?;
        let slice = process.doorbells.slice();
        let (place, doorbell) = match sdma_kind(set_up.request)? {
            Some(kind) => {
                let id = self.sdma.take(kind).ok_or(ENOMEM)?;
                (Place::Sdma(id), slice.sdma(id))
            }
            None => (Place::Compute, process.doorbells.take().ok_or(EBUSY)?),
        };
        let trap_handler = process.trap.0 != 0;
        let queue =
            Queue::new(set_up, descriptor, place, doorbell, trap_handler).inspect_err(|_| match place {
                Place::Sdma(id) => {
                    self.sdma.release(id);
                }
                Place::Compute => {
                    process.doorbells.release(doorbell);
                }
            })?;
        self.queues.insert(node.into_node(key, queue));
        Ok(Created {
            key,
            doorbell: slice.offset_of(doorbell),
        })
    }

    /// Marks a queue as dead.
    fn bury(&mut self, key: QueueKey) {
        if let Some(queue) = self.queues.get_mut(&key) {
            queue.dead = true;
        }
    }
}

/// The kind of SDMA queue asked for; `None` for a compute queue. `EINVAL` if there can be no such engine.
fn sdma_kind(request: &QueueRequest) -> Result<Option<SdmaKind>> {
    Ok(match request.kind {
        QueueKind::Pm4 | QueueKind::Aql => None,
        QueueKind::Sdma => Some(SdmaKind::Pcie),
        QueueKind::SdmaXgmi => Some(SdmaKind::Xgmi),
        QueueKind::SdmaEngine(engine) => Some(SdmaKind::Engine(u8::try_from(engine)?)),
    })
}
