// SPDX-License-Identifier: GPL-2.0
//! Buffers as dma-buf files.

use super::{Call, Outcome};
use crate::gpu::kfd::failure::Explain;
use amdgpu_logic::kfd::{Errno, Refusal};
use amdgpu_uapi::kfd::dmabuf::ExportDmabuf;

/// EXPORT_DMABUF.
pub(super) fn export(call: &Call<'_>, args: &mut ExportDmabuf) -> Outcome {
    let (_, _, buffer) = call.buffer(args.handle, Errno::Inval)?;
    let refusal = Refusal::invalid("handle", args.handle, "a buffer in VRAM or GTT");
    let shared = buffer.kind().shows_on_render_node();
    let bo = buffer.bo().filter(|_| shared).ok_or(refusal)?;
    args.dmabuf_fd = bo.export(args.flags).explain("the buffer cannot be exported")?;
    Ok(())
}
