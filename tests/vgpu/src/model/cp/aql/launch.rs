// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From a KERNEL_DISPATCH packet and its kernel descriptor to what the dispatcher gets (device-contract 5.5).

use super::super::pm4::user_sgpr_count;
use super::amd_queue::AmdQueue;
use super::descriptor::{wants, Descriptor};
use super::fault::QueueError;
use super::packet::KernelDispatch;

/// LDS of a CU.
const LDS_BYTES: u32 = 65536;
/// Granularity of LDS allocation.
const LDS_GRANULE: u32 = 512;
/// Work-items a workgroup can have.
const MAX_WORKGROUP: u32 = 1024;
/// Vector registers per lane that the four SIMDs of a CU have together, for one wave each.
const SIMDS: u32 = 4;
const VGPRS_PER_SIMD: u32 = 512;
/// Waves a SIMD of gfx90a holds.
const WAVES_PER_SIMD: u32 = 8;

/// The shape of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Work-items per workgroup.
    pub(crate) workgroup: [u32; 3],
    /// Workgroups.
    pub(crate) groups: [u32; 3],
    /// Work-items in the last workgroup of each dimension.
    pub(crate) last: [u32; 3],
}

/// Checks the packet's dimensions and makes workgroups of them.
pub(crate) fn shape(k: &KernelDispatch) -> Result<Shape, QueueError> {
    if !(1..=3).contains(&k.dimensions) {
        return Err(QueueError::InvalidDimensions);
    }
    let mut s = Shape {
        workgroup: [0; 3],
        groups: [0; 3],
        last: [0; 3],
    };
    let axes = s
        .workgroup
        .iter_mut()
        .zip(&mut s.groups)
        .zip(&mut s.last)
        .zip(k.workgroup)
        .zip(k.grid);
    let mut items = 1u32;
    for ((((size, groups), last), workgroup), grid) in axes {
        *size = workgroup.into();
        if *size == 0 || grid == 0 {
            return Err(QueueError::InvalidDimensions);
        }
        items = items.saturating_mul(*size);
        *groups = grid.div_ceil(*size);
        *last = match grid % *size {
            0 => *size,
            rest => rest,
        };
    }
    if items > MAX_WORKGROUP {
        return Err(QueueError::GroupTooLarge);
    }
    Ok(s)
}

/// LDS bytes to allocate per workgroup.
pub(crate) fn lds_bytes(k: &KernelDispatch, d: &Descriptor) -> Result<u32, QueueError> {
    let bytes = k.group_bytes.max(d.group_bytes);
    if bytes > LDS_BYTES {
        return Err(QueueError::InvalidGroupMemory);
    }
    Ok(bytes.next_multiple_of(LDS_GRANULE))
}

/// Whether all waves of a workgroup fit on a CU at once.
pub(crate) fn registers_fit(s: &Shape, d: &Descriptor) -> Result<(), QueueError> {
    let waves = s.workgroup.iter().product::<u32>().div_ceil(64);
    let per_simd = (VGPRS_PER_SIMD / d.vgprs()).min(WAVES_PER_SIMD);
    if waves > per_simd * SIMDS {
        return Err(QueueError::OutOfRegisters);
    }
    Ok(())
}

/// Whether the queue's scratch is too small for the packet.
pub(crate) fn lacks_scratch(k: &KernelDispatch, q: &AmdQueue) -> bool {
    k.private_bytes > 0 && (k.private_bytes > q.lane_bytes || q.scratch.waves == 0)
}

/// The values a kernel can ask for in user SGPRs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UserValues<'a> {
    /// The queue.
    pub(crate) queue: &'a AmdQueue,
    /// Address of the packet in the ring.
    pub(crate) packet_va: u64,
    /// 64-bit index of the packet.
    pub(crate) packet_index: u64,
    /// Address of the kernel arguments.
    pub(crate) kernarg: u64,
    /// Scratch bytes per work-item.
    pub(crate) private_bytes: u32,
    /// Preloaded kernel arguments.
    pub(crate) preload: &'a [u32],
}

/// The user SGPRs in their order, as many as COMPUTE_PGM_RSRC2 says.
pub(crate) fn user_sgprs(d: &Descriptor, v: &UserValues<'_>) -> Result<Vec<u32>, QueueError> {
    let mut s = Vec::with_capacity(16);
    if d.wants(wants::PRIVATE_SEGMENT_BUFFER) {
        s.extend(v.queue.srd);
    }
    let pairs = [
        (wants::DISPATCH_PTR, v.packet_va),
        (wants::QUEUE_PTR, v.queue.base),
        (wants::KERNARG_SEGMENT_PTR, v.kernarg),
        (wants::DISPATCH_ID, v.packet_index),
        (wants::FLAT_SCRATCH_INIT, v.queue.scratch.base),
    ];
    for (what, value) in pairs {
        if d.wants(what) {
            s.extend([value as u32, (value >> 32) as u32]);
        }
    }
    if d.wants(wants::PRIVATE_SEGMENT_SIZE) {
        s.push(v.private_bytes);
    }
    s.extend(v.preload);
    let [_, rsrc2, _] = d.rsrc;
    let count = user_sgpr_count(rsrc2);
    if s.len() > count {
        return Err(QueueError::InvalidCodeObject);
    }
    s.resize(count, 0);
    Ok(s)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel() -> KernelDispatch {
        KernelDispatch {
            dimensions: 1,
            workgroup: [256, 1, 1],
            grid: [1000, 1, 1],
            private_bytes: 0,
            group_bytes: 0,
            kernel_object: 0x1000,
            kernarg: 0x7f00_0000_2000,
        }
    }

    fn descriptor(properties: u16, user: u32) -> Descriptor {
        Descriptor {
            group_bytes: 0,
            private_bytes: 0,
            entry: 0,
            rsrc: [0, user << 1, 0],
            properties,
            preload_dwords: 0,
            preload_offset: 0,
        }
    }

    #[test]
    fn shapes() {
        let s = shape(&kernel()).unwrap();
        assert_eq!((s.groups, s.last), ([4, 1, 1], [1000 - 3 * 256, 1, 1]));
        for (bad, error) in [
            (
                KernelDispatch {
                    dimensions: 0,
                    ..kernel()
                },
                QueueError::InvalidDimensions,
            ),
            (
                KernelDispatch {
                    workgroup: [0, 1, 1],
                    ..kernel()
                },
                QueueError::InvalidDimensions,
            ),
            (
                KernelDispatch {
                    grid: [1, 0, 1],
                    ..kernel()
                },
                QueueError::InvalidDimensions,
            ),
            (
                KernelDispatch {
                    workgroup: [1025, 1, 1],
                    ..kernel()
                },
                QueueError::GroupTooLarge,
            ),
            (
                KernelDispatch {
                    workgroup: [u16::MAX; 3],
                    ..kernel()
                },
                QueueError::GroupTooLarge,
            ),
        ] {
            assert_eq!(shape(&bad), Err(error));
        }
        let s = shape(&KernelDispatch {
            grid: [u32::MAX; 3],
            workgroup: [1, 1, 1],
            ..kernel()
        })
        .unwrap();
        assert_eq!(s.groups, [u32::MAX; 3]);
    }

    #[test]
    fn lds_and_registers() {
        let k = KernelDispatch {
            group_bytes: 513,
            ..kernel()
        };
        assert_eq!(lds_bytes(&k, &descriptor(0, 0)), Ok(1024));
        let k = KernelDispatch {
            group_bytes: 65537,
            ..kernel()
        };
        assert_eq!(
            lds_bytes(&k, &descriptor(0, 0)),
            Err(QueueError::InvalidGroupMemory)
        );
        let big = KernelDispatch {
            workgroup: [1024, 1, 1],
            ..kernel()
        };
        let mut d = descriptor(0, 0);
        d.rsrc[0] = 15; // 128 registers
        assert_eq!(registers_fit(&shape(&big).unwrap(), &d), Ok(()));
        d.rsrc[0] = 16;
        assert_eq!(
            registers_fit(&shape(&big).unwrap(), &d),
            Err(QueueError::OutOfRegisters)
        );
        d.rsrc[0] = 63;
        assert_eq!(registers_fit(&shape(&kernel()).unwrap(), &d), Ok(()));
    }

    #[test]
    fn scratch_is_enough_or_not() {
        let k = KernelDispatch {
            private_bytes: 16,
            ..kernel()
        };
        let mut q = AmdQueue::default();
        assert!(lacks_scratch(&k, &q));
        assert!(!lacks_scratch(&kernel(), &q));
        q.lane_bytes = 16;
        assert!(lacks_scratch(&k, &q), "no wave slot");
        q.scratch.waves = 32;
        assert!(!lacks_scratch(&k, &q));
    }

    #[test]
    fn user_sgprs_in_order() {
        let mut queue = AmdQueue {
            base: 0x5_0000_0006,
            srd: [1, 2, 3, 4],
            ..AmdQueue::default()
        };
        queue.scratch.base = 0xb_0000_000c;
        let v = UserValues {
            queue: &queue,
            packet_va: 0x7_0000_0008,
            packet_index: 0x9_0000_000a,
            kernarg: 0xd_0000_000e,
            private_bytes: 99,
            preload: &[100, 101],
        };
        let all = user_sgprs(&descriptor(0x7f, 16), &v);
        assert_eq!(all, Err(QueueError::InvalidCodeObject), "17 do not fit");
        let v = UserValues { preload: &[], ..v };
        let all = user_sgprs(&descriptor(0x7f, 16), &v).unwrap();
        assert_eq!(all, [1, 2, 3, 4, 8, 7, 6, 5, 14, 13, 10, 9, 12, 11, 99, 0]);
        let v = UserValues {
            preload: &[100, 101],
            ..v
        };
        assert_eq!(
            user_sgprs(&descriptor(wants::KERNARG_SEGMENT_PTR, 4), &v).unwrap(),
            [14, 13, 100, 101]
        );
    }
}
