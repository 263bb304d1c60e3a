// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The kernel descriptor (LLVM AMDGPUUsage, "Kernel Descriptor": 64 bytes at kernel_object).

use super::packet::{u16_at, u32_at, u64_at};

/// Bytes of a descriptor.
pub(crate) const DESCRIPTOR_BYTES: usize = 64;

/// KERNEL_CODE_PROPERTIES bits: which user SGPRs the kernel wants, in their order.
pub(crate) mod wants {
    pub(crate) const PRIVATE_SEGMENT_BUFFER: u16 = 1 << 0;
    pub(crate) const DISPATCH_PTR: u16 = 1 << 1;
    pub(crate) const QUEUE_PTR: u16 = 1 << 2;
    pub(crate) const KERNARG_SEGMENT_PTR: u16 = 1 << 3;
    pub(crate) const DISPATCH_ID: u16 = 1 << 4;
    pub(crate) const FLAT_SCRATCH_INIT: u16 = 1 << 5;
    pub(crate) const PRIVATE_SEGMENT_SIZE: u16 = 1 << 6;
}

/// Bytes of compatibility code in front of a kernel with preloaded arguments: a packet processor that preloads them
/// starts behind it (LLVM AMDGPUUsage, "Preloaded Kernel Arguments").
const PRELOAD_PROLOGUE: u64 = 256;

/// A kernel's resources and entry point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Descriptor {
    /// LDS bytes the code itself declares.
    pub(crate) group_bytes: u32,
    /// Scratch bytes per work-item the code itself declares.
    pub(crate) private_bytes: u32,
    /// Byte address of the first instruction.
    pub(crate) entry: u64,
    /// COMPUTE_PGM_RSRC1..3.
    pub(crate) rsrc: [u32; 3],
    /// Bits of [`wants`].
    pub(crate) properties: u16,
    /// Dwords of kernel arguments to preload into user SGPRs.
    pub(crate) preload_dwords: u32,
    /// First dword of the kernel arguments to preload.
    pub(crate) preload_offset: u32,
}

impl Descriptor {
    /// Decodes the descriptor that lies at `at`.
    pub(crate) fn decode(b: &[u8; DESCRIPTOR_BYTES], at: u64) -> Self {
        let preload = u16_at(b, 58);
        let preload_dwords = u32::from(preload & 0x7f);
        let prologue = if preload_dwords == 0 { 0 } else { PRELOAD_PROLOGUE };
        Self {
            group_bytes: u32_at(b, 0),
            private_bytes: u32_at(b, 4),
            entry: at.wrapping_add(u64_at(b, 16)).wrapping_add(prologue),
            rsrc: [u32_at(b, 48), u32_at(b, 52), u32_at(b, 44)],
            properties: u16_at(b, 56),
            preload_dwords,
            preload_offset: u32::from(preload >> 7),
        }
    }

    /// Whether the user SGPRs hold this.
    pub(crate) fn wants(&self, what: u16) -> bool {
        self.properties & what != 0
    }

    /// Unified vector registers per lane: granules of 8 (COMPUTE_PGM_RSRC1.VGPRS on gfx90a).
    pub(crate) fn vgprs(&self) -> u32 {
        let [rsrc1, ..] = self.rsrc;
        ((rsrc1 & 0x3f) + 1) * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields() {
        let mut b = [0u8; 64];
        b[0..4].copy_from_slice(&512u32.to_le_bytes());
        b[4..8].copy_from_slice(&32u32.to_le_bytes());
        b[16..24].copy_from_slice(&(-0x100i64).to_le_bytes());
        b[44..48].copy_from_slice(&3u32.to_le_bytes());
        b[48..52].copy_from_slice(&7u32.to_le_bytes());
        b[52..56].copy_from_slice(&9u32.to_le_bytes());
        b[56] = 0x0a;
        let d = Descriptor::decode(&b, 0x1000);
        assert_eq!(
            (d.group_bytes, d.private_bytes, d.entry, d.rsrc),
            (512, 32, 0xf00, [7, 9, 3])
        );
        assert!(d.wants(wants::DISPATCH_PTR) && d.wants(wants::KERNARG_SEGMENT_PTR));
        assert!(!d.wants(wants::QUEUE_PTR));
        assert_eq!(d.vgprs(), 64);
        b[58..60].copy_from_slice(&(3u16 | 2 << 7).to_le_bytes());
        let d = Descriptor::decode(&b, 0x1000);
        assert_eq!((d.preload_dwords, d.preload_offset, d.entry), (3, 2, 0x1000));
    }
}
