// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The host data path between the CPU and VRAM. BAR0 is the memory itself here, so nothing is ever held back; the flush
//! triggers are in NBIO.

use crate::regs::{name_in, Block, PlainRegs, Select};

/// Registers that remember (hdp_4_0_offset.h at HDP base 0x3c80).
const PLAIN: &[(u32, &str)] = &[
    (0x3d80, "HDP_NONSURFACE_BASE"),
    (0x3d84, "HDP_NONSURFACE_INFO"),
    (0x3d88, "HDP_NONSURFACE_BASE_HI"),
    (0x3fb0, "HDP_HOST_PATH_CNTL"),
    (0x3fcc, "HDP_MISC_CNTL"),
    (0x3fc4, "HDP_READ_CACHE_INVALIDATE"),
    (0x3fd0, "HDP_MEM_POWER_CTRL"),
];

/// HDP 4.4.0.
pub struct Hdp {
    plain: PlainRegs,
}

impl Hdp {
    /// The power-on state.
    pub fn new() -> Self {
        Self {
            plain: PlainRegs::named(PLAIN),
        }
    }
}

impl Default for Hdp {
    fn default() -> Self {
        Self::new()
    }
}

impl Block for Hdp {
    fn name(&self) -> &'static str {
        "HDP"
    }

    fn read_reg(&self, off: u32, _sel: Select) -> Option<u32> {
        self.plain.read(off)
    }

    fn write_reg(&self, off: u32, _sel: Select, value: u32) -> bool {
        self.plain.write(off, value)
    }

    fn reg_name(&self, off: u32) -> Option<&'static str> {
        name_in(PLAIN, off)
    }

    fn reset(&self) {
        self.plain.reset();
    }
}
