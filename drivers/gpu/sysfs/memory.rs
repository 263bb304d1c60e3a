// SPDX-License-Identifier: GPL-2.0
//! Memory, in the folder of the PCI device: bytes there are, and bytes in use.

use super::names;
use crate::{
    glue::sysfs::{Directory, Text},
    gpu::mem::{Domain, Memory},
};
use core::fmt::Write;
use kernel::{prelude::*, sync::Arc};

/// Memory of a GPU.
pub(super) struct MemoryFiles(pub(super) Arc<Memory>);

/// What a file shows.
#[derive(Clone, Copy)]
enum Shown {
    /// All of VRAM, with what the firmware keeps.
    Vram,
    /// What a domain holds.
    Size(Domain),
    Used(Domain),
}

use Shown::*;

/// The CPU reaches all of VRAM.
const TABLE: [(&CStr, Shown); 6] = [
    (c"mem_info_vram_total", Vram),
    (c"mem_info_vram_used", Used(Domain::Vram)),
    (c"mem_info_vis_vram_total", Vram),
    (c"mem_info_vis_vram_used", Used(Domain::Vram)),
    (c"mem_info_gtt_total", Size(Domain::Gtt)),
    (c"mem_info_gtt_used", Used(Domain::Gtt)),
];

impl Directory for MemoryFiles {
    const FILES: &'static [&'static CStr] = &names(&TABLE);

    fn show(&self, file: usize, out: &mut Text<'_>) -> Result {
        let bytes = match TABLE.get(file).ok_or(ENOENT)?.1 {
            Vram => {
                let vram = &self.0.layout().vram;
                vram.end.saturating_sub(vram.start)
            }
            Size(domain) => self.0.usage(domain).size,
            Used(domain) => self.0.usage(domain).used,
        };
        Ok(writeln!(out, "{bytes}")?)
    }
}
