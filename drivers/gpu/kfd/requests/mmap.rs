// SPDX-License-Identifier: GPL-2.0
//! What `/dev/kfd` itself maps: doorbells and the page with the HDP flush registers.
//!
//! Runs under the caller's mmap lock, so that nothing here may take a lock under which memory of userspace is used.

use crate::{
    glue::chardev::{Area, Fault, Inserted},
    gpu::kfd::{
        failure::{Explain, Failure},
        process::{Process, ProcessDevice},
    },
};
use amdgpu_logic::{
    kfd::{Errno, Expected, Refusal, PAGE},
    slots::doorbell::SLICE_BYTES,
};
use amdgpu_uapi::kfd::mmap::{gpu_of, kind, within};
use kernel::{prelude::*, sync::Arc};

/// Whether the current process may map an area.
pub(in super::super) fn mmap(process: &Arc<Process>, area: &Area<'_>) -> Result {
    check(process, area).map_err(|failure| {
        process.complain("mmap", &failure);
        failure.error()
    })
}

fn check(process: &Arc<Process>, area: &Area<'_>) -> Result<(), Failure> {
    if !process.is_current() || process.has_left() {
        return Err(Failure::Failed(EBADF, "the file was opened by another process"));
    }
    let (what, device) = shown(process, area.offset())?;
    if area.len() != what.len() {
        return Err(Refusal::range("length", area.len(), Expected::Exactly(what.len())).into());
    }
    if within(area.offset()) & what.len().saturating_sub(1) != 0 {
        return Err(Refusal::invalid("offset", area.offset(), "one where a mapping begins").into());
    }
    // no page of a GPU that goes
    let _bound = device.node().device().enter().explain("the GPU is gone")?;
    if let Shown::Doorbells = what {
        // now, while a lack of them can be told
        device.doorbells()?;
    }
    Ok(())
}

/// Shows the page that is accessed in an area of the process.
pub(in super::super) fn fault(process: &Process, fault: Fault) -> Result<Inserted> {
    if process.has_left() {
        return Err(EBADF);
    }
    let offset = fault.offset();
    let (what, device) = shown(process, offset).map_err(|failure| failure.error())?;
    // no page of a GPU that goes: who unbinds it waits for this guard, then takes away what is shown
    let _bound = device.node().device().enter()?;
    let first = match what {
        Shown::Doorbells => device.doorbells()?.phys(),
        Shown::FlushPage => device.node().flush_page(),
    };
    fault.insert(
        first
            .checked_add(within(offset) & what.len().saturating_sub(1))
            .ok_or(EFAULT)?,
    )
}

/// What an area shows.
enum Shown {
    Doorbells,
    FlushPage,
}

impl Shown {
    /// Bytes, a power of two.
    const fn len(&self) -> u64 {
        match self {
            Self::Doorbells => SLICE_BYTES as u64,
            Self::FlushPage => PAGE,
        }
    }
}

fn shown(process: &Process, offset: u64) -> Result<(Shown, &Arc<ProcessDevice>), Failure> {
    let what = match offset & kind::MASK {
        kind::DOORBELL => Shown::Doorbells,
        kind::MMIO => Shown::FlushPage,
        _ => return Err(Refusal::invalid("offset", offset, "that of doorbells or MMIO remap").into()),
    };
    let gpu_id = gpu_of(offset);
    let no_gpu =
        Refusal::invalid("gpu_id in the offset", gpu_id.into(), "the id of a GPU").with(Errno::NoDev);
    Ok((what, process.device(gpu_id).ok_or(no_gpu)?))
}
