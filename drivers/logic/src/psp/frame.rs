// SPDX-License-Identifier: GPL-2.0
//! The ring of frames (kernel psp_gfx_if.h: psp_gfx_rb_frame; amdgpu_psp.c: psp_ring_cmd_submit).

use crate::bits::{hi, lo};

/// Dwords of a frame.
pub const FRAME_WORDS: u32 = 16;

/// What a frame tells the secure OS. Addresses are of VMID 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The command's buffer, aligned to 4 KiB.
    pub command: u64,
    /// The dword that is written when the response is there.
    pub fence: u64,
    /// What is written there.
    pub value: u32,
}

impl Frame {
    /// The frame's dwords.
    pub fn encode(&self) -> [u32; FRAME_WORDS as usize] {
        let mut words = [0; FRAME_WORDS as usize];
        let told = [
            lo(self.command),
            hi(self.command),
            0,
            lo(self.fence),
            hi(self.fence),
            self.value,
        ];
        for (word, value) in words.iter_mut().zip(told) {
            *word = value;
        }
        words
    }
}

/// Where in a ring the next frame goes, in dwords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    at: u32,
    ring: u32,
}

impl Position {
    /// The position `at` of a ring of `ring` dwords; `None` if no frame can be there.
    pub fn new(at: u32, ring: u32) -> Option<Self> {
        let whole = |n: u32| n % FRAME_WORDS == 0;
        (whole(at) && whole(ring) && at < ring).then_some(Self { at, ring })
    }

    /// Dwords from the start of the ring.
    pub fn dwords(self) -> u32 {
        self.at
    }

    /// The position behind it, which may be the start of the ring.
    pub fn next(self) -> Self {
        let at = self.at.wrapping_add(FRAME_WORDS);
        Self {
            at: if at < self.ring { at } else { 0 },
            ..self
        }
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_psp_frame))]
mod tests {
    use super::*;

    #[test]
    fn a_frame_leads_to_command_and_fence() {
        let frame = Frame {
            command: 0x80_1234_5000,
            fence: 0x7f_0000_0040,
            value: 9,
        };
        let words = frame.encode();
        assert_eq!(
            words.get(..6),
            Some(&[0x1234_5000, 0x80, 0, 0x0000_0040, 0x7f, 9][..])
        );
        assert!(words.iter().skip(6).all(|word| *word == 0));
    }

    #[test]
    fn positions_go_around() {
        assert_eq!(Position::new(8, 64), None);
        assert_eq!(Position::new(64, 64), None);
        let mut at = Position::new(32, 64);
        at = at.map(Position::next);
        assert_eq!(at.map(Position::dwords), Some(48));
        assert_eq!(at.map(|p| p.next().dwords()), Some(0));
    }
}
