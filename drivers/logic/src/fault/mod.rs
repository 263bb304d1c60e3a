// SPDX-License-Identifier: GPL-2.0
//! What is told of a GPU page fault: what the hardware says, and what the driver knows about the address.

mod past;
mod text;

pub use past::{Gone, Past};
pub use text::Line;

use crate::{
    iv::{Access as Kind, Fault, FaultStatus},
    pagetable::{Access, VaRange, PAGE},
};
use core::fmt;

/// A page fault as the hardware tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageFault {
    /// VMID of the access.
    pub vmid: u8,
    /// Address space, 0 for the driver's own.
    pub pasid: u16,
    /// The interrupt.
    pub fault: Fault,
    /// What the hub recorded, which may be of another fault: see [`PageFault::detail`].
    pub status: Option<FaultStatus>,
}

impl PageFault {
    /// What the hub recorded, if that can be of this fault: the hub keeps the first until it is taken.
    pub fn detail(&self) -> Option<FaultStatus> {
        self.status
            .filter(|s| s.vmid() == u32::from(self.vmid) && s.access() == self.fault.access)
    }

    /// What was tried, in a word.
    pub fn verb(&self) -> &'static str {
        match (self.detail(), self.fault.access) {
            (Some(s), _) if s.atomic() => "atomic",
            (Some(s), Kind::Read) if s.execute(self.fault.hub) => "execute",
            (_, Kind::Read) => "read",
            (_, Kind::Write) => "write",
        }
    }
}

/// Everything about a page fault.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// Counted from 1 on each GPU.
    pub number: u64,
    /// What the hardware says.
    pub fault: PageFault,
    /// The process, if it is one's.
    pub owner: Option<Owner>,
}

/// The process that faulted, and what it has around the address.
#[derive(Clone, Copy, Debug)]
pub struct Owner {
    /// GPU as KFD names it.
    pub gpu_id: u32,
    /// Number of the process.
    pub pid: i32,
    /// Name of the process.
    pub name: Name,
    /// What is mapped at the address.
    pub mapped: Option<Mapped>,
    /// What is nearest of all that the process has, mapped or not.
    pub nearest: Option<Allocation>,
    /// What was mapped there until not long ago.
    pub gone: Option<Gone>,
    /// Whether there is an allocation in the place of what is gone.
    pub gone_is_allocated: bool,
    /// Queues on the GPU.
    pub queues: Queues,
}

/// A range of addresses with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// Addresses.
    pub range: VaRange,
    /// What kind of memory, in words.
    pub what: &'static str,
}

/// What is mapped at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapped {
    /// What is there.
    pub allocation: Allocation,
    /// What the GPU may do.
    pub rights: Access,
    /// False where the process has taken its own memory away.
    pub present: bool,
}

impl Allocation {
    /// Bytes between the allocation and the page at `addr`: 0 if that is next to it, or a part of it.
    pub fn gap(&self, addr: u64) -> u64 {
        let before = self.range.start().saturating_sub(addr.saturating_add(PAGE));
        let behind = addr.saturating_sub(self.range.end());
        before.max(behind)
    }

    /// Whether the page at `addr` is a part of it.
    pub fn covers(&self, addr: u64) -> bool {
        (self.range.start()..self.range.end()).contains(&addr)
    }

    /// The nearer one to `addr`, the first if both are as near. One that covers the address is nearer than one beside it.
    pub fn nearer(first: Option<Self>, second: Option<Self>, addr: u64) -> Option<Self> {
        let distance = |a: &Self| (!a.covers(addr), a.gap(addr));
        match (first, second) {
            (Some(a), Some(b)) if distance(&b) < distance(&a) => Some(b),
            (None, b) => b,
            (a, _) => a,
        }
    }
}

/// The queues of a process on a GPU: how many, and the first of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Queues {
    count: u32,
    first: [Option<(u32, &'static str)>; 8],
}

impl Queues {
    /// Adds one: the process's number for it, and what it is in a word.
    pub fn add(&mut self, id: u32, what: &'static str) {
        if let Some(place) = self.first.get_mut(self.count as usize) {
            *place = Some((id, what));
        }
        self.count = self.count.saturating_add(1);
    }
}

/// Name of a task, ended by the first 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name(pub [u8; 16]);

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0.split(|byte| *byte == 0).next().unwrap_or_default();
        // anyone may choose a name
        bytes.escape_ascii().fmt(f)
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_fault))]
mod tests {
    use super::*;

    fn at(start: u64, len: u64) -> Option<Allocation> {
        let what = "VRAM";
        VaRange::new(start, len).map(|range| Allocation { range, what })
    }

    #[test]
    fn distances_are_counted_from_the_page() {
        let gaps = |addr| at(0x20_0000, 0x3000).map(|a| (a.covers(addr), a.gap(addr)));
        assert_eq!(gaps(0x20_0000), Some((true, 0)));
        assert_eq!(gaps(0x20_2000), Some((true, 0)));
        assert_eq!(gaps(0x20_3000), Some((false, 0)));
        assert_eq!(gaps(0x20_5000), Some((false, 0x2000)));
        assert_eq!(gaps(0x1f_f000), Some((false, 0)));
        assert_eq!(gaps(0x1f_e000), Some((false, 0x1000)));
        assert_eq!(gaps(0xffff_ffff_ffff_f000).map(|g| g.0), Some(false));
    }

    #[test]
    fn the_nearer_one() {
        let (low, high) = (at(0x10_0000, 0x1000), at(0x20_0000, 0x1000));
        let nearer = |addr| Allocation::nearer(low, high, addr);
        assert_eq!(nearer(0x10_0000), low);
        assert_eq!(nearer(0x10_1000), low);
        assert_eq!(nearer(0x1f_f000), high);
        assert_eq!(nearer(0x20_0000), high);
        let neighbour = at(0x10_1000, 0x1000);
        assert_eq!(Allocation::nearer(low, neighbour, 0x10_1000), neighbour);
        assert_eq!(Allocation::nearer(None, high, 0), high);
        assert_eq!(Allocation::nearer(low, None, 0), low);
        assert_eq!(Allocation::nearer(None, None, 0), None);
    }
}
