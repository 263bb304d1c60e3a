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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::string::String;
    use std::vec::Vec;

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
        let caches: Vec<_> = gfx90a_caches(&shape).collect();
        assert_eq!(caches.len(), 104 + 56 + 56 + 1);
        assert_eq!(caches[0].processor_id_low, 0x8000_1000);
        // the 14th unit of an array is off: ids go on with the next array's
        assert_eq!(caches[13].processor_id_low, 0x8000_100e);
        let l2 = caches.last().unwrap();
        assert_eq!((l2.level, l2.size, l2.line_size), (2, 8192, 128));
        assert_eq!(l2.siblings.words, [0x1fff; 8]);
    }

    #[test]
    fn shared_caches_start_at_an_active_unit() {
        let shape = GpuShape {
            active: [0b10, 0, 0, 0, 0, 0, 0, 0],
            arrays: 1,
            cus_per_array: 4,
            first_id: 0,
        };
        let caches: Vec<_> = gfx90a_caches(&shape).collect();
        assert_eq!(caches.len(), 4);
        assert!(caches
            .iter()
            .all(|c| c.processor_id_low == 1 && c.siblings.words[0] == 1));
    }

    #[test]
    fn text() {
        let mut text = String::new();
        let shape = mi210();
        gfx90a_caches(&shape).nth(104).unwrap().write(&mut text).unwrap();
        let names: Vec<_> = text.lines().map(|l| l.split(' ').next().unwrap()).collect();
        assert_eq!(names, cache::ALL);
        let map = text.lines().last().unwrap();
        assert!(map.starts_with("sibling_map 1,1,0,0,") && map.ends_with(",0"));
        assert_eq!(map.matches(',').count(), 31);
        assert!(text.ends_with('\n'));
    }

    proptest! {
        #[test]
        fn any_shape(active: [u32; 8], arrays in 0u32..20, cus_per_array in 0u32..40, first_id: u32) {
            let shape = GpuShape { active, arrays, cus_per_array, first_id };
            for cache in gfx90a_caches(&shape) {
                prop_assert!(cache.siblings.words[0] & 1 == 1);
                let mut text = String::new();
                cache.write(&mut text).unwrap();
                prop_assert!(text.len() < 4096);
            }
        }
    }
}
