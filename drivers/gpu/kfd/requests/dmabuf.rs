// SPDX-License-Identifier: GPL-2.0
//! Buffers as dma-buf files.

use super::{Call, Outcome};
use crate::gpu::kfd::failure::Explain;
use amdgpu_logic::kfd::{Errno, Refusal};
use amdgpu_uapi::kfd::dmabuf::ExportDmabuf;
use kernel::prelude::*;

/// EXPORT_DMABUF.
pub(super) fn export(call: &Call<'_>, args: &mut ExportDmabuf) -> Outcome {
    let (_, _, buffer) = call.buffer("handle", args.handle, Errno::Inval)?;
    // the C driver's errno is that of GEM objects which must not leave the process
    let refusal = Refusal::invalid("handle", args.handle, "a buffer in VRAM or GTT").with(Errno::Perm);
    let shared = buffer.kind().shows_on_render_node();
    let bo = buffer.bo().filter(|_| shared).ok_or(refusal)?;
    args.dmabuf_fd = bo
        .export(args.flags)
        .explain_by(&[(EMFILE, "the process has as many files open as it may")])?;
    Ok(())
}
