// SPDX-License-Identifier: GPL-2.0
//! Mapping buffer objects into the address space of a file: ROCr's virtual memory API.

use super::{Amdgpu, File, Guard};
use crate::{
    glue::drm::Handler,
    gpu::{
        mem::Bo,
        vm::{Cache, Place},
    },
};
use amdgpu_logic::pagetable::{Access, VaRange};
use amdgpu_uapi::drm::gem::{create_flags, va_flags, va_op, GemVa};
use kernel::prelude::*;

const FLAGS: u32 = va_flags::DELAY_UPDATE
    | va_flags::PAGE_READABLE
    | va_flags::PAGE_WRITEABLE
    | va_flags::PAGE_EXECUTABLE
    | va_flags::MTYPE_MASK
    | va_flags::PAGE_NOALLOC;

/// Maps and unmaps at once: what the GPU sees has changed when this returns, whether `DELAY_UPDATE` allows more or
/// not. Unmapping ends whole mappings only.
pub(super) struct Address;

impl Handler<Amdgpu> for Address {
    type Argument = GemVa;

    /// `EINVAL` for bad addresses, sizes, flags and operations, and where something is mapped, `ENOENT` for an
    /// unknown handle or mapping.
    fn run(gpu: &Guard<'_>, file: &File, a: &mut GemVa) -> Result {
        if a.flags & !FLAGS != 0 || a.vm_timeline_syncobj_out != 0 || a.num_syncobj_handles != 0 {
            return Err(EINVAL);
        }
        match a.operation {
            va_op::MAP => {
                let bo = Bo::from_handle(file, a.handle)?;
                let place = Place {
                    range: VaRange::new(a.va_address, a.map_size).ok_or(EINVAL)?,
                    offset: a.offset_in_bo,
                    access: Access {
                        read: a.flags & va_flags::PAGE_READABLE != 0,
                        write: a.flags & va_flags::PAGE_WRITEABLE != 0,
                        execute: a.flags & va_flags::PAGE_EXECUTABLE != 0,
                    },
                    cache: cache(a.flags & va_flags::MTYPE_MASK, bo.flags()),
                };
                file.data().vm(gpu)?.map_of_file(gpu, &bo, place)
            }
            va_op::UNMAP => {
                let bo = Bo::from_handle(file, a.handle)?;
                let unmapped = file.data().vm(gpu)?.unmap_of_file(&bo, a.va_address)?;
                unmapped.release_or_keep();
                Ok(())
            }
            _ => Err(EINVAL),
        }
    }
}

/// How memory is cached: as it was made to be with `flags`. A caller may ask for less by a memory type.
fn cache(mtype: u32, flags: u64) -> Cache {
    Cache {
        coherent: flags & (create_flags::COHERENT | create_flags::EXT_COHERENT) != 0,
        uncached: flags & create_flags::UNCACHED != 0 || mtype == va_flags::MTYPE_UC,
    }
}
