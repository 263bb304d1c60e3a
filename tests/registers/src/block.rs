// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The blocks of gfx90a, and which headers describe each.

use std::collections::HashMap;
use std::path::Path;

use crate::headers::{segments, Defines, Mask};

/// Where the kernel source has what it knows of AMD's GPUs.
const AMD: &str = "drivers/gpu/drm/amd";

/// A block, and what is known of it.
struct Description {
    /// Name and instance in the table of bases.
    base: (&'static str, usize),
    /// Headers under include/asic_reg without `_offset.h` and `_sh_mask.h`. Later ones matter for what earlier ones
    /// lack.
    headers: &'static [&'static str],
    /// Other files that define registers as gfx90a has them, likewise.
    more: &'static [&'static str],
}

const fn block(
    base: &'static str,
    headers: &'static [&'static str],
    more: &'static [&'static str],
) -> Description {
    Description {
        base: (base, 0),
        headers,
        more,
    }
}

const BLOCKS: &[Description] = &[
    // gfx_v9_0.c, which drives gfx90a too, knows registers of 9.0 only
    block("GC", &["gc/gc_9_4_2", "gc/gc_9_0"], &["amdgpu/gfx_v9_0.c"]),
    block("MMHUB", &["mmhub/mmhub_1_7"], &[]),
    // counts all five engines from the base of the first
    block("SDMA0", &["sdma/sdma_4_4_0"], &[]),
    block(
        "NBIO",
        &["nbio/nbio_7_4"],
        &[
            "amdgpu/nbio_v7_4.c",
            "include/asic_reg/nbio/nbio_7_4_0_smn.h",
            "pm/swsmu/smu13/smu_v13_0.c",
            "pm/swsmu/smu13/aldebaran_ppt.c",
        ],
    ),
    block("OSSSYS", &["oss/osssys_4_2_0"], &["amdgpu/vega20_ih.c"]),
    block("HDP", &["hdp/hdp_4_0"], &["amdgpu/hdp_v4_0.c"]),
    block("ATHUB", &["athub/athub_1_0"], &[]),
    // MP1 has the same base
    block(
        "MP0",
        &["mp/mp_13_0_2"],
        &["amdgpu/soc15.c", "pm/swsmu/smu13/smu_v13_0.c"],
    ),
    block("SMUIO", &["smuio/smuio_13_0_2"], &[]),
    block("THM", &["thm/thm_13_0_2"], &[]),
    block("UMC", &["umc/umc_6_7_0"], &[]),
    block("DF", &["df/df_3_6"], &[]),
    block("VCN", &["vcn/vcn_2_5"], &[]),
    Description {
        base: ("VCN", 1),
        headers: &["vcn/vcn_2_5"],
        more: &[],
    },
];

/// What AMD says of one block.
#[derive(Debug)]
pub struct Block {
    /// Name in the table of bases.
    pub name: &'static str,
    segments: Vec<u32>,
    /// What each header says; earlier ones hold.
    layers: Vec<Defines>,
}

impl Block {
    /// Byte offset of a register in the register BAR, or its address on the system management network.
    pub fn offset(&self, register: &str) -> Option<u32> {
        self.layers
            .iter()
            .find_map(|layer| self.offset_in(layer, register))
    }

    fn offset_in(&self, layer: &Defines, register: &str) -> Option<u32> {
        match layer.registers.get(register) {
            Some((dword, base)) => self.segments.get(*base)?.checked_add(*dword)?.checked_mul(4),
            None => layer.smn.get(register).copied(),
        }
    }

    /// A field of a register; capitals or not makes no difference.
    ///
    /// `value`, where AMD has no field of that name, stands for all the register's fields together.
    pub fn field(&self, register: &str, field: &str) -> Result<Option<Mask>, String> {
        let Some((layer, register)) = self.layer(register) else {
            return Ok(None);
        };
        match layer.field(register, field)? {
            None if field == "value" => Ok(layer.whole(register)),
            found => Ok(found),
        }
    }

    /// All fields of a register, named in capitals, in any order.
    pub fn fields(&self, register: &str) -> Vec<(String, Mask)> {
        let layer = self.layer(register);
        layer.map_or_else(Vec::new, |(layer, register)| layer.fields(register))
    }

    /// Whether `value` of a register is not AMD's own field but stands for all of them.
    pub fn lacks_value(&self, register: &str) -> bool {
        self.layer(register)
            .is_some_and(|(layer, register)| layer.field(register, "VALUE") == Ok(None))
    }

    /// The first header with fields of a register, and the name it has there.
    fn layer<'a>(&self, register: &'a str) -> Option<(&Defines, &'a str)> {
        // registers that gfx90a has elsewhere have the fields they had
        let register = ["_ALDE", "_ALDEBARAN"]
            .iter()
            .find_map(|suffix| register.strip_suffix(suffix))
            .unwrap_or(register);
        let layer = self.layers.iter().find(|layer| layer.whole(register).is_some());
        layer.map(|layer| (layer, register))
    }

    fn read(source: &Path, bases: &str, description: &Description) -> Self {
        let header = |name: &&str| {
            let mut defines = Defines::default();
            for kind in ["offset", "sh_mask"] {
                let path = format!("include/asic_reg/{name}_{kind}.h");
                defines.read(&text(&source.join(path)));
            }
            defines
        };
        let more = |path: &&str| {
            let mut defines = Defines::default();
            defines.read(&text(&source.join(path)));
            defines
        };
        let (name, instance) = description.base;
        Self {
            name,
            segments: segments(bases, name, instance).unwrap_or_else(|| panic!("no base of {name}")),
            layers: description
                .headers
                .iter()
                .map(header)
                .chain(description.more.iter().map(more))
                .collect(),
        }
    }
}

/// What AMD says of the whole GPU.
#[derive(Debug)]
pub struct Headers {
    blocks: Vec<Block>,
    /// Names by byte offset.
    by_offset: HashMap<u32, Vec<String>>,
}

impl Headers {
    /// Reads the headers of a kernel source. Panics if they are not there.
    pub fn read(linux: &Path) -> Self {
        let source = linux.join(AMD);
        let bases = text(&source.join("include/aldebaran_ip_offset.h"));
        let blocks: Vec<_> = BLOCKS
            .iter()
            .map(|block| Block::read(&source, &bases, block))
            .collect();
        let mut by_offset: HashMap<u32, Vec<_>> = HashMap::new();
        for block in &blocks {
            for layer in &block.layers {
                for name in layer.registers.keys().chain(layer.smn.keys()) {
                    let offset = block.offset(name);
                    // not where an earlier header has the register elsewhere
                    if let Some(offset) = offset.filter(|_| block.offset_in(layer, name) == offset) {
                        by_offset.entry(offset).or_default().push(name.clone());
                    }
                }
            }
        }
        Self { blocks, by_offset }
    }

    /// A block by its name in the table of bases.
    pub fn block(&self, name: &str) -> &Block {
        let found = self.blocks.iter().find(|b| b.name == name);
        found.unwrap_or_else(|| panic!("no block {name}"))
    }

    /// Every block that has a register of this name, and the byte offset there.
    pub fn find<'a>(&'a self, register: &'a str) -> impl Iterator<Item = (&'a Block, u32)> {
        self.blocks
            .iter()
            .filter_map(move |b| b.offset(register).map(|offset| (b, offset)))
    }

    /// The names of the registers at a byte offset.
    pub fn names_at(&self, offset: u32) -> impl Iterator<Item = &str> {
        let names = self.by_offset.get(&offset).map_or(&[][..], Vec::as_slice);
        names.iter().map(String::as_str)
    }
}

fn text(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    String::from_utf8_lossy(&bytes).into_owned()
}
