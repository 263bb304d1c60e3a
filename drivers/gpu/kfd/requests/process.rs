// SPDX-License-Identifier: GPL-2.0
//! What a process asks or sets once, or once per GPU.

use super::{write_array, Call, Outcome};
use crate::{
    glue::machine,
    gpu::kfd::{
        failure::{no_gpu, Explain, Failure},
        process::ProcessDevice,
    },
};
use amdgpu_logic::kfd::{aperture, Errno, Expected, Refusal};
use amdgpu_uapi::kfd::{
    process::{
        cache_policy, GetClockCounters, GetProcessApertures, GetProcessAperturesNew, GetTileConfig,
        GetVersion, ProcessDeviceApertures, SetMemoryPolicy, SetScratchBackingVa, SetTrapHandler,
        SetXnackMode,
    },
    version,
};
use kernel::prelude::*;

/// The minor version that is offered. It is the one whose features are all there: 1.14 has event ages, 1.15 would
/// promise that the render node's GEM_VA changes the address space of compute queues. Of what came before, shared
/// virtual memory (1.5) and the debugger (1.13) are announced by bits of the node's capability, which are not set;
/// the SMI event log (1.10) and checkpoints (1.7) are refused by their requests.
const MINOR: u32 = 14;

/// GET_VERSION.
pub(super) fn get_version(_: &Call<'_>, args: &mut GetVersion) -> Outcome {
    args.major_version = version::MAJOR_VERSION;
    args.minor_version = MINOR;
    Ok(())
}

/// SET_MEMORY_POLICY. On gfx9 the page tables decide about caching, the policies mean nothing.
pub(super) fn set_memory_policy(call: &Call<'_>, args: &mut SetMemoryPolicy) -> Outcome {
    for (field, policy) in [
        ("default_policy", args.default_policy),
        ("alternate_policy", args.alternate_policy),
    ] {
        if policy != cache_policy::COHERENT && policy != cache_policy::NONCOHERENT {
            return Err(Refusal::range(field, policy.into(), Expected::AtMost(1)).into());
        }
    }
    call.device("gpu_id", args.gpu_id)?.binding(Errno::Srch)?;
    Ok(())
}

/// GET_CLOCK_COUNTERS: never fails.
pub(super) fn get_clock_counters(call: &Call<'_>, args: &mut GetClockCounters) -> Outcome {
    let guard = call
        .process
        .device(args.gpu_id)
        .and_then(|device| device.node().device().enter().ok());
    args.gpu_clock_counter = guard.map_or(0, |gpu| gpu.gfx().clock());
    args.cpu_clock_counter = machine::raw_ns();
    args.system_clock_counter = machine::boottime_ns();
    args.system_clock_freq = 1_000_000_000;
    Ok(())
}

fn apertures(device: &ProcessDevice) -> ProcessDeviceApertures {
    ProcessDeviceApertures {
        lds_base: aperture::LDS.base,
        lds_limit: aperture::LDS.limit,
        scratch_base: aperture::SCRATCH.base,
        scratch_limit: aperture::SCRATCH.limit,
        gpuvm_base: aperture::GPUVM.base,
        gpuvm_limit: aperture::GPUVM.limit,
        gpu_id: device.node().gpu_id(),
        pad: 0,
    }
}

/// GET_PROCESS_APERTURES: the first few.
pub(super) fn get_apertures(call: &Call<'_>, args: &mut GetProcessApertures) -> Outcome {
    let mut count = 0u32;
    for (entry, device) in args.process_apertures.iter_mut().zip(call.process.devices()) {
        *entry = apertures(device);
        count = count.saturating_add(1);
    }
    args.num_of_nodes = count;
    Ok(())
}

/// GET_PROCESS_APERTURES_NEW.
pub(super) fn get_apertures_new(call: &Call<'_>, args: &mut GetProcessAperturesNew) -> Outcome {
    let devices = call.process.devices();
    if args.num_of_nodes == 0 {
        args.num_of_nodes = u32::try_from(devices.len())?;
        return Ok(());
    }
    let nodes = call.kfd.count_nodes();
    if args.num_of_nodes > nodes {
        let most = Expected::AtMost(nodes.into());
        return Err(Refusal::range("num_of_nodes", args.num_of_nodes.into(), most).into());
    }
    let mut entries = KVec::new();
    for device in devices.iter().take(args.num_of_nodes as usize) {
        entries.push(apertures(device), GFP_KERNEL)?;
    }
    args.num_of_nodes = u32::try_from(entries.len())?;
    write_array(args.kfd_process_device_apertures_ptr, &entries)
        .explain("kfd_process_device_apertures_ptr cannot be written")
}

/// SET_SCRATCH_BACKING_VA. On gfx9 dispatch packets say where scratch is, and the address means nothing.
pub(super) fn set_scratch_backing_va(call: &Call<'_>, args: &mut SetScratchBackingVa) -> Outcome {
    call.device("gpu_id", args.gpu_id)?.binding(Errno::NoDev)?;
    Ok(())
}

/// GET_TILE_CONFIG. There are no tiling tables on gfx9.
pub(super) fn get_tile_config(call: &Call<'_>, args: &mut GetTileConfig) -> Outcome {
    let device = call.device("gpu_id", args.gpu_id)?;
    let guard = device.node().device().enter().explain("the GPU is gone")?;
    args.gb_addr_config = guard.gfx().address_config();
    args.num_banks = 0;
    args.num_ranks = 0;
    args.num_tile_configs = 0;
    args.num_macro_tile_configs = 0;
    Ok(())
}

/// SET_TRAP_HANDLER.
pub(super) fn set_trap_handler(call: &Call<'_>, args: &mut SetTrapHandler) -> Outcome {
    let device = call.device("gpu_id", args.gpu_id)?;
    let binding = device.binding(Errno::Srch)?;
    let guard = device.node().device().enter().explain("the GPU is gone")?;
    binding
        .set_trap_handler(&guard, args.tba_addr, args.tma_addr)
        .explain("the scheduler does not take it")
}

/// SET_XNACK_MODE: the mode is off, and cannot be switched on.
pub(super) fn set_xnack_mode(call: &Call<'_>, args: &mut SetXnackMode) -> Outcome {
    if args.xnack_enabled < 0 {
        args.xnack_enabled = 0;
        return Ok(());
    }
    if !call.process.queues.lock().is_empty() {
        return Err(Failure::Failed(
            EBUSY,
            "the mode cannot change while there are queues",
        ));
    }
    match args.xnack_enabled {
        0 => Ok(()),
        mode => {
            let refusal = Refusal::invalid("xnack_enabled", mode as u64, "0: page faults cannot be retried");
            Err(refusal.with(Errno::Perm).into())
        }
    }
}

impl Call<'_> {
    /// The process's part of the GPU that an argument names; `EINVAL` without.
    pub(super) fn device(
        &self,
        field: &'static str,
        gpu_id: u32,
    ) -> Result<&kernel::sync::Arc<ProcessDevice>, Failure> {
        self.process.device(gpu_id).ok_or_else(|| no_gpu(field, gpu_id))
    }
}
