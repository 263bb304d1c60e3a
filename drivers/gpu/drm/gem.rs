// SPDX-License-Identifier: GPL-2.0
//! Buffer objects of the render node: making them, mapping them for the CPU, what userspace keeps with them.

use super::{Amdgpu, File, Guard};
use crate::{
    glue::{
        drm::Handler,
        ttm::{Create, Label},
        user,
    },
    gpu::{
        failure::{Explain, Failure},
        mem::{Bo, Domain},
    },
};
use amdgpu_logic::kfd::{Expected, Refusal};
use amdgpu_uapi::{
    abi::Abi,
    drm::gem::{
        create_flags, domain, metadata_op, op, GemCreate, GemCreateIn, GemCreateOut, GemMetadata, GemMmap,
        GemMmapOut, GemOp, GemWaitIdle, GemWaitIdleOut,
    },
};
use kernel::prelude::*;

/// Flags that the C driver takes from userspace and that mean something, or nothing, for compute.
const FLAGS: u64 = create_flags::CPU_ACCESS_REQUIRED
    | create_flags::NO_CPU_ACCESS
    | create_flags::CPU_GTT_USWC
    | create_flags::VRAM_CLEARED
    | create_flags::EXPLICIT_SYNC
    | create_flags::DISCARDABLE;

/// The buffer object that a file has by this handle.
pub(super) fn object(file: &File, handle: u32) -> Result<Bo, Failure> {
    Bo::from_handle(file, handle).explain("handle: the file has no such buffer object")
}

/// Makes a buffer object: cleared, in VRAM if asked for and there is room, else in system memory.
pub(super) struct MakeObject;

impl Handler<Amdgpu> for MakeObject {
    const NAME: &'static CStr = c"AMDGPU_GEM_CREATE";
    type Argument = GemCreate;

    /// `EINVAL` for unknown domains and flags, a size of 0 or a bad alignment, `ENOMEM` if there is no room.
    fn run(gpu: &Guard<'_>, file: &File, argument: &mut GemCreate) -> Result<(), Failure> {
        let GemCreateIn {
            bo_size,
            alignment,
            domains,
            domain_flags,
        } = argument.input();
        if domain_flags & !FLAGS != 0 {
            let expected = "AMDGPU_GEM_CREATE_* flags for compute";
            return Err(Refusal::invalid("domain_flags", domain_flags, expected).into());
        }
        if domains & !(domain::CPU | domain::GTT | domain::VRAM) != 0 {
            return Err(Refusal::invalid("domains", domains, "CPU, GTT, VRAM").into());
        }
        if bo_size == 0 {
            return Err(Refusal::invalid("bo_size", 0, "more than 0").into());
        }
        let make = |domain| {
            let how = Create {
                size: bo_size,
                domain,
                align: alignment,
                contiguous: false,
                user: true,
            };
            Bo::with_flags(gpu.device(), how, domain_flags)
        };
        let bo = match domains & domain::VRAM {
            0 => make(Domain::Gtt),
            _ => make(Domain::Vram).or_else(|e| if e == ENOMEM { make(Domain::Gtt) } else { Err(e) }),
        };
        let bo = bo.explain_by(&[
            (EINVAL, "alignment: no power of two, or bo_size: too large"),
            (ENOMEM, "bo_size: there is not so much memory left"),
        ])?;
        let handle = bo.create_handle(file)?;
        // what was put in does not come back
        *argument = GemCreate::zeroed();
        argument.set_output(GemCreateOut { handle, pad: 0 });
        Ok(())
    }
}

/// Tells at which offset of the file a buffer object can be mapped.
pub(super) struct MapOffset;

impl Handler<Amdgpu> for MapOffset {
    const NAME: &'static CStr = c"AMDGPU_GEM_MMAP";
    type Argument = GemMmap;

    /// `ENOENT` for an unknown handle, `EPERM` for an object that the CPU was not to access.
    fn run(_gpu: &Guard<'_>, file: &File, argument: &mut GemMmap) -> Result<(), Failure> {
        let bo = object(file, argument.input().handle)?;
        if bo.flags() & create_flags::NO_CPU_ACCESS != 0 {
            let words = "handle: the buffer object was made without CPU access";
            return Err(Failure::Failed(EPERM, words));
        }
        argument.set_output(GemMmapOut {
            addr_ptr: bo.mmap_offset(),
        });
        Ok(())
    }
}

/// Waits until no command submission uses a buffer object. There is none: ROCm's queues are not tracked by objects.
pub(super) struct WaitIdle;

impl Handler<Amdgpu> for WaitIdle {
    const NAME: &'static CStr = c"AMDGPU_GEM_WAIT_IDLE";
    type Argument = GemWaitIdle;

    /// `ENOENT` for an unknown handle.
    fn run(_gpu: &Guard<'_>, file: &File, argument: &mut GemWaitIdle) -> Result<(), Failure> {
        object(file, argument.input().handle)?;
        argument.set_output(GemWaitIdleOut { status: 0, domain: 0 });
        Ok(())
    }
}

/// Keeps words and bytes with a buffer object for whoever it is shared with, and tells them.
pub(super) struct Metadata;

impl Handler<Amdgpu> for Metadata {
    const NAME: &'static CStr = c"AMDGPU_GEM_METADATA";
    type Argument = GemMetadata;

    /// `ENOENT` for an unknown handle, `EINVAL` for an unknown operation or too many bytes.
    fn run(_gpu: &Guard<'_>, file: &File, argument: &mut GemMetadata) -> Result<(), Failure> {
        let bo = object(file, argument.handle)?;
        let data = &mut argument.data;
        match argument.op {
            metadata_op::SET_METADATA => {
                let (size, room) = (u64::from(data.data_size_bytes), size_of_val(&data.data) as u64);
                if size > room {
                    return Err(Refusal::range("data_size_bytes", size, Expected::AtMost(room)).into());
                }
                Ok(bo.set_label(Label {
                    words: [data.flags, data.tiling_info],
                    data: data.data,
                    len: data.data_size_bytes,
                })?)
            }
            metadata_op::GET_METADATA => {
                if let Some(label) = bo.label() {
                    [data.flags, data.tiling_info] = label.words;
                    data.data_size_bytes = label.len;
                    data.data = label.data;
                }
                Ok(())
            }
            other => Err(Refusal::invalid("op", other.into(), "SET_METADATA or GET_METADATA").into()),
        }
    }
}

/// Tells how a buffer object was made.
pub(super) struct Operation;

impl Handler<Amdgpu> for Operation {
    const NAME: &'static CStr = c"AMDGPU_GEM_OP";
    type Argument = GemOp;

    /// `ENOENT` for an unknown handle, `EINVAL` for other operations than the one, `EFAULT` for a bad address.
    fn run(_gpu: &Guard<'_>, file: &File, argument: &mut GemOp) -> Result<(), Failure> {
        let bo = object(file, argument.handle)?;
        if argument.op != op::GET_GEM_CREATE_INFO {
            return Err(Refusal::invalid("op", argument.op.into(), "GET_GEM_CREATE_INFO").into());
        }
        let made = GemCreateIn {
            bo_size: bo.size(),
            alignment: bo.alignment(),
            domains: match bo.domain() {
                Domain::Vram => domain::VRAM,
                Domain::Gtt => domain::GTT,
                Domain::Doorbell => domain::DOORBELL,
                Domain::System | Domain::MmioRemap => domain::CPU,
            },
            domain_flags: bo.flags(),
        };
        user::write(argument.value, made.as_bytes()).explain("value: the address cannot be written")
    }
}
