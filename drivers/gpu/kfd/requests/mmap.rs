// SPDX-License-Identifier: GPL-2.0
//! What `/dev/kfd` itself maps: doorbells and the page with the HDP flush registers.
//!
//! Runs under the caller's mmap lock, so that nothing here may take a lock under which memory of userspace is used.

use crate::{
    glue::chardev::Area,
    gpu::kfd::{
        failure::{Explain, Failure},
        process::Process,
    },
};
use amdgpu_logic::{
    kfd::{Errno, Expected, Refusal, PAGE},
    slots::doorbell::SLICE_BYTES,
};
use amdgpu_uapi::kfd::mmap::{gpu_of, kind};
use kernel::{prelude::*, sync::Arc};

/// Maps an area of the current process.
pub(in super::super) fn mmap(process: &Arc<Process>, area: &Area<'_>) -> Result {
    map(process, area).map_err(|failure| {
        process.complain("mmap", &failure);
        failure.error()
    })
}

fn map(process: &Arc<Process>, area: &Area<'_>) -> Result<(), Failure> {
    if !process.is_current() || process.has_left() {
        return Err(Failure::Failed(EBADF, "the file was opened by another process"));
    }
    let offset = area.offset();
    let gpu_id = gpu_of(offset);
    let no_gpu =
        Refusal::invalid("gpu_id in the offset", gpu_id.into(), "the id of a GPU").with(Errno::NoDev);
    let length = |expected| Refusal::range("length", area.len(), Expected::Exactly(expected));
    let kind = offset & kind::MASK;
    if kind != kind::DOORBELL && kind != kind::MMIO {
        return Err(Refusal::invalid("offset", offset, "that of doorbells or MMIO remap").into());
    }
    let device = process.device(gpu_id).ok_or(no_gpu)?;
    // no page of a GPU that goes
    let _bound = device.node().device().enter().explain("the GPU is gone")?;
    match kind {
        kind::DOORBELL => {
            if area.len() != u64::from(SLICE_BYTES) {
                return Err(length(SLICE_BYTES.into()).into());
            }
            Ok(area.map_io(device.doorbells()?.phys())?)
        }
        _ => {
            if area.len() != PAGE {
                return Err(length(PAGE).into());
            }
            Ok(area.map_io(device.node().flush_page())?)
        }
    }
}
