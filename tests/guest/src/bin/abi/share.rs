// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A render node that several processes hold open.

use amdgpu_uapi::kfd::memory::AcquireVm;
use amdgpu_uapi::kfd::request;
use guest_tests::buffer::Buffer;
use guest_tests::child::Child;
use guest_tests::counters;
use guest_tests::errno::Errno;
use guest_tests::gpu::{Description, Gpu};
use guest_tests::node::Node;
use guest_tests::runner::{until, Case};

pub(crate) const CASES: &[Case] = &[(
    "render node: what a process mapped goes with it, not with the file",
    process_before_file,
)];

/// More than page tables need.
const BYTES: usize = 8 << 20;

fn process_before_file() {
    let about = Description::all().unwrap().remove(0);
    let render = Node::open(format!("/dev/dri/renderD{}", about.property("drm_render_minor"))).unwrap();
    let before = counters::read().unwrap();
    let shared = || render.try_clone().unwrap();
    in_child(|| {
        let gpu = acquire(&about, shared()).unwrap();
        std::mem::forget(Buffer::vram(&gpu, BYTES).unwrap());
        std::mem::forget(Buffer::userptr(&gpu, 64 << 10).unwrap());
        std::mem::forget(gpu);
    });
    until(|| {
        let now = counters::read().unwrap();
        let more = |name: &str| now.get(name).unwrap() - before.get(name).unwrap();
        let vram = now.keys().find(|name| name.starts_with("vram_used")).unwrap();
        // the page tables stay, for the file has them
        more("processes") == 0 && more("buffers") == 0 && more(vram) < BYTES as u64
    });
    // the address space was that of another process, and the file is still open
    in_child(|| assert_eq!(acquire(&about, shared()).err(), Some(Errno(libc::EINVAL))));
}

/// The GPU of the current process, with the address space of an open render node.
fn acquire(about: &Description, render: Node) -> Result<Gpu, Errno> {
    let gpu = Gpu {
        kfd: Node::kfd()?,
        render,
        about: about.clone(),
    };
    let mut arg = AcquireVm {
        drm_fd: gpu.render.fd() as u32,
        gpu_id: about.id,
    };
    gpu.kfd.call(request::ACQUIRE_VM, &mut arg)?;
    Ok(gpu)
}

/// Runs `work` in a process of its own, which must end well.
fn in_child(work: impl FnOnce()) {
    assert_eq!(Child::run(work).wait(), 0);
}
