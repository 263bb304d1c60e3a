// SPDX-License-Identifier: GPL-2.0
//! Tracepoints: `/sys/kernel/tracing/events/kfd`. One that is off costs a branch that is not taken, patched into the code.
//!
//! `c/trace.h` says what each looks like in a trace. The kernel crate's `declare_trace!` finds only tracepoints of the
//! kernel itself.

use super::bindings as b;

macro_rules! tracepoints {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty),*);)*) => {
        kernel::macros::paste! {
            #[allow(improper_ctypes, reason = "Rust only takes addresses of tracepoints, some of whose members are empty")]
            mod raw {
                use super::b;

                extern "C" {
                    $(
                        pub(super) static [<__tracepoint_kfd_ $name>]: b::tracepoint;
                        pub(super) fn [<rust_do_trace_kfd_ $name>]($($arg: $type),*);
                    )*
                }
            }

            $(
                $(#[$doc])*
                #[inline(always)]
                #[allow(clippy::too_many_arguments)]
                pub(crate) fn $name($($arg: $type),*) {
                    // SAFETY: the key of a tracepoint that `c/trace.c` defines.
                    let on = unsafe {
                        kernel::jump_label::static_branch_unlikely!(
                            raw::[<__tracepoint_kfd_ $name>],
                            b::tracepoint,
                            key
                        )
                    };
                    if on {
                        // SAFETY: defined in `c/trace.c` with these arguments, all of them plain numbers.
                        unsafe { raw::[<rust_do_trace_kfd_ $name>]($($arg),*) }
                    }
                }
            )*
        }
    };
}

tracepoints! {
    /// A buffer was allocated: GPU, address or 0, bytes, flags as userspace gave them.
    alloc(gpu_id: u32, va: u64, bytes: u64, flags: u64);
    /// A range of an address space is mapped.
    map(pasid: u32, va: u64, bytes: u64);
    /// A range is not mapped any more; the GPU may still have translations.
    unmap(pasid: u32, va: u64, bytes: u64);
    /// The GPU has dropped the translations of an address space.
    flush(pasid: u32);
    /// A queue was created or destroyed. Numbers are the scheduler's.
    queue(process: u64, queue: u64, created: bool);
    /// The hardware scheduler was given a run list.
    run_list(processes: u32, queues: u32, dwords: u32);
    /// An entry of the interrupt ring.
    interrupt(client: u32, source: u32, ring: u32, vmid: u32, pasid: u32, data: u32);
    /// A page fault was recorded, with its number in the log.
    fault(number: u64, pasid: u32, vmid: u32, va: u64, write: bool, status: u32);
    /// The queues of a process were stopped, for its memory moves, or run again. The number is the scheduler's.
    evict(process: u64, stopped: bool);
    /// The queues of an address space are reset, for one, with this doorbell, did not leave the hardware.
    reset(pasid: u32, doorbell: u32);
}
