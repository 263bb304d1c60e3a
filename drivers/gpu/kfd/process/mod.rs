// SPDX-License-Identifier: GPL-2.0
//! A process that has `/dev/kfd` open: what it has, and how it leaves.
//!
//! It begins with the first open of `/dev/kfd` and ends with the last close, or when its memory goes away, whichever
//! comes first; a child that inherited the file can neither use nor keep it.

mod device;
mod doorbells;
mod stopper;

pub(crate) use device::{Binding, ProcessDevice};
pub(crate) use doorbells::Doorbells;

use super::{
    counters::{self, Alive},
    events::Events,
    failure::{Complaints, Failure},
    memory::{Buffer, Kept},
    queues::Queues,
    service::Kfd,
};
use crate::{
    glue::{mm_exit::OnExit, task::Comm},
    gpu::drm,
};
use amdgpu_logic::{
    fault::{Allocation, Name},
    kfd::Errno,
    pagetable::VaRange,
};
use core::sync::atomic::{AtomicBool, Ordering};
use kernel::{
    fmt, new_mutex,
    prelude::*,
    sync::{aref::ARef, Arc, Mutex},
    task::Task,
};

/// A process.
#[pin_data]
pub(crate) struct Process {
    leader: ARef<Task>,
    /// That of the task that opened `/dev/kfd`.
    name: Name,
    /// One for each GPU that was there when the process began.
    devices: KVec<Arc<ProcessDevice>>,
    #[pin]
    pub(super) queues: Mutex<Queues>,
    #[pin]
    pub(super) events: Events,
    /// The buffer that is the event page.
    #[pin]
    pub(super) event_page: Mutex<Option<u64>>,
    #[pin]
    complaints: Complaints,
    left: AtomicBool,
    _alive: Alive,
}

impl Process {
    /// The current process, with the GPUs there are.
    pub(super) fn new(kfd: &Kfd) -> Result<Arc<Self>> {
        let mut devices = KVec::new();
        for node in kfd.nodes().lock().iter() {
            devices.push(ProcessDevice::new(node.clone())?, GFP_KERNEL)?;
        }
        let process = pin_init!(Self {
            leader: ARef::from(kernel::current!().group_leader()),
            name: Name(Comm::current().bytes()),
            devices,
            queues <- new_mutex!(Queues::new(), "kfd queues"),
            events <- Events::new(),
            event_page <- new_mutex!(None, "kfd event page"),
            complaints <- Complaints::new("kfd"),
            left: AtomicBool::new(false),
            _alive: counters::PROCESSES.one(),
        });
        Arc::pin_init(process, GFP_KERNEL)
    }

    /// Whether the current task belongs to it.
    pub(super) fn is_current(&self) -> bool {
        core::ptr::eq(self.leader.as_ptr(), kernel::current!().group_leader().as_ptr())
    }

    /// Number of the process, in the initial namespace.
    pub(super) fn pid(&self) -> i32 {
        self.leader.pid()
    }

    /// Its name, for messages.
    pub(super) fn name(&self) -> Name {
        self.name
    }

    /// Its GPUs.
    pub(super) fn devices(&self) -> &[Arc<ProcessDevice>] {
        &self.devices
    }

    /// The process's part of a GPU.
    pub(super) fn device(&self, gpu_id: u32) -> Option<&Arc<ProcessDevice>> {
        self.devices
            .iter()
            .find(|device| device.node().gpu_id() == gpu_id)
    }

    /// A GPU takes no more calls and is about to be unbound: no other reaches what lives there any more.
    pub(super) fn withdraw_from(&self, gpu: &drm::Device) {
        let is_it =
            |device: &&Arc<ProcessDevice>| core::ptr::eq::<drm::Device>(&**device.node().device(), gpu);
        let Some(home) = self.devices.iter().find(is_it) else {
            return;
        };
        for other in self.devices.iter().filter(|device| !is_it(device)) {
            let Ok(binding) = other.binding(Errno::NoDev) else {
                continue;
            };
            for buffer in home.buffers.lock().iter() {
                buffer.withdraw(other.node().gpu_id(), &binding);
            }
        }
    }

    /// Keeps the buffer mapped that a GPU has at all of `len` bytes from `addr`, wherever it lives; `None` if there is
    /// no such buffer.
    pub(super) fn keep(&self, gpu_id: u32, addr: u64, len: u64) -> Option<Kept> {
        self.devices
            .iter()
            .find_map(|home| home.buffers.lock().keep(gpu_id, addr, len))
    }

    /// The buffer whose place is nearest to the page at `addr`, mapped or not: for messages.
    pub(super) fn nearest(&self, addr: u64) -> Option<Allocation> {
        self.devices
            .iter()
            .filter_map(|home| home.buffers.lock().nearest(addr))
            .reduce(|a, b| Allocation::nearer(Some(a), Some(b), addr).unwrap_or(a))
    }

    /// Whether a buffer has exactly this place: for messages.
    pub(super) fn has(&self, range: VaRange) -> bool {
        let is_there = |buffer: &Arc<Buffer>| buffer.range() == Some(range);
        self.devices
            .iter()
            .any(|home| home.buffers.lock().iter().any(is_there))
    }

    /// Notes that a request has failed.
    pub(super) fn complain(&self, name: &'static str, failure: &Failure) {
        if self.complaints.note(name, failure) {
            counters::FAILED_CALLS.again();
        }
    }

    /// Writes a line about the last request that failed.
    pub(super) fn show_last_error(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.complaints.show_last(out)
    }

    /// Whether it has given up all it had.
    pub(super) fn has_left(&self) -> bool {
        self.left.load(Ordering::Acquire)
    }

    /// Gives up all it has. May be called more than once; no ioctl of it runs any more.
    pub(super) fn leave(&self) {
        if self.left.swap(true, Ordering::AcqRel) {
            return;
        }
        for device in &self.devices {
            device.stop_for_good();
        }
        let queues = core::mem::replace(&mut *self.queues.lock(), Queues::new());
        drop(queues);
        *self.event_page.lock() = None;
        self.events.destroy_all();
        for device in &self.devices {
            device.leave();
        }
    }
}

/// Makes a process leave when its memory goes away.
pub(super) struct Leaving(pub(super) Arc<Process>);

impl OnExit for Leaving {
    fn mm_exits(&self) {
        self.0.leave();
    }
}
