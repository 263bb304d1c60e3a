// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Entering the trap handler.

use crate::wave::{status, Wave};

impl Wave {
    /// Whether there is a trap handler to enter.
    pub fn has_trap_handler(&self) -> bool {
        self.status_bits & status::TRAP_EN != 0 && self.tba != 0
    }

    /// Enters the trap handler: `pc` (where to return to) and the cause go to ttmp0 and ttmp1, the wave becomes privileged
    /// (source: CDNA2 ISA "S_TRAP"; ttmp1 = PC 15:0, TRAP_ID 23:16, HT 24). `host` tells that the host asks, not an
    /// instruction. The caller sets TRAPSTS.
    pub fn enter_trap(&mut self, pc: u64, id: u8, host: bool) {
        self.ttmps[0] = pc as u32;
        self.ttmps[1] = (pc >> 32) as u32 & 0xffff | u32::from(id) << 16 | u32::from(host) << 24;
        self.status_bits |= status::PRIV;
        self.pc = self.tba;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entry_saves_the_way_back() {
        let mut w = Wave::new(0x1000, 8, 8);
        assert!(!w.has_trap_handler());
        w.tba = 0x7f00_0000_0100;
        w.status_bits |= status::TRAP_EN;
        assert!(w.has_trap_handler());
        w.enter_trap(0x1_2345_6788, 2, false);
        assert_eq!((w.ttmps[0], w.ttmps[1]), (0x2345_6788, 0x0002_0001));
        assert_eq!(w.pc, 0x7f00_0000_0100);
        assert_ne!(w.status_bits & status::PRIV, 0);
        w.enter_trap(0x1000, 1, true);
        assert_eq!(w.ttmps[1], 0x0101_0000);
    }
}
