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
        let about = Description::all()?
            .into_iter()
            .next()
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
        let gpu = Self::open()?;
        let mut arg = AcquireVm {
            drm_fd: gpu.render.fd() as u32,
            gpu_id: gpu.about.id,
        };
        gpu.kfd.call(request::ACQUIRE_VM, &mut arg)?;
        Ok(gpu)
    }

    /// `gpu_id`
    pub fn id(&self) -> u32 {
        self.about.id
    }
}
