// SPDX-License-Identifier: GPL-2.0
//! The files of a node.

use amdgpu_uapi::kfd::sysfs::{io_link, mem_bank, node, system};
use core::fmt::{Result, Write};

/// Something with a `properties` file.
pub trait Properties {
    /// Writes the file.
    fn write(&self, out: &mut dyn Write) -> Result;
}

/// A line.
fn line(out: &mut dyn Write, name: &str, value: u64) -> Result {
    writeln!(out, "{name} {value}")
}

/// `system_properties`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct System {
    /// Maker, from the ACPI DSDT.
    pub oem: u64,
    /// Platform.
    pub id: u64,
    /// Revision.
    pub revision: u64,
}

impl Properties for System {
    fn write(&self, out: &mut dyn Write) -> Result {
        line(out, system::PLATFORM_OEM, self.oem)?;
        line(out, system::PLATFORM_ID, self.id)?;
        line(out, system::PLATFORM_REV, self.revision)
    }
}

/// `nodes/N/properties`. Fields are named like the lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "documented at the names of the lines")]
pub struct Node {
    pub cpu_cores_count: u32,
    pub simd_count: u32,
    pub mem_banks_count: u32,
    pub caches_count: u32,
    pub io_links_count: u32,
    pub p2p_links_count: u32,
    pub cpu_core_id_base: u32,
    pub simd_id_base: u32,
    pub max_waves_per_simd: u32,
    pub lds_size_in_kb: u32,
    pub gds_size_in_kb: u32,
    pub num_gws: u32,
    pub wave_front_size: u32,
    pub array_count: u32,
    pub simd_arrays_per_engine: u32,
    pub cu_per_simd_array: u32,
    pub simd_per_cu: u32,
    pub max_slots_scratch_cu: u32,
    pub gfx_target_version: u32,
    pub vendor_id: u32,
    pub device_id: u32,
    pub location_id: u32,
    pub domain: u32,
    pub drm_render_minor: u32,
    pub hive_id: u64,
    pub num_sdma_engines: u32,
    pub num_sdma_xgmi_engines: u32,
    pub num_sdma_queues_per_engine: u32,
    pub num_cp_queues: u32,
    pub cwsr_size: u32,
    pub ctl_stack_size: u32,
    pub max_engine_clk_fcompute: u32,
    pub fw_version: u32,
    pub capability: u32,
    pub capability2: u32,
    pub debug_prop: u64,
    pub sdma_fw_version: u32,
    pub unique_id: u64,
    pub num_xcc: u32,
    pub max_engine_clk_ccompute: u32,
}

impl Properties for Node {
    fn write(&self, out: &mut dyn Write) -> Result {
        let counts = [
            (node::CPU_CORES_COUNT, self.cpu_cores_count),
            (node::SIMD_COUNT, self.simd_count),
            (node::MEM_BANKS_COUNT, self.mem_banks_count),
            (node::CACHES_COUNT, self.caches_count),
            (node::IO_LINKS_COUNT, self.io_links_count),
            (node::P2P_LINKS_COUNT, self.p2p_links_count),
            (node::CPU_CORE_ID_BASE, self.cpu_core_id_base),
            (node::SIMD_ID_BASE, self.simd_id_base),
            (node::MAX_WAVES_PER_SIMD, self.max_waves_per_simd),
            (node::LDS_SIZE_IN_KB, self.lds_size_in_kb),
            (node::GDS_SIZE_IN_KB, self.gds_size_in_kb),
            (node::NUM_GWS, self.num_gws),
            (node::WAVE_FRONT_SIZE, self.wave_front_size),
            (node::ARRAY_COUNT, self.array_count),
            (node::SIMD_ARRAYS_PER_ENGINE, self.simd_arrays_per_engine),
            (node::CU_PER_SIMD_ARRAY, self.cu_per_simd_array),
            (node::SIMD_PER_CU, self.simd_per_cu),
            (node::MAX_SLOTS_SCRATCH_CU, self.max_slots_scratch_cu),
            (node::GFX_TARGET_VERSION, self.gfx_target_version),
            (node::VENDOR_ID, self.vendor_id),
            (node::DEVICE_ID, self.device_id),
            (node::LOCATION_ID, self.location_id),
            (node::DOMAIN, self.domain),
            (node::DRM_RENDER_MINOR, self.drm_render_minor),
        ];
        let queues = [
            (node::NUM_SDMA_ENGINES, self.num_sdma_engines),
            (node::NUM_SDMA_XGMI_ENGINES, self.num_sdma_xgmi_engines),
            (node::NUM_SDMA_QUEUES_PER_ENGINE, self.num_sdma_queues_per_engine),
            (node::NUM_CP_QUEUES, self.num_cp_queues),
            (node::CWSR_SIZE, self.cwsr_size),
            (node::CTL_STACK_SIZE, self.ctl_stack_size),
        ];
        for (name, value) in counts {
            line(out, name, value.into())?;
        }
        line(out, node::HIVE_ID, self.hive_id)?;
        for (name, value) in queues {
            line(out, name, value.into())?;
        }
        if self.simd_count > 0 {
            line(
                out,
                node::MAX_ENGINE_CLK_FCOMPUTE,
                self.max_engine_clk_fcompute.into(),
            )?;
            line(out, node::LOCAL_MEM_SIZE, 0)?;
            line(out, node::FW_VERSION, self.fw_version.into())?;
            line(out, node::CAPABILITY, self.capability.into())?;
            line(out, node::CAPABILITY2, self.capability2.into())?;
            line(out, node::DEBUG_PROP, self.debug_prop)?;
            line(out, node::SDMA_FW_VERSION, self.sdma_fw_version.into())?;
            line(out, node::UNIQUE_ID, self.unique_id)?;
            line(out, node::NUM_XCC, self.num_xcc.into())?;
        }
        line(
            out,
            node::MAX_ENGINE_CLK_CCOMPUTE,
            self.max_engine_clk_ccompute.into(),
        )
    }
}

/// `mem_banks/I/properties`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "documented at the names of the lines")]
pub struct MemBank {
    pub heap_type: u32,
    pub size_in_bytes: u64,
    pub flags: u32,
    pub width: u32,
    pub mem_clk_max: u32,
}

impl Properties for MemBank {
    fn write(&self, out: &mut dyn Write) -> Result {
        line(out, mem_bank::HEAP_TYPE, self.heap_type.into())?;
        line(out, mem_bank::SIZE_IN_BYTES, self.size_in_bytes)?;
        line(out, mem_bank::FLAGS, self.flags.into())?;
        line(out, mem_bank::WIDTH, self.width.into())?;
        line(out, mem_bank::MEM_CLK_MAX, self.mem_clk_max.into())
    }
}

/// `io_links/I/properties` and `p2p_links/I/properties`. Versions, latencies and advice on transfers are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "documented at the names of the lines")]
pub struct IoLink {
    pub ty: u32,
    pub node_from: u32,
    pub node_to: u32,
    pub weight: u32,
    pub min_bandwidth: u32,
    pub max_bandwidth: u32,
    pub recommended_sdma_engine_id_mask: u32,
    pub flags: u32,
}

impl Properties for IoLink {
    fn write(&self, out: &mut dyn Write) -> Result {
        for (name, value) in [
            (io_link::TYPE, self.ty),
            (io_link::VERSION_MAJOR, 0),
            (io_link::VERSION_MINOR, 0),
            (io_link::NODE_FROM, self.node_from),
            (io_link::NODE_TO, self.node_to),
            (io_link::WEIGHT, self.weight),
            (io_link::MIN_LATENCY, 0),
            (io_link::MAX_LATENCY, 0),
            (io_link::MIN_BANDWIDTH, self.min_bandwidth),
            (io_link::MAX_BANDWIDTH, self.max_bandwidth),
            (io_link::RECOMMENDED_TRANSFER_SIZE, 0),
            (
                io_link::RECOMMENDED_SDMA_ENGINE_ID_MASK,
                self.recommended_sdma_engine_id_mask,
            ),
            (io_link::FLAGS, self.flags),
        ] {
            line(out, name, value.into())?;
        }
        Ok(())
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(
    CONFIG_KUNIT = "y",
    kernel::prelude::kunit_tests(amdgpu_logic_kfd_topology_text)
)]
mod tests {
    use super::*;
    use crate::testing::Text;
    use amdgpu_uapi::kfd::sysfs;

    /// Parses as the thunk does: `name value` per line, from the start, all lines.
    fn parse(text: &str) -> impl Iterator<Item = Option<(&str, u64)>> {
        text.lines().map(|l| {
            let (name, value) = l.split_once(' ')?;
            Some((name, value.parse().ok()?))
        })
    }

    /// Whether the lines of `what` have these names.
    fn has(what: &dyn Properties, names: &[&str]) -> bool {
        let mut file = Text::<2048>::new();
        let written = what.write(&mut file);
        let found = parse(file.text()).map(|line| Some(line?.0));
        found.eq(names.iter().copied().map(Some)) && written.is_ok() && file.text().ends_with('\n')
    }

    #[test]
    fn every_name_in_order() {
        let gpu = Node {
            simd_count: 416,
            ..Node::default()
        };
        assert!(has(&System::default(), sysfs::system::ALL));
        assert!(has(&gpu, sysfs::node::ALL));
        assert!(has(&MemBank::default(), sysfs::mem_bank::ALL));
        assert!(has(&IoLink::default(), sysfs::io_link::ALL));
    }

    #[test]
    fn cpu_nodes_end_with_their_clock() -> Result {
        let node = Node {
            cpu_cores_count: 2,
            ..Node::default()
        };
        let mut file = Text::<2048>::new();
        node.write(&mut file)?;
        assert_eq!(parse(file.text()).count(), 32);
        assert_eq!(
            parse(file.text()).last(),
            Some(Some(("max_engine_clk_ccompute", 0)))
        );
        Ok(())
    }

    #[test]
    fn values_are_where_they_belong() -> Result {
        let node = Node {
            simd_count: 416,
            gfx_target_version: 90010,
            hive_id: u64::MAX,
            unique_id: 7,
            num_xcc: 1,
            ..Node::default()
        };
        let mut file = Text::<2048>::new();
        node.write(&mut file)?;
        let value = |name| {
            parse(file.text())
                .flatten()
                .find(|(n, _)| *n == name)
                .map(|l| l.1)
        };
        assert_eq!(value("simd_count"), Some(416));
        assert_eq!(value("gfx_target_version"), Some(90010));
        assert_eq!(value("hive_id"), Some(u64::MAX));
        assert_eq!(value("unique_id"), Some(7));
        assert_eq!(value("num_xcc"), Some(1));
        assert_eq!(value("cpu_cores_count"), Some(0));
        Ok(())
    }
}
