// SPDX-License-Identifier: GPL-2.0
//! What differs between generations of the graphics and compute block.

use super::super::ip::IpVersion;
use crate::glue::mmio::Registers;
use kernel::prelude::*;

mod v9_4_2;

/// What a generation is made of.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    /// Shader engines.
    pub(crate) shader_engines: u8,
    /// Compute units that a shader engine has room for.
    pub(crate) cus_per_engine: u8,
    /// Pipes of MEC 1, which run the users' queues.
    pub(crate) pipes: u8,
    /// Queues of a pipe.
    pub(crate) queues_per_pipe: u8,
    /// VMIDs that the hardware scheduler may give to processes, one bit each.
    pub(crate) process_vmids: u16,
}

impl Shape {
    /// Slots of MEC 1, one bit each, as SET_RESOURCES has them.
    pub(crate) fn queue_slots(&self) -> u64 {
        let slots = u32::from(self.pipes).saturating_mul(self.queues_per_pipe.into());
        match slots {
            0 => 0,
            n => u64::MAX >> 64u32.saturating_sub(n.min(64)),
        }
    }
}

pub(super) trait GfxHal: Sync {
    /// What it is made of.
    fn shape(&self) -> Shape;

    /// Settings that AMD found by measurement ("golden"), and those that go with a version of the MEC's firmware.
    /// `ENODEV` if the package is of a kind that has none.
    fn golden(&self, r: &Registers, mec: u32) -> Result;
}

/// The generation with that version.
pub(super) fn of(version: IpVersion) -> Option<&'static dyn GfxHal> {
    match version {
        IpVersion(9, 4, 2) => Some(&v9_4_2::V9_4_2),
        _ => None,
    }
}
