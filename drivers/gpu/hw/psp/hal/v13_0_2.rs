// SPDX-License-Identifier: GPL-2.0
//! PSP 13.0.2, as in gfx90a.

use super::PspHal;
use amdgpu_logic::psp::Target;

pub(super) struct V13_0_2;

impl PspHal for V13_0_2 {
    fn tmr_bytes(&self) -> u32 {
        // kernel amdgpu_psp.h: PSP_TMR_SIZE
        8 << 20
    }

    fn sdma_engines(&self) -> &'static [Target] {
        &[
            Target::Sdma0,
            Target::Sdma1,
            Target::Sdma2,
            Target::Sdma3,
            Target::Sdma4,
        ]
    }
}
