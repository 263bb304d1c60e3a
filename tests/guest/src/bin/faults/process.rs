// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A process comes and goes: both nodes, its address space, facts, and its end.

use crate::{shot::Shot, Operation};
use amdgpu_uapi::kfd::memory::AcquireVm;
use amdgpu_uapi::kfd::process::{
    GetClockCounters, GetProcessAperturesNew, GetVersion, ProcessDeviceApertures,
};
use amdgpu_uapi::kfd::request;
use guest_tests::buffer::Buffer;
use guest_tests::event::Events;
use guest_tests::gpu::Gpu;
use guest_tests::node::Node;
use guest_tests::queue::{Kind, Queue};
use libc::{EFAULT, EINTR, ENOMEM};
use std::mem::ManuallyDrop;

pub(crate) const OPERATIONS: &[Operation] = &[
    ("open /dev/kfd", open_kfd),
    ("open the render node", open_render),
    ("ACQUIRE_VM", acquire),
    ("GET_CLOCK_COUNTERS", clocks),
    ("GET_PROCESS_APERTURES_NEW", apertures),
    ("close with buffers, queues and events", close),
];

fn open_kfd(shot: &Shot) {
    let kfd = shot.again(&[ENOMEM, EINTR], Node::kfd);
    kfd.call(request::GET_VERSION, &mut GetVersion::default())
        .unwrap();
}

fn open_render(shot: &Shot) {
    let gpu = Gpu::open().unwrap();
    let path = format!("/dev/dri/renderD{}", gpu.about.property("drm_render_minor"));
    shot.again(&[ENOMEM], || Node::open(&path));
}

fn acquire(shot: &Shot) {
    let gpu = Gpu::open().unwrap();
    shot.again(&[ENOMEM, EFAULT], || {
        let mut arg = AcquireVm {
            drm_fd: gpu.render.fd() as u32,
            gpu_id: gpu.id(),
        };
        gpu.kfd.call(request::ACQUIRE_VM, &mut arg)
    });
    Buffer::vram(&gpu, 4096).unwrap();
}

fn clocks(shot: &Shot) {
    let gpu = Gpu::open().unwrap();
    let clocks = shot.again(&[EFAULT], || {
        let mut clocks = GetClockCounters {
            gpu_id: gpu.id(),
            ..Default::default()
        };
        gpu.kfd
            .call(request::GET_CLOCK_COUNTERS, &mut clocks)
            .map(|()| clocks)
    });
    assert_ne!(clocks.gpu_clock_counter, 0);
}

fn apertures(shot: &Shot) {
    let gpu = Gpu::open().unwrap();
    let entries = shot.again(&[ENOMEM, EFAULT], || {
        let mut entries = [ProcessDeviceApertures::default(); 2];
        let mut args = GetProcessAperturesNew {
            kfd_process_device_apertures_ptr: entries.as_mut_ptr() as u64,
            num_of_nodes: 2,
            ..Default::default()
        };
        gpu.kfd
            .call(request::GET_PROCESS_APERTURES_NEW, &mut args)
            .map(|()| entries)
    });
    assert_eq!(entries[0].gpu_id, gpu.id());
}

/// Nothing that a process may have is given back before its files are closed.
fn close(shot: &Shot) {
    let gpu = ManuallyDrop::new(Gpu::acquire().unwrap());
    let _buffers = ManuallyDrop::new([Buffer::vram(&gpu, 4 << 20), Buffer::userptr(&gpu, 64 << 10)]);
    let _queues = ManuallyDrop::new([Kind::Aql, Kind::Sdma].map(|kind| Queue::new(&gpu, kind).unwrap()));
    let _events = ManuallyDrop::new(Events::new(&gpu).unwrap());
    let close = |node: &Node| {
        // SAFETY: the descriptor is not used afterwards: its owner is not dropped.
        unsafe { libc::close(node.fd()) };
        Ok(())
    };
    // mappings of the nodes hold their files
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    for line in maps.lines().filter(|line| line.contains("/dev/")) {
        let range = line
            .split([' ', '-'])
            .take(2)
            .map(|text| usize::from_str_radix(text, 16).unwrap());
        let [start, end] = <[usize; 2]>::try_from(range.collect::<Vec<_>>()).unwrap();
        // SAFETY: mappings of objects that are neither used nor dropped any more.
        unsafe { libc::munmap(start as *mut libc::c_void, end - start) };
    }
    shot.take(&[], || close(&gpu.kfd).and_then(|()| close(&gpu.render)))
        .unwrap();
    Gpu::acquire().unwrap();
}
