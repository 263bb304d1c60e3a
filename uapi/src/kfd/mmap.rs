// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT
//! Offsets for mmap on `/dev/kfd` (amdkfd/kfd_priv.h): bits 62-63 kind, 46-61 gpu_id, 0-45 offset inside.
//!
//! Offsets are in bytes, as userspace passes them; the kernel sees them in pages.

abi_consts! {
    /// Kind of a mapping, in place.
    pub mod kind: u64 = "KFD_MMAP_TYPE_" {
        /// The bits of the kind.
        MASK = 3 << 62,
        /// The doorbells of the process on a GPU: two pages on gfx9.
        DOORBELL = 3 << 62,
        /// Event page; refused with EINVAL since it is an ordinary buffer.
        EVENTS = 2 << 62,
        /// Memory for the trap handler of APUs.
        RESERVED_MEM = 1 << 62,
        /// The page with the HDP flush registers.
        MMIO = 0,
    }
}

abi_consts! {
    /// Where the gpu_id is.
    pub mod gpu_id: u64 = "KFD_MMAP_GPU_ID_" {
        /// Lowest bit.
        SHIFT = 46,
        /// All bits.
        MASK = 0xffff << 46,
    }
}

/// The offset of a GPU's mapping of `kind`, `within` bytes into it.
pub const fn offset(kind: u64, gpu: u32, within: u64) -> u64 {
    kind | (gpu as u64) << gpu_id::SHIFT & gpu_id::MASK | within & within_mask()
}

/// The gpu_id in an offset.
pub const fn gpu_of(offset: u64) -> u32 {
    ((offset & gpu_id::MASK) >> gpu_id::SHIFT) as u32
}

/// The part of an offset that counts inside the mapping.
pub const fn within(offset: u64) -> u64 {
    offset & within_mask()
}

const fn within_mask() -> u64 {
    (1 << gpu_id::SHIFT) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_back() {
        let at = offset(kind::DOORBELL, 0xabcd, 0x1008);
        assert_eq!(at & kind::MASK, kind::DOORBELL);
        assert_eq!((gpu_of(at), within(at)), (0xabcd, 0x1008));
    }
}
