// SPDX-License-Identifier: GPL-2.0
//! A GPU as KFD knows it, from its publication in the topology to its end.

use super::{
    fault::{self, Faulted},
    process::Process,
    service::Kfd,
    topology::{self, Description},
};
use crate::gpu::{
    drm::Device,
    hw::{
        faults::{Faults, Processes},
        ih::Listener,
        nbio,
        sdma::Sdma,
    },
};
use amdgpu_logic::{
    fault::PageFault,
    iv::{Cause, Iv, SqMessage},
    kfd::queue::NodeNeeds,
};
use amdgpu_uapi::kfd::mmap::{self, kind};
use kernel::{
    dev_info,
    device::Bound,
    new_mutex, pci,
    prelude::*,
    rbtree::{RBTree, RBTreeNodeReservation},
    sync::{aref::ARef, Arc, Mutex},
};

/// A GPU.
#[pin_data]
pub(crate) struct Node {
    gpu_id: u32,
    device: ARef<Device>,
    needs: NodeNeeds,
    sdma_engines: u32,
    /// CPU address of the page with the HDP flush registers.
    flush_page: u64,
    faults: Arc<Faults>,
    /// Whose PASID is whose.
    #[pin]
    contexts: Mutex<RBTree<u16, Arc<Process>>>,
}

impl Node {
    /// Its name: 1 to 65535.
    pub(crate) fn gpu_id(&self) -> u32 {
        self.gpu_id
    }

    /// The DRM device, through which the GPU is reached while it is bound.
    pub(crate) fn device(&self) -> &ARef<Device> {
        &self.device
    }

    /// What queues need.
    pub(crate) fn needs(&self) -> &NodeNeeds {
        &self.needs
    }

    /// SDMA engines of both kinds.
    pub(crate) fn sdma_engines(&self) -> u32 {
        self.sdma_engines
    }

    /// CPU address of the page with the HDP flush registers.
    pub(crate) fn flush_page(&self) -> u64 {
        self.flush_page
    }

    /// The GPU's page faults.
    pub(super) fn faults(&self) -> &Faults {
        &self.faults
    }

    /// Interrupts with `pasid` mean `process` from now on.
    pub(super) fn add_context(&self, pasid: u16, process: &Arc<Process>) -> Result {
        let node = RBTreeNodeReservation::new(GFP_KERNEL)?.into_node(pasid, process.clone());
        let former = self.contexts.lock().insert(node);
        drop(former);
        Ok(())
    }

    /// Interrupts with `pasid` mean nobody.
    pub(super) fn remove_context(&self, pasid: u16) {
        let process = self.contexts.lock().remove(&pasid);
        drop(process);
    }

    fn process(&self, pasid: u16) -> Option<Arc<Process>> {
        self.contexts.lock().get(&pasid).cloned()
    }
}

impl Processes for Node {
    /// The process's queues are stopped. What is known is reported, and then the process is told.
    fn page_fault(&self, fault: &PageFault) -> bool {
        let Some(process) = self.process(fault.pasid) else {
            return false;
        };
        let Some(device) = process.device(self.gpu_id).cloned() else {
            return false;
        };
        let Ok(binding) = device.binding(amdgpu_logic::kfd::Errno::Srch) else {
            return false;
        };
        let faulted = Faulted {
            process: process.clone(),
            device,
            fault: *fault,
        };
        if !binding.stopper().halt(faulted) {
            // one more of a process that is stopped already
            fault::tell(&process, self, fault);
        }
        true
    }
}

impl Listener for Node {
    fn interrupt(&self, iv: &Iv, cause: &Cause) {
        // kernel queues have no PASID
        if iv.pasid == 0 {
            return;
        }
        let Some(process) = self.process(iv.pasid) else {
            return;
        };
        match cause {
            // the firmware also interrupts without an event
            Cause::CpEndOfPipe { event: 0 } => {}
            Cause::CpEndOfPipe { event } => process.events.interrupt(*event, 32),
            Cause::SdmaTrap { context, .. } => process.events.interrupt(*context, 28),
            Cause::Sq(SqMessage::Wave { data }) => process.events.interrupt(*data, 24),
            _ => {}
        }
    }

    fn overflow(&self) {
        let contexts = self.contexts.lock();
        for process in contexts.values() {
            process.events.scan();
        }
    }
}

/// A GPU that processes can see. Dropping it takes it away from them.
pub(crate) struct Published {
    kfd: Arc<Kfd>,
    node: Arc<Node>,
    listener: Arc<dyn Listener>,
}

impl Published {
    /// Shows a GPU that can be used from now on: last, when everything about it is known.
    pub(crate) fn new(pdev: &pci::Device<Bound>, device: &ARef<Device>) -> Result<Self> {
        let kfd = Kfd::get()?;
        let guard = device.enter()?;
        let description = Description::of(pdev, &guard)?;
        let mut nodes = kfd.nodes().lock();
        let taken = |id| nodes.iter().any(|node: &Arc<Node>| node.gpu_id == id);
        let gpu_id = description.identity.gpu_id(taken).ok_or(ENOSPC)?;
        let engines = Sdma::engines_of(guard.versions().sdma)?;
        let flush_page = pdev
            .resource_start(5)?
            .checked_add(nbio::FLUSH_PAGE.into())
            .ok_or(EIO)?;
        let faults = guard.faults().clone();
        let node = Arc::pin_init(
            pin_init!(Node {
                gpu_id,
                device: device.clone(),
                needs: description.needs,
                sdma_engines: u32::from(engines.pcie).saturating_add(engines.xgmi.into()),
                flush_page,
                faults,
                contexts <- new_mutex!(RBTree::new(), "kfd contexts"),
            }),
            GFP_KERNEL,
        )?;
        let listener: Arc<dyn Listener> = node.clone();
        nodes.reserve(1, GFP_KERNEL)?;
        guard.ih().add(listener.clone())?;
        guard.faults().set_processes(Some(node.clone()));
        nodes.push_within_capacity(node.clone()).map_err(|_| ENOMEM)?;
        drop(nodes);
        // from here on dropping `this` undoes it all
        let this = Self { kfd, node, listener };
        match &mut *this.kfd.tree().lock() {
            Some(tree) => tree.add_gpu(gpu_id, &description)?,
            None => return Err(ENODEV),
        }
        dev_info!(
            pdev.as_ref(),
            "kfd: node published: gpu_id {:#x}, {}, renderD{}, capability {:#x}\n",
            gpu_id,
            topology::NAME,
            description.render_minor(),
            description.capability()
        );
        Ok(this)
    }

    /// What is to be taken away from processes when the GPU is unbound.
    pub(crate) fn shown_pages(&self) -> ShownPages {
        ShownPages {
            kfd: self.kfd.clone(),
            gpu_id: self.node.gpu_id,
        }
    }
}

/// The pages of a GPU that processes have mapped from `/dev/kfd`. Dropping it takes them away: after unbind has seen to
/// it that no more are mapped.
pub(crate) struct ShownPages {
    kfd: Arc<Kfd>,
    gpu_id: u32,
}

impl Drop for ShownPages {
    fn drop(&mut self) {
        for kind in [kind::DOORBELL, kind::MMIO] {
            self.kfd
                .mappings()
                .zap(mmap::offset(kind, self.gpu_id, 0), 1 << mmap::gpu_id::SHIFT);
        }
    }
}

impl Drop for Published {
    fn drop(&mut self) {
        if let Some(tree) = &mut *self.kfd.tree().lock() {
            tree.remove_gpu(self.node.gpu_id);
        }
        self.kfd
            .nodes()
            .lock()
            .retain(|node| !Arc::ptr_eq(node, &self.node));
        self.kfd.for_each_process(|process| {
            let device = process.device(self.node.gpu_id);
            if let Some(device) = device.filter(|device| Arc::ptr_eq(device.node(), &self.node)) {
                device.stop_for_good();
            }
        });
        self.node.faults.set_processes(None);
        if let Ok(guard) = self.node.device.enter() {
            guard.ih().remove(&self.listener);
        }
    }
}
