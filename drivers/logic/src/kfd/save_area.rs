// SPDX-License-Identifier: GPL-2.0
//! How large the context save area of a compute queue must be.
//!
//! Thunks that do not read `cwsr_size` from the topology compute it as well, from a table of their own: both sides
//! must agree, or no queue can be made. Source: kernel `amdkfd/kfd_queue.c`: kfd_queue_ctx_save_restore_size.

use super::PAGE;

/// What the size depends on, per compute die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Active compute units.
    pub cus: u32,
    /// Shader engines.
    pub engines: u32,
}

/// Sizes in bytes, per compute die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SaveArea {
    /// Control stack with the header in front of it, whole pages.
    pub control_stack: u32,
    /// Control stack and wave data, whole pages.
    pub size: u32,
    /// Memory of the debugger behind it.
    pub debug: u32,
}

/// Vector registers of a compute unit of gfx90a (and gfx908, gfx942), bytes.
const VGPRS: u64 = 0x8_0000;
/// Scalar registers.
const SGPRS: u64 = 0x4000;
/// Local data share.
const LDS: u64 = 0x1_0000;
/// Hardware registers of its waves.
const HWREGS: u64 = 0x1000;
/// Waves of a compute unit.
const WAVES_PER_CU: u64 = 40;
/// Waves of a shader engine.
const WAVES_PER_ENGINE: u64 = 512;
/// Bytes on the control stack for each wave.
const STACK_PER_WAVE: u64 = 8;
/// Bytes behind them.
const STACK_END: u64 = 8;
/// Bytes of the header that userspace writes (`struct kfd_context_save_area_header`).
const HEADER: u64 = 40;
/// Bytes of debugger memory for each wave, in units of 64.
const DEBUG_PER_WAVE: u64 = 32;

impl SaveArea {
    /// The area for a die of a gfx9 GPU with 512 KiB of vector registers per compute unit. `None` for a shape so
    /// large that sizes do not fit.
    pub fn gfx9_large(shape: Shape) -> Option<Self> {
        let cus = u64::from(shape.cus);
        let waves = cus
            .checked_mul(WAVES_PER_CU)?
            .min(u64::from(shape.engines).checked_mul(WAVES_PER_ENGINE)?);
        let data = cus.checked_mul(VGPRS + SGPRS + LDS + HWREGS)?;
        let control_stack = waves
            .checked_mul(STACK_PER_WAVE)?
            .checked_add(HEADER + STACK_END)?
            .checked_next_multiple_of(PAGE)?;
        Some(Self {
            control_stack: u32::try_from(control_stack).ok()?,
            size: u32::try_from(control_stack.checked_add(data)?.checked_next_multiple_of(PAGE)?).ok()?,
            debug: u32::try_from(waves.checked_mul(DEBUG_PER_WAVE)?.checked_next_multiple_of(64)?).ok()?,
        })
    }

    /// Bytes of memory that an area of `size` bytes per die takes up on `dies` dies; `None` if that does not fit.
    pub fn mapping(&self, size: u32, dies: u32) -> Option<u64> {
        let each = u64::from(size).checked_add(self.debug.into())?;
        super::page_align(each.checked_mul(dies.into())?)
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(
    CONFIG_KUNIT = "y",
    ::kernel::prelude::kunit_tests(amdgpu_logic_kfd_save_area)
)]
mod tests {
    use super::*;

    /// Control stack, size and debug area of a shape, and its mapping for `dies`.
    fn sizes(shape: Shape, dies: u32) -> Option<([u32; 3], Option<u64>)> {
        let area = SaveArea::gfx9_large(shape)?;
        Some((
            [area.control_stack, area.size, area.debug],
            area.mapping(area.size, dies),
        ))
    }

    #[test]
    fn mi210() {
        assert_eq!(
            sizes(Shape { cus: 104, engines: 8 }, 1),
            Some(([0x9000, 0x3c9_1000, 0x2_0000], Some(0x3cb_1000)))
        );
    }

    #[test]
    fn mi300x() {
        assert_eq!(
            sizes(Shape { cus: 38, engines: 4 }, 8),
            Some(([0x3000, 0x162_1000, 0xbe00], Some(8 * 0x162_ce00)))
        );
    }

    #[test]
    fn nonsense_is_refused() {
        assert_eq!(
            SaveArea::gfx9_large(Shape {
                cus: u32::MAX,
                engines: 1
            }),
            None
        );
        let area = SaveArea::gfx9_large(Shape { cus: 1, engines: 1 });
        assert_eq!(area.map(|a| a.mapping(u32::MAX, u32::MAX)), Some(None));
    }
}
