// SPDX-License-Identifier: GPL-2.0
//! SDMA 4.4, as in gfx90a: five engines.

use super::super::registers::{self, RingSetUp};
use super::super::regs::{Sdma0, Sdma1, Sdma2, Sdma3, Sdma4};
use super::SdmaHal;
use crate::glue::mmio::Registers;
use amdgpu_logic::slots::SdmaEngines;
use kernel::prelude::*;

pub(super) struct V4_4;

impl SdmaHal for V4_4 {
    fn engines(&self) -> SdmaEngines {
        SdmaEngines { pcie: 2, xgmi: 3 }
    }

    fn start(&self, r: &Registers, engine: u8, ring: &RingSetUp) -> Result {
        match engine {
            0 => registers::start::<Sdma0>(r, ring),
            1 => registers::start::<Sdma1>(r, ring),
            2 => registers::start::<Sdma2>(r, ring),
            3 => registers::start::<Sdma3>(r, ring),
            4 => registers::start::<Sdma4>(r, ring),
            _ => Err(ENODEV),
        }
    }

    fn stop(&self, r: &Registers, engine: u8) {
        match engine {
            0 => registers::stop::<Sdma0>(r),
            1 => registers::stop::<Sdma1>(r),
            2 => registers::stop::<Sdma2>(r),
            3 => registers::stop::<Sdma3>(r),
            4 => registers::stop::<Sdma4>(r),
            _ => {}
        }
    }
}
