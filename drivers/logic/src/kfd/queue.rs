// SPDX-License-Identifier: GPL-2.0
//! Checked requests for queues.
//!
//! The order of the checks is that of the kernel's own driver, so that a call with several faults fails alike.

use super::save_area::SaveArea;
use super::{is_user, page_align, Errno, Expected, Refusal};
use crate::mqd::{Priority, RingSize};
use amdgpu_uapi::kfd::queue::{limit, queue_type, CreateQueue, UpdateQueue};

/// What a queue carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueKind {
    /// PM4 packets on a compute pipe.
    Pm4,
    /// AQL packets on a compute pipe.
    Aql,
    /// SDMA packets, on an engine for PCIe.
    Sdma,
    /// SDMA packets, on an engine for links between GPUs.
    SdmaXgmi,
    /// SDMA packets, on this engine.
    SdmaEngine(u32),
}

impl QueueKind {
    /// Whether it runs on a compute pipe.
    pub const fn is_compute(self) -> bool {
        matches!(self, Self::Pm4 | Self::Aql)
    }

    /// For messages.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pm4 => "PM4",
            Self::Aql => "AQL",
            Self::Sdma | Self::SdmaXgmi | Self::SdmaEngine(_) => "SDMA",
        }
    }
}

/// The ring of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    /// GPU address; 0 stops the queue.
    pub base: u64,
    /// Bytes.
    pub size: RingSize,
}

/// How a queue is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Whether it runs at all.
    pub runs: bool,
    /// Among the queues.
    pub priority: Priority,
    /// Die that runs PM4 packets.
    pub pm4_xcc: u8,
}

/// A wanted queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueRequest {
    /// What it carries.
    pub kind: QueueKind,
    /// Its ring.
    pub ring: Ring,
    /// How it is run.
    pub share: Share,
    /// Where the GPU counts.
    pub read_pointer: u64,
    /// Where the producer counts.
    pub write_pointer: u64,
    /// End-of-pipe buffer: address and bytes. 0 for none.
    pub eop: (u64, u64),
    /// Save area: address, bytes per die, bytes of the control stack in it. 0 for none.
    pub save: (u64, u32, u32),
}

/// A wanted change of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueUpdate {
    /// New ring; `None` stops the queue and keeps the ring.
    pub ring: Option<Ring>,
    /// How it is run from now on.
    pub share: Share,
}

/// Range of GPU addresses that a queue needs mapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needed {
    /// Which argument names it.
    pub field: &'static str,
    /// First byte.
    pub addr: u64,
    /// Bytes.
    pub len: u64,
}

impl QueueRequest {
    /// Checks `args`, as far as they can be checked without knowing what is mapped.
    pub fn new(args: &CreateQueue) -> Result<Self, Refusal> {
        let share = share(args.queue_percentage, args.queue_priority)?;
        let ring = ring(args.ring_base_address, args.ring_size)?;
        if args.metadata_ring_size != 0 {
            let size = args.metadata_ring_size.into();
            return Err(Refusal::invalid(
                "metadata_ring_size",
                size,
                "0: gfx9 has no metadata ring",
            ));
        }
        for (field, addr) in [
            ("read_pointer_address", args.read_pointer_address),
            ("write_pointer_address", args.write_pointer_address),
            ("eop_buffer_address", args.eop_buffer_address),
            ("ctx_save_restore_address", args.ctx_save_restore_address),
        ] {
            if !is_user(addr, 4) {
                return Err(Refusal::invalid(field, addr, "a user address").with(Errno::Fault));
            }
        }
        let kind = match args.queue_type {
            queue_type::COMPUTE => QueueKind::Pm4,
            queue_type::COMPUTE_AQL => QueueKind::Aql,
            queue_type::SDMA => QueueKind::Sdma,
            queue_type::SDMA_XGMI => QueueKind::SdmaXgmi,
            queue_type::SDMA_BY_ENG_ID => QueueKind::SdmaEngine(args.sdma_engine_id),
            other => {
                return Err(Refusal::invalid("queue_type", other.into(), "0 to 4").with(Errno::NotSupp));
            }
        };
        Ok(Self {
            kind,
            ring,
            share,
            read_pointer: args.read_pointer_address,
            write_pointer: args.write_pointer_address,
            eop: (args.eop_buffer_address, args.eop_buffer_size),
            save: (
                args.ctx_save_restore_address,
                args.ctx_save_restore_size,
                args.ctl_stack_size,
            ),
        })
    }

    /// What must be mapped, in the order in which it is to be looked for. `node` says what the GPU needs.
    ///
    /// The kernel's own driver wants mappings of exactly these ranges; larger ones serve as well.
    pub fn needed(&self, node: &NodeNeeds) -> Result<impl Iterator<Item = Needed>, Refusal> {
        let pointer =
            |field, addr: u64| aligned(field, addr, 8).map(|()| Some(Needed { field, addr, len: 8 }));
        let write = pointer("write_pointer_address", self.write_pointer)?;
        let read = pointer("read_pointer_address", self.read_pointer)?;
        let ring = self.ring.needed()?;
        let (eop, save) = match self.kind.is_compute() {
            true => (self.needed_eop(node)?, self.needed_save(node)?),
            false => (None, None),
        };
        Ok([write, read, ring, eop, save].into_iter().flatten())
    }

    fn needed_eop(&self, node: &NodeNeeds) -> Result<Option<Needed>, Refusal> {
        let (addr, size) = self.eop;
        if addr == 0 {
            return Ok(None);
        }
        if size < node.eop_size {
            let least = Expected::AtLeast(node.eop_size);
            return Err(Refusal::range("eop_buffer_size", size, least));
        }
        aligned("eop_buffer_address", addr, 256)?;
        Ok(Some(Needed {
            field: "eop_buffer_address",
            addr,
            len: size,
        }))
    }

    fn needed_save(&self, node: &NodeNeeds) -> Result<Option<Needed>, Refusal> {
        let (addr, size, control_stack) = self.save;
        let area = &node.save_area;
        if control_stack != area.control_stack {
            let exactly = Expected::Exactly(area.control_stack.into());
            return Err(Refusal::range("ctl_stack_size", control_stack.into(), exactly));
        }
        if size < area.size {
            let least = Expected::AtLeast(area.size.into());
            return Err(Refusal::range("ctx_save_restore_size", size.into(), least));
        }
        let len = area.mapping(size, node.dies).ok_or(Refusal::invalid(
            "ctx_save_restore_size",
            size.into(),
            "less",
        ))?;
        aligned("ctx_save_restore_address", addr, super::PAGE)?;
        Ok(Some(Needed {
            field: "ctx_save_restore_address",
            addr,
            len,
        }))
    }
}

/// What queues of a GPU need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeNeeds {
    /// Least bytes of an end-of-pipe buffer.
    pub eop_size: u64,
    /// Context save area.
    pub save_area: SaveArea,
    /// Compute dies.
    pub dies: u32,
}

impl Ring {
    /// The ring's own memory, `None` if the queue is to be stopped.
    pub fn needed(&self) -> Result<Option<Needed>, Refusal> {
        if self.base == 0 {
            return Ok(None);
        }
        let field = "ring_base_address";
        aligned(field, self.base, 256)?;
        let len = page_align(self.size.bytes().into()).unwrap_or(u64::MAX);
        Ok(Some(Needed {
            field,
            addr: self.base,
            len,
        }))
    }
}

impl QueueUpdate {
    /// Checks `args`.
    pub fn new(args: &UpdateQueue) -> Result<Self, Refusal> {
        let share = share(args.queue_percentage, args.queue_priority)?;
        let ring = ring(args.ring_base_address, args.ring_size)?;
        let stops = args.ring_base_address == 0 || args.ring_size == 0;
        Ok(Self {
            ring: (!stops).then_some(ring),
            share,
        })
    }
}

/// How many words of a CU mask count: bits past 1024 are dropped.
pub fn cu_mask_words(num_cu_mask: u32) -> Result<usize, Refusal> {
    const MOST_BITS: u32 = 1024;
    if num_cu_mask == 0 || num_cu_mask % 32 != 0 {
        let expected = "a multiple of 32, not 0";
        return Err(Refusal::invalid("num_cu_mask", num_cu_mask.into(), expected));
    }
    Ok((num_cu_mask.min(MOST_BITS) / 32) as usize)
}

fn share(percentage: u32, priority: u32) -> Result<Share, Refusal> {
    let percent = percentage & 0xff;
    if percent > limit::MAX_QUEUE_PERCENTAGE {
        let most = Expected::AtMost(limit::MAX_QUEUE_PERCENTAGE.into());
        return Err(Refusal::range("queue_percentage", percentage.into(), most));
    }
    let most = Expected::AtMost(limit::MAX_QUEUE_PRIORITY.into());
    let bad_priority = Refusal::range("queue_priority", priority.into(), most);
    Ok(Share {
        runs: percent > 0,
        priority: Priority::new(priority).ok_or(bad_priority)?,
        pm4_xcc: (percentage >> 8 & 0xff) as u8,
    })
}

fn ring(base: u64, bytes: u32) -> Result<Ring, Refusal> {
    if !is_user(base, 8) {
        let expected = "a user address";
        return Err(Refusal::invalid("ring_base_address", base, expected).with(Errno::Fault));
    }
    let size = bytes.max(limit::MIN_QUEUE_RING_SIZE);
    match RingSize::new(size) {
        Some(size) if bytes == 0 || bytes.is_power_of_two() => Ok(Ring { base, size }),
        _ => Err(Refusal::invalid("ring_size", bytes.into(), "a power of two or 0")),
    }
}

fn aligned(field: &'static str, addr: u64, to: u64) -> Result<(), Refusal> {
    let expected = match to {
        8 => "a multiple of 8",
        256 => "a multiple of 256",
        _ => "a multiple of the page size",
    };
    if addr.checked_rem(to) == Some(0) {
        Ok(())
    } else {
        Err(Refusal::invalid(field, addr, expected))
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_kfd_queue))]
mod tests {
    use super::*;
    #[cfg(test)]
    use proptest::prelude::*;

    fn args() -> CreateQueue {
        CreateQueue {
            ring_base_address: 0x7f00_0000_0000,
            write_pointer_address: 0x7f00_0001_0038,
            read_pointer_address: 0x7f00_0001_0080,
            ring_size: 0x10000,
            queue_type: queue_type::COMPUTE_AQL,
            queue_percentage: 100,
            queue_priority: 7,
            eop_buffer_address: 0x7f00_0002_0000,
            eop_buffer_size: 4096,
            ctx_save_restore_address: 0x7f00_1000_0000,
            ctx_save_restore_size: 0x3c9_1000,
            ctl_stack_size: 0x9000,
            ..Default::default()
        }
    }

    fn node() -> NodeNeeds {
        NodeNeeds {
            eop_size: 4096,
            save_area: SaveArea {
                control_stack: 0x9000,
                size: 0x3c9_1000,
                debug: 0x2_0000,
            },
            dies: 1,
        }
    }

    /// Why `args` are refused.
    fn refused(args: &CreateQueue) -> Option<(&'static str, Errno)> {
        QueueRequest::new(args).err().map(|r| (r.field, r.errno))
    }

    fn needs(args: &CreateQueue) -> Result<impl Iterator<Item = Needed>, Refusal> {
        QueueRequest::new(args)?.needed(&node())
    }

    #[test]
    fn an_aql_queue_as_rocr_makes_it() -> Result<(), Refusal> {
        let request = QueueRequest::new(&args())?;
        assert_eq!(request.kind, QueueKind::Aql);
        assert!(request.share.runs);
        let lens = needs(&args())?.map(|n| n.len);
        assert!(lens.eq([8, 8, 0x10000, 4096, 0x3cb_1000]));
        Ok(())
    }

    #[test]
    fn refusals_as_the_c_driver_has_them() {
        let a = args();
        assert_eq!(
            refused(&CreateQueue {
                queue_percentage: 101,
                ..a
            }),
            Some(("queue_percentage", Errno::Inval))
        );
        assert_eq!(
            refused(&CreateQueue {
                queue_priority: 16,
                ..a
            }),
            Some(("queue_priority", Errno::Inval))
        );
        assert_eq!(
            refused(&CreateQueue { ring_size: 3000, ..a }),
            Some(("ring_size", Errno::Inval))
        );
        assert_eq!(
            refused(&CreateQueue {
                ring_base_address: 1 << 63,
                ..a
            }),
            Some(("ring_base_address", Errno::Fault))
        );
        assert_eq!(
            refused(&CreateQueue {
                read_pointer_address: u64::MAX,
                ..a
            }),
            Some(("read_pointer_address", Errno::Fault))
        );
        assert_eq!(
            refused(&CreateQueue { queue_type: 5, ..a }),
            Some(("queue_type", Errno::NotSupp))
        );
        assert_eq!(
            refused(&CreateQueue {
                metadata_ring_size: 4096,
                ..a
            }),
            Some(("metadata_ring_size", Errno::Inval))
        );
        // the first fault decides
        let many = CreateQueue {
            queue_type: 5,
            queue_priority: 99,
            ring_size: 7,
            ..a
        };
        assert_eq!(refused(&many), Some(("queue_priority", Errno::Inval)));
    }

    #[test]
    fn small_rings_are_enlarged() {
        let request = QueueRequest::new(&CreateQueue {
            ring_size: 0,
            ..args()
        });
        assert_eq!(request.map(|r| r.ring.size.bytes()), Ok(1024));
    }

    #[test]
    fn buffers_must_fit_the_node() {
        let a = args();
        let field = |a| needs(&a).err().map(|r| r.field);
        assert_eq!(
            field(CreateQueue {
                eop_buffer_size: 4095,
                ..a
            }),
            Some("eop_buffer_size")
        );
        assert_eq!(
            field(CreateQueue {
                ctl_stack_size: 0x8000,
                ..a
            }),
            Some("ctl_stack_size")
        );
        assert_eq!(
            field(CreateQueue {
                ctx_save_restore_size: 0x3c9_0fff,
                ..a
            }),
            Some("ctx_save_restore_size")
        );
        assert_eq!(
            field(CreateQueue {
                ring_base_address: 0x7f00_0000_0080,
                ..a
            }),
            Some("ring_base_address")
        );
        assert_eq!(
            field(CreateQueue {
                write_pointer_address: 0x7f00_0001_0004,
                ..a
            }),
            Some("write_pointer_address")
        );
    }

    #[test]
    fn sdma_needs_ring_and_pointers_only() -> Result<(), Refusal> {
        let a = CreateQueue {
            queue_type: queue_type::SDMA,
            ctl_stack_size: 0,
            ..args()
        };
        assert_eq!(needs(&a)?.count(), 3);
        let by_id = CreateQueue {
            queue_type: queue_type::SDMA_BY_ENG_ID,
            sdma_engine_id: 3,
            ..a
        };
        assert_eq!(QueueRequest::new(&by_id)?.kind, QueueKind::SdmaEngine(3));
        Ok(())
    }

    #[test]
    fn updates() -> Result<(), Refusal> {
        let u = UpdateQueue {
            ring_base_address: 0x7f00_0000_0000,
            ring_size: 4096,
            queue_percentage: 0,
            queue_priority: 7,
            ..Default::default()
        };
        let update = QueueUpdate::new(&u)?;
        assert!(update.ring.is_some() && !update.share.runs);
        let without_ring = UpdateQueue {
            ring_base_address: 0,
            ..u
        };
        assert!(QueueUpdate::new(&without_ring)?.ring.is_none());
        let odd = UpdateQueue { ring_size: 4097, ..u };
        assert_eq!(QueueUpdate::new(&odd).err().map(|r| r.field), Some("ring_size"));
        Ok(())
    }

    #[test]
    fn cu_masks() {
        assert_eq!(cu_mask_words(128), Ok(4));
        assert_eq!(cu_mask_words(u32::MAX & !31), Ok(32));
        let refused = |bits| cu_mask_words(bits).err().map(|r| r.field);
        assert_eq!(refused(0), Some("num_cu_mask"));
        assert_eq!(refused(33), Some("num_cu_mask"));
    }

    #[cfg(test)]
    proptest! {
        #[test]
        fn what_is_needed_never_wraps(ring_size: u32, eop: u64, save: u32, base in 0u64..1 << 47) {
            let a = CreateQueue {
                ring_base_address: base & !255,
                ring_size,
                eop_buffer_size: eop,
                ctx_save_restore_size: save,
                ..args()
            };
            if let Ok(needed) = needs(&a) {
                for n in needed {
                    prop_assert!(n.len > 0);
                }
            }
        }
    }
}
