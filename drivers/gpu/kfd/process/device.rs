// SPDX-License-Identifier: GPL-2.0
//! What a process has on one GPU.

use super::{stopper::Stopper, Doorbells, Process};
use crate::gpu::{
    drm::{self, FileRef, Guard},
    kfd::{
        counters::{self, Alive},
        failure::{not_bound, Failure},
        memory::Buffers,
        node::Node,
    },
    queue::{ProcessKey, ProcessSetUp},
    vm::Vm,
};
use amdgpu_logic::kfd::Errno;
use kernel::{
    new_mutex,
    prelude::*,
    sync::{Arc, Mutex},
};

/// A process on a GPU.
#[pin_data]
pub(crate) struct ProcessDevice {
    node: Arc<Node>,
    /// Set by ACQUIRE_VM.
    #[pin]
    binding: Mutex<Option<Arc<Binding>>>,
    #[pin]
    pub(in crate::gpu::kfd) buffers: Mutex<Buffers>,
    /// Set when the first doorbell is needed.
    #[pin]
    doorbells: Mutex<Option<Arc<Doorbells>>>,
}

/// The address space of a process on a GPU, and how the process is run there.
#[pin_data]
pub(crate) struct Binding {
    /// The render node that ACQUIRE_VM named.
    file: FileRef,
    vm: Arc<Vm>,
    /// Stops the process's queues when its memory moves.
    stopper: Arc<Stopper>,
    #[pin]
    run: Mutex<Run>,
    _alive: Alive,
}

/// How a process is run.
#[derive(Clone, Copy, Default)]
struct Run {
    /// As the scheduler knows it, once it does.
    key: Option<ProcessKey>,
    /// Trap handler and its memory, 0 for none.
    trap: (u64, u64),
    /// It runs no more.
    ended: bool,
}

impl ProcessDevice {
    pub(super) fn new(node: Arc<Node>) -> Result<Arc<Self>> {
        let device = pin_init!(Self {
            node,
            binding <- new_mutex!(None, "kfd binding"),
            buffers <- new_mutex!(Buffers::new(), "kfd buffers"),
            doorbells <- new_mutex!(None, "kfd doorbells"),
        });
        Arc::pin_init(device, GFP_KERNEL)
    }

    /// The GPU.
    pub(crate) fn node(&self) -> &Arc<Node> {
        &self.node
    }

    /// The address space; without one the call fails with `errno`.
    pub(crate) fn binding(&self, errno: Errno) -> Result<Arc<Binding>, Failure> {
        let binding = self.binding.lock().clone();
        binding.ok_or_else(|| not_bound(errno, self.node.gpu_id()))
    }

    /// Gives the process the address space of a file as its own on the GPU. `EBUSY` if it has got one through another
    /// file, `EINVAL` if another process has that of this file.
    pub(crate) fn bind(&self, process: &Arc<Process>, file: FileRef, guard: &Guard<'_>) -> Result {
        if let Some(binding) = &*self.binding.lock() {
            return binding.same_file(&file);
        }
        let vm = file.file().data().vm(guard)?;
        let stopper = Stopper::new(self.node.device().clone(), vm.clone())?;
        let run = Run::default();
        let binding = pin_init!(Binding {
            file,
            vm,
            stopper,
            run <- new_mutex!(run, "kfd run"),
            _alive: counters::ADDRESS_SPACES.one(),
        });
        let binding = Arc::pin_init(binding, GFP_KERNEL)?;
        let mut place = self.binding.lock();
        if let Some(other) = &*place {
            binding.stopper.end();
            return other.same_file(&binding.file);
        }
        let data = binding.file.file().data();
        let known = data.claim().and_then(|claim| {
            self.node.add_context(binding.vm.pasid(), process)?;
            claim.keep();
            Ok(())
        });
        if let Err(e) = known {
            binding.stopper.end();
            return Err(e);
        }
        *place = Some(binding);
        Ok(())
    }

    /// Whether the address space is that of `file`.
    pub(in crate::gpu::kfd) fn has_file(&self, file: &drm::File) -> bool {
        let binding = self.binding.lock();
        binding
            .as_ref()
            .is_some_and(|binding| core::ptr::eq(binding.file.file(), file))
    }

    /// The process's doorbells, taken when first asked for. `ENOMEM` if there are none left.
    pub(crate) fn doorbells(&self) -> Result<Arc<Doorbells>> {
        let mut doorbells = self.doorbells.lock();
        match &*doorbells {
            Some(taken) => Ok(taken.clone()),
            None => Ok(doorbells.insert(Doorbells::new(self.node.device())?).clone()),
        }
    }

    /// The process as the scheduler knows it, which gets to know it now if need be.
    pub(crate) fn scheduled(&self, binding: &Binding, guard: &Guard<'_>) -> Result<ProcessKey> {
        let doorbells = self.doorbells()?;
        let mut run = binding.run.lock();
        if run.ended {
            return Err(ENODEV);
        }
        if let Some(key) = run.key {
            return Ok(key);
        }
        let set_up = ProcessSetUp {
            pid: kernel::current!().group_leader().pid(),
            pasid: binding.vm.pasid(),
            page_table_base: binding.vm.root()?,
            doorbells: doorbells.slice(),
        };
        let scheduler = guard.scheduler();
        let key = scheduler.add_process(set_up)?;
        let begun = scheduler
            .set_trap_handler(key, run.trap.0, run.trap.1)
            .and_then(|()| binding.stopper.begin(guard, key));
        if let Err(e) = begun {
            // without queues nothing of it is on the hardware
            let _ = scheduler.remove_process(key);
            return Err(e);
        }
        run.key = Some(key);
        Ok(key)
    }

    /// Takes the process off the GPU for good.
    pub(crate) fn stop_for_good(&self) {
        let Some(binding) = self.binding.lock().clone() else {
            return;
        };
        binding.stopper.end();
        let mut run = binding.run.lock();
        run.ended = true;
        let Some(key) = run.key.take() else { return };
        drop(run);
        let Ok(guard) = self.node.device().enter() else {
            return;
        };
        let removed = guard.scheduler().remove_process(key);
        if let Err(e) = removed.and_then(|()| binding.vm.take_back(guard.tlb())) {
            pr_err!("kfd: the GPU did not confirm that it let go of a process; its memory is kept: {e:?}\n");
            let doorbells = self.doorbells.lock().clone();
            self.keep(&guard, (binding, doorbells));
        }
    }

    /// Keeps what the device may use still, until the GPU is stopped; for good if there is no room to note it.
    fn keep<T: Send + Sync + Clone + 'static>(&self, guard: &Guard<'_>, held: T) {
        let spare = core::mem::ManuallyDrop::new(held.clone());
        let kept = KBox::new(held, GFP_KERNEL).map_err(Error::from);
        if kept.and_then(|held| guard.scheduler().keep(held)).is_ok() {
            drop(core::mem::ManuallyDrop::into_inner(spare));
        }
    }

    /// Gives up all that the process has on the GPU, after [`Self::stop_for_good`].
    pub(super) fn leave(&self) {
        let binding = self.binding.lock().take();
        let buffers = core::mem::replace(&mut *self.buffers.lock(), Buffers::new());
        let doorbells = self.doorbells.lock().take();
        if let Some(binding) = &binding {
            self.node.remove_context(binding.vm.pasid());
            buffers.leave(binding);
            // the address space stays if others have its file
            let (unmapped, all) = binding.vm().unmap_all_of_process();
            unmapped.release_or_keep();
            if let Err(e) = all {
                pr_warn!("kfd: buffers stay mapped until their render node is closed: {e:?}\n");
            }
        }
        drop(binding);
        drop(buffers);
        drop(doorbells);
    }
}

impl Binding {
    /// The render node.
    pub(crate) fn file(&self) -> &FileRef {
        &self.file
    }

    /// The address space.
    pub(crate) fn vm(&self) -> &Arc<Vm> {
        &self.vm
    }

    /// What stops the process's queues.
    pub(crate) fn stopper(&self) -> &Arc<Stopper> {
        &self.stopper
    }

    fn same_file(&self, file: &FileRef) -> Result {
        if self.file.is(file) {
            Ok(())
        } else {
            Err(EBUSY)
        }
    }

    /// Sets the trap handler of queues that are created from now on.
    pub(crate) fn set_trap_handler(&self, guard: &Guard<'_>, code: u64, memory: u64) -> Result {
        let mut run = self.run.lock();
        run.trap = (code, memory);
        match run.key {
            Some(key) => guard.scheduler().set_trap_handler(key, code, memory),
            None => Ok(()),
        }
    }
}
