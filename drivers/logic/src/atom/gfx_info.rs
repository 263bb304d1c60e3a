// SPDX-License-Identifier: GPL-2.0
//! Table gfx_info. Layout: kernel atomfirmware.h `struct atom_gfx_info_v2_4`.

use core::ops::RangeInclusive;

use super::{AtomError, Bios, TableId};

/// What the graphics engine is made of. Which compute units work is told by registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GfxInfo {
    /// Shader engines, 1 to 8.
    pub shader_engines: u8,
    /// Shader arrays of an engine, 1 or 2.
    pub arrays_per_engine: u8,
    /// Places for compute units in an array, 1 to 16: as many as a register of them has bits for.
    pub units_per_array: u8,
    /// Render backends of an engine.
    pub backends_per_engine: u8,
    /// Channels of the L2 cache.
    pub cache_channels: u8,
    /// Vector registers of a lane.
    pub registers: u16,
    /// Lanes of a wave: 32 or 64.
    pub wave_size: u16,
    /// Waves that a SIMD holds at most, 1 to 40.
    pub waves_per_simd: u16,
    /// Waves of a compute unit that can have scratch memory.
    pub scratch_slots: u8,
    /// Shared memory of a compute unit, KiB.
    pub lds: u16,
}

impl Bios<'_> {
    /// What the graphics engine is made of.
    pub fn gfx_info(&self) -> Result<GfxInfo, AtomError> {
        let table = self.table(TableId::GfxInfo)?;
        if table.revision() != (2, 4) {
            return Err(table.unknown());
        }
        let byte = |field, at, range: RangeInclusive<u8>| match table.u8(at)? {
            v if range.contains(&v) => Ok(v),
            v => Err(table.value(field, v.into())),
        };
        let half = |field, at, good: fn(u16) -> bool| match table.u16(at)? {
            v if good(v) => Ok(v),
            v => Err(table.value(field, v.into())),
        };
        Ok(GfxInfo {
            shader_engines: byte("max_shader_engines", 6, 1..=8)?,
            units_per_array: byte("max_cu_per_sh", 8, 1..=16)?,
            arrays_per_engine: byte("max_sh_per_se", 9, 1..=2)?,
            backends_per_engine: table.u8(10)?,
            cache_channels: table.u8(11)?,
            registers: table.u16(48)?,
            wave_size: half("gc_wave_size", 54, |v| v == 32 || v == 64)?,
            waves_per_simd: half("gc_max_waves_per_simd", 56, |v| (1..=40).contains(&v))?,
            lds: table.u16(58)?,
            scratch_slots: table.u8(63)?,
        })
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(
    CONFIG_KUNIT = "y",
    ::kernel::prelude::kunit_tests(amdgpu_logic_atom_gfx_info)
)]
mod tests {
    use super::super::testing::*;
    use super::*;

    fn sample() -> Sample {
        let mut sample = Sample::new(TableId::GfxInfo, 72, (2, 4));
        sample
            .put(TABLE + 6, [8, 0, 14, 1, 4, 32])
            .half(TABLE + 48, 256)
            .half(TABLE + 54, 64)
            .half(TABLE + 56, 8)
            .half(TABLE + 58, 64)
            .put(TABLE + 63, [32]);
        sample
    }

    #[inline(never)]
    fn read(change: impl FnOnce(&mut Sample) -> &mut Sample) -> Result<GfxInfo, AtomError> {
        let mut sample = sample();
        change(&mut sample);
        Bios::parse(&sample.bytes)?.gfx_info()
    }

    #[test]
    fn numbers() {
        let info = GfxInfo {
            shader_engines: 8,
            arrays_per_engine: 1,
            units_per_array: 14,
            backends_per_engine: 4,
            cache_channels: 32,
            registers: 256,
            wave_size: 64,
            waves_per_simd: 8,
            scratch_slots: 32,
            lds: 64,
        };
        assert_eq!(read(|s| s), Ok(info));
    }

    #[test]
    fn numbers_that_no_card_has() {
        let wrong = |at, value: u8| match read(|s| s.put(TABLE + at, [value])) {
            Err(AtomError::Value { field, value, .. }) => Some((field, value)),
            _ => None,
        };
        for value in [0, 9, 255] {
            assert_eq!(wrong(6, value), Some(("max_shader_engines", value.into())));
        }
        assert_eq!(wrong(8, 17), Some(("max_cu_per_sh", 17)));
        assert_eq!(wrong(9, 0), Some(("max_sh_per_se", 0)));
        assert_eq!(wrong(54, 63), Some(("gc_wave_size", 63)));
        assert_eq!(wrong(57, 1), Some(("gc_max_waves_per_simd", 264)));
    }
}
