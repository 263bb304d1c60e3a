// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bad input that every request knows: what it is given does not depend on the request.
//!
//! | bad input | case |
//! |---|---|
//! | null, unmapped, kernel and half-mapped addresses of the argument | `addresses` |
//! | arguments of no, of the right and of too many bytes, all zero | `zeros` |
//! | before ACQUIRE_VM | `before_acquire` |
//! | on a file of another process | `foreign` |
//!
//! Bad values of single fields are in the file of the request's topic.

use amdgpu_uapi::abi::Abi;
use amdgpu_uapi::ioctl::{self, encode, Dir, Request};
use amdgpu_uapi::kfd::{
    dmabuf::{ExportDmabuf, ImportDmabuf},
    event::CreateEvent,
    memory::{alloc_flags, AllocMemoryOfGpu, FreeMemoryOfGpu, MapMemoryToGpu, UnmapMemoryFromGpu},
    process::{SetMemoryPolicy, SetScratchBackingVa, SetTrapHandler},
    queue::CreateQueue,
    request, IOCTL_BASE,
};
use guest_tests::child::Child;
use guest_tests::errno::Errno;
use guest_tests::gpu::Gpu;
use guest_tests::memory::Mapping;
use guest_tests::refusal::check;
use guest_tests::runner::Case;

pub(crate) const CASES: &[Case] = &[
    ("every request: bad addresses of the argument", addresses),
    ("every request: nothing but zeros, in any size", zeros),
    ("every request: not before acquire_vm", before_acquire),
    ("every request: not on a file of another process", foreign),
];

fn number(request: &Request) -> u8 {
    ioctl::nr(request.cmd)
}

fn addresses() {
    const KERNEL: usize = 0xffff_8880_0000_0000;
    let gpu = Gpu::acquire().unwrap();
    let hole = Mapping::reserve(4096).unwrap();
    let half = Mapping::anonymous(8192).unwrap();
    half.protect(4096, 4096, libc::PROT_NONE).unwrap();
    let last_byte = half.address() as usize + 4095;
    // CREATE_PROCESS has no argument
    for known in request::TABLE.iter().filter(|known| ioctl::size(known.cmd) > 0) {
        let why = match ioctl::writes(known.cmd) {
            true => "the argument cannot be read",
            false => "the argument cannot be written",
        };
        for address in [0, hole.address() as usize, KERNEL, last_byte] {
            let text = format!("{} at {address:#x}", known.name);
            check(&text, Errno(libc::EFAULT), why, || {
                gpu.kfd.call_at(known.cmd, address)
            });
        }
    }
}

/// What a request that is given zeros comes to: nothing bad, or an errno and a reason.
fn zero_outcome(nr: u8) -> Option<(i32, &'static str)> {
    use libc::{EFAULT, EINVAL, ENOMEM, EPERM, ESRCH};
    Some(match nr {
        // version, clocks, apertures, waiting for nothing, XNACK off, the end of debugging
        0x01 | 0x05 | 0x06 | 0x0c | 0x14 | 0x21 | 0x25 => return None,
        0x02 | 0x04 | 0x11 | 0x12 | 0x13 | 0x1d | 0x23 => (EINVAL, "gpu_id is 0x0"),
        0x03 | 0x1e => (EINVAL, "queue_id is 0x0"),
        0x07 | 0x1b => (EFAULT, "queue_id is 0x0"),
        0x08 => (ENOMEM, "there is no event page yet"),
        0x09..=0x0b => (EINVAL, "event_id is 0x0"),
        0x0d..=0x10 => (EPERM, "no longer supported"),
        0x15 => (EINVAL, "drm_fd is 0x0"),
        0x16 => (EINVAL, "size is 0x0"),
        0x17 | 0x24 => (EINVAL, "handle is 0x0"),
        0x18 | 0x19 => (EINVAL, "n_devices is 0x0"),
        0x1a => (EINVAL, "num_cu_mask is 0x0"),
        0x1c => (EINVAL, "dmabuf_fd is 0x0"),
        0x1f => (EINVAL, "gpuid is 0x0"),
        0x20 => (EPERM, "no shared virtual memory"),
        0x22 => (EINVAL, "processes cannot be checkpointed"),
        0x26 => (ESRCH, "pid is 0x0"),
        0x27 => (EINVAL, "a process has one context"),
        0x28 => (EINVAL, "profilers cannot claim GPUs"),
        _ => panic!("nobody has said what request {nr:#x} does with zeros"),
    })
}

fn zeros() {
    let gpu = Gpu::acquire().unwrap();
    for known in request::TABLE {
        let nr = number(known);
        let whole = ioctl::size(known.cmd);
        for size in [0, whole / 2, whole, whole + 64] {
            // what a later version may have put behind does not matter
            let mut argument = vec![0; size];
            argument.iter_mut().skip(whole).for_each(|byte| *byte = 0xff);
            let text = format!("{} with {size} bytes of zeros", known.name);
            match zero_outcome(nr) {
                // the attributes of SVM are behind the argument, whose size says how many there can be
                Some(_) if nr == 0x20 && size < whole => {
                    let why = format!("size of the argument is {size:#x}");
                    check(&text, Errno(libc::EINVAL), &why, || {
                        gpu.kfd.call_sized(nr, &mut argument)
                    });
                }
                Some((errno, why)) => {
                    check(&text, Errno(errno), why, || gpu.kfd.call_sized(nr, &mut argument))
                }
                None => assert_eq!(gpu.kfd.call_sized(nr, &mut argument), Ok(()), "{text}"),
            }
        }
    }
}

/// The bytes of an argument.
fn bytes<T: Abi>(argument: T) -> Vec<u8> {
    argument.as_bytes().to_vec()
}

fn before_acquire() {
    use libc::{EINVAL, ENODEV, ENOMEM, ESRCH};
    let gpu = Gpu::open().unwrap();
    let gpu_id = gpu.id();
    let at = Mapping::reserve(4096).unwrap();
    let ids = [gpu_id];
    // a buffer of the right GPU, if it had any
    let handle = u64::from(gpu_id) << 32 | 1;
    let not_bound = "expected a GPU after ACQUIRE_VM";
    let alloc = AllocMemoryOfGpu {
        va_addr: at.address(),
        size: 4096,
        gpu_id,
        flags: alloc_flags::GTT | alloc_flags::WRITABLE,
        ..Default::default()
    };
    let map = MapMemoryToGpu {
        handle,
        device_ids_array_ptr: ids.as_ptr() as u64,
        n_devices: 1,
        n_success: 0,
    };
    let unmap = UnmapMemoryFromGpu {
        handle,
        device_ids_array_ptr: ids.as_ptr() as u64,
        n_devices: 1,
        n_success: 0,
    };
    let create_queue = CreateQueue {
        gpu_id,
        ring_size: 4096,
        ..Default::default()
    };
    let policy = SetMemoryPolicy {
        gpu_id,
        ..Default::default()
    };
    let scratch = SetScratchBackingVa {
        gpu_id,
        ..Default::default()
    };
    let trap = SetTrapHandler {
        gpu_id,
        ..Default::default()
    };
    let import = ImportDmabuf {
        gpu_id,
        ..Default::default()
    };
    let event = CreateEvent {
        event_page_offset: handle,
        ..Default::default()
    };
    let export = ExportDmabuf {
        handle,
        ..Default::default()
    };
    let calls = [
        (request::CREATE_QUEUE, bytes(create_queue), ESRCH, not_bound),
        (request::SET_MEMORY_POLICY, bytes(policy), ESRCH, not_bound),
        (request::SET_SCRATCH_BACKING_VA, bytes(scratch), ENODEV, not_bound),
        (request::SET_TRAP_HANDLER, bytes(trap), ESRCH, not_bound),
        (request::ALLOC_MEMORY_OF_GPU, bytes(alloc), ENODEV, not_bound),
        (request::MAP_MEMORY_TO_GPU, bytes(map), ENODEV, not_bound),
        (request::IMPORT_DMABUF, bytes(import), ENODEV, not_bound),
        (request::CREATE_EVENT, bytes(event), ENODEV, not_bound),
        // these look for the buffer first, and there can be none
        (
            request::FREE_MEMORY_OF_GPU,
            bytes(FreeMemoryOfGpu { handle }),
            EINVAL,
            "handle is",
        ),
        (request::UNMAP_MEMORY_FROM_GPU, bytes(unmap), ENOMEM, "handle is"),
        (request::EXPORT_DMABUF, bytes(export), EINVAL, "handle is"),
    ];
    for (cmd, mut argument, errno, why) in calls {
        let text = format!("request {:#x} before ACQUIRE_VM", ioctl::nr(cmd));
        check(&text, Errno(errno), why, || {
            gpu.kfd.call_sized(ioctl::nr(cmd), &mut argument)
        });
    }
}

fn foreign() {
    let gpu = Gpu::acquire().unwrap();
    let child = Child::run(|| {
        for known in request::TABLE {
            // whatever the argument is
            let request = encode(Dir::ReadWrite, IOCTL_BASE, number(known), ioctl::size(known.cmd));
            let words = "the file was opened by another process";
            check(known.name, Errno(libc::EBADF), words, || {
                gpu.kfd.call_at(request, 0)
            });
        }
        let doorbells = amdgpu_uapi::kfd::mmap::offset(amdgpu_uapi::kfd::mmap::kind::DOORBELL, gpu.id(), 0);
        check(
            "mmap",
            Errno(libc::EBADF),
            "the file was opened by another process",
            || Mapping::node(gpu.kfd.fd(), doorbells, 8192).map(drop),
        );
    });
    assert_eq!(child.wait(), 0, "the child was not refused");
}
