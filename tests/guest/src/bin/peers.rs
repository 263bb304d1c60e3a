// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `guest-peers`: two GPUs and one process.

use guest_tests::buffer::{map, unmap, Buffer};
use guest_tests::errno::Errno;
use guest_tests::gpu::Gpu;
use guest_tests::queue::{pm4, sdma, Kind, Queue};
use guest_tests::runner::{self, Case};
use std::process::ExitCode;
use std::sync::atomic::Ordering::Relaxed;

const CASES: &[Case] = &[
    (
        "peers: system memory of one is mapped on the other",
        system_memory,
    ),
    ("peers: VRAM is mapped where it is only", vram),
    (
        "peers: a queue on memory that lives with the other",
        queue_elsewhere,
    ),
    ("peers: the GPU where memory lives is unbound", home_goes),
];

fn main() -> ExitCode {
    runner::run(CASES)
}

fn both() -> [Gpu; 2] {
    [0, 1].map(|n| Gpu::acquire_nth(n).unwrap())
}

/// Waits for a word that a GPU writes.
#[track_caller]
fn until(buffer: &Buffer<'_>, at: usize, value: u32) {
    runner::until(|| buffer.cpu().word(at).load(Relaxed) == value);
}

fn system_memory() {
    let [a, b] = both();
    let queues = [&a, &b].map(|gpu| Queue::new(gpu, Kind::Pm4).unwrap());
    for buffer in [
        Buffer::gtt(&a, 2 << 20).unwrap(),
        Buffer::userptr(&a, 256 << 10).unwrap(),
    ] {
        map(&b, buffer.handle()).unwrap();
        // once more changes nothing
        map(&b, buffer.handle()).unwrap();
        let last = buffer.cpu().len() - 4096;
        for (n, queue) in queues.iter().enumerate() {
            queue.submit(&pm4::write(buffer.address() + 64 * n as u64, 7 + n as u32));
            queue.submit(&pm4::write(
                buffer.address() + (last + 64 * n) as u64,
                9 + n as u32,
            ));
            until(&buffer, last + 64 * n, 9 + n as u32);
            until(&buffer, 64 * n, 7 + n as u32);
        }
        unmap(&b, buffer.handle()).unwrap();
        // it is mapped on the other still, hence nothing is wrong with the call
        unmap(&b, buffer.handle()).unwrap();
        queues[0].submit(&pm4::write(buffer.address(), 77));
        until(&buffer, 0, 77);
        // and the other way round
        map(&b, buffer.handle()).unwrap();
        unmap(&a, buffer.handle()).unwrap();
        queues[1].submit(&pm4::write(buffer.address(), 78));
        until(&buffer, 0, 78);
        unmap(&b, buffer.handle()).unwrap();
    }
}

fn vram() {
    let [a, b] = both();
    let buffer = Buffer::vram(&a, 4096).unwrap();
    assert_eq!(map(&b, buffer.handle()), Err(Errno(libc::EINVAL)));
}

fn queue_elsewhere() {
    let [a, b] = both();
    let to = Buffer::gtt(&b, 4096).unwrap();
    let from = Buffer::gtt(&a, 4096).unwrap();
    from.cpu().word(8).store(0xfeed, Relaxed);
    map(&b, from.handle()).unwrap();
    let queue = Queue::new(&b, Kind::Sdma).unwrap();
    queue.submit(&sdma::copy(from.address(), to.address(), 4096));
    until(&to, 8, 0xfeed);
}

fn home_goes() {
    let [a, b] = both();
    let name = a.pci_name().unwrap();
    let queue = Queue::new(&b, Kind::Pm4).unwrap();
    let own = Buffer::gtt(&b, 4096).unwrap();
    let others = Buffer::gtt(&a, 2 << 20).unwrap();
    map(&b, others.handle()).unwrap();
    queue.submit(&pm4::write(others.address(), 1));
    until(&others, 0, 1);

    Gpu::unbind(&name).unwrap();

    // calls say that it is gone, and its peer goes on
    assert_eq!(map(&b, others.handle()), Err(Errno(libc::ENODEV)));
    queue.submit(&pm4::write(own.address(), 2));
    until(&own, 0, 2);
    drop((others, own, queue));
    drop((a, b));
    Gpu::bind(&name).unwrap();
    drop(both());
}
