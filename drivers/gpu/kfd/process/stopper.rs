// SPDX-License-Identifier: GPL-2.0
//! Stopping a process's queues when its memory moves under them, and letting them run again.
//!
//! The kernel moves or frees pages of the process whenever it likes; before it does, [`Stop::stop`] takes the queues
//! off the hardware. A little later a kernel thread maps the memory as it is by then, and lets the queues run.

use crate::{
    glue::{
        mm::Stop,
        wait::Wakeable,
        work::{new_later, Job, Later},
    },
    gpu::{
        drm::{Device, Guard},
        kfd::{counters, fault::Faulted},
        queue::ProcessKey,
        vm::Vm,
    },
};
use core::sync::atomic::{AtomicBool, Ordering};
use kernel::{
    new_mutex, new_spinlock,
    prelude::*,
    sync::{aref::ARef, Arc, Mutex, SpinLock},
    time::Delta,
};

/// Stops and restarts one process on one GPU.
pub(crate) struct Stopper {
    shared: Arc<Shared>,
    restart: Pin<KBox<Later<Restart>>>,
    halt: Pin<KBox<Later<Halt>>>,
    halted: AtomicBool,
}

/// What both sides know.
#[pin_data]
struct Shared {
    device: ARef<Device>,
    #[pin]
    known: SpinLock<Option<Known>>,
    /// Until the process leaves. Held while memory is mapped anew.
    #[pin]
    vm: Mutex<Option<Arc<Vm>>>,
    /// A page fault that has not been reported.
    #[pin]
    fault: Mutex<Option<Faulted>>,
}

/// The process as the scheduler knows it.
#[derive(Clone, Copy)]
struct Known {
    key: ProcessKey,
    /// Stops that have not been undone.
    stops: u32,
}

/// Maps memory anew and undoes stops.
struct Restart(Arc<Shared>);

/// Stops a process that must not run any more.
struct Halt(Arc<Shared>);

/// How long the process gets to finish changing its memory (kernel amdgpu/amdgpu_amdkfd_gpuvm.c:
/// `AMDGPU_USERPTR_RESTORE_DELAY_MS`).
const PAUSE: Delta = Delta::from_millis(1);
/// How long to wait before what has failed is tried again.
const RETRY: Delta = Delta::from_millis(10);

impl Stopper {
    pub(super) fn new(device: ARef<Device>, vm: Arc<Vm>) -> Result<Arc<Self>> {
        let shared = pin_init!(Shared {
            device,
            known <- new_spinlock!(None, "kfd stops"),
            vm <- new_mutex!(Some(vm), "kfd stopper"),
            fault <- new_mutex!(None, "kfd stopper fault"),
        });
        let shared = Arc::pin_init(shared, GFP_KERNEL)?;
        let restart = KBox::pin_init(new_later!(Restart(shared.clone())), GFP_KERNEL)?;
        let halt = KBox::pin_init(new_later!(Halt(shared.clone())), GFP_KERNEL)?;
        Ok(Arc::new(
            Self {
                shared,
                restart,
                halt,
                halted: AtomicBool::new(false),
            },
            GFP_KERNEL,
        )?)
    }

    /// The process is known to the scheduler, without queues yet. Memory that has moved before is mapped anew. On an
    /// error the scheduler is to forget the process.
    pub(super) fn begin(&self, guard: &Guard<'_>, key: ProcessKey) -> Result {
        guard.scheduler().quiesce(key)?;
        *self.shared.known.lock() = Some(Known { key, stops: 1 });
        self.shared
            .restart(guard)
            .inspect_err(|_| *self.shared.known.lock() = None)
    }

    /// The process faulted: that is reported, and its queues are stopped, soon and for good. Does not wait. False if
    /// that is under way for an earlier fault.
    pub(in crate::gpu::kfd) fn halt(&self, fault: Faulted) -> bool {
        let first = !self.halted.swap(true, Ordering::AcqRel);
        if first {
            *self.shared.fault.lock() = Some(fault);
            self.halt.schedule(Delta::ZERO);
        }
        first
    }

    /// The process leaves: nothing is restarted any more.
    pub(super) fn end(&self) {
        self.restart.end();
        self.halt.end();
        // if the process was faster
        self.shared.report();
        let vm = self.shared.vm.lock().take();
        drop(vm);
    }
}

impl Stop for Stopper {
    fn stop(&self, may_block: bool) -> Result {
        let shared = &self.shared;
        let Some(Known { key, .. }) = shared.known() else {
            return Ok(());
        };
        if !may_block {
            return Err(EAGAIN);
        }
        // without a GPU nothing runs
        let Ok(guard) = shared.device.enter() else {
            return Ok(());
        };
        counters::STOPS.again();
        let stopped = guard.scheduler().quiesce(key);
        if stopped == Err(ESRCH) {
            return Ok(());
        }
        // also after an error: it counts as a stop all the same
        shared.count(key, |stops| stops.saturating_add(1));
        self.restart.schedule(PAUSE);
        stopped
    }
}

impl Shared {
    fn known(&self) -> Option<Known> {
        *self.known.lock()
    }

    /// Changes the number of stops, unless the scheduler knows the process as another by now.
    fn count(&self, key: ProcessKey, change: impl FnOnce(u32) -> u32) {
        if let Some(known) = &mut *self.known.lock() {
            if known.key == key {
                known.stops = change(known.stops);
            }
        }
    }

    /// Reports the fault that the process was stopped for, once.
    fn report(&self) {
        let fault = self.fault.lock().take();
        let vm = self.vm.lock().clone();
        if let Some(fault) = fault {
            fault.report(vm.as_deref());
        }
    }

    /// Maps memory as it is now, and undoes the stops of before.
    fn restart(&self, guard: &Guard<'_>) -> Result {
        // one at a time: each stop is undone once
        let vm = self.vm.lock();
        let Some(vm) = &*vm else { return Ok(()) };
        // stops that come after this are not undone here: what they were for may not have been looked up
        let Some(Known { key, stops }) = self.known() else {
            return Ok(());
        };
        let (unmapped, looked_up) = vm.look_up_again(guard);
        if let Err((e, _lost)) = unmapped.release(guard.tlb(), Wakeable::Never) {
            return Err(e);
        }
        looked_up?;
        counters::RESTARTS.again();
        for _ in 0..stops {
            guard.scheduler().resume(key)?;
            self.count(key, |stops| stops.saturating_sub(1));
        }
        Ok(())
    }
}

impl Job for Restart {
    fn run(&self) -> Option<Delta> {
        let guard = self.0.device.enter().ok()?;
        match self.0.restart(&guard) {
            Ok(()) => None,
            // the process ends: its queues, too, once they are taken apart
            Err(e) if e == ESRCH => None,
            Err(e) if e == ENOMEM || e == EBUSY || e == EAGAIN => Some(RETRY),
            Err(e) => {
                pr_err!("kfd: queues stay stopped, for memory could not be mapped again: {e:?}\n");
                None
            }
        }
    }
}

impl Job for Halt {
    fn run(&self) -> Option<Delta> {
        self.0.report();
        let Known { key, .. } = self.0.known()?;
        if let Err(e) = self.0.device.enter().ok()?.scheduler().quiesce(key) {
            pr_err!("kfd: a process that faulted could not be stopped: {e:?}\n");
        }
        None
    }
}
