// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The probe, the start of a process, and whole lives of processes.

use crate::meter::Meter;
use amdgpu_uapi::kfd::process::{
    GetProcessAperturesNew, GetVersion, ProcessDeviceApertures, SetMemoryPolicy,
};
use amdgpu_uapi::kfd::request;
use guest_tests::buffer::Buffer;
use guest_tests::child::Child;
use guest_tests::errno::Errno;
use guest_tests::event::Events;
use guest_tests::gpu::Gpu;
use guest_tests::queue::{Kind, Queue};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::time::{Duration, Instant};

/// Prints how long the kernel says that the driver's probe took (`initcall_debug` on its command line).
pub(crate) fn probe_time(operation: &str) -> Result<(), Errno> {
    let log = Command::new("dmesg").output()?;
    let log = String::from_utf8_lossy(&log.stdout);
    let time = log.lines().find_map(|line| {
        let (_, rest) = line.split_once("with driver amdgpu returned 0 after ")?;
        rest.split(' ').next()?.parse::<u64>().ok()
    });
    let microseconds = time.ok_or(Errno(libc::ENOENT))?;
    println!("time\t{operation}\t{}", microseconds * 1000);
    Ok(())
}

/// What a runtime does before it can do anything: both nodes, address space, apertures, policy, event page.
fn start() -> Result<(), Errno> {
    let gpu = Gpu::acquire()?;
    gpu.kfd.call(request::GET_VERSION, &mut GetVersion::default())?;
    let mut entries = [ProcessDeviceApertures::default(); 2];
    let mut apertures = GetProcessAperturesNew {
        kfd_process_device_apertures_ptr: entries.as_mut_ptr() as u64,
        num_of_nodes: 2,
        pad: 0,
    };
    gpu.kfd.call(request::GET_PROCESS_APERTURES_NEW, &mut apertures)?;
    let mut policy = SetMemoryPolicy {
        gpu_id: gpu.id(),
        default_policy: 1,
        ..Default::default()
    };
    gpu.kfd.call(request::SET_MEMORY_POLICY, &mut policy)?;
    Events::new(&gpu)?;
    Ok(())
}

/// From the open of `/dev/kfd` until a process is ready.
pub(crate) fn ready(meter: &mut Meter) -> Result<(), Errno> {
    let rounds = meter.rounds(40);
    meter.phase("open to ready", |times| {
        for _ in 0..rounds {
            let (mut theirs, ours) = UnixStream::pair()?;
            let child = Child::run(|| {
                let begin = Instant::now();
                start().unwrap();
                let time = begin.elapsed().as_nanos() as u64;
                (&ours).write_all(&time.to_ne_bytes()).unwrap();
            });
            let mut time = [0; 8];
            theirs.read_exact(&mut time)?;
            times.push(Duration::from_nanos(u64::from_ne_bytes(time)));
            ended_well(child)?;
        }
        Ok(rounds)
    })
}

/// Processes that make a buffer and a queue and leave both behind, from fork to end.
pub(crate) fn short_lives(meter: &mut Meter) -> Result<(), Errno> {
    let rounds = meter.rounds(200);
    meter.phase("short-lived process", |times| {
        for _ in 0..rounds {
            let life = || {
                ended_well(Child::run(|| {
                    let gpu = Gpu::acquire().unwrap();
                    std::mem::forget(Buffer::vram(&gpu, 64 << 10).unwrap());
                    std::mem::forget(Queue::new(&gpu, Kind::Sdma).unwrap());
                }))
            };
            times.of(life)?;
        }
        // the driver takes the last ones apart when they are gone
        std::thread::sleep(Duration::from_millis(500));
        Ok(rounds)
    })
}

fn ended_well(child: Child) -> Result<(), Errno> {
    match child.wait() {
        0 => Ok(()),
        _ => Err(Errno(libc::ECHILD)),
    }
}
