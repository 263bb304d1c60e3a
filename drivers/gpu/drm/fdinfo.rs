// SPDX-License-Identifier: GPL-2.0
//! Memory of an open file and of the process that has its address space, for `/proc/PID/fdinfo`
//! (Documentation/gpu/drm-usage-stats.rst).

use super::File;
use crate::{
    glue::drm::FdInfo,
    gpu::{
        kfd,
        mem::{Bo, Domain},
    },
};
use core::fmt::Write;
use kernel::prelude::*;

/// A part of the memory.
pub(crate) enum Part {
    /// A buffer object.
    Object(Bo),
    /// So many bytes of the process's own memory that the GPU maps.
    OfProcess(u64),
}

/// Bytes in a region.
#[derive(Clone, Copy, Default)]
struct Bytes {
    total: u64,
    resident: u64,
}

/// Bytes in all regions.
#[derive(Default)]
struct Regions {
    vram: Bytes,
    gtt: Bytes,
    cpu: Bytes,
}

impl Regions {
    fn add(&mut self, part: &Part) {
        let (region, bytes, is_resident) = match part {
            Part::OfProcess(bytes) => (&mut self.cpu, *bytes, true),
            Part::Object(bo) => {
                let region = match bo.domain() {
                    Domain::Vram => &mut self.vram,
                    Domain::Gtt => &mut self.gtt,
                    Domain::System => &mut self.cpu,
                    // registers, not memory
                    Domain::Doorbell | Domain::MmioRemap => return,
                };
                (region, bo.size(), bo.is_resident())
            }
        };
        region.total = region.total.saturating_add(bytes);
        if is_resident {
            region.resident = region.resident.saturating_add(bytes);
        }
    }
}

/// Writes the lines. Objects that the process has by KFD count if it has made the file's address space its own, others
/// if the file has a handle.
pub(super) fn show(file: &File, out: &mut FdInfo) -> Result {
    let mut parts = KVec::new();
    kfd::memory_of(file, &mut parts)?;
    let of_kfd = parts.len();
    let mut added = Ok(());
    file.for_each_object(|bo| {
        let mut known = parts.iter().take(of_kfd);
        if !known.any(|part| matches!(part, Part::Object(other) if other.is(&bo))) && added.is_ok() {
            added = parts.push(Part::Object(bo), GFP_KERNEL);
        }
    });
    added?;
    let mut regions = Regions::default();
    parts.iter().for_each(|part| regions.add(part));
    if let Some(vm) = file.data().vm.as_ref() {
        writeln!(out, "pasid:\t{}", vm.pasid()).map_err(|_| EINVAL)?;
    }
    let Regions { vram, gtt, cpu } = regions;
    for (name, region) in [("vram", vram), ("gtt", gtt), ("cpu", cpu)] {
        for (what, bytes) in [("total", region.total), ("resident", region.resident)] {
            writeln!(out, "drm-{what}-{name}:\t{} KiB", bytes >> 10).map_err(|_| EINVAL)?;
        }
    }
    Ok(())
}
