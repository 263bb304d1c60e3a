// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The COMPUTE_* dispatch registers of one queue, and how the descriptor in memory keeps them.

use super::names::compute::COMPUTE_DISPATCH_INITIATOR;

/// First dispatch register, COMPUTE_DISPATCH_INITIATOR; the range ends before 0xba00.
pub(crate) const COMPUTE_FIRST: u32 = COMPUTE_DISPATCH_INITIATOR;
/// Number of dwords in the range.
pub(crate) const COMPUTE_REGS: usize = 128;

/// Registers by their dword position in the range (gc_9_4_2_offset.h).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Reg {
    DispatchInitiator = 0,
    StartX = 4,
    NumThreadX = 7,
    PgmLo = 12,
    PgmHi = 13,
    ScratchBaseLo = 16,
    ScratchBaseHi = 17,
    PgmRsrc1 = 18,
    PgmRsrc2 = 19,
    StaticThreadMgmtSe0 = 22,
    StaticThreadMgmtSe1 = 23,
    TmpringSize = 24,
    StaticThreadMgmtSe2 = 25,
    StaticThreadMgmtSe3 = 26,
    StaticThreadMgmtSe4 = 37,
    PgmRsrc3 = 45,
    UserData0 = 64,
}

/// One queue's dispatch registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Compute(pub(crate) [u32; COMPUTE_REGS]);

impl Default for Compute {
    fn default() -> Self {
        Self([0; COMPUTE_REGS])
    }
}

impl Compute {
    /// A register's value.
    pub(crate) fn get(&self, reg: Reg) -> u32 {
        self.nth(reg, 0)
    }

    /// The value of the register `n` after `reg`.
    pub(crate) fn nth(&self, reg: Reg, n: usize) -> u32 {
        self.0.get(reg as usize + n).copied().unwrap_or(0)
    }

    /// Three consecutive registers: x, y and z of something.
    pub(crate) fn xyz(&self, reg: Reg) -> [u32; 3] {
        [self.nth(reg, 0), self.nth(reg, 1), self.nth(reg, 2)]
    }

    /// Changes a register.
    pub(crate) fn set(&mut self, reg: Reg, value: u32) {
        if let Some(r) = self.0.get_mut(reg as usize) {
            *r = value;
        }
    }

    /// Allowed CUs per shader engine.
    pub(crate) fn cu_mask(&self) -> [u32; 8] {
        [
            self.get(Reg::StaticThreadMgmtSe0),
            self.get(Reg::StaticThreadMgmtSe1),
            self.get(Reg::StaticThreadMgmtSe2),
            self.get(Reg::StaticThreadMgmtSe3),
            self.nth(Reg::StaticThreadMgmtSe4, 0),
            self.nth(Reg::StaticThreadMgmtSe4, 1),
            self.nth(Reg::StaticThreadMgmtSe4, 2),
            self.nth(Reg::StaticThreadMgmtSe4, 3),
        ]
    }
}

/// Pairs (dword of the descriptor, register position): v9_structs.h names dwords 1..=37 after registers 0..=36, puts
/// SE4..=SE7 at 39..=42 and the user data at 65..=80. PGM_RSRC3 follows at the same distance as SE4 (dword 47, reserved
/// there; private to the CP).
pub(crate) fn mqd_layout() -> impl Iterator<Item = (usize, usize)> {
    let image = (0..37).map(|r| (r + 1, r));
    let more = (37..46).map(|r| (r + 2, r));
    let user = (0..16).map(|r| (65 + r, Reg::UserData0 as usize + r));
    image.chain(more).chain(user)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_match_the_public_names() {
        for (reg, name) in [
            (Reg::DispatchInitiator, "COMPUTE_DISPATCH_INITIATOR"),
            (Reg::StartX, "COMPUTE_START_X"),
            (Reg::NumThreadX, "COMPUTE_NUM_THREAD_X"),
            (Reg::PgmLo, "COMPUTE_PGM_LO"),
            (Reg::ScratchBaseLo, "COMPUTE_DISPATCH_SCRATCH_BASE_LO"),
            (Reg::PgmRsrc1, "COMPUTE_PGM_RSRC1"),
            (Reg::PgmRsrc2, "COMPUTE_PGM_RSRC2"),
            (Reg::StaticThreadMgmtSe0, "COMPUTE_STATIC_THREAD_MGMT_SE0"),
            (Reg::StaticThreadMgmtSe1, "COMPUTE_STATIC_THREAD_MGMT_SE1"),
            (Reg::TmpringSize, "COMPUTE_TMPRING_SIZE"),
            (Reg::StaticThreadMgmtSe2, "COMPUTE_STATIC_THREAD_MGMT_SE2"),
            (Reg::StaticThreadMgmtSe4, "COMPUTE_STATIC_THREAD_MGMT_SE4"),
            (Reg::PgmRsrc3, "COMPUTE_PGM_RSRC3"),
            (Reg::UserData0, "COMPUTE_USER_DATA_0"),
        ] {
            let off = COMPUTE_FIRST + reg as u32 * 4;
            assert!(
                super::super::names::compute::NAMES.contains(&(off, name)),
                "{name} is not at {off:#x}"
            );
        }
    }

    #[test]
    fn the_descriptor_keeps_known_registers_at_known_dwords() {
        let at = |reg: Reg| mqd_layout().find(|(_, r)| *r == reg as usize).map(|(d, _)| d);
        assert_eq!(at(Reg::PgmRsrc2), Some(20));
        assert_eq!(at(Reg::TmpringSize), Some(25));
        assert_eq!(at(Reg::StaticThreadMgmtSe4), Some(39));
        assert_eq!(at(Reg::PgmRsrc3), Some(47));
        assert_eq!(at(Reg::UserData0), Some(65));
        let mut dwords: Vec<_> = mqd_layout().map(|(d, _)| d).collect();
        dwords.dedup();
        assert_eq!(dwords.len(), mqd_layout().count());
        assert!(dwords.iter().all(|d| *d < 128));
    }
}
