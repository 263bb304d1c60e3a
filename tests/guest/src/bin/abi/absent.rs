// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the driver does not have is refused as the kernel's own driver refuses it where it does not have it.

use amdgpu_uapi::abi::Abi;
use amdgpu_uapi::kfd::dmabuf::{ExportDmabuf, GetDmabufInfo, ImportDmabuf};
use amdgpu_uapi::kfd::queue::{AllocQueueGws, GetQueueWaveState};
use amdgpu_uapi::kfd::request;
use amdgpu_uapi::kfd::smi::SmiEvents;
use amdgpu_uapi::kfd::svm::{self, Svm};
use guest_tests::buffer::Buffer;
use guest_tests::gpu::Gpu;
use guest_tests::queue::{Kind, Queue};
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
        refused!(gpu.kfd.call_sized(nr, &mut [0; 16]), EPERM);
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
    refused!(call(queue.id() + 1), EFAULT);
    // not a compute queue
    refused!(call(queue.id()), EINVAL);
    // a queue that runs
    let compute = Queue::new(&gpu, Kind::Pm4).unwrap();
    refused!(call(compute.id()), EINVAL);
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
    refused!(call(queue.id() + 1), EINVAL);
    refused!(call(queue.id()), ENODEV);
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
        let expected = if fd < 0 { libc::EBADF } else { libc::EINVAL };
        let got = |result: Result<(), guest_tests::errno::Errno>| result.unwrap_err().0;
        assert_eq!(
            got(gpu.kfd.call(request::GET_DMABUF_INFO, &mut info)),
            expected,
            "fd {fd}"
        );
        assert_eq!(
            got(gpu.kfd.call(request::IMPORT_DMABUF, &mut import)),
            expected,
            "fd {fd}"
        );
    }
    let mut import = ImportDmabuf {
        gpu_id: 0xdead,
        ..Default::default()
    };
    refused!(gpu.kfd.call(request::IMPORT_DMABUF, &mut import), EINVAL);
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
    refused!(call(0, 0), EINVAL);
    refused!(call(u64::MAX, 0), EINVAL);
    refused!(call(u64::from(gpu.id()) << 32 | 0xffff, 0), EINVAL);
    let user = Buffer::userptr(&gpu, 4096).unwrap();
    assert!(call(user.handle(), 0).is_err());
    let vram = Buffer::vram(&gpu, 4096).unwrap();
    call(vram.handle(), libc::O_CLOEXEC as u32).unwrap();
}

fn smi() {
    let gpu = Gpu::acquire().unwrap();
    let mut args = SmiEvents {
        gpuid: 0xdead,
        anon_fd: 0,
    };
    refused!(gpu.kfd.call(request::SMI_EVENTS, &mut args), EINVAL);
}

fn shared_memory() {
    let gpu = Gpu::acquire().unwrap();
    let mut args = Svm {
        start_addr: 1 << 30,
        size: 4096,
        nattr: 0,
        ..Svm::zeroed()
    };
    refused!(gpu.kfd.call(svm::request(0), &mut args), EPERM);
    // more attributes than the argument has room for
    args.nattr = 1;
    refused!(gpu.kfd.call(svm::request(0), &mut args), EINVAL);
    args.nattr = u32::MAX;
    refused!(gpu.kfd.call(svm::request(0), &mut args), EINVAL);
}

fn others() {
    let gpu = Gpu::acquire().unwrap();
    let unknown = [0xff; 64];
    // CRIU_OP, PROFILER: unknown operations
    for nr in [0x22, 0x28] {
        refused!(gpu.kfd.call_sized(nr, &mut { unknown }), EINVAL);
    }
    // DBG_TRAP on a process that is not there
    refused!(gpu.kfd.call_sized(0x26, &mut { unknown }), ESRCH);
}
