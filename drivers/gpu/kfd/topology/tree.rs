// SPDX-License-Identifier: GPL-2.0
//! The directories of the topology.

use super::{
    description::{Description, NAME},
    files::{Folder, NodeFiles, Only, Root},
};
use crate::glue::{
    machine::{self, NumaNode},
    sysfs::{Kobject, Parent},
};
use amdgpu_logic::kfd::topology::{gfx90a_caches, GpuCache, IoLink, MemBank, Node, System};
use amdgpu_uapi::kfd::sysfs::{heap_type, io_link_flags, io_link_type};
use core::sync::atomic::{AtomicU32, Ordering};
use kernel::{prelude::*, str::CString};

/// The whole topology. Directories go in the order of the fields.
pub(crate) struct Tree {
    gpus: KVec<GpuNode>,
    cpus: KVec<CpuNode>,
    nodes: Kobject<Folder>,
    root: Kobject<Root>,
    /// First processor number of the next GPU: all GPUs' numbers differ, and differ from those of CPUs (kernel
    /// amdkfd/kfd_crat.c: gpu_processor_id_low).
    next_simd_id: u32,
}

/// The CPUs of a NUMA node.
struct CpuNode {
    numa: NumaNode,
    /// Links to GPUs, with the GPU's id.
    gpu_links: KVec<(u32, Kobject<Only<IoLink>>)>,
    dirs: Dirs,
}

/// A GPU.
struct GpuNode {
    gpu_id: u32,
    node: Node,
    facts: Facts,
    _dirs: Dirs,
}

/// What a GPU's directories are made from.
#[derive(Clone, Copy)]
struct Facts {
    bank: MemBank,
    shape: amdgpu_logic::kfd::topology::GpuShape,
    to_cpu: IoLink,
    from_cpu: IoLink,
}

/// The directories of a node, innermost first.
struct Dirs {
    _caches: KVec<Kobject<Only<GpuCache>>>,
    _links: KVec<Kobject<Only<IoLink>>>,
    _banks: KVec<Kobject<Only<MemBank>>>,
    io_links: Kobject<Folder>,
    _p2p_links: Kobject<Folder>,
    _caches_dir: Kobject<Folder>,
    _banks_dir: Kobject<Folder>,
    node: Kobject<NodeFiles>,
}

/// First processor number of GPUs.
const FIRST_SIMD_ID: u32 = 0x8000_1000;

impl Tree {
    /// The topology of a machine without GPUs, below `device`.
    pub(crate) fn new(device: &impl Parent) -> Result<Self> {
        let system = machine::platform().map_or(System::default(), |p| System {
            oem: u64::from_ne_bytes(p.model),
            id: p
                .oem
                .iter()
                .rev()
                .fold(0, |id, letter| id << 8 | u64::from(*letter)),
            revision: p.revision.into(),
        });
        let root = Kobject::new(
            device,
            c"topology",
            Root {
                system,
                generation: AtomicU32::new(1),
            },
        )?;
        let nodes = Kobject::new(&root, c"nodes", Folder)?;
        let mut tree = Self {
            gpus: KVec::new(),
            cpus: KVec::new(),
            nodes,
            root,
            next_simd_id: FIRST_SIMD_ID,
        };
        let mut numa = KVec::new();
        for node in machine::numa_nodes() {
            numa.push(node, GFP_KERNEL)?;
        }
        for (number, node) in (0u32..).zip(&numa) {
            let cpu = tree.cpu_node(number, *node, numa.len())?;
            tree.cpus.push(cpu, GFP_KERNEL)?;
        }
        Ok(tree)
    }

    /// Number of a GPU's node, after those of the CPUs. `None` if it is not there.
    pub(crate) fn number_of(&self, gpu_id: u32) -> Option<usize> {
        let at = self.gpus.iter().position(|gpu| gpu.gpu_id == gpu_id)?;
        self.cpus.len().checked_add(at)
    }

    /// Nodes.
    pub(crate) fn count(&self) -> u32 {
        (self.cpus.len() as u32).saturating_add(self.gpus.len() as u32)
    }

    /// Adds a GPU's node, complete, in one step.
    pub(crate) fn add_gpu(&mut self, gpu_id: u32, gpu: &Description) -> Result {
        let number = self.count();
        let near = self
            .cpus
            .iter()
            .position(|cpu| Some(cpu.numa.id) == gpu.numa_node)
            .unwrap_or(0) as u32;
        let first_id = self.next_simd_id;
        let cus = gpu.node.array_count.saturating_mul(gpu.node.cu_per_simd_array);
        let facts = Facts {
            bank: gpu.bank,
            shape: amdgpu_logic::kfd::topology::GpuShape {
                first_id,
                ..gpu.shape
            },
            to_cpu: gpu.link_to_cpu(number, near),
            from_cpu: gpu.link_from_cpu(number, near),
        };
        let node = Node {
            simd_id_base: first_id,
            ..gpu.node
        };
        self.insert(number, gpu_id, node, facts)?;
        self.next_simd_id = first_id.saturating_add(cus);
        self.changed();
        Ok(())
    }

    /// Removes a GPU's node; those after it move up.
    pub(crate) fn remove_gpu(&mut self, gpu_id: u32) {
        let Some(at) = self.gpus.iter().position(|gpu| gpu.gpu_id == gpu_id) else {
            return;
        };
        let mut later = KVec::new();
        while self.gpus.len() > at {
            let Some(gpu) = self.gpus.pop() else { break };
            self.unlink(gpu.gpu_id);
            if gpu.gpu_id != gpu_id && later.push((gpu.gpu_id, gpu.node, gpu.facts), GFP_KERNEL).is_err() {
                pr_err!(
                    "kfd: GPU {:#x} is lost from the topology: out of memory\n",
                    gpu.gpu_id
                );
            }
        }
        while let Some((id, node, mut facts)) = later.pop() {
            let number = self.count();
            facts.to_cpu.node_from = number;
            facts.from_cpu.node_to = number;
            if let Err(e) = self.insert(number, id, node, facts) {
                pr_err!("kfd: GPU {id:#x} is lost from the topology: {e:?}\n");
            }
        }
        self.changed();
    }

    fn insert(&mut self, number: u32, gpu_id: u32, node: Node, facts: Facts) -> Result {
        self.gpus.reserve(1, GFP_KERNEL)?;
        let mut parts = Parts::default();
        parts.banks.push(facts.bank, GFP_KERNEL)?;
        parts.links.push(facts.to_cpu, GFP_KERNEL)?;
        for cache in gfx90a_caches(&facts.shape) {
            parts.caches.push(cache, GFP_KERNEL)?;
        }
        let aside = Kobject::new(&self.root, c"incomplete", Folder)?;
        let dirs = Dirs::new(&aside, number, gpu_id, NAME, node, parts)?;
        let cpu = self
            .cpus
            .get_mut(facts.from_cpu.node_from as usize)
            .ok_or(ENODEV)?;
        cpu.gpu_links.reserve(1, GFP_KERNEL)?;
        let link = numbered(&cpu.dirs.io_links, cpu.links(), Only(facts.from_cpu))?;
        dirs.node.move_to(&self.nodes)?;
        drop(aside);
        // the count last: what is counted must be there
        let _ = cpu.gpu_links.push_within_capacity((gpu_id, link));
        cpu.dirs.node.data().links.fetch_add(1, Ordering::AcqRel);
        let _ = self.gpus.push_within_capacity(GpuNode {
            gpu_id,
            node,
            facts,
            _dirs: dirs,
        });
        Ok(())
    }

    /// Removes the link of the CPUs to a GPU, which must be the one added last.
    fn unlink(&mut self, gpu_id: u32) {
        for cpu in self.cpus.iter_mut() {
            if cpu.gpu_links.iter().any(|(id, _)| *id == gpu_id) {
                cpu.dirs.node.data().links.fetch_sub(1, Ordering::AcqRel);
                cpu.gpu_links.retain(|(id, _)| *id != gpu_id);
            }
        }
    }

    fn changed(&self) {
        self.root.data().generation.fetch_add(1, Ordering::AcqRel);
    }

    fn cpu_node(&self, number: u32, numa: NumaNode, of: usize) -> Result<CpuNode> {
        let mut parts = Parts::default();
        let bank = MemBank {
            heap_type: heap_type::SYSTEM,
            size_in_bytes: numa.memory,
            ..MemBank::default()
        };
        parts.banks.push(bank, GFP_KERNEL)?;
        let ty = if machine::is_amd() {
            io_link_type::HYPERTRANSPORT
        } else {
            io_link_type::QPI_1_1
        };
        for other in (0..of as u32).filter(|other| *other != number) {
            let link = IoLink {
                ty,
                node_from: number,
                node_to: other,
                weight: 20,
                flags: io_link_flags::ENABLED,
                ..IoLink::default()
            };
            parts.links.push(link, GFP_KERNEL)?;
        }
        let node = Node {
            cpu_cores_count: numa.cpus,
            cpu_core_id_base: numa.first_apic_id,
            max_engine_clk_ccompute: machine::max_cpu_mhz(),
            ..Node::default()
        };
        let dirs = Dirs::new(&self.nodes, number, 0, "", node, parts)?;
        Ok(CpuNode {
            numa,
            gpu_links: KVec::new(),
            dirs,
        })
    }
}

impl CpuNode {
    /// Links it has.
    fn links(&self) -> u32 {
        self.dirs.node.data().links.load(Ordering::Acquire)
    }
}

/// What is below a node.
#[derive(Default)]
struct Parts {
    banks: KVec<MemBank>,
    links: KVec<IoLink>,
    caches: KVec<GpuCache>,
}

impl Dirs {
    fn new(
        parent: &impl Parent,
        number: u32,
        gpu_id: u32,
        name: &'static str,
        node: Node,
        parts: Parts,
    ) -> Result<Self> {
        let properties = Node {
            mem_banks_count: parts.banks.len() as u32,
            caches_count: parts.caches.len() as u32,
            ..node
        };
        let links = AtomicU32::new(parts.links.len() as u32);
        let node = numbered(
            parent,
            number,
            NodeFiles {
                gpu_id,
                name,
                properties,
                links,
            },
        )?;
        let banks_dir = Kobject::new(&node, c"mem_banks", Folder)?;
        let caches_dir = Kobject::new(&node, c"caches", Folder)?;
        let io_links = Kobject::new(&node, c"io_links", Folder)?;
        let p2p_links = Kobject::new(&node, c"p2p_links", Folder)?;
        Ok(Self {
            _caches: all(&caches_dir, parts.caches)?,
            _links: all(&io_links, parts.links)?,
            _banks: all(&banks_dir, parts.banks)?,
            io_links,
            _p2p_links: p2p_links,
            _caches_dir: caches_dir,
            _banks_dir: banks_dir,
            node,
        })
    }
}

/// A directory `0`, `1`, ... for each of `what`.
fn all<P>(parent: &impl Parent, what: KVec<P>) -> Result<KVec<Kobject<Only<P>>>>
where
    Only<P>: crate::glue::sysfs::Directory,
{
    let mut dirs = KVec::with_capacity(what.len(), GFP_KERNEL)?;
    for (number, what) in (0u32..).zip(what) {
        dirs.push(numbered(parent, number, Only(what))?, GFP_KERNEL)?;
    }
    Ok(dirs)
}

/// A directory named by a number.
fn numbered<D: crate::glue::sysfs::Directory>(
    parent: &impl Parent,
    number: u32,
    data: D,
) -> Result<Kobject<D>> {
    let name = CString::try_from_fmt(fmt!("{number}"))?;
    Kobject::new(parent, &name, data)
}
