// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `guest-unbind`: takes the GPU from the driver, by sysfs, while a process uses it.

use guest_tests::buffer::{self, Buffer};
use guest_tests::errno::Errno;
use guest_tests::gpu::Gpu;
use guest_tests::queue::{destroy, pm4, sdma, Kind, Queue};
use guest_tests::runner::{self, Case};
use std::process::ExitCode;
use std::sync::atomic::Ordering::Relaxed;

const CASES: &[Case] = &[("unbind: under a process with queues", under_a_process)];

fn main() -> ExitCode {
    runner::run(CASES)
}

fn under_a_process() {
    let gpu = Gpu::acquire().unwrap();
    let name = gpu.pci_name().unwrap();

    let vram = Buffer::vram(&gpu, 4 << 20).unwrap();
    let compute = Queue::new(&gpu, Kind::Pm4).unwrap();
    let copy = Queue::new(&gpu, Kind::Sdma).unwrap();
    let half = 2 << 20;
    for _ in 0..16 {
        copy.submit(&sdma::copy(
            vram.address() + half,
            vram.address() + half + 4096,
            1 << 20,
        ));
    }
    compute.submit(&pm4::write(vram.address(), 0x600d));
    runner::until(|| vram.cpu().word(0).load(Relaxed) == 0x600d);
    assert_eq!(vram.cpu().peek(0), Ok(0x600d));

    Gpu::unbind(&name).unwrap();

    // nothing of the card is left in the process
    assert_eq!(compute.doorbells().peek(0), Err(Errno(libc::EFAULT)));
    assert_ne!(vram.cpu().peek(0), Ok(0x600d));
    // calls end, and say that the GPU is gone
    assert_eq!(buffer::map(&gpu, vram.handle()), Err(Errno(libc::ENODEV)));
    assert_eq!(Queue::new(&gpu, Kind::Pm4).err(), Some(Errno(libc::ENODEV)));
    assert_eq!(destroy(&gpu, compute.id()), Ok(()));
    drop((compute, copy, vram));
    drop(gpu);

    Gpu::bind(&name).unwrap();
    let gpu = Gpu::acquire().unwrap();
    let vram = Buffer::vram(&gpu, 4096).unwrap();
    vram.cpu().word(0).store(1, Relaxed);
}
