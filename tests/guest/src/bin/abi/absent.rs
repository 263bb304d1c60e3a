// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the driver does not have is refused as the kernel's own driver refuses it where it does not have it.

use amdgpu_uapi::abi::Abi;
use amdgpu_uapi::kfd::dmabuf::{ExportDmabuf, GetDmabufInfo, ImportDmabuf};
use amdgpu_uapi::kfd::queue::{AllocQueueGws, GetQueueWaveState};
use amdgpu_uapi::kfd::request;
use amdgpu_uapi::kfd::smi::SmiEvents;
use amdgpu_uapi::kfd::svm::{self, Svm};
use guest_tests::buffer::Buffer;
use guest_tests::errno::Errno;
use guest_tests::gpu::Gpu;
use guest_tests::queue::{Kind, Queue};
use guest_tests::refusal::check;
use guest_tests::refused;
use guest_tests::runner::Case;

pub(crate) const CASES: &[Case] = &[
    ("absent: the old debugger", old_debugger),
    ("absent: wave state", wave_state),
    ("absent: global wave sync", gws),
    ("absent: dma-buf import", dmabuf),
    ("dma-buf export: bad handles are refused", export_bad),
    ("absent: event log of an unknown GPU", smi),
    ("absent: shared virtual memory", shared_memory),
    ("absent: checkpoints, debugger, contexts, profiler", others),
];

fn old_debugger() {
    let gpu = Gpu::acquire().unwrap();
    for nr in 0x0d..=0x10 {
        refused!(gpu.kfd.call_sized(nr, &mut [0; 16]), EPERM, "no longer supported");
    }
}

fn wave_state() {
    let gpu = Gpu::acquire().unwrap();
    let queue = Queue::new(&gpu, Kind::Sdma).unwrap();
    let call = |queue_id| {
        let mut args = GetQueueWaveState {
            queue_id,
            ..Default::default()
        };
        gpu.kfd.call(request::GET_QUEUE_WAVE_STATE, &mut args)
    };
    refused!(call(queue.id() + 1), EFAULT, "queue_id is");
    // not a compute queue
    refused!(call(queue.id()), EINVAL, "waves of a stopped queue are not saved");
    // a queue that runs
    let compute = Queue::new(&gpu, Kind::Pm4).unwrap();
    refused!(
        call(compute.id()),
        EINVAL,
        "waves of a stopped queue are not saved"
    );
}

fn gws() {
    let gpu = Gpu::acquire().unwrap();
    let queue = Queue::new(&gpu, Kind::Aql).unwrap();
    let call = |queue_id| {
        let mut args = AllocQueueGws {
            queue_id,
            num_gws: 1,
            ..Default::default()
        };
        gpu.kfd.call(request::ALLOC_QUEUE_GWS, &mut args)
    };
    refused!(call(queue.id() + 1), EINVAL, "queue_id is");
    refused!(call(queue.id()), ENODEV, "no global wave sync");
}

fn dmabuf() {
    let gpu = Gpu::acquire().unwrap();
    for fd in [-1, 0, gpu.kfd.fd()] {
        let mut info = GetDmabufInfo {
            dmabuf_fd: fd as u32,
            ..Default::default()
        };
        let mut import = ImportDmabuf {
            gpu_id: gpu.id(),
            dmabuf_fd: fd as u32,
            ..Default::default()
        };
        // the kernel says so for descriptors that are closed, and for those of something else
        let errno = Errno(if fd < 0 { libc::EBADF } else { libc::EINVAL });
        check("GET_DMABUF_INFO", errno, "dmabuf_fd is", || {
            gpu.kfd.call(request::GET_DMABUF_INFO, &mut info)
        });
        check("IMPORT_DMABUF", errno, "dmabuf_fd is", || {
            gpu.kfd.call(request::IMPORT_DMABUF, &mut import)
        });
    }
    let mut import = ImportDmabuf {
        gpu_id: 0xdead,
        ..Default::default()
    };
    refused!(
        gpu.kfd.call(request::IMPORT_DMABUF, &mut import),
        EINVAL,
        "gpu_id is 0xdead"
    );
}

fn export_bad() {
    let gpu = Gpu::acquire().unwrap();
    let call = |handle, flags| {
        let mut args = ExportDmabuf {
            handle,
            flags,
            dmabuf_fd: 0,
        };
        gpu.kfd.call(request::EXPORT_DMABUF, &mut args)
    };
    refused!(call(0, 0), EINVAL, "handle is 0x0");
    refused!(call(u64::MAX, 0), EINVAL, "handle is 0xffffffffffffffff");
    refused!(call(u64::from(gpu.id()) << 32 | 0xffff, 0), EINVAL, "handle is");
    let user = Buffer::userptr(&gpu, 4096).unwrap();
    refused!(call(user.handle(), 0), EPERM, "handle is");
    let vram = Buffer::vram(&gpu, 4096).unwrap();
    call(vram.handle(), libc::O_CLOEXEC as u32).unwrap();
}

fn smi() {
    let gpu = Gpu::acquire().unwrap();
    let mut args = SmiEvents {
        gpuid: 0xdead,
        anon_fd: 0,
    };
    refused!(
        gpu.kfd.call(request::SMI_EVENTS, &mut args),
        EINVAL,
        "gpuid is 0xdead"
    );
}

fn shared_memory() {
    let gpu = Gpu::acquire().unwrap();
    let mut args = Svm {
        start_addr: 1 << 30,
        size: 4096,
        nattr: 0,
        ..Svm::zeroed()
    };
    refused!(
        gpu.kfd.call(svm::request(0), &mut args),
        EPERM,
        "no shared virtual memory"
    );
    // more attributes than the argument has room for
    args.nattr = 1;
    refused!(
        gpu.kfd.call(svm::request(0), &mut args),
        EINVAL,
        "size of the argument is 0x18"
    );
    args.nattr = u32::MAX;
    refused!(
        gpu.kfd.call(svm::request(0), &mut args),
        EINVAL,
        "size of the argument is 0x18"
    );
}

fn others() {
    let gpu = Gpu::acquire().unwrap();
    let unknown = [0xff; 64];
    // CRIU_OP, PROFILER: unknown operations
    for nr in [0x22, 0x28] {
        refused!(gpu.kfd.call_sized(nr, &mut { unknown }), EINVAL, "cannot");
    }
    // DBG_TRAP on a process that is not there
    refused!(
        gpu.kfd.call_sized(0x26, &mut { unknown }),
        ESRCH,
        "pid is 0xffffffff"
    );
}
