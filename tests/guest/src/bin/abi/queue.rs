// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Queues: creation, packets, changes, bad arguments.

use crate::until;
use amdgpu_uapi::abi::Abi;
use amdgpu_uapi::kfd::queue::{CreateQueue, SetCuMask, UpdateQueue, CREATE_QUEUE_SIZE_1_16};
use amdgpu_uapi::kfd::{event, request};
use guest_tests::buffer::{unmap, Buffer};
use guest_tests::errno::Errno;
use guest_tests::event::Events;
use guest_tests::gpu::Gpu;
use guest_tests::queue::{aql, destroy, pm4, sdma, Kind, Parts, Queue, RING};
use guest_tests::refused;
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
    ("queue: not before acquire_vm", create_before_acquire),
    ("queue: sizes of other versions are taken", create_sizes),
    ("queue: bad numbers are refused", create_bad_numbers),
    ("queue: bad addresses are refused", create_bad_addresses),
    (
        "queue: pointers that are not user memory are refused",
        create_kernel_addresses,
    ),
    ("queue: bad save areas are refused", create_bad_save_area),
    ("queue: unknown ids are refused", unknown_ids),
    ("queue: 0 percent stops it, 100 runs it on", update_percentage),
    ("queue: without a ring it stops", update_without_ring),
    ("queue: bad updates are refused", update_bad),
    ("queue: CU masks", cu_mask),
    ("queue: bad CU masks are refused", cu_mask_bad),
    ("queue: its memory cannot be unmapped", memory_is_held),
];

fn create(gpu: &Gpu, mut args: CreateQueue) -> Result<(), Errno> {
    gpu.kfd.call(request::CREATE_QUEUE, &mut args)?;
    destroy(gpu, args.queue_id)
}

fn create_destroy(kind: Kind) {
    let gpu = Gpu::acquire().unwrap();
    for _ in 0..3 {
        let queue = Queue::new(&gpu, kind).unwrap();
        let id = queue.id();
        destroy(&gpu, id).unwrap();
        refused!(destroy(&gpu, id), EINVAL);
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

fn create_before_acquire() {
    let gpu = Gpu::open().unwrap();
    let args = CreateQueue {
        gpu_id: gpu.id(),
        ring_size: 4096,
        ..Default::default()
    };
    refused!(create(&gpu, args), ESRCH);
}

fn create_sizes() {
    let gpu = Gpu::acquire().unwrap();
    let parts = Parts::new(&gpu, Kind::Sdma).unwrap();
    for size in [CREATE_QUEUE_SIZE_1_16, size_of::<CreateQueue>(), 128] {
        let mut args = parts.request();
        let mut bytes = args.as_bytes().to_vec();
        // what the kernel does not know may be anything
        bytes.resize(size, 0xff);
        gpu.kfd.call_sized(0x02, &mut bytes).unwrap();
        args.as_bytes_mut()[..88].copy_from_slice(&bytes[..88]);
        assert_eq!(args.doorbell_offset >> 62, 3);
        destroy(&gpu, args.queue_id).unwrap();
    }
    // so short that the GPU is missing
    let mut short = parts.request().as_bytes()[..32].to_vec();
    refused!(gpu.kfd.call_sized(0x02, &mut short), EINVAL);
    refused!(gpu.kfd.call_sized(0x02, &mut []), EINVAL);
}

fn create_bad_numbers() {
    let gpu = Gpu::acquire().unwrap();
    let parts = Parts::new(&gpu, Kind::Sdma).unwrap();
    let with = |change: fn(&mut CreateQueue)| {
        let mut args = parts.request();
        change(&mut args);
        create(&gpu, args)
    };
    refused!(with(|args| args.queue_percentage = 101), EINVAL);
    refused!(with(|args| args.queue_percentage = 255), EINVAL);
    refused!(with(|args| args.queue_priority = 16), EINVAL);
    refused!(with(|args| args.queue_priority = u32::MAX), EINVAL);
    refused!(with(|args| args.ring_size = 3000), EINVAL);
    refused!(with(|args| args.ring_size = u32::MAX), EINVAL);
    refused!(with(|args| args.ring_size = 8192), EINVAL);
    refused!(with(|args| args.ring_size = 1 << 31), EINVAL);
    refused!(with(|args| args.metadata_ring_size = 3), EINVAL);
    refused!(with(|args| args.gpu_id = 0xdead), EINVAL);
    refused!(with(|args| args.gpu_id = 0), EINVAL);
    assert_eq!(with(|args| args.queue_type = 5), Err(Errno(524)));
    assert_eq!(with(|args| args.queue_type = u32::MAX), Err(Errno(524)));
    let engine = |args: &mut CreateQueue, engine| {
        args.queue_type = 4;
        args.sdma_engine_id = engine;
    };
    let mut args = parts.request();
    engine(&mut args, 5);
    refused!(create(&gpu, args), EINVAL);
    engine(&mut args, u32::MAX);
    refused!(create(&gpu, args), EINVAL);
    // nothing is wrong with the rest, and small rings count as 1024 bytes
    with(|_| ()).unwrap();
    with(|args| args.ring_size = 0).unwrap();
    with(|args| args.queue_priority = 15).unwrap();
    with(|args| args.queue_percentage = 0).unwrap();
}

fn create_bad_addresses() {
    let gpu = Gpu::acquire().unwrap();
    for kind in [Kind::Pm4, Kind::Aql, Kind::Sdma] {
        let parts = Parts::new(&gpu, kind).unwrap();
        let with = |change: fn(&mut CreateQueue)| {
            let mut args = parts.request();
            change(&mut args);
            create(&gpu, args)
        };
        refused!(with(|args| args.ring_base_address += 4), EINVAL);
        refused!(with(|args| args.ring_base_address += 4096), EINVAL);
        refused!(with(|args| args.ring_base_address = 4096), EINVAL);
        refused!(with(|args| args.read_pointer_address = 0), EINVAL);
        refused!(with(|args| args.read_pointer_address += 1 << 24), EINVAL);
        refused!(with(|args| args.write_pointer_address = 0), EINVAL);
        refused!(with(|args| args.write_pointer_address += 1 << 24), EINVAL);
        // odd places inside the page, which a GPU cannot count at
        refused!(with(|args| args.read_pointer_address += 2), EINVAL);
        refused!(with(|args| args.write_pointer_address += 1), EINVAL);
        with(|_| ()).unwrap();
    }
}

fn create_kernel_addresses() {
    const KERNEL: u64 = 0xffff_8880_0000_0000;
    let gpu = Gpu::acquire().unwrap();
    let parts = Parts::new(&gpu, Kind::Pm4).unwrap();
    let with = |change: fn(&mut CreateQueue)| {
        let mut args = parts.request();
        change(&mut args);
        create(&gpu, args)
    };
    refused!(with(|args| args.ring_base_address = KERNEL), EFAULT);
    refused!(with(|args| args.read_pointer_address = KERNEL), EFAULT);
    refused!(with(|args| args.write_pointer_address = u64::MAX), EFAULT);
    refused!(with(|args| args.eop_buffer_address = KERNEL), EFAULT);
    refused!(with(|args| args.ctx_save_restore_address = KERNEL), EFAULT);
}

fn create_bad_save_area() {
    let gpu = Gpu::acquire().unwrap();
    for kind in [Kind::Pm4, Kind::Aql] {
        let parts = Parts::new(&gpu, kind).unwrap();
        let with = |change: fn(&mut CreateQueue)| {
            let mut args = parts.request();
            change(&mut args);
            create(&gpu, args)
        };
        refused!(with(|args| args.ctx_save_restore_size -= 1), EINVAL);
        refused!(with(|args| args.ctx_save_restore_size = 0), EINVAL);
        refused!(with(|args| args.ctx_save_restore_size = u32::MAX), EINVAL);
        refused!(with(|args| args.ctl_stack_size += 4096), EINVAL);
        refused!(with(|args| args.ctl_stack_size = 0), EINVAL);
        refused!(with(|args| args.ctx_save_restore_address = 0), EINVAL);
        refused!(with(|args| args.ctx_save_restore_address += 4096), EINVAL);
        refused!(with(|args| args.eop_buffer_size = 256), EINVAL);
        refused!(with(|args| args.eop_buffer_address += 1 << 30), EINVAL);
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
        refused!(destroy(&gpu, queue_id), EINVAL);
        refused!(queue.update(update), EFAULT);
        refused!(set_cu_mask(&gpu, queue_id, 32, &[1]), EFAULT);
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
    refused!(with(|args| args.queue_percentage = 101), EINVAL);
    refused!(with(|args| args.queue_priority = 16), EINVAL);
    refused!(with(|args| args.ring_size = 5000), EINVAL);
    refused!(with(|args| args.ring_size = 8192), EFAULT);
    refused!(with(|args| args.ring_base_address += 1 << 30), EFAULT);
    refused!(with(|args| args.ring_base_address = u64::MAX - 4095), EFAULT);
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
    refused!(set_cu_mask(&gpu, queue.id(), 0, &mask), EINVAL);
    refused!(set_cu_mask(&gpu, queue.id(), 31, &mask), EINVAL);
    refused!(set_cu_mask(&gpu, queue.id(), 33, &mask), EINVAL);
    for cu_mask_ptr in [0, 8, u64::MAX - 7] {
        let mut args = SetCuMask {
            queue_id: queue.id(),
            num_cu_mask: 32,
            cu_mask_ptr,
        };
        refused!(gpu.kfd.call(request::SET_CU_MASK, &mut args), EFAULT);
    }
}

fn memory_is_held() {
    let gpu = Gpu::acquire().unwrap();
    let queue = Queue::new(&gpu, Kind::Pm4).unwrap();
    refused!(unmap(&gpu, queue.parts().ring.handle()), EBUSY);
    refused!(unmap(&gpu, queue.parts().pointers.handle()), EBUSY);
    let buffer = Buffer::gtt(&gpu, 4096).unwrap();
    queue.submit(&pm4::write(buffer.address(), 1));
    until(|| buffer.cpu().word(0).load(Relaxed) == 1);
}
