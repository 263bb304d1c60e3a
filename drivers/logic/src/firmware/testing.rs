// SPDX-License-Identifier: GPL-2.0
//! A small firmware file for the tests.

/// Bytes of the file.
pub(super) const SIZE: usize = 0x300;
/// Where its main image begins, and its size.
pub(super) const IMAGES: u32 = 0x100;
pub(super) const PAYLOAD: u32 = 0x100;

/// A file, changed in place: the kernel's stack has no room for many. Its common header is right, and each byte behind the header is the low half of its offset.
pub(super) struct Sample {
    pub(super) bytes: [u8; SIZE],
}

impl Sample {
    pub(super) fn new(layout: (u16, u16), header: u32) -> Self {
        let mut bytes = [0; SIZE];
        for (n, byte) in bytes.iter_mut().enumerate().skip(IMAGES as usize) {
            *byte = n as u8;
        }
        let mut sample = Self { bytes };
        sample
            .word(0, SIZE as u32)
            .word(4, header)
            .word(8, u32::from(layout.1) << 16 | u32::from(layout.0))
            .word(16, 7)
            .word(20, PAYLOAD)
            .word(24, IMAGES);
        sample
    }

    /// With a number at a place.
    pub(super) fn word(&mut self, at: usize, value: u32) -> &mut Self {
        for (to, from) in self.bytes.iter_mut().skip(at).zip(value.to_le_bytes()) {
            *to = from;
        }
        self
    }

    /// With numbers from a place on.
    pub(super) fn words<const N: usize>(&mut self, at: usize, values: [u32; N]) -> &mut Self {
        for (n, value) in values.into_iter().enumerate() {
            self.word(at + 4 * n, value);
        }
        self
    }
}

/// Fails unless `part` is bytes of `file`.
#[cfg(test)]
#[track_caller]
pub(super) fn assert_inside(file: &[u8], part: &[u8]) {
    let (file, part) = (file.as_ptr_range(), part.as_ptr_range());
    assert!(file.start <= part.start && part.end <= file.end);
}

/// A sample with some of its numbers replaced: those near the begin, by small ones and any.
#[cfg(test)]
pub(super) fn damaged(sample: Sample) -> impl proptest::strategy::Strategy<Value = std::vec::Vec<u8>> {
    use proptest::prelude::*;
    let number = prop_oneof![
        any::<u32>(),
        0u32..0x400,
        Just(0),
        Just(u32::MAX),
        (0u32..32).prop_map(|n| 1 << n)
    ];
    let change = (0usize..0x30, number);
    (proptest::collection::vec(change, 0..4), 0..=SIZE).prop_map(move |(changes, cut)| {
        let mut bytes = sample.bytes.to_vec();
        for (dword, value) in changes {
            bytes[4 * dword..4 * dword + 4].copy_from_slice(&value.to_le_bytes());
        }
        // most are not cut off
        if cut % 4 == 0 {
            bytes.truncate(cut);
            // and of those, some say so
            if cut % 8 == 0 && cut >= 4 {
                bytes[..4].copy_from_slice(&(cut as u32).to_le_bytes());
            }
        }
        bytes
    })
}
