// SPDX-License-Identifier: GPL-2.0
//! Which compute units a queue may use.
//!
//! Userspace numbers the active compute units of the node across the shader engines: bit 0 is the first unit of
//! engine 0, bit 1 the first of engine 1, and so on, skipping engines that have no more. The hardware has one
//! enable mask per shader engine, in which disabled units are the *highest* bits, wherever they are on the die.

use super::field::cp::*;
use super::Field;

/// Shader engines whose enable masks a descriptor holds.
pub const MAX_SHADER_ENGINES: usize = 8;

/// How many active compute units each shader engine has (one shader array per engine, as on gfx90a).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShaderEngines {
    active: [u8; MAX_SHADER_ENGINES],
}

impl ShaderEngines {
    /// Compute units that an enable mask has bits for.
    const MAX_CUS: u8 = 16;

    /// Engines with `active[n]` active units; engines that do not exist have none.
    ///
    /// `None` if one has more than the 16 that a mask has bits for.
    pub fn new(active: [u8; MAX_SHADER_ENGINES]) -> Option<Self> {
        active
            .iter()
            .all(|&n| n <= Self::MAX_CUS)
            .then_some(Self { active })
    }

    /// Active compute units in all.
    pub fn total(&self) -> u32 {
        self.active.iter().map(|&n| u32::from(n)).sum()
    }
}

/// Enable masks of a queue, one per shader engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CuMask([u32; MAX_SHADER_ENGINES]);

/// No restriction.
pub const ALL_CUS: CuMask = CuMask([u32::MAX; MAX_SHADER_ENGINES]);

impl CuMask {
    /// The masks for userspace's `bits`, 32 units to a word. Bits past the last active unit mean nothing; units
    /// past the last bit are off.
    pub fn from_user(bits: &[u32], engines: &ShaderEngines) -> Self {
        let mut masks = [0u32; MAX_SHADER_ENGINES];
        let mut user = bits
            .iter()
            .flat_map(|word| (0..u32::BITS).map(move |bit| (word >> bit) & 1 == 1));
        for cu in 0..ShaderEngines::MAX_CUS {
            for (mask, &active) in masks.iter_mut().zip(&engines.active) {
                if cu < active && user.next().unwrap_or(false) {
                    *mask |= 1 << cu;
                }
            }
        }
        Self(masks)
    }

    /// The masks as descriptor fields.
    pub(super) fn fields(&self) -> impl Iterator<Item = (Field, u32)> {
        [
            COMPUTE_STATIC_THREAD_MGMT_SE0,
            COMPUTE_STATIC_THREAD_MGMT_SE1,
            COMPUTE_STATIC_THREAD_MGMT_SE2,
            COMPUTE_STATIC_THREAD_MGMT_SE3,
            COMPUTE_STATIC_THREAD_MGMT_SE4,
            COMPUTE_STATIC_THREAD_MGMT_SE5,
            COMPUTE_STATIC_THREAD_MGMT_SE6,
            COMPUTE_STATIC_THREAD_MGMT_SE7,
        ]
        .into_iter()
        .zip(self.0)
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_mqd_cu_mask))]
mod tests {
    use super::*;
    #[cfg(test)]
    use proptest::prelude::*;

    #[test]
    fn units_are_dealt_round() -> Result<(), &'static str> {
        let engines = ShaderEngines::new([2, 1, 2, 0, 0, 0, 0, 0]).ok_or("too many units")?;
        assert_eq!(engines.total(), 5);
        // order: se0, se1, se2, se0, se2
        assert_eq!(CuMask::from_user(&[0b01000], &engines).0[..4], [0b10, 0, 0, 0]);
        assert_eq!(CuMask::from_user(&[0b10000], &engines).0[..4], [0, 0, 0b10, 0]);
        assert_eq!(CuMask::from_user(&[0b00111], &engines).0[..4], [1, 1, 1, 0]);
        assert_eq!(CuMask::from_user(&[], &engines).0, [0; 8]);
        assert!(ShaderEngines::new([17, 0, 0, 0, 0, 0, 0, 0]).is_none());
        Ok(())
    }

    #[cfg(test)]
    proptest! {
        #[test]
        fn every_active_unit_has_one_bit(active in proptest::array::uniform8(0u8..=16), bits: [u32; 4]) {
            let engines = ShaderEngines::new(active).unwrap();
            let masks = CuMask::from_user(&bits, &engines).0;
            let wanted: u32 = (0..engines.total().min(128)).map(|i| (bits[i as usize / 32] >> (i % 32)) & 1).sum();
            prop_assert_eq!(masks.iter().map(|m| m.count_ones()).sum::<u32>(), wanted);
            for (mask, n) in masks.iter().zip(active) {
                prop_assert!(u64::from(*mask) < 1 << n);
            }
        }
    }
}
