// SPDX-License-Identifier: GPL-2.0
//! Doorbells: words of the doorbell BAR by which a queue learns that there is work.
//!
//! A slice of the BAR is 8 KiB, 1024 doorbells of 64 bits. The first is the kernel's; each process on the device
//! has one. Doorbells are routed to SDMA, IH and video by their offset in the 4 KiB page alone, so that in
//! every slice those offsets belong to these blocks and no compute queue may have them.
//!
//! Sources: kernel `amdgpu/amdgpu_doorbell.h` (VEGA20 assignment, which gfx90a uses),
//! `amdkfd/kfd_device_queue_manager.c`: allocate_doorbell.

use super::{IdSet, SdmaQueueId};

/// Bytes of a slice.
pub const SLICE_BYTES: u32 = 8192;

/// Doorbells are routed by their offset in a page of this size.
const PAGE: u64 = 4096;

/// Doorbells of a slice.
pub const PER_SLICE: u32 = SLICE_BYTES / 8;

/// A doorbell of the BAR, counted in dwords as registers, descriptors and packets have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doorbell(u32);

impl Doorbell {
    /// Doorbell `index` (counted in 64-bit words) of the kernel's slice.
    pub const fn kernel(index: u16) -> Self {
        Self((index as u32).wrapping_mul(2))
    }

    /// Index of the dword in the BAR.
    pub const fn dword(self) -> u32 {
        self.0
    }

    /// Byte offset in the BAR.
    pub const fn byte(self) -> u32 {
        self.0.wrapping_mul(4)
    }
}

/// Kernel interface queue.
pub const KIQ: Doorbell = Doorbell::kernel(0x000);
/// HSA interface queue.
pub const HIQ: Doorbell = Doorbell::kernel(0x001);
/// Read pointer of interrupt ring 0.
pub const IH: Doorbell = Doorbell::kernel(0x178);
/// Last doorbell that wakes the MEC for kernel queues.
pub const MEC_LAST: Doorbell = Doorbell::kernel(0x08a);

/// First of the doorbells that are not the command processor's, and of SDMA engine 0.
const FIRST_NOT_CP: u32 = 0x100;
/// Last of them (video).
const LAST_NOT_CP: u32 = 0x18f;
/// Doorbells of one SDMA engine.
const PER_SDMA_ENGINE: u32 = 10;
/// Distance to the same offset in the next 4 KiB page.
const MIRROR: u32 = 512;

/// First doorbell of SDMA engine `engine` in its page.
const fn sdma_first(engine: u8) -> u32 {
    PER_SDMA_ENGINE
        .wrapping_mul(engine as u32)
        .wrapping_add(FIRST_NOT_CP)
}

/// The kernel ring of SDMA engine `engine`.
pub const fn sdma(engine: u8) -> Doorbell {
    Doorbell(sdma_first(engine).wrapping_mul(2))
}

/// Dwords that an SDMA engine's range in the NBIO covers.
pub const SDMA_RANGE_DWORDS: u32 = PER_SDMA_ENGINE * 2;

/// A process's part of the doorbell BAR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// First dword.
    first: u32,
}

impl Slice {
    /// The slice at byte `offset` of the BAR. `None` unless that is a page after the kernel's slice, and the slice
    /// ends within the 256 MiB that queue descriptors can name.
    pub fn at(offset: u64) -> Option<Self> {
        let end = offset.checked_add(SLICE_BYTES.into())?;
        if offset % PAGE != 0 || offset < u64::from(SLICE_BYTES) || end > 1 << 28 {
            return None;
        }
        Some(Self {
            first: u32::try_from(offset / 4).ok()?,
        })
    }

    /// Byte offset of the slice in the BAR.
    pub const fn byte(self) -> u64 {
        (self.first as u64).wrapping_mul(4)
    }

    /// Byte offset of one of its doorbells within the slice: what userspace adds to the address at which it mapped
    /// the slice.
    pub const fn offset_of(self, doorbell: Doorbell) -> u32 {
        doorbell.dword().wrapping_sub(self.first).wrapping_mul(4)
    }

    /// Doorbell `index` of the slice, counted in 64-bit words.
    const fn doorbell(self, index: u32) -> Doorbell {
        Doorbell(self.first.wrapping_add(index.wrapping_mul(2)))
    }

    /// The doorbell of an SDMA queue of the process: the engine's range, even queues in the first page of the
    /// slice, odd ones in the second.
    pub fn sdma(self, id: SdmaQueueId) -> Doorbell {
        let page = if id.queue & 1 == 0 { 0 } else { MIRROR };
        let pair = u32::from(id.queue / 2);
        self.doorbell(sdma_first(id.engine).wrapping_add(page).wrapping_add(pair))
    }
}

/// The compute doorbells of one process.
#[derive(Clone, Debug)]
pub struct ProcessDoorbells {
    slice: Slice,
    taken: IdSet<16>,
}

impl ProcessDoorbells {
    /// All free, but those that are routed elsewhere.
    pub fn new(slice: Slice) -> Self {
        let mut taken = IdSet::new();
        for index in FIRST_NOT_CP..=LAST_NOT_CP {
            taken.take(index);
            taken.take(index.wrapping_add(MIRROR));
        }
        Self { slice, taken }
    }

    /// The process's slice.
    pub fn slice(&self) -> Slice {
        self.slice
    }

    /// Takes a doorbell for a compute queue; `None` if there is none left.
    pub fn take(&mut self) -> Option<Doorbell> {
        self.taken
            .take_first(PER_SLICE)
            .map(|index| self.slice.doorbell(index))
    }

    /// Gives a compute doorbell back; false if it was not taken by this process.
    pub fn release(&mut self, doorbell: Doorbell) -> bool {
        let first = self.slice.doorbell(0).dword();
        match doorbell.dword().checked_sub(first) {
            Some(dwords) if dwords % 2 == 0 => {
                let index = dwords / 2;
                let routed = |i: u32| (FIRST_NOT_CP..=LAST_NOT_CP).contains(&(i % MIRROR));
                index < PER_SLICE && !routed(index) && self.taken.release(index)
            }
            _ => false,
        }
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(
    CONFIG_KUNIT = "y",
    ::kernel::prelude::kunit_tests(amdgpu_logic_slots_doorbell)
)]
mod tests {
    use super::*;

    #[test]
    fn kernel_doorbells() {
        assert_eq!(HIQ.dword(), 2);
        assert_eq!(IH.dword(), 0x2f0);
        assert_eq!(sdma(0).dword(), 0x200);
        assert_eq!(sdma(4).dword(), 0x250);
    }

    /// The slice after `n` others.
    fn slice(n: u64) -> Result<Slice, &'static str> {
        Slice::at(n * 8192).ok_or("no slice of a process")
    }

    /// A set of doorbells of a slice, by their place in it.
    type Places = IdSet<16>;

    #[test]
    fn slices_are_pages_after_the_kernels() {
        assert_eq!(Slice::at(8192).map(Slice::byte), Some(8192));
        assert_eq!(Slice::at(12288).map(|s| s.doorbell(1).dword()), Some(3074));
        for bad in [0, 4096, 8192 + 8, (1 << 28) - 4096, u64::MAX] {
            assert!(Slice::at(bad).is_none());
        }
    }

    #[test]
    fn compute_doorbells_avoid_what_is_routed_elsewhere() -> Result<(), &'static str> {
        let slice = slice(3)?;
        let mut doorbells = ProcessDoorbells::new(slice);
        let mut taken = Places::new();
        while let Some(d) = doorbells.take() {
            let place = slice.offset_of(d) / 8;
            assert!(!(0x100..0x190).contains(&(place % 512)));
            assert!(taken.take(place));
        }
        assert_eq!(taken.count(), 1024 - 2 * 0x90);
        // no SDMA queue's doorbell among them, and all different
        for engine in 0..5 {
            for queue in 0..8 {
                let d = slice.sdma(SdmaQueueId { engine, queue });
                assert_eq!(u64::from(d.byte()) / 8192, 3);
                assert!(taken.take(slice.offset_of(d) / 8));
            }
        }
        Ok(())
    }

    #[test]
    fn sdma_doorbells() -> Result<(), &'static str> {
        let d = slice(1)?.sdma(SdmaQueueId { engine: 2, queue: 5 });
        assert_eq!(d.dword(), (1024 + 0x100 + 20 + 512 + 2) * 2);
        Ok(())
    }

    #[test]
    fn only_what_was_taken_comes_back() -> Result<(), &'static str> {
        let mut doorbells = ProcessDoorbells::new(slice(2)?);
        let d = doorbells.take().ok_or("none is free")?;
        assert!(doorbells.release(d) && !doorbells.release(d));
        assert!(!doorbells.release(slice(3)?.doorbell(0)));
        assert!(!doorbells.release(slice(1)?.doorbell(0)));
        assert!(!doorbells.release(slice(2)?.doorbell(0x100)));
        Ok(())
    }
}
