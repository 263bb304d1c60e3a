// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the driver reads of a card and of the distribution, for its parsers: the firmware files, and damage to bytes.
//!
//! `tests/firmware.rs` parses the distribution's files, `tests/rom.rs` the virtual GPU's VBIOS, each whole and damaged;
//! `tests/layout.rs` parses what a C program writes with AMD's own structures.

use proptest::prelude::*;
use std::path::PathBuf;

/// A firmware file of the distribution, from the folder named by the environment variable FERROCK_FIRMWARE.
pub fn firmware(name: &str) -> Vec<u8> {
    let Some(folder) = std::env::var_os("FERROCK_FIRMWARE") else {
        panic!("FERROCK_FIRMWARE is not set: e.g. FERROCK_FIRMWARE=$(scripts/firmware)");
    };
    let path = PathBuf::from(folder).join("amdgpu").join(name);
    std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Replaces up to eight bytes near the begin, by others or by numbers that are at a limit, and cuts the end off one time
/// in four.
pub fn damage(near: usize) -> impl Strategy<Value = Damage> {
    let number = prop_oneof![any::<u32>(), 0u32..0x1_0000, Just(0), Just(u32::MAX)];
    let dwords = prop::collection::vec((0..near / 2, number), 0..4);
    let bytes = prop::collection::vec((0..near, any::<u8>()), 0..4);
    let cut = prop::option::weighted(0.25, any::<prop::sample::Index>());
    (dwords, bytes, cut).prop_map(|(dwords, bytes, cut)| Damage { dwords, bytes, cut })
}

/// What happens to bytes.
#[derive(Clone, Debug)]
pub struct Damage {
    /// Numbers of 32 bits at places of a unit of two bytes.
    dwords: Vec<(usize, u32)>,
    bytes: Vec<(usize, u8)>,
    cut: Option<prop::sample::Index>,
}

impl Damage {
    /// The damaged bytes.
    pub fn apply(&self, whole: &[u8]) -> Vec<u8> {
        let mut damaged = whole.to_vec();
        for (half, value) in &self.dwords {
            for (to, from) in damaged.iter_mut().skip(2 * half).zip(value.to_le_bytes()) {
                *to = from;
            }
        }
        for (at, value) in &self.bytes {
            if let Some(byte) = damaged.get_mut(*at) {
                *byte = *value;
            }
        }
        if let Some(cut) = self.cut {
            damaged.truncate(cut.index(whole.len()));
        }
        damaged
    }
}

/// Whether `part` is bytes of `whole`.
pub fn inside(whole: &[u8], part: &[u8]) -> bool {
    let (whole, part) = (whole.as_ptr_range(), part.as_ptr_range());
    whole.start <= part.start && part.end <= whole.end
}
