// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The dispatcher, the version, clocks, apertures.

use amdgpu_uapi::ioctl::{encode, Dir};
use amdgpu_uapi::kfd::process::{GetClockCounters, GetVersion};
use amdgpu_uapi::kfd::{request, IOCTL_BASE};
use guest_tests::child::Child;
use guest_tests::errno::Errno;
use guest_tests::gpu::Gpu;
use guest_tests::memory::Mapping;
use guest_tests::node::Node;
use guest_tests::refused;
use guest_tests::runner::Case;

pub(crate) const CASES: &[Case] = &[
    ("version is 1.x", version),
    ("unknown requests are refused", unknown_requests),
    ("argument sizes are tolerated", argument_sizes),
    ("bad argument addresses are refused", bad_addresses),
    ("clocks run forward", clocks),
    ("clocks of an unknown GPU", clocks_of_unknown_gpu),
    ("a forked child may not use the parent's file", forked_child),
];

fn version() {
    let mut version = GetVersion::default();
    Node::kfd()
        .unwrap()
        .call(request::GET_VERSION, &mut version)
        .unwrap();
    assert_eq!(version.major_version, 1);
    assert!(version.minor_version >= 14, "minor {}", version.minor_version);
}

fn unknown_requests() {
    let kfd = Node::kfd().unwrap();
    let mut argument = [0; 64];
    for nr in [0x00, 0x29, 0x7f, 0x82, 0xff] {
        let why = format!("request number is {nr:#x}");
        refused!(kfd.call_sized(nr, &mut argument), ENOTTY, &why);
    }
    // requests that ROCm's own kernel packages have, and what to do without
    for nr in [0x80, 0x81] {
        refused!(
            kfd.call_sized(nr, &mut argument),
            ENOTTY,
            "HSA_ENABLE_IPC_MODE_LEGACY=0"
        );
    }
    // another type letter, but a known number: the C driver looks at the number alone
    let request = encode(Dir::ReadWrite, b'Z', 0x29, 8);
    refused!(
        kfd.call_at(request, argument.as_mut_ptr() as usize),
        ENOTTY,
        "request number is 0x29"
    );
}

fn argument_sizes() {
    let kfd = Node::kfd().unwrap();
    // short: only what fits comes back
    let mut short = [0xff; 4];
    kfd.call_sized(0x01, &mut short).unwrap();
    assert_eq!(u32::from_le_bytes(short), 1);
    // long: what the kernel does not know and would only answer becomes zero
    let mut long = [0xff; 64];
    kfd.call_sized(0x01, &mut long).unwrap();
    assert_eq!(long[..4], 1u32.to_le_bytes());
    assert_eq!(long[8..], [0; 56]);
}

fn bad_addresses() {
    let kfd = Node::kfd().unwrap();
    let hole = Mapping::reserve(4096).unwrap();
    refused!(
        kfd.call_at(request::GET_VERSION, 0),
        EFAULT,
        "argument cannot be written"
    );
    refused!(
        kfd.call_at(request::GET_VERSION, hole.address() as usize),
        EFAULT,
        "argument cannot be written"
    );
    refused!(
        kfd.call_at(request::GET_CLOCK_COUNTERS, usize::MAX - 8),
        EFAULT,
        "argument cannot be read"
    );
    // the end of the argument is not mapped
    let edge = Mapping::anonymous(8192).unwrap();
    let second = edge.address() as usize + 4096;
    edge.protect(4096, 4096, libc::PROT_NONE).unwrap();
    let request = encode(Dir::ReadWrite, IOCTL_BASE, 0x05, 40);
    refused!(
        kfd.call_at(request, second - 8),
        EFAULT,
        "argument cannot be read"
    );
}

fn clocks() {
    let gpu = Gpu::open().unwrap();
    let read = || {
        let mut clocks = GetClockCounters {
            gpu_id: gpu.id(),
            ..Default::default()
        };
        gpu.kfd.call(request::GET_CLOCK_COUNTERS, &mut clocks).unwrap();
        clocks
    };
    let first = read();
    std::thread::sleep(std::time::Duration::from_millis(50));
    let second = read();
    assert!(second.gpu_clock_counter > first.gpu_clock_counter);
    assert!(second.cpu_clock_counter > first.cpu_clock_counter);
    assert!(second.system_clock_counter > first.system_clock_counter);
    assert_eq!(second.system_clock_freq, 1_000_000_000);
    // 50 ms are 5 million ticks of the 100 MHz counter; a busy host only makes it more
    let ticks = second.gpu_clock_counter - first.gpu_clock_counter;
    assert!(ticks >= 4_000_000, "{ticks} ticks");
}

fn clocks_of_unknown_gpu() {
    let kfd = Node::kfd().unwrap();
    let mut clocks = GetClockCounters {
        gpu_id: 0xdead,
        ..Default::default()
    };
    kfd.call(request::GET_CLOCK_COUNTERS, &mut clocks).unwrap();
    assert_eq!(clocks.gpu_clock_counter, 0);
    assert_ne!(clocks.cpu_clock_counter, 0);
}

fn forked_child() {
    let kfd = Node::kfd().unwrap();
    let child = Child::run(|| {
        let refused = kfd.call(request::GET_VERSION, &mut GetVersion::default());
        assert_eq!(refused, Err(Errno(libc::EBADF)));
    });
    assert_eq!(child.wait(), 0, "the child was not refused with EBADF");
    kfd.call(request::GET_VERSION, &mut GetVersion::default())
        .unwrap();
}
