// SPDX-License-Identifier: GPL-2.0
//! Queue descriptors in memory.

use crate::gpu::mem::KernelBo;
use amdgpu_logic::mqd::{self, Field};
use kernel::prelude::*;

/// Writes a fresh descriptor at byte `at` of `memory`: `fields`, and zero elsewhere.
pub(crate) fn write(memory: &KernelBo, at: u64, fields: impl Iterator<Item = (Field, u32)>) -> Result {
    for offset in (0..mqd::SIZE as u64).step_by(8) {
        memory.write64(at.wrapping_add(offset), 0)?;
    }
    update(memory, at, fields)
}

/// Changes `fields` of the descriptor at byte `at` of `memory`. Its queue must be off the hardware.
pub(crate) fn update(memory: &KernelBo, at: u64, fields: impl Iterator<Item = (Field, u32)>) -> Result {
    for (field, value) in fields {
        memory.write32(at.wrapping_add(field.byte() as u64), value)?;
    }
    Ok(())
}
