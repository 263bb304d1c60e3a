// SPDX-License-Identifier: GPL-2.0
//! Failures that several requests know.

pub(crate) use crate::gpu::failure::{Complaints, Explain, Failure};

use amdgpu_logic::kfd::{Errno, Refusal};

/// A GPU that the process does not have.
pub(crate) fn no_gpu(field: &'static str, gpu_id: u32) -> Failure {
    Refusal::invalid(field, gpu_id.into(), "the id of a GPU").into()
}

/// Called before ACQUIRE_VM. The errno depends on the call, as in the kernel's own driver.
pub(crate) fn not_bound(errno: Errno, gpu_id: u32) -> Failure {
    Refusal::invalid("gpu_id", gpu_id.into(), "a GPU after ACQUIRE_VM")
        .with(errno)
        .into()
}
