// SPDX-License-Identifier: GPL-2.0
//! Queues of a process.

use super::{
    counters::{self, Alive},
    failure::{Explain, Failure},
    memory::Kept,
    node::Node,
    process::{Doorbells, Process, ProcessDevice},
};
use crate::gpu::queue::{Held, QueueKey, QueueSetUp};
use amdgpu_logic::{
    kfd::{
        queue::{Needed, QueueKind, QueueRequest, QueueUpdate},
        Errno, Expected, Refusal,
    },
    slots::IdSet,
};
use kernel::{
    prelude::*,
    rbtree::{RBTree, RBTreeNodeReservation},
    sync::Arc,
};

/// Queues that a process may have (kernel amdkfd/kfd_priv.h: KFD_MAX_NUM_OF_QUEUES_PER_PROCESS).
const MOST: u32 = 1024;
/// Queues that a process may have on one GPU (amdkfd/kfd_process_queue_manager.c: the hardware scheduler's limit).
const MOST_PER_GPU: usize = 127;

/// The queues of a process.
pub(crate) struct Queues {
    ids: IdSet<16>,
    by_id: RBTree<u32, Queue>,
}

/// A queue.
#[derive(Clone)]
pub(super) struct Queue {
    pub(super) device: Arc<ProcessDevice>,
    pub(super) key: QueueKey,
    /// What it carries, for messages.
    pub(super) what: &'static str,
}

/// What a queue needs as long as it may be on the hardware.
struct Needs {
    _buffers: KVec<Kept>,
    _doorbells: Arc<Doorbells>,
    _alive: Alive,
}

impl Queues {
    /// None.
    pub(super) fn new() -> Self {
        Self {
            ids: IdSet::new(),
            by_id: RBTree::new(),
        }
    }

    /// Whether there are any.
    pub(super) fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// The queue with a number.
    pub(super) fn get(&self, id: u32) -> Option<&Queue> {
        self.by_id.get(&id)
    }

    /// Those on a GPU, with their numbers.
    pub(super) fn on<'a>(
        &'a self,
        device: &'a Arc<ProcessDevice>,
    ) -> impl Iterator<Item = (u32, &'a Queue)> + 'a {
        self.by_id
            .iter()
            .map(|(id, queue)| (*id, queue))
            .filter(|(_, queue)| Arc::ptr_eq(&queue.device, device))
    }
}

/// Makes a queue. Yields its number, and the byte offset of its doorbell in the process's slice.
pub(super) fn create(
    process: &Process,
    device: &Arc<ProcessDevice>,
    request: &QueueRequest,
) -> Result<(u32, u32), Failure> {
    let node = device.node();
    let binding = device.binding(Errno::Srch)?;
    if let QueueKind::SdmaEngine(engine) = request.kind {
        let engines = node.sdma_engines();
        if engine >= engines {
            let last = Expected::AtMost(engines.saturating_sub(1).into());
            return Err(Refusal::range("sdma_engine_id", engine.into(), last).into());
        }
    }
    let guard = node.device().enter().explain("the GPU is gone")?;
    let buffers = hold(process, node, request)?;
    let held = KBox::new(
        Needs {
            _buffers: buffers,
            _doorbells: device.doorbells()?,
            _alive: counters::QUEUES.one(),
        },
        GFP_KERNEL,
    )?;
    let reservation = RBTreeNodeReservation::new(GFP_KERNEL)?;

    let mut queues = process.queues.lock();
    if queues.on(device).count() >= MOST_PER_GPU {
        return Err(Failure::Failed(ENOSPC, "a process may have 127 queues on a GPU"));
    }
    let id = queues
        .ids
        .take_first(MOST)
        .ok_or(Failure::Failed(ENOMEM, "a process may have 1024 queues"))?;
    drop(queues);

    let created = device
        .scheduled(&binding, &guard)
        .and_then(|key| guard.scheduler().add_queue(key, QueueSetUp { request, held }));
    let mut queues = process.queues.lock();
    match created {
        Ok(created) => {
            let queue = Queue {
                device: device.clone(),
                key: created.key,
                what: request.kind.word(),
            };
            queues.by_id.insert(reservation.into_node(id, queue));
            Ok((id, created.doorbell))
        }
        Err(e) => {
            queues.ids.release(id);
            Err(Failure::Failed(e, "the scheduler does not take the queue"))
        }
    }
}

/// Keeps everything mapped that a queue needs.
fn hold(process: &Process, node: &Node, request: &QueueRequest) -> Result<KVec<Kept>, Failure> {
    let mut kept = KVec::new();
    for needed in request.needed(node.needs())? {
        kept.push(hold_one(process, node, &needed)?, GFP_KERNEL)?;
    }
    Ok(kept)
}

fn hold_one(process: &Process, node: &Node, needed: &Needed) -> Result<Kept, Refusal> {
    let kept = process.keep(node.gpu_id(), needed.addr, needed.len);
    kept.ok_or(Refusal::invalid(
        needed.field,
        needed.addr,
        "within one buffer that is mapped on the GPU",
    ))
}

/// Ends a queue. `EINVAL` if there is none with that number.
pub(super) fn destroy(process: &Process, id: u32) -> Result<(), Failure> {
    let mut queues = process.queues.lock();
    let Some(queue) = queues.by_id.remove(&id) else {
        return Err(Refusal::invalid("queue_id", id.into(), "a queue of the process").into());
    };
    drop(queues);
    let result = match queue.device.node().device().enter() {
        Ok(guard) => guard.scheduler().remove_queue(queue.key),
        // with the GPU its queues are gone
        Err(_) => Ok(()),
    };
    process.queues.lock().ids.release(id);
    result.explain("the GPU did not confirm that it let go of the queue")
}

/// A queue that is to be changed; `EFAULT` if there is none with that number.
pub(super) fn find(process: &Process, id: u32) -> Result<Queue, Failure> {
    let queue = process.queues.lock().get(id).cloned();
    let refusal = Refusal::invalid("queue_id", id.into(), "a queue of the process").with(Errno::Fault);
    Ok(queue.ok_or(refusal)?)
}

/// Changes a queue.
pub(super) fn update(process: &Process, id: u32, update: &QueueUpdate) -> Result<(), Failure> {
    let queue = find(process, id)?;
    let needed = update.ring.map(|ring| ring.needed()).transpose()?.flatten();
    let hold = |needed| {
        hold_one(process, queue.device.node(), &needed).map_err(|refusal| refusal.with(Errno::Fault))
    };
    let ring: Option<KBox<dyn Held>> = match needed.map(hold).transpose()? {
        Some(kept) => Some(KBox::new(kept, GFP_KERNEL)?),
        None => None,
    };
    let guard = queue.device.node().device().enter().explain("the GPU is gone")?;
    guard
        .scheduler()
        .update_queue(queue.key, update, ring)
        .explain("the scheduler does not take the change")
}

/// Restricts a queue to compute units.
pub(super) fn set_cu_mask(process: &Process, id: u32, mask: &[u32]) -> Result<(), Failure> {
    let queue = find(process, id)?;
    let guard = queue.device.node().device().enter().explain("the GPU is gone")?;
    guard
        .scheduler()
        .set_cu_mask(queue.key, mask)
        .explain("the scheduler does not take the mask")
}
