// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A process that uses a GPU: both nodes open, address space adopted.

use crate::errno::Errno;
use crate::node::Node;
use amdgpu_uapi::kfd::memory::AcquireVm;
use amdgpu_uapi::kfd::request;
use std::collections::HashMap;
use std::fs;

/// Where the KFD describes the machine.
const NODES: &str = "/sys/devices/virtual/kfd/kfd/topology/nodes";

/// The PCI driver's directory.
const DRIVER: &str = "/sys/bus/pci/drivers/amdgpu";

/// A GPU as the topology describes it.
#[derive(Clone, Debug)]
pub struct Description {
    /// Directory number.
    pub node: u32,
    /// `gpu_id`
    pub id: u32,
    /// The lines of `properties`.
    pub properties: HashMap<String, u64>,
}

impl Description {
    /// All GPUs of this machine.
    pub fn all() -> Result<Vec<Self>, Errno> {
        let mut gpus = Vec::new();
        for node in 0.. {
            let Ok(id) = fs::read_to_string(format!("{NODES}/{node}/gpu_id")) else {
                break;
            };
            let id = id.trim().parse().map_err(|_| Errno(libc::EPROTO))?;
            if id != 0 {
                let text = fs::read_to_string(format!("{NODES}/{node}/properties"))?;
                let pairs = text.lines().filter_map(|line| {
                    let (name, value) = line.split_once(' ')?;
                    Some((name.to_owned(), value.trim().parse().ok()?))
                });
                gpus.push(Self {
                    node,
                    id,
                    properties: pairs.collect(),
                });
            }
        }
        Ok(gpus)
    }

    /// Its name on the PCI bus.
    pub fn pci_name(&self) -> Result<String, Errno> {
        let minor = self.property("drm_render_minor");
        let device = fs::canonicalize(format!("/sys/class/drm/renderD{minor}/device"))?;
        let name = device.file_name().ok_or(Errno(libc::EPROTO))?;
        Ok(name.to_string_lossy().into_owned())
    }

    /// A property, 0 if it is not there.
    pub fn property(&self, name: &str) -> u64 {
        self.properties.get(name).copied().unwrap_or(0)
    }
}

/// A GPU that this process uses.
pub struct Gpu {
    /// `/dev/kfd`
    pub kfd: Node,
    /// The render node.
    pub render: Node,
    /// What it is.
    pub about: Description,
}

impl Gpu {
    /// Opens the first GPU without adopting an address space.
    pub fn open() -> Result<Self, Errno> {
        Self::open_nth(0)
    }

    fn open_nth(n: usize) -> Result<Self, Errno> {
        let about = Description::all()?
            .into_iter()
            .nth(n)
            .ok_or(Errno(libc::ENODEV))?;
        let render = Node::open(format!("/dev/dri/renderD{}", about.property("drm_render_minor")))?;
        Ok(Self {
            kfd: Node::kfd()?,
            render,
            about,
        })
    }

    /// Opens the first GPU and adopts the render node's address space.
    pub fn acquire() -> Result<Self, Errno> {
        Self::acquire_nth(0)
    }

    /// [`acquire`](Self::acquire) for GPU `n`, counted from 0.
    pub fn acquire_nth(n: usize) -> Result<Self, Errno> {
        let gpu = Self::open_nth(n)?;
        let mut arg = AcquireVm {
            drm_fd: gpu.render.fd() as u32,
            gpu_id: gpu.about.id,
        };
        gpu.kfd.call(request::ACQUIRE_VM, &mut arg)?;
        Ok(gpu)
    }

    /// Its name on the PCI bus.
    pub fn pci_name(&self) -> Result<String, Errno> {
        self.about.pci_name()
    }

    /// Takes a card from the driver.
    pub fn unbind(pci_name: &str) -> Result<(), Errno> {
        Ok(fs::write(format!("{DRIVER}/unbind"), pci_name)?)
    }

    /// Gives a card to the driver.
    pub fn bind(pci_name: &str) -> Result<(), Errno> {
        Ok(fs::write(format!("{DRIVER}/bind"), pci_name)?)
    }

    /// `gpu_id`
    pub fn id(&self) -> u32 {
        self.about.id
    }
}
