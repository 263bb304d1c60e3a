// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The files of the driver that declare registers, and where AMD's headers have them.

#![allow(dead_code)]

use crate::declared::Register;
use crate::io::register::RegisterBase;

#[path = "../../../../drivers/gpu/hw/gfx/regs.rs"]
mod gfx;
#[path = "../../../../drivers/gpu/hw/gmc/regs.rs"]
mod gmc;
#[path = "../../../../drivers/gpu/hw/hdp/regs.rs"]
mod hdp;
#[path = "../../../../drivers/gpu/hw/ih/regs.rs"]
mod ih;
#[path = "../../../../drivers/gpu/hw/nbio/regs.rs"]
mod nbio;
#[path = "../../../../drivers/gpu/hw/psp/regs.rs"]
mod psp;
#[path = "../../../../drivers/gpu/hw/sdma/regs.rs"]
mod sdma;
#[path = "../../../../drivers/gpu/hw/smu/regs.rs"]
mod smu;

/// A file of declarations.
pub(crate) struct File {
    /// What it declares.
    pub(crate) registers: &'static [Register],
    /// Where the registers with a base are, if there are any.
    instances: &'static [Instance],
}

/// All of them.
pub(crate) const FILES: &[File] = &[
    File::absolute(gfx::REGISTERS),
    File::absolute(hdp::REGISTERS),
    File::absolute(ih::REGISTERS),
    File::absolute(nbio::REGISTERS),
    File::absolute(psp::REGISTERS),
    File::absolute(smu::REGISTERS),
    File {
        registers: gmc::REGISTERS,
        instances: &[
            Instance::new::<gmc::HubBase, gmc::GfxHub>("HubBase", "GC", ("", "")),
            Instance::new::<gmc::HubBase, gmc::MmHub>("HubBase", "MMHUB", ("", "")),
        ],
    },
    File {
        registers: sdma::REGISTERS,
        instances: &[
            Instance::new::<sdma::SdmaBase, sdma::Sdma0>("SdmaBase", "SDMA0", ("SDMA0", "SDMA0")),
            Instance::new::<sdma::SdmaBase, sdma::Sdma1>("SdmaBase", "SDMA0", ("SDMA0", "SDMA1")),
            Instance::new::<sdma::SdmaBase, sdma::Sdma2>("SdmaBase", "SDMA0", ("SDMA0", "SDMA2")),
            Instance::new::<sdma::SdmaBase, sdma::Sdma3>("SdmaBase", "SDMA0", ("SDMA0", "SDMA3")),
            Instance::new::<sdma::SdmaBase, sdma::Sdma4>("SdmaBase", "SDMA0", ("SDMA0", "SDMA4")),
        ],
    },
];

/// One of the places where the registers of a file are.
#[derive(Clone, Copy)]
pub(crate) struct Instance {
    family: Option<&'static str>,
    /// Byte offset in the register BAR.
    pub(crate) base: u32,
    /// Block in the headers; none for any.
    pub(crate) block: Option<&'static str>,
    /// How names begin in the driver and in the headers.
    prefix: (&'static str, &'static str),
}

impl Instance {
    /// The start of the register BAR.
    const ABSOLUTE: Self = Self {
        family: None,
        base: 0,
        block: None,
        prefix: ("", ""),
    };

    const fn new<F, I: RegisterBase<F>>(
        family: &'static str,
        block: &'static str,
        prefix: (&'static str, &'static str),
    ) -> Self {
        Self {
            family: Some(family),
            base: I::BASE as u32,
            block: Some(block),
            prefix,
        }
    }

    /// The header's name of a register of the driver.
    pub(crate) fn name_of(&self, register: &str) -> String {
        match register.strip_prefix(self.prefix.0) {
            Some(rest) => format!("{}{rest}", self.prefix.1),
            None => register.to_owned(),
        }
    }
}

impl File {
    const fn absolute(registers: &'static [Register]) -> Self {
        Self {
            registers,
            instances: &[],
        }
    }

    /// Where a register of the file is. Panics if nowhere.
    pub(crate) fn instances_of(&self, register: &Register) -> Vec<Instance> {
        let Some(base) = register.base else {
            return vec![Instance::ABSOLUTE];
        };
        let places: Vec<_> = self
            .instances
            .iter()
            .filter(|i| i.family == Some(base))
            .copied()
            .collect();
        assert!(!places.is_empty(), "{}: no instance of {base}", register.name);
        places
    }
}
