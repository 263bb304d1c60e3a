// SPDX-License-Identifier: GPL-2.0
//! What a GPU is.

use crate::{
    glue::machine,
    gpu::{
        cards,
        drm::Guard,
        hw::{ip::IpVersion, sdma::Sdma},
    },
};
use amdgpu_logic::{
    kfd::{
        gpu_id::Identity,
        queue::NodeNeeds,
        save_area::{SaveArea, Shape},
        topology::{gfx_target_version, Capabilities, GpuShape, IoLink, MemBank, Node},
    },
    smu::Clock,
};
use amdgpu_uapi::kfd::sysfs::{heap_type, io_link_flags as link, io_link_type};
use kernel::{device::Bound, pci, prelude::*};

/// The name in sysfs, by which kfdtest chooses its tests.
pub(in super::super) const NAME: &str = "aldebaran";

/// SIMDs of a compute unit.
const SIMDS: u32 = 4;
/// User queues of an SDMA engine.
const QUEUES_PER_SDMA: u32 = 8;
/// Bytes of an end-of-pipe buffer (kernel amdkfd/kfd_queue.c: kfd_queue_ctx_save_restore_size).
const EOP_BYTES: u64 = 4096;
/// Distance of a GPU from the CPUs it is attached to by PCIe (amdkfd/kfd_crat.h: KFD_CRAT_PCIE_WEIGHT... 20).
const PCIE_WEIGHT: u32 = 20;

/// A GPU, for the topology.
pub(in super::super) struct Description {
    /// What it is recognised by.
    pub(in super::super) identity: Identity,
    /// What queues need.
    pub(in super::super) needs: NodeNeeds,
    /// `properties`, without counts.
    pub(super) node: Node,
    /// Its memory.
    pub(super) bank: MemBank,
    /// Its compute units, for the caches.
    pub(super) shape: GpuShape,
    /// NUMA node it is near to.
    pub(super) numa_node: Option<u32>,
    pcie_bandwidth: u32,
    /// Whether it can do atomics on system memory.
    atomics: bool,
    sdma_mask: u32,
}

impl Description {
    /// The GPU at `pdev`, of the only generation there is: gfx90a.
    pub(in super::super) fn of(pdev: &pci::Device<Bound>, guard: &Guard<'_>) -> Result<Self> {
        let gfx = guard.gfx();
        let made_of = gfx.shape();
        let units = gfx.compute_units();
        let cus = units.iter().map(|u| u.count_ones()).sum::<u32>();
        let engines = u32::from(made_of.shader_engines);
        let save_area = SaveArea::gfx9_large(Shape { cus, engines }).ok_or(EINVAL)?;
        let sdma = Sdma::engines_of(guard.versions().sdma)?;
        let card = cards::of_device(pdev.device_id());
        // with what the driver keeps for itself, as the C driver tells it
        let vram = guard.nbio().vram_size(guard.bars())?;
        let capabilities = Capabilities {
            asic_revision: guard.nbio().revision(guard.bars()).into(),
            // the memories of gfx90a are protected by ECC, which cannot be switched off
            sram_ecc: true,
            mem_ecc: true,
            ..Capabilities::default()
        };
        let node = Node {
            simd_count: cus.saturating_mul(SIMDS),
            max_waves_per_simd: 8,
            lds_size_in_kb: 64,
            wave_front_size: 64,
            array_count: engines,
            simd_arrays_per_engine: 1,
            cu_per_simd_array: made_of.cus_per_engine.into(),
            simd_per_cu: SIMDS,
            max_slots_scratch_cu: 32,
            gfx_target_version: isa(guard.versions().gc).ok_or(ENODEV)?,
            vendor_id: pdev.vendor_id().as_raw().into(),
            device_id: pdev.device_id().into(),
            location_id: pdev.dev_id().into(),
            domain: machine::pci_domain(pdev),
            drm_render_minor: guard.device().render_minor(),
            num_sdma_engines: sdma.pcie.into(),
            num_sdma_xgmi_engines: sdma.xgmi.into(),
            num_sdma_queues_per_engine: QUEUES_PER_SDMA,
            num_cp_queues: made_of.queue_slots().count_ones(),
            cwsr_size: save_area.size,
            ctl_stack_size: save_area.control_stack,
            max_engine_clk_fcompute: guard.smu().max_mhz(Clock::Gfx),
            fw_version: guard.firmware().mec,
            sdma_fw_version: guard.firmware().sdma,
            unique_id: guard.smu().serial(),
            capability: capabilities.word(),
            num_xcc: 1,
            max_engine_clk_ccompute: machine::max_cpu_mhz(),
            ..Node::default()
        };
        let bank = MemBank {
            // all of it: the driver does not start on a GPU with a smaller BAR
            heap_type: heap_type::FB_PUBLIC,
            size_in_bytes: vram,
            width: card.memory_width,
            mem_clk_max: guard.smu().max_mhz(Clock::Memory),
            ..MemBank::default()
        };
        let [bus, devfn] = pdev.dev_id().to_be_bytes();
        let identity = Identity {
            domain: node.domain,
            bus,
            devfn,
            device: pdev.device_id(),
            subsystem_vendor: pdev.subsystem_vendor_id(),
            subsystem_device: pdev.subsystem_device_id(),
            vram,
            num_xcc: 1,
        };
        Ok(Self {
            identity,
            needs: NodeNeeds {
                eop_size: EOP_BYTES,
                save_area,
                dies: 1,
            },
            shape: GpuShape {
                active: units.map(u32::from),
                arrays: engines,
                cus_per_array: made_of.cus_per_engine.into(),
                first_id: 0,
            },
            node,
            bank,
            numa_node: machine::numa_node_of(pdev),
            pcie_bandwidth: card.pcie_bandwidth,
            atomics: machine::enable_pci_atomics(pdev),
            sdma_mask: 1u32
                .checked_shl(sdma.pcie.into())
                .map_or(u32::MAX, |bit| bit.wrapping_sub(1)),
        })
    }

    /// Number of its render node.
    pub(in super::super) fn render_minor(&self) -> u32 {
        self.node.drm_render_minor
    }

    /// What it can do.
    pub(in super::super) fn capability(&self) -> u32 {
        self.node.capability
    }

    /// The link from this GPU, node `gpu`, to the CPUs of node `cpu`.
    pub(super) fn link_to_cpu(&self, gpu: u32, cpu: u32) -> IoLink {
        IoLink {
            ty: io_link_type::PCIEXPRESS,
            node_from: gpu,
            node_to: cpu,
            weight: PCIE_WEIGHT,
            max_bandwidth: self.pcie_bandwidth,
            recommended_sdma_engine_id_mask: self.sdma_mask,
            flags: link::ENABLED | if self.atomics { 0 } else { NO_ATOMICS },
            ..IoLink::default()
        }
    }

    /// The link back. Its being there says that the CPUs reach all of the GPU's memory.
    pub(super) fn link_from_cpu(&self, gpu: u32, cpu: u32) -> IoLink {
        let there = self.link_to_cpu(gpu, cpu);
        // the GPU's caches know nothing of what CPUs do through the BAR, and no GPU completes AtomicOps of CPUs
        IoLink {
            node_from: cpu,
            node_to: gpu,
            flags: there.flags | link::NON_COHERENT | NO_ATOMICS,
            ..there
        }
    }
}

/// Neither 32 nor 64 bits.
const NO_ATOMICS: u32 = link::NO_ATOMICS_32_BIT | link::NO_ATOMICS_64_BIT;

/// The instruction set of a graphics block (kernel amdkfd/kfd_device.c: kgd2kfd_probe).
fn isa(gc: IpVersion) -> Option<u32> {
    match gc {
        IpVersion(9, 4, 2) => Some(gfx_target_version(9, 0, 10)),
        _ => None,
    }
}
