// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which of several copies of a register an access means.

/// The bank selects in force, decoded from GRBM_GFX_CNTL and GRBM_GFX_INDEX.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Select {
    /// Micro engine: 1 and 2 are the two compute engines (GRBM_GFX_CNTL.MEID).
    pub me: u8,
    /// Pipe of the micro engine (GRBM_GFX_CNTL.PIPEID).
    pub pipe: u8,
    /// Queue of the pipe (GRBM_GFX_CNTL.QUEUEID).
    pub queue: u8,
    /// VMID for per-VMID registers (GRBM_GFX_CNTL.VMID).
    pub vmid: u8,
    /// Shader engine; `None` means all (GRBM_GFX_INDEX.SE_INDEX, SE_BROADCAST_WRITES).
    pub se: Option<u8>,
    /// Shader array; `None` means all (GRBM_GFX_INDEX.SH_INDEX, SH_BROADCAST_WRITES).
    pub sh: Option<u8>,
    /// Instance, for example the CU; `None` means all (GRBM_GFX_INDEX.INSTANCE_INDEX, INSTANCE_BROADCAST_WRITES).
    pub instance: Option<u8>,
}

impl Select {
    /// Decodes the two select registers (gc_9_4_2_sh_mask.h: GRBM_GFX_CNTL, GRBM_GFX_INDEX).
    pub fn decode(gfx_cntl: u32, gfx_index: u32) -> Self {
        let index = |shift: u32, broadcast: u32| {
            (gfx_index >> broadcast & 1 == 0).then_some((gfx_index >> shift & 0xff) as u8)
        };
        Self {
            pipe: (gfx_cntl & 3) as u8,
            me: (gfx_cntl >> 2 & 3) as u8,
            vmid: (gfx_cntl >> 4 & 0xf) as u8,
            queue: (gfx_cntl >> 8 & 7) as u8,
            instance: index(0, 30),
            sh: index(8, 29),
            se: index(16, 31),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_queue_selects_and_broadcasts() {
        let s = Select::decode(2 << 2 | 1 | 3 << 8 | 5 << 4, 1 << 31 | 1 << 30 | 2 << 8);
        assert_eq!((s.me, s.pipe, s.queue, s.vmid), (2, 1, 3, 5));
        assert_eq!((s.se, s.sh, s.instance), (None, Some(2), None));
    }
}
