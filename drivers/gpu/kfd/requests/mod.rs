// SPDX-License-Identifier: GPL-2.0
//! The ioctls of `/dev/kfd`.
//!
//! | file | requests |
//! |---|---|
//! | `process` | version, clocks, apertures, and what a process sets once per GPU |
//! | `memory` | address spaces, buffers, mappings |
//! | `dmabuf` | buffers as dma-buf files |
//! | `queue` | queues |
//! | `event` | events |
//! | `absent` | what this driver does not have |
//! | `mmap` | what the file itself can map |
//!
//! A request is known by its number alone: the size in it may be that of an older or newer ABI. So many bytes as
//! both sides have are copied in, the rest is zero, and so many are copied back, also when the request fails.

mod absent;
mod dmabuf;
mod event;
mod memory;
mod mmap;
mod process;
mod queue;

pub(super) use mmap::{fault, mmap};

use super::{
    failure::{Explain, Failure},
    process::Process,
    service::Kfd,
};
use crate::glue::user;
use amdgpu_logic::kfd::{Errno, Refusal};
use amdgpu_uapi::{
    abi::Abi,
    ioctl,
    kfd::{self, request},
};
use kernel::{prelude::*, sync::Arc};

/// A request of the current process.
struct Call<'a> {
    kfd: &'a Kfd,
    process: &'a Arc<Process>,
    /// Request number as the caller compiled it.
    cmd: u32,
    /// User address of the argument.
    arg: u64,
}

/// What a request comes to.
type Outcome = Result<(), Failure>;

/// Requests of ROCm's own kernel packages that the kernel never had: name, and what to do without.
const OUT_OF_TREE: [(u8, &str, &str); 5] = [
    (
        0x80,
        "IPC_IMPORT_HANDLE",
        "not in the kernel's interface; set HSA_ENABLE_IPC_MODE_LEGACY=0",
    ),
    (
        0x81,
        "IPC_EXPORT_HANDLE",
        "not in the kernel's interface; set HSA_ENABLE_IPC_MODE_LEGACY=0",
    ),
    (0x83, "CROSS_MEMORY_COPY", "not in the kernel's interface"),
    (0x84, "RLC_SPM", "not in the kernel's interface"),
    (0x85, "PC_SAMPLE", "not in the kernel's interface"),
];

/// An ioctl of the current task on a file of `process`.
///
/// `ENOTTY` for numbers that are not assigned, `EBADF` if the file belongs to another process.
pub(super) fn dispatch(kfd: &Kfd, process: &Arc<Process>, cmd: u32, arg: usize) -> Result {
    let nr = ioctl::nr(cmd);
    let Some(request) = request::TABLE.iter().find(|request| ioctl::nr(request.cmd) == nr) else {
        unknown(process, nr);
        return Err(ENOTTY);
    };
    if !process.is_current() || process.has_left() {
        let words = "the file was opened by another process";
        process.complain(request.name, &Failure::Failed(EBADF, words));
        return Err(EBADF);
    }
    let call = Call {
        kfd,
        process,
        cmd,
        arg: arg as u64,
    };
    call.run(nr, request.cmd).map_err(|failure| {
        process.complain(request.name, &failure);
        failure.error()
    })
}

/// Notes a request whose number is not assigned.
fn unknown(process: &Process, nr: u8) {
    match OUT_OF_TREE.iter().find(|(number, ..)| *number == nr) {
        Some((_, name, words)) => process.complain(name, &Failure::Failed(ENOTTY, words)),
        None => {
            let refusal = Refusal::invalid("request number", nr.into(), "0x1 to 0x28");
            process.complain("request", &refusal.with(Errno::NoTty).into());
        }
    }
}

/// A `match` on the number of a request: which function answers it, and with which argument.
macro_rules! by_number {
    ($call:ident, $nr:ident, $ours:ident: $($name:ident($argument:ty) => $function:path,)*) => {{
        $(const $name: u8 = ioctl::nr(request::$name);)*
        match $nr {
            $($name => $call.answer::<$argument>($ours, |argument| $function($call, argument)),)*
            _ => Err(absent::nothing()),
        }
    }};
}

impl Call<'_> {
    fn run(&self, nr: u8, ours: u32) -> Outcome {
        by_number! { self, nr, ours:
            GET_VERSION(kfd::process::GetVersion) => process::get_version,
            CREATE_QUEUE(kfd::queue::CreateQueue) => queue::create,
            DESTROY_QUEUE(kfd::queue::DestroyQueue) => queue::destroy,
            SET_MEMORY_POLICY(kfd::process::SetMemoryPolicy) => process::set_memory_policy,
            GET_CLOCK_COUNTERS(kfd::process::GetClockCounters) => process::get_clock_counters,
            GET_PROCESS_APERTURES(kfd::process::GetProcessApertures) => process::get_apertures,
            UPDATE_QUEUE(kfd::queue::UpdateQueue) => queue::update,
            CREATE_EVENT(kfd::event::CreateEvent) => event::create,
            DESTROY_EVENT(kfd::event::DestroyEvent) => event::destroy,
            SET_EVENT(kfd::event::SetEvent) => event::set,
            RESET_EVENT(kfd::event::ResetEvent) => event::reset,
            WAIT_EVENTS(kfd::event::WaitEvents) => event::wait,
            DBG_REGISTER_DEPRECATED(kfd::process::DbgRegister) => absent::old_debugger,
            DBG_UNREGISTER_DEPRECATED(kfd::process::DbgUnregister) => absent::old_debugger,
            DBG_ADDRESS_WATCH_DEPRECATED(kfd::process::DbgAddressWatch) => absent::old_debugger,
            DBG_WAVE_CONTROL_DEPRECATED(kfd::process::DbgWaveControl) => absent::old_debugger,
            SET_SCRATCH_BACKING_VA(kfd::process::SetScratchBackingVa) => process::set_scratch_backing_va,
            GET_TILE_CONFIG(kfd::process::GetTileConfig) => process::get_tile_config,
            SET_TRAP_HANDLER(kfd::process::SetTrapHandler) => process::set_trap_handler,
            GET_PROCESS_APERTURES_NEW(kfd::process::GetProcessAperturesNew) => process::get_apertures_new,
            ACQUIRE_VM(kfd::memory::AcquireVm) => memory::acquire_vm,
            ALLOC_MEMORY_OF_GPU(kfd::memory::AllocMemoryOfGpu) => memory::alloc,
            FREE_MEMORY_OF_GPU(kfd::memory::FreeMemoryOfGpu) => memory::free,
            MAP_MEMORY_TO_GPU(kfd::memory::MapMemoryToGpu) => memory::map,
            UNMAP_MEMORY_FROM_GPU(kfd::memory::UnmapMemoryFromGpu) => memory::unmap,
            SET_CU_MASK(kfd::queue::SetCuMask) => queue::set_cu_mask,
            GET_QUEUE_WAVE_STATE(kfd::queue::GetQueueWaveState) => absent::wave_state,
            GET_DMABUF_INFO(kfd::dmabuf::GetDmabufInfo) => absent::dmabuf_info,
            IMPORT_DMABUF(kfd::dmabuf::ImportDmabuf) => absent::import_dmabuf,
            ALLOC_QUEUE_GWS(kfd::queue::AllocQueueGws) => absent::gws,
            SMI_EVENTS(kfd::smi::SmiEvents) => absent::smi_events,
            SVM(kfd::svm::Svm) => absent::svm,
            SET_XNACK_MODE(kfd::process::SetXnackMode) => process::set_xnack_mode,
            CRIU_OP(kfd::criu::Criu) => absent::criu,
            AVAILABLE_MEMORY(kfd::memory::GetAvailableMemory) => memory::available,
            EXPORT_DMABUF(kfd::dmabuf::ExportDmabuf) => dmabuf::export,
            RUNTIME_ENABLE(kfd::debug::RuntimeEnable) => absent::runtime,
            DBG_TRAP(kfd::debug_args::DbgTrap) => absent::debugger,
            CREATE_PROCESS([u8; 0]) => absent::second_context,
            PROFILER(kfd::profiler::Profiler) => absent::profiler,
        }
    }

    /// Copies the argument in, has it answered, and copies it back. `ours` says in which directions.
    fn answer<T: Abi>(&self, ours: u32, answer: impl FnOnce(&mut T) -> Outcome) -> Outcome {
        let mut argument = T::zeroed();
        let len = ioctl::size(self.cmd).min(size_of::<T>());
        if ioctl::writes(ours) {
            let bytes = argument.as_bytes_mut().get_mut(..len).ok_or(EINVAL)?;
            user::read(self.arg, bytes).explain("the argument cannot be read")?;
        }
        let outcome = answer(&mut argument);
        if ioctl::reads(ours) {
            let bytes = argument.as_bytes().get(..len).ok_or(EINVAL)?;
            // a later version's fields that are only answered: 0, for nothing of the caller's was read
            let unknown = match ioctl::writes(ours) {
                true => 0,
                false => ioctl::size(self.cmd).saturating_sub(len),
            };
            user::write(self.arg, bytes)
                .and_then(|()| match unknown {
                    0 => Ok(()),
                    _ => user::clear(self.arg.saturating_add(len as u64), unknown),
                })
                .explain("the argument cannot be written")?;
        }
        outcome
    }
}

/// Where element `place` of an array of the caller is. `EFAULT` if that cannot be.
fn element_of<T: Abi>(addr: u64, place: usize) -> Result<u64> {
    let offset = place.checked_mul(size_of::<T>()).ok_or(EFAULT)?;
    addr.checked_add(offset as u64).ok_or(EFAULT)
}

/// Reads an array of the caller.
fn read_array<T: Abi>(addr: u64, count: usize) -> Result<KVVec<T>> {
    let mut values = KVVec::with_capacity(count, GFP_KERNEL)?;
    for place in 0..count {
        let mut value = T::zeroed();
        user::read(element_of::<T>(addr, place)?, value.as_bytes_mut())?;
        values.push(value, GFP_KERNEL)?;
    }
    Ok(values)
}

/// Writes an array of the caller.
fn write_array<T: Abi>(addr: u64, values: &[T]) -> Result {
    values
        .iter()
        .enumerate()
        .try_for_each(|(place, value)| user::write(element_of::<T>(addr, place)?, value.as_bytes()))
}
