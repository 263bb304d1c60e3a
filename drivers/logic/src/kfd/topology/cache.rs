// SPDX-License-Identifier: GPL-2.0
//! The caches of a GPU and which compute units share them.
//!
//! Sizes of gfx90a: kernel `amdkfd/kfd_crat.c`: aldebaran_cache_info.

use super::Properties;
use amdgpu_uapi::kfd::sysfs::{cache, cache_type};
use core::fmt::{Result, Write};

/// Shader arrays that a sibling map has room for.
const MAX_ARRAYS: usize = 8;

/// Compute units that a sibling map can tell apart: 32 for each shader array.
pub const MAX_SIBLINGS: usize = MAX_ARRAYS * 32;

/// Compute units of a GPU: one shader array per engine, as on gfx90a.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuShape {
    /// Active compute units of each array; arrays that do not exist are 0.
    pub active: [u32; MAX_ARRAYS],
    /// Arrays.
    pub arrays: u32,
    /// Compute units of an array, active or not.
    pub cus_per_array: u32,
    /// `simd_id_base` of the node.
    pub first_id: u32,
}

/// Which compute units share a cache, as bits from `processor_id_low` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SiblingMap {
    words: [u32; MAX_ARRAYS],
    /// How many words count.
    used: usize,
}

/// `caches/I/properties`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuCache {
    /// First compute unit.
    pub processor_id_low: u32,
    /// 1 or 2.
    pub level: u32,
    /// KiB.
    pub size: u32,
    /// Bytes.
    pub line_size: u32,
    /// [`cache_type`] bits.
    pub ty: u32,
    /// Who shares it.
    pub siblings: SiblingMap,
}

/// A kind of cache.
struct KindOfCache {
    level: u32,
    size: u32,
    line_size: u32,
    ty: u32,
    /// Compute units that share one.
    shared_by: u32,
}

const GFX90A: [KindOfCache; 4] = [
    // TCP of each compute unit
    KindOfCache {
        level: 1,
        size: 16,
        line_size: 64,
        ty: cache_type::DATA,
        shared_by: 1,
    },
    // instructions, of two
    KindOfCache {
        level: 1,
        size: 32,
        line_size: 64,
        ty: cache_type::INSTRUCTION,
        shared_by: 2,
    },
    // scalars, of two
    KindOfCache {
        level: 1,
        size: 16,
        line_size: 64,
        ty: cache_type::DATA,
        shared_by: 2,
    },
    // TCC, of the GPU
    KindOfCache {
        level: 2,
        size: 8192,
        line_size: 128,
        ty: cache_type::DATA,
        shared_by: 14,
    },
];

/// The caches of a gfx90a of this shape, in the order of their folders.
pub fn gfx90a_caches(shape: &GpuShape) -> impl Iterator<Item = GpuCache> + '_ {
    GFX90A.iter().flat_map(move |kind| {
        let near = (kind.level == 1)
            .then(|| near_caches(shape, kind))
            .into_iter()
            .flatten();
        let far = (kind.level != 1).then(|| far_cache(shape, kind)).flatten();
        near.chain(far)
    })
}

/// One for each block of compute units that has an active one.
fn near_caches<'a>(shape: &'a GpuShape, kind: &'a KindOfCache) -> impl Iterator<Item = GpuCache> + 'a {
    let arrays = shape.active.iter().take(shape.arrays as usize).zip(0u32..);
    arrays.flat_map(move |(&active, array)| {
        let per_array = shape.cus_per_array.min(32);
        (0..per_array)
            .step_by(kind.shared_by as usize)
            .filter_map(move |block| {
                let mask = active.checked_shr(block)? & ones(kind.shared_by);
                let skipped = mask.trailing_zeros();
                let id = array
                    .checked_mul(per_array)?
                    .checked_add(block)?
                    .checked_add(skipped)?;
                let mut words = [0; MAX_ARRAYS];
                words[0] = mask.checked_shr(skipped)?; // none for an empty mask
                Some(kind.cache(shape.first_id.checked_add(id)?, SiblingMap { words, used: 1 }))
            })
    })
}

/// The one of all compute units.
fn far_cache(shape: &GpuShape, kind: &KindOfCache) -> Option<GpuCache> {
    let used = (shape.arrays as usize).min(MAX_ARRAYS);
    let mut words = [0; MAX_ARRAYS];
    for (word, active) in words.iter_mut().zip(shape.active).take(used) {
        *word = active & ones(kind.shared_by);
    }
    let skipped = words.first()?.trailing_zeros();
    words[0] = words[0].checked_shr(skipped)?;
    let id = shape.first_id.checked_add(skipped)?;
    Some(kind.cache(id, SiblingMap { words, used }))
}

impl KindOfCache {
    fn cache(&self, processor_id_low: u32, siblings: SiblingMap) -> GpuCache {
        GpuCache {
            processor_id_low,
            level: self.level,
            size: self.size,
            line_size: self.line_size,
            ty: self.ty | cache_type::HSACU,
            siblings,
        }
    }
}

impl Properties for GpuCache {
    fn write(&self, out: &mut dyn Write) -> Result {
        for (name, value) in [
            (cache::PROCESSOR_ID_LOW, self.processor_id_low),
            (cache::LEVEL, self.level),
            (cache::SIZE, self.size),
            (cache::CACHE_LINE_SIZE, self.line_size),
            (cache::CACHE_LINES_PER_TAG, 0),
            (cache::ASSOCIATION, 0),
            (cache::LATENCY, 0),
            (cache::TYPE, self.ty),
        ] {
            writeln!(out, "{name} {value}")?;
        }
        write!(out, "{} ", cache::SIBLING_MAP)?;
        let words = self.siblings.words.iter().take(self.siblings.used);
        let mut bits = words
            .flat_map(|word| (0..u32::BITS).map(move |bit| word >> bit & 1))
            .peekable();
        while let Some(bit) = bits.next() {
            write!(out, "{bit}{}", if bits.peek().is_some() { ',' } else { '\n' })?;
        }
        Ok(())
    }
}

/// `n` ones, at most 32.
const fn ones(n: u32) -> u32 {
    match 1u32.checked_shl(n) {
        Some(bit) => bit.wrapping_sub(1),
        None => u32::MAX,
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(
    CONFIG_KUNIT = "y",
    kernel::prelude::kunit_tests(amdgpu_logic_kfd_topology_cache)
)]
mod tests {
    use super::*;
    use crate::testing::Text;
    use core::fmt::Error;
    #[cfg(test)]
    use proptest::prelude::*;

    fn mi210() -> GpuShape {
        GpuShape {
            active: [0x1fff; 8],
            arrays: 8,
            cus_per_array: 14,
            first_id: 0x8000_1000,
        }
    }

    #[test]
    fn one_data_cache_for_each_unit() {
        let shape = mi210();
        assert_eq!(gfx90a_caches(&shape).count(), 104 + 56 + 56 + 1);
        let first_unit = |n| gfx90a_caches(&shape).nth(n).map(|c| c.processor_id_low);
        assert_eq!(first_unit(0), Some(0x8000_1000));
        // the 14th unit of an array is off: ids go on with the next array's
        assert_eq!(first_unit(13), Some(0x8000_100e));
        let l2 = gfx90a_caches(&shape).last();
        assert_eq!(
            l2.map(|c| (c.level, c.size, c.line_size, c.siblings.words)),
            Some((2, 8192, 128, [0x1fff; 8]))
        );
    }

    #[test]
    fn shared_caches_start_at_an_active_unit() {
        let shape = GpuShape {
            active: [0b10, 0, 0, 0, 0, 0, 0, 0],
            arrays: 1,
            cus_per_array: 4,
            first_id: 0,
        };
        assert_eq!(gfx90a_caches(&shape).count(), 4);
        assert!(gfx90a_caches(&shape).all(|c| c.processor_id_low == 1 && c.siblings.words[0] == 1));
    }

    #[test]
    fn text() -> Result {
        let shape = mi210();
        let cache = gfx90a_caches(&shape).nth(104).ok_or(Error)?;
        let mut file = Text::<1024>::new();
        cache.write(&mut file)?;
        let text = file.text();
        let names = text.lines().filter_map(|l| l.split(' ').next());
        assert!(names.eq(cache::ALL.iter().copied()));
        let map = text.lines().last().unwrap_or_default();
        assert!(map.starts_with("sibling_map 1,1,0,0,") && map.ends_with(",0"));
        assert_eq!(map.matches(',').count(), 31);
        assert!(text.ends_with('\n'));
        Ok(())
    }

    #[cfg(test)]
    proptest! {
        #[test]
        fn any_shape(active: [u32; 8], arrays in 0u32..20, cus_per_array in 0u32..40, first_id: u32) {
            let shape = GpuShape { active, arrays, cus_per_array, first_id };
            for cache in gfx90a_caches(&shape) {
                prop_assert!(cache.siblings.words[0] & 1 == 1);
                prop_assert!(cache.write(&mut Text::<4096>::new()).is_ok());
            }
        }
    }
}
