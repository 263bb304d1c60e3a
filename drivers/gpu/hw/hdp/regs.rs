// SPDX-License-Identifier: GPL-2.0
//! Registers of HDP 4 (AMD's header: hdp_4_0; base of the block: 0xf20).

use kernel::io::register;

register! {
    /// Where VRAM begins, bits 39:8.
    pub(super) HDP_NONSURFACE_BASE(u32) @ 0x00003d80 {
        31:0 nonsurf_base_39_8;
    }

    /// Where VRAM begins, bits 47:40.
    pub(super) HDP_NONSURFACE_BASE_HI(u32) @ 0x00003d88 {
        7:0 nonsurf_base_47_40;
    }

    /// Caching.
    pub(super) HDP_MISC_CNTL(u32) @ 0x00003fcc {
        /// Fill level at which the read buffer is drained.
        15:14 read_buffer_watermark;
        /// A flush also drops what was read.
        0:0 flush_invalidate_cache;
    }
}
