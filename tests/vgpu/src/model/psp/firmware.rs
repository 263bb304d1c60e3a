// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which engines have their firmware: what the security processor loads, and every other block asks about.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::device::Profile;

/// A firmware image of an engine of this card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// System management.
    Smu,
    /// An SDMA engine, 0..=4.
    Sdma(u8),
    /// Compute micro engines.
    Mec,
    /// Jump table of the first compute micro engine.
    MecJumpTable,
    /// Run list controller.
    Rlc,
    /// Its list of registers to restore: control.
    RlcRestoreCntl,
    /// Its list of registers to restore: memory of its own processor.
    RlcRestoreGpm,
    /// Its list of registers to restore: save and restore machine.
    RlcRestoreSrm,
    /// Registers that engines may access.
    RegList,
}

impl Engine {
    /// By the type in LOAD_IP_FW (kernel psp_gfx_if.h: psp_gfx_fw_type).
    pub(super) fn of_type(fw_type: u32) -> Option<Self> {
        Some(match fw_type {
            4 => Self::Mec,
            5 => Self::MecJumpTable,
            8 => Self::Rlc,
            9 => Self::Sdma(0),
            10 => Self::Sdma(1),
            18 => Self::Smu,
            20 => Self::RlcRestoreGpm,
            21 => Self::RlcRestoreSrm,
            22 => Self::RlcRestoreCntl,
            52 => Self::Sdma(2),
            53 => Self::Sdma(3),
            54 => Self::Sdma(4),
            67 => Self::RegList,
            _ => return None,
        })
    }

    const fn bit(self) -> u32 {
        1 << match self {
            Self::Smu => 0,
            Self::Mec => 1,
            Self::MecJumpTable => 2,
            Self::Rlc => 3,
            Self::RlcRestoreCntl => 4,
            Self::RlcRestoreGpm => 5,
            Self::RlcRestoreSrm => 6,
            Self::RegList => 7,
            Self::Sdma(n) => 8 + (n & 7) as u32,
        }
    }
}

/// The set of engines whose firmware is loaded.
#[derive(Debug)]
pub struct Firmware {
    at_power_on: u32,
    loaded: AtomicU32,
}

impl Firmware {
    /// The power-on state of a profile.
    pub fn new(profile: Profile) -> Self {
        let at_power_on = match profile {
            Profile::Running => u32::MAX,
            Profile::PowerOn => 0,
        };
        Self {
            at_power_on,
            loaded: AtomicU32::new(at_power_on),
        }
    }

    /// Whether an engine has its firmware.
    pub fn has(&self, engine: Engine) -> bool {
        self.loaded.load(Ordering::Acquire) & engine.bit() != 0
    }

    /// An engine has got its firmware.
    pub(crate) fn add(&self, engine: Engine) {
        self.loaded.fetch_or(engine.bit(), Ordering::AcqRel);
    }

    /// Back to the power-on state.
    pub(crate) fn reset(&self) {
        self.loaded.store(self.at_power_on, Ordering::Release);
    }
}
