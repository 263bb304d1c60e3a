// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Packets for the scheduler firmware (kfd_pm4_headers_ai.h, kfd_pm4_headers_aldebaran.h, soc15d.h).

mod decode;
#[cfg(test)]
mod tests;

pub(crate) use decode::decode;

use super::super::slot::Slot;

/// SET_RESOURCES.queue_type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResourcesFor {
    /// The kernel interface queue.
    Kiq,
    /// The scheduler queue.
    Hiq,
}

/// SET_RESOURCES: what the firmware may hand out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SetResources {
    /// Which queue's resources.
    pub(crate) queue_type: ResourcesFor,
    /// Bit n: VMID n.
    pub(crate) vmid_mask: u16,
    /// Bit n: slot n.
    pub(crate) queue_mask: u64,
    /// How long a queue may take to stop, in 100 ms.
    pub(crate) unmap_latency: u8,
}

/// RUN_LIST.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RunList {
    /// Address of the list in VMID 0.
    pub(crate) base: u64,
    /// Dwords of the list.
    pub(crate) dwords: u32,
    /// The last packet of an over-subscribed list: start again from the front.
    pub(crate) chain: bool,
    /// Processes to run at a time; 0 leaves it to the firmware.
    pub(crate) processes: u8,
}

/// MAP_PROCESS in the aldebaran layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MapProcess {
    /// The process's address space id.
    pub(crate) pasid: u16,
    /// Time slice of an over-subscribed list, in ms.
    pub(crate) quantum: u8,
    /// Page directory base with its flag bits.
    pub(crate) page_table_base: u64,
    /// SH_MEM_BASES.
    pub(crate) sh_mem_bases: u32,
    /// SH_MEM_CONFIG.
    pub(crate) sh_mem_config: u32,
    /// Byte address of the trap handler.
    pub(crate) tba: u64,
    /// Byte address of the trap handler's memory.
    pub(crate) tma: u64,
    /// Queues of the process, mapped or not.
    pub(crate) num_queues: u16,
    /// Global wave sync resources of the process, 0..=64.
    pub(crate) gws: u8,
    /// A requested feature this model does not have, by its field name.
    pub(crate) unsupported: Option<&'static str>,
}

/// Which engine a queue is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    /// A compute queue.
    Compute,
    /// The scheduler queue itself.
    Hiq,
    /// A queue of this SDMA engine.
    Sdma(u8),
}

/// MAP_QUEUES.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MapQueues {
    /// The slot, or `None` if the firmware is to choose one.
    pub(crate) slot: Option<Slot>,
    /// The engine.
    pub(crate) engine: Engine,
    /// Stays mapped when all non-static queues are unmapped.
    pub(crate) is_static: bool,
    /// BAR2 dword index of the doorbell.
    pub(crate) doorbell: u32,
    /// Address of the queue descriptor in VMID 0.
    pub(crate) mqd: u64,
    /// Address of the write pointer in the queue's VMID.
    pub(crate) wptr: u64,
    /// The queue uses global wave sync.
    pub(crate) gws: bool,
}

/// Which queues UNMAP_QUEUES means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Select {
    /// Those with these doorbells (BAR2 dword indices; unused ones are `None`).
    Doorbells([Option<u32>; 4]),
    /// All of a process.
    Pasid(u16),
    /// All of the run list.
    All,
    /// All of the run list but static ones.
    NonStatic,
}

/// UNMAP_QUEUES.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnmapQueues {
    /// Remove running waves instead of letting them end.
    pub(crate) reset: bool,
    /// Which queues.
    pub(crate) select: Select,
}

/// QUERY_STATUS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QueryStatus {
    /// Write the fence.
    pub(crate) fence: bool,
    /// Raise an interrupt with this context id.
    pub(crate) interrupt: Option<u32>,
    /// Address of the fence in VMID 0.
    pub(crate) addr: u64,
    /// Value of the fence.
    pub(crate) data: u64,
}

/// A packet for the firmware.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packet {
    SetResources(SetResources),
    RunList(RunList),
    MapProcess(MapProcess),
    MapQueues(MapQueues),
    UnmapQueues(UnmapQueues),
    QueryStatus(QueryStatus),
}
