// SPDX-License-Identifier: GPL-2.0
//! What there is one of while the module is loaded: `/dev/kfd`, the processes that have it open, the GPUs.

use super::{
    counters::Debugfs,
    node::Node,
    process::{Leaving, Process},
    requests,
    topology::Tree,
};
use crate::glue::{
    chardev::{self, Area, Driver as _, Fault, Inserted, Mappings},
    global::{Global, Occupied},
    mm_exit::Watch,
    task,
};
use crate::gpu::drm;
use kernel::{
    ffi::c_long,
    new_mutex,
    prelude::*,
    sync::{Arc, Mutex},
};

/// Found by PCI probes.
static KFD: Global<Kfd> = Global::new();

/// All processes and GPUs.
#[pin_data]
pub(crate) struct Kfd {
    #[pin]
    processes: Mutex<KVec<User>>,
    #[pin]
    nodes: Mutex<KVec<Arc<Node>>>,
    /// Set while the device node is there.
    #[pin]
    tree: Mutex<Option<Tree>>,
    /// What processes have mapped from the device node.
    mappings: Arc<Mappings>,
}

/// A process that has `/dev/kfd` open.
struct User {
    process: Arc<Process>,
    /// Open files.
    files: usize,
    /// Tells the process that its memory goes away.
    _watch: Pin<KBox<Watch<Leaving>>>,
}

/// `/dev/kfd` with the topology below its directory. Dropped when the module goes, after all GPUs.
pub(crate) struct Service {
    kfd: Arc<Kfd>,
    _debugfs: Debugfs,
    /// Goes before the device node that files are opened through.
    _found: Occupied<Kfd>,
    _device: Pin<KBox<chardev::Registration<Device>>>,
}

impl Service {
    /// Creates the device node and a topology with the CPUs.
    pub(crate) fn new() -> Result<Self> {
        let mappings = Arc::new(Mappings::new(Device::NAME)?, GFP_KERNEL)?;
        let kfd = Arc::pin_init(
            pin_init!(Kfd {
                processes <- new_mutex!(KVec::new(), "kfd processes"),
                nodes <- new_mutex!(KVec::new(), "kfd nodes"),
                tree <- new_mutex!(None, "kfd topology"),
                mappings,
            }),
            GFP_KERNEL,
        )?;
        let device = KBox::pin_init(
            chardev::Registration::new(Device { kfd: kfd.clone() }, kfd.mappings.clone()),
            GFP_KERNEL,
        )?;
        *kfd.tree.lock() = Some(Tree::new(&*device)?);
        let found = KFD.set(kfd.clone())?;
        Ok(Self {
            _debugfs: Debugfs::new(&kfd)?,
            kfd,
            _found: found,
            _device: device,
        })
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let tree = self.kfd.tree.lock().take();
        drop(tree);
    }
}

impl Kfd {
    /// The one, while the module is loaded.
    pub(super) fn get() -> Result<Arc<Self>> {
        KFD.get().ok_or(ENODEV)
    }

    /// The GPUs.
    pub(super) fn nodes(&self) -> &Mutex<KVec<Arc<Node>>> {
        &self.nodes
    }

    /// The topology in sysfs; `None` while the module comes or goes.
    pub(super) fn tree(&self) -> &Mutex<Option<Tree>> {
        &self.tree
    }

    /// What processes have mapped from `/dev/kfd`.
    pub(super) fn mappings(&self) -> &Mappings {
        &self.mappings
    }

    /// Nodes in the topology, CPUs included.
    pub(super) fn count_nodes(&self) -> u32 {
        self.tree.lock().as_ref().map_or(0, Tree::count)
    }

    /// Does something with each process. None comes or goes meanwhile.
    pub(super) fn for_each_process(&self, f: impl FnMut(&Arc<Process>)) {
        self.processes.lock().iter().map(|user| &user.process).for_each(f);
    }

    /// The current process opens a file.
    fn open(self: &Arc<Self>) -> Result<Arc<Process>> {
        let current = kernel::current!();
        let mm = current.mm().ok_or(EINVAL)?;
        let mut users = self.processes.lock();
        if let Some(user) = users
            .iter_mut()
            .find(|user| user.process.is_current() && !user.process.has_left())
        {
            user.files = user.files.checked_add(1).ok_or(ENOMEM)?;
            return Ok(user.process.clone());
        }
        if self.nodes.lock().is_empty() {
            pr_warn!(
                "kfd: {}[{}]: there is no GPU\n",
                task::Comm::current(),
                current.group_leader().pid()
            );
            return Err(EINVAL);
        }
        users.reserve(1, GFP_KERNEL)?;
        let process = Process::new(self)?;
        let watch = KBox::pin_init(Watch::new(mm, Leaving(process.clone())), GFP_KERNEL)?;
        let user = User {
            process: process.clone(),
            files: 1,
            _watch: watch,
        };
        users.push_within_capacity(user).map_err(|_| ENOMEM)?;
        Ok(process)
    }

    /// A file of a process is closed for good.
    fn close(&self, process: &Arc<Process>) {
        let mut users = self.processes.lock();
        let Some(at) = users.iter().position(|user| Arc::ptr_eq(&user.process, process)) else {
            return;
        };
        let last = match users.get_mut(at) {
            Some(user) if user.files > 1 => {
                user.files = user.files.saturating_sub(1);
                None
            }
            _ => users.remove(at).ok(),
        };
        drop(users);
        if let Some(user) = last {
            user.process.leave();
        }
    }
}

/// What lives on a GPU that was unplugged is out of reach for the others from now on.
pub(crate) fn withdraw(gpu: &drm::Device) {
    let Ok(kfd) = Kfd::get() else { return };
    kfd.for_each_process(|process| process.withdraw_from(gpu));
}

/// Adds the memory that a process has on the GPU whose render node `file` is of, if the address space of `file` is its own
/// there.
pub(crate) fn memory_of(file: &drm::File, parts: &mut KVec<drm::Part>) -> Result {
    let kfd = Kfd::get()?;
    let mut result = Ok(());
    kfd.for_each_process(|process| {
        for device in process.devices() {
            if result.is_ok() && device.has_file(file) {
                result = device.buffers.lock().add_to(parts);
            }
        }
    });
    result
}

/// The device node.
pub(super) struct Device {
    kfd: Arc<Kfd>,
}

/// An open file.
pub(super) struct File {
    process: Arc<Process>,
}

impl chardev::Driver for Device {
    const NAME: &'static CStr = c"kfd";
    type File = File;

    fn open(&self) -> Result<KBox<File>> {
        if task::is_compat() {
            pr_warn!(
                "kfd: {}: 32-bit programs are not supported\n",
                task::Comm::current()
            );
            return Err(EPERM);
        }
        // first: who was let in is let out by a file alone
        let room = KBox::<File>::new_uninit(GFP_KERNEL)?;
        Ok(room.write(File {
            process: self.kfd.open()?,
        }))
    }

    fn ioctl(&self, file: &File, cmd: u32, arg: usize) -> Result<c_long> {
        requests::dispatch(&self.kfd, &file.process, cmd, arg).map(|()| 0)
    }

    fn mmap(&self, file: &File, area: &Area<'_>) -> Result {
        requests::mmap(&file.process, area)
    }

    fn fault(&self, file: &File, fault: Fault) -> Result<Inserted> {
        requests::fault(&file.process, fault)
    }

    fn release(&self, file: KBox<File>) {
        self.kfd.close(&file.process);
    }
}
