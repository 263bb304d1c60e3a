// SPDX-License-Identifier: GPL-2.0
//! Mapping buffer objects into the address space of a file: ROCr's virtual memory API.

use super::{gem::object, Amdgpu, File, Guard};
use crate::{
    glue::drm::Handler,
    gpu::{
        failure::{Explain, Failure},
        vm::{Cache, Place},
    },
};
use amdgpu_logic::{
    kfd::Refusal,
    pagetable::{Access, VaRange},
};
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
    const NAME: &'static CStr = c"AMDGPU_GEM_VA";
    type Argument = GemVa;

    /// `EINVAL` for bad addresses, sizes, flags and operations, and where something is mapped, `ENOENT` for an
    /// unknown handle or mapping.
    fn run(gpu: &Guard<'_>, file: &File, a: &mut GemVa) -> Result<(), Failure> {
        if a.flags & !FLAGS != 0 {
            let expected = "AMDGPU_VM_* flags for compute";
            return Err(Refusal::invalid("flags", a.flags.into(), expected).into());
        }
        for (field, value) in [
            ("vm_timeline_syncobj_out", a.vm_timeline_syncobj_out),
            ("num_syncobj_handles", a.num_syncobj_handles),
        ] {
            if value != 0 {
                return Err(Refusal::invalid(field, value.into(), "0: changes are made at once").into());
            }
        }
        match a.operation {
            va_op::MAP => {
                let bo = object(file, a.handle)?;
                let range = VaRange::new(a.va_address, a.map_size);
                let expected = "whole pages of map_size within the GPUVM aperture";
                let place = Place {
                    range: range.ok_or(Refusal::invalid("va_address", a.va_address, expected))?,
                    offset: a.offset_in_bo,
                    access: Access {
                        read: a.flags & va_flags::PAGE_READABLE != 0,
                        write: a.flags & va_flags::PAGE_WRITEABLE != 0,
                        execute: a.flags & va_flags::PAGE_EXECUTABLE != 0,
                    },
                    cache: cache(a.flags & va_flags::MTYPE_MASK, bo.flags()),
                };
                let vm = file.data().vm(gpu)?;
                vm.map_of_file(gpu, &bo, place).explain_by(&[
                    (
                        EINVAL,
                        "offset_in_bo or va_address: beyond the object, or something is mapped there",
                    ),
                    (ENOMEM, "there is no memory for page tables"),
                ])
            }
            va_op::UNMAP => {
                let bo = object(file, a.handle)?;
                let vm = file.data().vm(gpu)?;
                let unmapped = vm
                    .unmap_of_file(&bo, a.va_address)
                    .explain_by(&[(ENOENT, "va_address: no mapping of the object begins there")])?;
                unmapped.release_or_keep();
                Ok(())
            }
            other => Err(Refusal::invalid("operation", other.into(), "MAP or UNMAP").into()),
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
