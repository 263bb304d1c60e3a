// SPDX-License-Identifier: GPL-2.0
//! Checked requests for buffers.

use super::{is_user, page_align, Errno, Expected, Refusal, PAGE};
use crate::pagetable::{VaRange, VA_END};
use amdgpu_uapi::kfd::memory::{alloc_flags as flag, AllocMemoryOfGpu};

/// A wanted buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllocRequest {
    /// What it is.
    pub kind: Kind,
    /// Bytes, whole pages, not 0.
    pub size: u64,
    /// Where mappings of it go; `None` for memory that is exported only.
    pub range: Option<VaRange>,
    /// What the GPU may do, and how it caches.
    pub access: Access,
}

/// What a buffer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Memory of the GPU.
    Vram {
        /// The CPU must be able to reach it.
        public: bool,
        /// One physical piece.
        contiguous: bool,
    },
    /// System memory of the kernel.
    Gtt,
    /// Memory of the process from this page-aligned address.
    Userptr(u64),
    /// The doorbells of the process.
    Doorbell,
    /// The page with the HDP flush registers.
    MmioRemap,
}

impl Kind {
    /// For messages.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Vram { .. } => "VRAM",
            Self::Gtt => "GTT",
            Self::Userptr(_) => "userptr",
            Self::Doorbell => "doorbells",
            Self::MmioRemap => "MMIO remap page",
        }
    }

    /// Whether the process maps it through the render node.
    pub const fn shows_on_render_node(self) -> bool {
        matches!(self, Self::Vram { .. } | Self::Gtt)
    }
}

/// What the GPU may do with a buffer, and how it caches it. Reading is always allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Stores and atomics.
    pub write: bool,
    /// Instruction fetches.
    pub execute: bool,
    /// Caching.
    pub coherence: Coherence,
}

/// How far the GPU may cache a buffer, from freest to strictest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Coherence {
    /// Coarse-grained: visible to others at kernel boundaries.
    None,
    /// Fine-grained between agents.
    Coherent,
    /// Fine-grained, also with device-scope atomics.
    Extended,
    /// Not cached.
    Uncached,
}

const KINDS: u32 = flag::VRAM | flag::GTT | flag::USERPTR | flag::DOORBELL | flag::MMIO_REMAP;

impl AllocRequest {
    /// Checks `args`. `slice` is the bytes of a process's doorbells on the GPU.
    pub fn new(args: &AllocMemoryOfGpu, slice: u64) -> Result<Self, Refusal> {
        let flags = args.flags;
        let bad_flags = |expected| Err(Refusal::invalid("flags", flags.into(), expected));
        if args.size == 0 {
            return Err(Refusal::invalid("size", 0, "more than 0"));
        }
        // bits that have no meaning yet are hints of a later runtime, which does not ask before it sets them
        if flags & flag::AQL_QUEUE_MEM != 0 {
            return bad_flags("no AQL_QUEUE_MEM: rings of gfx9 and newer are mapped once");
        }
        let has = |bit| flags & bit != 0;
        let kind = match flags & KINDS {
            flag::VRAM => Kind::Vram {
                public: has(flag::PUBLIC),
                contiguous: has(flag::CONTIGUOUS),
            },
            flag::GTT => Kind::Gtt,
            flag::USERPTR => Kind::Userptr(args.mmap_offset),
            flag::DOORBELL => Kind::Doorbell,
            flag::MMIO_REMAP => Kind::MmioRemap,
            _ => return bad_flags("one of VRAM, GTT, USERPTR, DOORBELL, MMIO_REMAP"),
        };
        let most = Refusal::range("size", args.size, Expected::AtMost(VA_END)).with(Errno::NoMem);
        let size = page_align(args.size).filter(|size| *size <= VA_END).ok_or(most)?;
        match kind {
            Kind::Userptr(addr) if addr == 0 || addr % PAGE != 0 || !is_user(addr, size) => {
                let expected = "a page-aligned user address";
                return Err(Refusal::invalid("mmap_offset", addr, expected));
            }
            Kind::Doorbell if args.size != slice => {
                return Err(Refusal::range("size", args.size, Expected::Exactly(slice)));
            }
            Kind::MmioRemap if args.size != PAGE => {
                return Err(Refusal::range("size", args.size, Expected::Exactly(PAGE)));
            }
            _ => {}
        }
        let range = match (kind, args.va_addr) {
            (Kind::Vram { .. } | Kind::Gtt, 0) => None,
            (_, va) => {
                let refusal = Refusal::invalid("va_addr", va, "whole pages within the GPUVM aperture");
                // what begins well and ends beyond is too large: more than there is memory
                let errno = match VaRange::new(va, PAGE) {
                    Some(_) => Errno::NoMem,
                    None => Errno::Inval,
                };
                Some(VaRange::new(va, size).ok_or(refusal.with(errno))?)
            }
        };
        let coherence = if has(flag::UNCACHED) {
            Coherence::Uncached
        } else if has(flag::EXT_COHERENT) {
            Coherence::Extended
        } else if has(flag::COHERENT) {
            Coherence::Coherent
        } else {
            Coherence::None
        };
        let access = Access {
            write: has(flag::WRITABLE),
            execute: has(flag::EXECUTABLE),
            coherence,
        };
        Ok(Self {
            kind,
            size,
            range,
            access,
        })
    }
}

/// How many GPUs a map or unmap names, and how many of them are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Devices {
    /// Elements of the array, 1 to [`Devices::MAX`].
    pub count: u32,
    /// Elements at its front that are done.
    pub done: u32,
}

impl Devices {
    /// GPUs that one call may name: more than a system can have.
    pub const MAX: u32 = 256;

    /// Checks the counts of a map or unmap.
    pub fn new(n_devices: u32, n_success: u32) -> Result<Self, Refusal> {
        if n_devices == 0 || n_devices > Self::MAX {
            return Err(Refusal::invalid("n_devices", n_devices.into(), "1 to 256"));
        }
        if n_success > n_devices {
            let most = Expected::AtMost(n_devices.into());
            return Err(Refusal::range("n_success", n_success.into(), most));
        }
        Ok(Self {
            count: n_devices,
            done: n_success,
        })
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_kfd_memory))]
mod tests {
    use super::*;
    #[cfg(test)]
    use proptest::prelude::*;

    const SLICE: u64 = 8192;

    fn args(flags: u32) -> AllocMemoryOfGpu {
        AllocMemoryOfGpu {
            va_addr: 0x7f00_0000_0000,
            size: 0x1000,
            flags,
            ..Default::default()
        }
    }

    /// The field because of which `args` are refused.
    fn refused(args: &AllocMemoryOfGpu) -> Option<&'static str> {
        AllocRequest::new(args, SLICE).err().map(|r| r.field)
    }

    #[test]
    fn device_memory() -> Result<(), Refusal> {
        let flags = flag::VRAM | flag::PUBLIC | flag::WRITABLE | flag::NO_SUBSTITUTE;
        let request = AllocRequest::new(&args(flags), SLICE)?;
        assert_eq!(
            request.kind,
            Kind::Vram {
                public: true,
                contiguous: false
            }
        );
        assert_eq!(
            request.access,
            Access {
                write: true,
                execute: false,
                coherence: Coherence::None
            }
        );
        let exported = AllocMemoryOfGpu {
            va_addr: 0,
            ..args(flags)
        };
        assert_eq!(AllocRequest::new(&exported, SLICE)?.range, None);
        Ok(())
    }

    #[test]
    fn sizes_are_rounded_up() {
        let odd = AllocMemoryOfGpu {
            size: 4097,
            ..args(flag::GTT)
        };
        assert_eq!(AllocRequest::new(&odd, SLICE).map(|r| r.size), Ok(8192));
        assert_eq!(refused(&AllocMemoryOfGpu { size: 0, ..odd }), Some("size"));
        assert_eq!(
            refused(&AllocMemoryOfGpu {
                size: u64::MAX,
                ..odd
            }),
            Some("size")
        );
    }

    #[test]
    fn exactly_one_kind() {
        assert_eq!(refused(&args(0)), Some("flags"));
        assert_eq!(refused(&args(flag::VRAM | flag::GTT)), Some("flags"));
        assert_eq!(refused(&args(flag::GTT | 1 << 5 | 1 << 22)), None);
        assert_eq!(refused(&args(flag::USERPTR | flag::AQL_QUEUE_MEM)), Some("flags"));
    }

    #[test]
    fn addresses() {
        let at = |va_addr| AllocMemoryOfGpu {
            va_addr,
            ..args(flag::GTT)
        };
        for bad in [
            1,
            0x800,
            0xf000,
            0x7f00_0000_0001,
            0x7fff_ffff_f001,
            1 << 47,
            u64::MAX,
        ] {
            assert_eq!(refused(&at(bad)), Some("va_addr"));
        }
        assert!(AllocRequest::new(&at(0x1_0000), SLICE).is_ok());
        let user = |mmap_offset| AllocMemoryOfGpu {
            mmap_offset,
            ..args(flag::USERPTR)
        };
        for bad in [0, 0x1001, 1 << 47, u64::MAX - 0xfff] {
            assert_eq!(refused(&user(bad)), Some("mmap_offset"));
        }
        assert!(AllocRequest::new(&user(0x5000), SLICE).is_ok());
        assert_eq!(
            refused(&AllocMemoryOfGpu {
                va_addr: 0,
                ..user(0x5000)
            }),
            Some("va_addr")
        );
    }

    #[test]
    fn pages_of_the_device_have_one_size() {
        let sized = |flags, size| AllocMemoryOfGpu { size, ..args(flags) };
        assert!(AllocRequest::new(&sized(flag::DOORBELL, 8192), SLICE).is_ok());
        assert_eq!(refused(&sized(flag::DOORBELL, 4096)), Some("size"));
        assert!(AllocRequest::new(&sized(flag::MMIO_REMAP, 4096), SLICE).is_ok());
        assert_eq!(refused(&sized(flag::MMIO_REMAP, 4095)), Some("size"));
    }

    #[test]
    fn strictest_coherence_wins() {
        let of = |bits| AllocRequest::new(&args(flag::GTT | bits), SLICE).map(|r| r.access.coherence);
        assert_eq!(of(flag::COHERENT), Ok(Coherence::Coherent));
        assert_eq!(of(flag::COHERENT | flag::UNCACHED), Ok(Coherence::Uncached));
        assert_eq!(of(flag::EXT_COHERENT | flag::COHERENT), Ok(Coherence::Extended));
    }

    #[test]
    fn device_counts() {
        assert!(Devices::new(1, 0).is_ok() && Devices::new(2, 2).is_ok());
        let refused = |count, done| Devices::new(count, done).err().map(|r| r.field);
        assert_eq!(refused(0, 0), Some("n_devices"));
        assert_eq!(refused(1, 2), Some("n_success"));
        assert_eq!(refused(u32::MAX, 0), Some("n_devices"));
    }

    #[cfg(test)]
    proptest! {
        #[test]
        fn whatever_passes_is_whole_pages(va_addr: u64, size: u64, mmap_offset: u64, flags: u32) {
            let args = AllocMemoryOfGpu { va_addr, size, mmap_offset, flags, ..Default::default() };
            if let Ok(request) = AllocRequest::new(&args, SLICE) {
                prop_assert!(request.size >= size && request.size % PAGE == 0);
                if let Some(range) = request.range {
                    prop_assert_eq!(range.len(), request.size);
                }
            }
        }
    }
}
