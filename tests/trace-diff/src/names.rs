// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From the places in a trace to what is compared: AMD's own name of a register, its block, and its copy.

use registers::{same_family, Headers};

use crate::read::Access;

/// A register that is compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Register {
    /// Block.
    pub block: String,
    /// Name.
    pub name: String,
    /// Which copy; empty if there is one only.
    pub bank: String,
}

/// Registers that only select what others mean; the trace names the selected copy with those.
const SELECTORS: &[&str] = &["GRBM_GFX_CNTL", "GRBM_GFX_INDEX"];

/// Ports: the register with the index, the one with the data, and what the index grows by with each access to that.
const PORTS: &[(&str, &str, u32)] = &[
    ("IH_CLIENT_CFG_INDEX", "IH_CLIENT_CFG_DATA", 0),
    ("DIDT_IND_INDEX", "DIDT_IND_DATA", 0),
    ("GC_CAC_IND_INDEX", "GC_CAC_IND_DATA", 0),
    ("GRBM_CAM_INDEX", "GRBM_CAM_DATA", 0),
    ("CP_CPC_SCRATCH_INDEX", "CP_CPC_SCRATCH_DATA", 0),
    ("RLC_GPM_SCRATCH_ADDR", "RLC_GPM_SCRATCH_DATA", 1),
    ("RLC_SRM_ARAM_ADDR", "RLC_SRM_ARAM_DATA", 1),
    ("ROM_INDEX", "ROM_DATA", 4),
];

/// Names registers, and keeps the indices of ports.
pub struct Names<'a> {
    headers: &'a Headers,
    indices: Vec<u32>,
}

impl<'a> Names<'a> {
    /// At the start of a trace.
    pub fn new(headers: &'a Headers) -> Self {
        Self {
            headers,
            indices: vec![0; PORTS.len()],
        }
    }

    /// The register that an access is to; `None` if it only selects another.
    pub fn register(&mut self, access: &Access) -> Option<Register> {
        let name = self.name(access);
        if SELECTORS.contains(&name.as_str()) {
            return None;
        }
        let mut bank = access.bank.trim_matches('-').to_owned();
        for ((index, data, step), at) in PORTS.iter().zip(&mut self.indices) {
            if *index == name {
                if access.write {
                    *at = access.value;
                }
                return None;
            }
            if *data == name {
                bank = format!("[{at:#x}]");
                *at = at.wrapping_add(*step);
            }
        }
        let block = block(self.headers, access, &name);
        Some(Register { block, name, bank })
    }

    /// AMD's name of a register. The virtual GPU names all of a family by the first.
    fn name(&self, access: &Access) -> String {
        let recorded = access.name.as_str();
        let all: Vec<_> = self.headers.names_at(access.offset).collect();
        let found = all.iter().find(|name| **name == recorded);
        let found = found.or_else(|| all.iter().find(|name| same_family(name, recorded)));
        found.map_or(recorded, |name| name).to_owned()
    }
}

/// The block, for people: AMD's name where the virtual GPU has several blocks in one.
fn block(headers: &Headers, access: &Access, name: &str) -> String {
    match access.block.as_str() {
        "GMC" if access.offset < 0x1_0000 => "GFXHUB".into(),
        "GMC" => "MMHUB".into(),
        block if block.contains(',') => {
            let mut found = headers.find(name).filter(|(_, offset)| *offset == access.offset);
            found.next().map_or(block, |(b, _)| b.name).into()
        }
        block => block.into(),
    }
}
