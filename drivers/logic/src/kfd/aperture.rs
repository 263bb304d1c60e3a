// SPDX-License-Identifier: GPL-2.0
//! Where things lie in the address space of a process on gfx9.
//!
//! LDS and scratch have addresses in the hole that x86-64 leaves between user and kernel addresses, so that flat
//! instructions can tell them from memory. The bases go into SH_MEM_BASES, in units of 2^48; each is 4 GiB long.

use crate::bits::field;
use crate::pagetable::{VA_END, VA_START};

/// The local data share.
pub const LDS: Aperture = Aperture {
    base: 1 << 48,
    limit: (1 << 48) + 0xffff_ffff,
};

/// Private memory of waves.
pub const SCRATCH: Aperture = Aperture {
    base: 2 << 48,
    limit: (2 << 48) + 0xffff_ffff,
};

/// Buffers.
pub const GPUVM: Aperture = Aperture {
    base: VA_START,
    limit: VA_END - 1,
};

/// A range of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aperture {
    /// First byte.
    pub base: u64,
    /// Last byte.
    pub limit: u64,
}

/// SH_MEM_BASES of every process: private base in bits 0-15, shared base in bits 16-31 (gc_9_4_2_sh_mask.h).
pub const SH_MEM_BASES: u32 =
    field::<15, 0>((SCRATCH.base >> 48) as u32) | field::<31, 16>((LDS.base >> 48) as u32);

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_kfd_aperture))]
mod tests {
    use super::*;

    #[test]
    fn as_rocr_expects() {
        assert_eq!((LDS.base, LDS.limit), (0x1_0000_0000_0000, 0x1_0000_ffff_ffff));
        assert_eq!(
            (SCRATCH.base, SCRATCH.limit),
            (0x2_0000_0000_0000, 0x2_0000_ffff_ffff)
        );
        assert_eq!((GPUVM.base, GPUVM.limit), (0x1_0000, 0x7fff_ffff_ffff));
        assert_eq!(SH_MEM_BASES, 0x0001_0002);
    }
}
