// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Queues: creation, packets, changes, bad arguments.

use amdgpu_uapi::kfd::queue::{SetCuMask, UpdateQueue};
use amdgpu_uapi::kfd::{event, request};
use guest_tests::buffer::{unmap, Buffer};
use guest_tests::errno::Errno;
use guest_tests::event::Events;
use guest_tests::gpu::Gpu;
use guest_tests::queue::{aql, destroy, pm4, sdma, Kind, Queue, RING};
use guest_tests::refused;
use guest_tests::runner::until;
use guest_tests::runner::Case;
use std::sync::atomic::Ordering::Relaxed;

pub(crate) const CASES: &[Case] = &[
    ("queue: create and destroy PM4", || create_destroy(Kind::Pm4)),
    ("queue: create and destroy AQL", || create_destroy(Kind::Aql)),
    ("queue: create and destroy SDMA", || create_destroy(Kind::Sdma)),
    ("queue: create and destroy SDMA on a named engine", || {
        create_destroy(Kind::SdmaEngine(1))
    }),
    ("queue: PM4 writes memory", pm4_write),
    ("queue: PM4 wraps around its ring", pm4_wrap),
    ("queue: SDMA copies and fences", sdma_copy),
    ("queue: AQL barrier completes a signal", aql_barrier),
    ("queue: AQL signal with an event wakes a waiter", aql_event),
    ("queue: PM4 RELEASE_MEM raises an event", pm4_event),
    ("queue: SDMA trap raises an event", sdma_event),
    ("queue: many at once", many),
    ("queue: exit without destroying", exit_without_destroying),
    ("queue: unknown ids are refused", unknown_ids),
    ("queue: 0 percent stops it, 100 runs it on", update_percentage),
    ("queue: without a ring it stops", update_without_ring),
    ("queue: bad updates are refused", update_bad),
    ("queue: CU masks", cu_mask),
    ("queue: bad CU masks are refused", cu_mask_bad),
    ("queue: its memory cannot be unmapped", memory_is_held),
];

fn create_destroy(kind: Kind) {
    let gpu = Gpu::acquire().unwrap();
    for _ in 0..3 {
        let queue = Queue::new(&gpu, kind).unwrap();
        let id = queue.id();
        destroy(&gpu, id).unwrap();
        refused!(destroy(&gpu, id), EINVAL, "queue_id is");
    }
}

fn pm4_write() {
    let gpu = Gpu::acquire().unwrap();
    let queue = Queue::new(&gpu, Kind::Pm4).unwrap();
    for buffer in [
        Buffer::vram(&gpu, 4096),
        Buffer::gtt(&gpu, 4096),
        Buffer::userptr(&gpu, 4096),
    ] {
        let buffer = buffer.unwrap();
        queue.submit(&pm4::write(buffer.address() + 8, 0x1234_5678));
        until(|| buffer.cpu().word(8).load(Relaxed) == 0x1234_5678);
        assert_eq!(buffer.cpu().word(4).load(Relaxed), 0);
        assert_eq!(buffer.cpu().word(12).load(Relaxed), 0);
    }
}

fn pm4_wrap() {
    let gpu = Gpu::acquire().unwrap();
    let queue = Queue::new(&gpu, Kind::Pm4).unwrap();
    let buffer = Buffer::gtt(&gpu, 4096).unwrap();
    for value in 1..=2 * RING as u32 / 20 {
        queue.submit(&pm4::write(buffer.address(), value));
        until(|| buffer.cpu().word(0).load(Relaxed) == value);
    }
}

fn sdma_copy() {
    const LEN: usize = 64 << 10;
    let gpu = Gpu::acquire().unwrap();
    let queue = Queue::new(&gpu, Kind::Sdma).unwrap();
    let [from, to] = [Buffer::gtt(&gpu, LEN), Buffer::vram(&gpu, LEN)].map(Result::unwrap);
    let done = Buffer::gtt(&gpu, 4096).unwrap();
    let words = || (0..LEN).step_by(4);
    words().for_each(|at| from.cpu().word(at).store(at as u32 * 7 + 1, Relaxed));
    queue.submit(&sdma::copy(from.address(), to.address(), LEN as u32 - 4));
    queue.submit(&sdma::fence(done.address(), 0xfe1ce));
    until(|| done.cpu().word(0).load(Relaxed) == 0xfe1ce);
    assert!(words()
        .take(LEN / 4 - 1)
        .all(|at| to.cpu().word(at).load(Relaxed) == at as u32 * 7 + 1));
    assert_eq!(to.cpu().word(LEN - 4).load(Relaxed), 0, "copied too much");
}

fn aql_barrier() {
    let gpu = Gpu::acquire().unwrap();
    let queue = Queue::new(&gpu, Kind::Aql).unwrap();
    let signal = Buffer::gtt(&gpu, 4096).unwrap();
    for _ in 0..2 * RING / 64 {
        aql::signal(signal.cpu(), 0, 0);
        queue.submit_aql(&aql::barrier(signal.address()));
        until(|| aql::value(signal.cpu()) == 0);
    }
}

fn aql_event() {
    let gpu = Gpu::acquire().unwrap();
    let queue = Queue::new(&gpu, Kind::Aql).unwrap();
    let (events, id) = Events::new(&gpu).unwrap();
    let signal = Buffer::gtt(&gpu, 4096).unwrap();
    aql::signal(signal.cpu(), events.slot(id), id);
    queue.submit_aql(&aql::barrier(signal.address()));
    woken(&events, id);
    assert_eq!(aql::value(signal.cpu()), 0);
}

fn pm4_event() {
    let gpu = Gpu::acquire().unwrap();
    let queue = Queue::new(&gpu, Kind::Pm4).unwrap();
    let (events, _) = Events::new(&gpu).unwrap();
    let id = events.create(event::event_type::SIGNAL, false).unwrap();
    queue.submit(&pm4::release(events.slot(id), id));
    woken(&events, id);
}

fn sdma_event() {
    let gpu = Gpu::acquire().unwrap();
    let queue = Queue::new(&gpu, Kind::Sdma).unwrap();
    let (events, _) = Events::new(&gpu).unwrap();
    let id = events.create(event::event_type::SIGNAL, false).unwrap();
    queue.submit(&sdma::fence(events.slot(id), id));
    queue.submit(&sdma::trap(id));
    woken(&events, id);
}

/// The GPU's signal arrives, and its slot is free again.
fn woken(events: &Events<'_>, id: u32) {
    let result = events.wait_one(id, 20_000).unwrap();
    assert_eq!(result, event::wait_result::COMPLETE);
    assert_eq!(events.page().cpu().long(id as usize * 8).load(Relaxed), u64::MAX);
}

fn many() {
    let gpu = Gpu::acquire().unwrap();
    let buffer = Buffer::gtt(&gpu, 4096).unwrap();
    let queues: Vec<_> = (0..8)
        .map(|n| Queue::new(&gpu, if n % 2 == 0 { Kind::Pm4 } else { Kind::Sdma }).unwrap())
        .collect();
    for (n, queue) in queues.iter().enumerate() {
        let at = buffer.address() + n as u64 * 8;
        match n % 2 {
            0 => queue.submit(&pm4::write(at, n as u32 + 1)),
            _ => queue.submit(&sdma::fence(at, n as u32 + 1)),
        }
    }
    until(|| (0..8).all(|n| buffer.cpu().word(n * 8).load(Relaxed) == n as u32 + 1));
}

fn exit_without_destroying() {
    let gpu = Gpu::acquire().unwrap();
    for kind in [Kind::Pm4, Kind::Aql, Kind::Sdma] {
        std::mem::forget(Queue::new(&gpu, kind).unwrap());
    }
}

fn unknown_ids() {
    let gpu = Gpu::acquire().unwrap();
    let queue = Queue::new(&gpu, Kind::Sdma).unwrap();
    for queue_id in [queue.id() + 1, 1024, u32::MAX] {
        let update = UpdateQueue {
            queue_id,
            ..queue.update_request()
        };
        refused!(destroy(&gpu, queue_id), EINVAL, "queue_id is");
        refused!(queue.update(update), EFAULT, "queue_id is");
        refused!(set_cu_mask(&gpu, queue_id, 32, &[1]), EFAULT, "queue_id is");
    }
}

fn update_percentage() {
    let gpu = Gpu::acquire().unwrap();
    let buffer = Buffer::gtt(&gpu, 4096).unwrap();
    let seen = || buffer.cpu().word(0).load(Relaxed);
    for kind in [Kind::Pm4, Kind::Sdma] {
        let queue = Queue::new(&gpu, kind).unwrap();
        let put = |value| match kind {
            Kind::Pm4 => queue.submit(&pm4::write(buffer.address(), value)),
            _ => queue.submit(&sdma::fence(buffer.address(), value)),
        };
        put(1);
        until(|| seen() == 1);
        queue.set_percentage(0).unwrap();
        put(2);
        std::thread::sleep(std::time::Duration::from_millis(300));
        assert_eq!(seen(), 1, "a stopped {kind:?} queue ran");
        queue.set_percentage(100).unwrap();
        until(|| seen() == 2);
        put(3);
        until(|| seen() == 3);
    }
}

fn update_without_ring() {
    let gpu = Gpu::acquire().unwrap();
    let buffer = Buffer::gtt(&gpu, 4096).unwrap();
    let queue = Queue::new(&gpu, Kind::Pm4).unwrap();
    let stop = UpdateQueue {
        ring_base_address: 0,
        ..queue.update_request()
    };
    queue.update(stop).unwrap();
    queue.submit(&pm4::write(buffer.address(), 1));
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(buffer.cpu().word(0).load(Relaxed), 0, "a stopped queue ran");
    queue.update(queue.update_request()).unwrap();
    until(|| buffer.cpu().word(0).load(Relaxed) == 1);
}

fn update_bad() {
    let gpu = Gpu::acquire().unwrap();
    let queue = Queue::new(&gpu, Kind::Sdma).unwrap();
    let with = |change: fn(&mut UpdateQueue)| {
        let mut args = queue.update_request();
        change(&mut args);
        queue.update(args)
    };
    refused!(
        with(|args| args.queue_percentage = 101),
        EINVAL,
        "queue_percentage is 0x65"
    );
    refused!(
        with(|args| args.queue_priority = 16),
        EINVAL,
        "queue_priority is 0x10"
    );
    refused!(with(|args| args.ring_size = 5000), EINVAL, "ring_size is 0x1388");
    refused!(with(|args| args.ring_size = 8192), EFAULT, "ring_base_address is");
    refused!(
        with(|args| args.ring_base_address += 1 << 30),
        EFAULT,
        "ring_base_address is"
    );
    refused!(
        with(|args| args.ring_base_address = u64::MAX - 4095),
        EFAULT,
        "ring_base_address is 0xfffffffffffff000"
    );
    // it runs as before
    let buffer = Buffer::gtt(&gpu, 4096).unwrap();
    queue.submit(&sdma::fence(buffer.address(), 1));
    until(|| buffer.cpu().word(0).load(Relaxed) == 1);
}

fn set_cu_mask(gpu: &Gpu, queue_id: u32, num_cu_mask: u32, mask: &[u32]) -> Result<(), Errno> {
    let cu_mask_ptr = mask.as_ptr() as u64;
    let mut args = SetCuMask {
        queue_id,
        num_cu_mask,
        cu_mask_ptr,
    };
    gpu.kfd.call(request::SET_CU_MASK, &mut args)
}

fn cu_mask() {
    let gpu = Gpu::acquire().unwrap();
    let queue = Queue::new(&gpu, Kind::Aql).unwrap();
    set_cu_mask(&gpu, queue.id(), 128, &[0xf, 0, 0, 0]).unwrap();
    set_cu_mask(&gpu, queue.id(), 32, &[1]).unwrap();
    // bits past 1024 are not read
    set_cu_mask(&gpu, queue.id(), 1 << 20, &[u32::MAX; 32]).unwrap();
    let signal = Buffer::gtt(&gpu, 4096).unwrap();
    aql::signal(signal.cpu(), 0, 0);
    queue.submit_aql(&aql::barrier(signal.address()));
    until(|| aql::value(signal.cpu()) == 0);
}

fn cu_mask_bad() {
    let gpu = Gpu::acquire().unwrap();
    let queue = Queue::new(&gpu, Kind::Pm4).unwrap();
    let mask = [u32::MAX; 4];
    refused!(
        set_cu_mask(&gpu, queue.id(), 0, &mask),
        EINVAL,
        "num_cu_mask is 0x0"
    );
    refused!(
        set_cu_mask(&gpu, queue.id(), 31, &mask),
        EINVAL,
        "num_cu_mask is 0x1f"
    );
    refused!(
        set_cu_mask(&gpu, queue.id(), 33, &mask),
        EINVAL,
        "num_cu_mask is 0x21"
    );
    for cu_mask_ptr in [0, 8, u64::MAX - 7] {
        let mut args = SetCuMask {
            queue_id: queue.id(),
            num_cu_mask: 32,
            cu_mask_ptr,
        };
        refused!(
            gpu.kfd.call(request::SET_CU_MASK, &mut args),
            EFAULT,
            "cu_mask_ptr cannot be read"
        );
    }
}

fn memory_is_held() {
    let gpu = Gpu::acquire().unwrap();
    let queue = Queue::new(&gpu, Kind::Pm4).unwrap();
    refused!(
        unmap(&gpu, queue.parts().ring.handle()),
        EBUSY,
        "a queue needs the buffer"
    );
    refused!(
        unmap(&gpu, queue.parts().pointers.handle()),
        EBUSY,
        "a queue needs the buffer"
    );
    let buffer = Buffer::gtt(&gpu, 4096).unwrap();
    queue.submit(&pm4::write(buffer.address(), 1));
    until(|| buffer.cpu().word(0).load(Relaxed) == 1);
}
