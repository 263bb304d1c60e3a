// SPDX-License-Identifier: GPL-2.0
//! What this driver does not have. The answers are those of the kernel's own driver where it does not have it.

use super::{Call, Outcome};
use crate::{
    glue::task::{self, capable, Capability},
    gpu::kfd::failure::Failure,
};
use amdgpu_logic::kfd::{Errno, Expected, Refusal};
use amdgpu_uapi::{
    abi::Abi,
    ioctl,
    kfd::{
        criu::Criu,
        debug::{runtime_mode, RuntimeEnable},
        debug_args::DbgTrap,
        dmabuf::{GetDmabufInfo, ImportDmabuf},
        profiler::Profiler,
        queue::{AllocQueueGws, GetQueueWaveState},
        smi::SmiEvents,
        svm::{Attribute, Svm},
    },
};
use kernel::{fs::LocalFile, prelude::*};

/// A number without a function.
pub(super) fn nothing() -> Failure {
    Failure::Failed(EINVAL, "there is no such request")
}

/// The debugger interface before 1.13.
pub(super) fn old_debugger<T: Abi>(_: &Call<'_>, _: &mut T) -> Outcome {
    Err(Failure::Failed(
        EPERM,
        "this debugger interface is no longer supported",
    ))
}

/// GET_QUEUE_WAVE_STATE: waves are not saved.
pub(super) fn wave_state(call: &Call<'_>, args: &mut GetQueueWaveState) -> Outcome {
    if call.process.queues.lock().get(args.queue_id).is_none() {
        let refusal = Refusal::invalid("queue_id", args.queue_id.into(), "a queue of the process");
        return Err(refusal.with(Errno::Fault).into());
    }
    Err(Failure::Failed(
        EINVAL,
        "waves of a stopped queue are not saved (cwsr_enable is 0)",
    ))
}

/// GET_DMABUF_INFO.
pub(super) fn dmabuf_info(_: &Call<'_>, args: &mut GetDmabufInfo) -> Outcome {
    Err(not_importable(args.dmabuf_fd))
}

fn not_importable(fd: u32) -> Failure {
    match LocalFile::fget(fd) {
        Ok(_) => Refusal::invalid("dmabuf_fd", fd.into(), "nothing: dma-bufs cannot be imported").into(),
        Err(_) => Failure::Failed(EBADF, "dmabuf_fd is not open"),
    }
}

/// IMPORT_DMABUF.
pub(super) fn import_dmabuf(call: &Call<'_>, args: &mut ImportDmabuf) -> Outcome {
    call.device("gpu_id", args.gpu_id)?.binding(Errno::NoDev)?;
    Err(not_importable(args.dmabuf_fd))
}

/// ALLOC_QUEUE_GWS: the node has none.
pub(super) fn gws(call: &Call<'_>, args: &mut AllocQueueGws) -> Outcome {
    if call.process.queues.lock().get(args.queue_id).is_none() {
        return Err(Refusal::invalid("queue_id", args.queue_id.into(), "a queue of the process").into());
    }
    Err(Failure::Failed(ENODEV, "there is no global wave sync"))
}

/// SMI_EVENTS.
pub(super) fn smi_events(call: &Call<'_>, args: &mut SmiEvents) -> Outcome {
    call.device("gpuid", args.gpuid)?;
    Err(Failure::Failed(EINVAL, "there is no event log"))
}

/// SVM: as a kernel that is built without it.
pub(super) fn svm(call: &Call<'_>, args: &mut Svm) -> Outcome {
    let given = ioctl::size(call.cmd) as u64;
    let needed = u64::from(args.nattr)
        .saturating_mul(size_of::<Attribute>() as u64)
        .saturating_add(size_of::<Svm>() as u64);
    if given < needed {
        let least = Expected::AtLeast(needed);
        return Err(Refusal::range("size of the argument", given, least).into());
    }
    Err(Failure::Failed(EPERM, "there is no shared virtual memory"))
}

/// CRIU_OP.
pub(super) fn criu(_: &Call<'_>, _: &mut Criu) -> Outcome {
    if !capable(Capability::CheckpointRestore) && !capable(Capability::SysAdmin) {
        return Err(Failure::Failed(EACCES, "CAP_CHECKPOINT_RESTORE is missing"));
    }
    Err(Failure::Failed(EINVAL, "processes cannot be checkpointed"))
}

/// RUNTIME_ENABLE. A process that ends what never began is not refused.
pub(super) fn runtime(_: &Call<'_>, args: &mut RuntimeEnable) -> Outcome {
    if args.mode_mask & runtime_mode::ENABLE_MASK == 0 {
        return Ok(());
    }
    Err(Failure::Failed(EINVAL, "processes cannot be debugged"))
}

/// DBG_TRAP.
pub(super) fn debugger(_: &Call<'_>, args: &mut DbgTrap) -> Outcome {
    if !task::exists(args.pid) {
        let refusal = Refusal::invalid("pid", args.pid.into(), "a process");
        return Err(refusal.with(Errno::Srch).into());
    }
    Err(Failure::Failed(EINVAL, "processes cannot be debugged"))
}

/// CREATE_PROCESS.
pub(super) fn second_context(_: &Call<'_>, _: &mut [u8; 0]) -> Outcome {
    Err(Failure::Failed(EINVAL, "a process has one context"))
}

/// PROFILER.
pub(super) fn profiler(_: &Call<'_>, _: &mut Profiler) -> Outcome {
    Err(Failure::Failed(EINVAL, "profilers cannot claim GPUs"))
}
