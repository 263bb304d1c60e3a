// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Queues that cannot be created.

use amdgpu_uapi::abi::Abi;
use amdgpu_uapi::kfd::queue::{CreateQueue, CREATE_QUEUE_SIZE_1_16};
use amdgpu_uapi::kfd::request;
use guest_tests::errno::Errno;
use guest_tests::gpu::Gpu;
use guest_tests::queue::{destroy, Kind, Parts};
use guest_tests::refusal::check;
use guest_tests::refused;
use guest_tests::runner::Case;

pub(crate) const CASES: &[Case] = &[
    ("queue: not before acquire_vm", create_before_acquire),
    ("queue: sizes of other versions are taken", create_sizes),
    ("queue: bad numbers are refused", create_bad_numbers),
    ("queue: bad addresses are refused", create_bad_addresses),
    (
        "queue: pointers that are not user memory are refused",
        create_kernel_addresses,
    ),
    ("queue: bad save areas are refused", create_bad_save_area),
];

fn create(gpu: &Gpu, mut args: CreateQueue) -> Result<(), Errno> {
    gpu.kfd.call(request::CREATE_QUEUE, &mut args)?;
    destroy(gpu, args.queue_id)
}

fn create_before_acquire() {
    let gpu = Gpu::open().unwrap();
    let args = CreateQueue {
        gpu_id: gpu.id(),
        ring_size: 4096,
        ..Default::default()
    };
    refused!(create(&gpu, args), ESRCH, "GPU after ACQUIRE_VM");
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
    refused!(gpu.kfd.call_sized(0x02, &mut short), EINVAL, "gpu_id is 0x0");
    refused!(gpu.kfd.call_sized(0x02, &mut []), EINVAL, "gpu_id is 0x0");
}

fn create_bad_numbers() {
    let gpu = Gpu::acquire().unwrap();
    let parts = Parts::new(&gpu, Kind::Sdma).unwrap();
    let with = |change: fn(&mut CreateQueue)| {
        let mut args = parts.request();
        change(&mut args);
        create(&gpu, args)
    };
    refused!(
        with(|args| args.queue_percentage = 101),
        EINVAL,
        "queue_percentage is 0x65"
    );
    refused!(
        with(|args| args.queue_percentage = 255),
        EINVAL,
        "queue_percentage is 0xff"
    );
    refused!(
        with(|args| args.queue_priority = 16),
        EINVAL,
        "queue_priority is 0x10"
    );
    refused!(
        with(|args| args.queue_priority = u32::MAX),
        EINVAL,
        "queue_priority is 0xffffffff"
    );
    refused!(with(|args| args.ring_size = 3000), EINVAL, "ring_size is 0xbb8");
    refused!(
        with(|args| args.ring_size = u32::MAX),
        EINVAL,
        "ring_size is 0xffffffff"
    );
    refused!(with(|args| args.ring_size = 8192), EINVAL, "ring_base_address is");
    refused!(
        with(|args| args.ring_size = 1 << 31),
        EINVAL,
        "ring_base_address is"
    );
    refused!(
        with(|args| args.metadata_ring_size = 3),
        EINVAL,
        "metadata_ring_size is 0x3"
    );
    refused!(with(|args| args.gpu_id = 0xdead), EINVAL, "gpu_id is 0xdead");
    refused!(with(|args| args.gpu_id = 0), EINVAL, "gpu_id is 0x0");
    for queue_type in [5, u32::MAX] {
        let args = CreateQueue {
            queue_type,
            ..parts.request()
        };
        let why = format!("queue_type is {queue_type:#x}");
        check("CREATE_QUEUE", Errno(524), &why, || create(&gpu, args));
    }
    let engine = |args: &mut CreateQueue, engine| {
        args.queue_type = 4;
        args.sdma_engine_id = engine;
    };
    let mut args = parts.request();
    engine(&mut args, 5);
    refused!(create(&gpu, args), EINVAL, "sdma_engine_id is 0x5");
    engine(&mut args, u32::MAX);
    refused!(create(&gpu, args), EINVAL, "sdma_engine_id is 0xffffffff");
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
        refused!(
            with(|args| args.ring_base_address += 4),
            EINVAL,
            "ring_base_address is"
        );
        refused!(
            with(|args| args.ring_base_address += 4096),
            EINVAL,
            "ring_base_address is"
        );
        refused!(
            with(|args| args.ring_base_address = 4096),
            EINVAL,
            "ring_base_address is 0x1000"
        );
        refused!(
            with(|args| args.read_pointer_address = 0),
            EINVAL,
            "read_pointer_address is 0x0"
        );
        refused!(
            with(|args| args.read_pointer_address += 1 << 24),
            EINVAL,
            "read_pointer_address is"
        );
        refused!(
            with(|args| args.write_pointer_address = 0),
            EINVAL,
            "write_pointer_address is 0x0"
        );
        refused!(
            with(|args| args.write_pointer_address += 1 << 24),
            EINVAL,
            "write_pointer_address is"
        );
        // odd places inside the page, which a GPU cannot count at
        refused!(
            with(|args| args.read_pointer_address += 2),
            EINVAL,
            "read_pointer_address is"
        );
        refused!(
            with(|args| args.write_pointer_address += 1),
            EINVAL,
            "write_pointer_address is"
        );
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
    refused!(
        with(|args| args.ring_base_address = KERNEL),
        EFAULT,
        "ring_base_address is 0xffff888000000000"
    );
    refused!(
        with(|args| args.read_pointer_address = KERNEL),
        EFAULT,
        "read_pointer_address is"
    );
    refused!(
        with(|args| args.write_pointer_address = u64::MAX),
        EFAULT,
        "write_pointer_address is 0xffffffffffffffff"
    );
    refused!(
        with(|args| args.eop_buffer_address = KERNEL),
        EFAULT,
        "eop_buffer_address is"
    );
    refused!(
        with(|args| args.ctx_save_restore_address = KERNEL),
        EFAULT,
        "ctx_save_restore_address is"
    );
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
        refused!(
            with(|args| args.ctx_save_restore_size -= 1),
            EINVAL,
            "ctx_save_restore_size is"
        );
        refused!(
            with(|args| args.ctx_save_restore_size = 0),
            EINVAL,
            "ctx_save_restore_size is 0x0"
        );
        refused!(
            with(|args| args.ctx_save_restore_size = u32::MAX),
            EINVAL,
            "ctx_save_restore_address is"
        );
        refused!(
            with(|args| args.ctl_stack_size += 4096),
            EINVAL,
            "ctl_stack_size is"
        );
        refused!(
            with(|args| args.ctl_stack_size = 0),
            EINVAL,
            "ctl_stack_size is 0x0"
        );
        refused!(
            with(|args| args.ctx_save_restore_address = 0),
            EINVAL,
            "ctx_save_restore_address is 0x0"
        );
        refused!(
            with(|args| args.ctx_save_restore_address += 4096),
            EINVAL,
            "ctx_save_restore_address is"
        );
        refused!(
            with(|args| args.eop_buffer_size = 256),
            EINVAL,
            "eop_buffer_size is 0x100"
        );
        refused!(
            with(|args| args.eop_buffer_address += 1 << 30),
            EINVAL,
            "eop_buffer_address is"
        );
    }
}
