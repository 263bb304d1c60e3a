// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a process asks or sets once per GPU.

use amdgpu_uapi::kfd::memory::GetAvailableMemory;
use amdgpu_uapi::kfd::process::{
    GetProcessApertures, GetProcessAperturesNew, GetTileConfig, ProcessDeviceApertures, SetMemoryPolicy,
    SetScratchBackingVa, SetTrapHandler, SetXnackMode,
};
use amdgpu_uapi::kfd::request;
use guest_tests::buffer::Buffer;
use guest_tests::errno::Errno;
use guest_tests::gpu::Gpu;
use guest_tests::queue::{Kind, Queue};
use guest_tests::record::recording;
use guest_tests::refused;
use guest_tests::runner::Case;

pub(crate) const CASES: &[Case] = &[
    ("apertures: both requests agree", apertures),
    ("apertures: bad arguments are refused", apertures_bad),
    ("memory policy", memory_policy),
    ("scratch", scratch),
    ("trap handler", trap_handler),
    ("tile config", tile_config),
    ("xnack mode", xnack),
    ("xnack mode: not while there are queues", xnack_with_queues),
    ("available memory shrinks and grows", available),
    ("available memory of an unknown GPU", available_bad),
];

fn new_apertures(gpu: &Gpu, address: u64, num_of_nodes: u32) -> Result<u32, Errno> {
    let mut args = GetProcessAperturesNew {
        kfd_process_device_apertures_ptr: address,
        num_of_nodes,
        pad: 0,
    };
    gpu.kfd.call(request::GET_PROCESS_APERTURES_NEW, &mut args)?;
    Ok(args.num_of_nodes)
}

fn apertures() {
    let gpu = Gpu::open().unwrap();
    assert_eq!(new_apertures(&gpu, 0, 0), Ok(1));
    let mut entries = [ProcessDeviceApertures::default(); 2];
    // nodes are counted with the CPU's
    assert_eq!(new_apertures(&gpu, entries.as_mut_ptr() as u64, 2), Ok(1));
    let mut old = GetProcessApertures::default();
    gpu.kfd.call(request::GET_PROCESS_APERTURES, &mut old).unwrap();
    assert_eq!(old.num_of_nodes, 1);
    assert_eq!(old.process_apertures[0], entries[0]);
    assert_eq!(entries[1], ProcessDeviceApertures::default());
    let one = entries[0];
    assert_eq!(one.gpu_id, gpu.id());
    assert!(one.lds_base < one.lds_limit && one.scratch_base < one.scratch_limit);
    assert!(one.gpuvm_base < one.gpuvm_limit);
}

fn apertures_bad() {
    let gpu = Gpu::open().unwrap();
    let mut entries = [ProcessDeviceApertures::default(); 2];
    let address = entries.as_mut_ptr() as u64;
    refused!(new_apertures(&gpu, address, 3), EINVAL, "num_of_nodes is 0x3");
    refused!(
        new_apertures(&gpu, address, u32::MAX),
        EINVAL,
        "num_of_nodes is 0xffffffff"
    );
    refused!(
        new_apertures(&gpu, 0, 1),
        EFAULT,
        "kfd_process_device_apertures_ptr cannot be written"
    );
    refused!(
        new_apertures(&gpu, u64::MAX - 7, 1),
        EFAULT,
        "kfd_process_device_apertures_ptr cannot be written"
    );
}

fn memory_policy() {
    let call = |gpu: &Gpu, gpu_id, default_policy, alternate_policy| {
        let mut args = SetMemoryPolicy {
            gpu_id,
            default_policy,
            alternate_policy,
            ..Default::default()
        };
        gpu.kfd.call(request::SET_MEMORY_POLICY, &mut args)
    };
    refused!(
        call(&Gpu::open().unwrap(), Gpu::open().unwrap().id(), 0, 0),
        ESRCH,
        "GPU after ACQUIRE_VM"
    );
    let gpu = Gpu::acquire().unwrap();
    refused!(call(&gpu, gpu.id(), 2, 0), EINVAL, "default_policy is 0x2");
    refused!(
        call(&gpu, gpu.id(), 0, u32::MAX),
        EINVAL,
        "alternate_policy is 0xffffffff"
    );
    refused!(call(&gpu, 0xdead, 0, 0), EINVAL, "gpu_id is 0xdead");
    call(&gpu, gpu.id(), 0, 1).unwrap();
}

fn scratch() {
    let call = |gpu: &Gpu, gpu_id| {
        let mut args = SetScratchBackingVa {
            va_addr: 0x1_0000,
            gpu_id,
            pad: 0,
        };
        gpu.kfd.call(request::SET_SCRATCH_BACKING_VA, &mut args)
    };
    let gpu = Gpu::open().unwrap();
    refused!(call(&gpu, gpu.id()), ENODEV, "GPU after ACQUIRE_VM");
    let gpu = Gpu::acquire().unwrap();
    refused!(call(&gpu, 0xdead), EINVAL, "gpu_id is 0xdead");
    call(&gpu, gpu.id()).unwrap();
}

fn trap_handler() {
    let call = |gpu: &Gpu, gpu_id, tba_addr, tma_addr| {
        let mut args = SetTrapHandler {
            tba_addr,
            tma_addr,
            gpu_id,
            pad: 0,
        };
        gpu.kfd.call(request::SET_TRAP_HANDLER, &mut args)
    };
    let gpu = Gpu::open().unwrap();
    refused!(call(&gpu, gpu.id(), 0, 0), ESRCH, "GPU after ACQUIRE_VM");
    let gpu = Gpu::acquire().unwrap();
    let code = Buffer::vram(&gpu, 8192).unwrap();
    refused!(
        call(&gpu, 0xdead, code.address(), code.address()),
        EINVAL,
        "gpu_id is 0xdead"
    );
    call(&gpu, gpu.id(), code.address(), code.address() + 4096).unwrap();
    call(&gpu, gpu.id(), 0, 0).unwrap();
}

fn tile_config() {
    let gpu = Gpu::open().unwrap();
    let mut args = GetTileConfig {
        gpu_id: 0xdead,
        ..Default::default()
    };
    refused!(
        gpu.kfd.call(request::GET_TILE_CONFIG, &mut args),
        EINVAL,
        "gpu_id is 0xdead"
    );
    let (mut tiles, mut macros) = ([u32::MAX; 32], [u32::MAX; 16]);
    let mut args = GetTileConfig {
        gpu_id: gpu.id(),
        tile_config_ptr: tiles.as_mut_ptr() as u64,
        macro_tile_config_ptr: macros.as_mut_ptr() as u64,
        num_tile_configs: 32,
        num_macro_tile_configs: 16,
        ..Default::default()
    };
    gpu.kfd.call(request::GET_TILE_CONFIG, &mut args).unwrap();
    assert_ne!(args.gb_addr_config, 0);
    assert!(args.num_tile_configs <= 32 && args.num_macro_tile_configs <= 16);
}

fn set_xnack(gpu: &Gpu, xnack_enabled: i32) -> Result<i32, Errno> {
    let mut args = SetXnackMode { xnack_enabled };
    gpu.kfd.call(request::SET_XNACK_MODE, &mut args)?;
    Ok(args.xnack_enabled)
}

fn xnack() {
    let gpu = Gpu::acquire().unwrap();
    assert_eq!(set_xnack(&gpu, -1), Ok(0));
    assert_eq!(set_xnack(&gpu, i32::MIN), Ok(0));
    assert_eq!(set_xnack(&gpu, 0), Ok(0));
    refused!(set_xnack(&gpu, 1), EPERM, "xnack_enabled is 0x1");
    // another driver may have switched it on
    let mode = set_xnack(&gpu, -1);
    assert!(mode == Ok(0) || recording(), "{mode:?}");
}

fn xnack_with_queues() {
    let gpu = Gpu::acquire().unwrap();
    let _queue = Queue::new(&gpu, Kind::Sdma).unwrap();
    refused!(set_xnack(&gpu, 0), EBUSY, "cannot change while there are queues");
    refused!(set_xnack(&gpu, 1), EBUSY, "cannot change while there are queues");
    assert_eq!(set_xnack(&gpu, -1), Ok(0));
}

fn free_memory(gpu: &Gpu, gpu_id: u32) -> Result<u64, Errno> {
    let mut args = GetAvailableMemory {
        available: 0,
        gpu_id,
        pad: 0,
    };
    gpu.kfd.call(request::AVAILABLE_MEMORY, &mut args)?;
    Ok(args.available)
}

fn available() {
    const LEN: u64 = 64 << 20;
    const SLACK: u64 = 4 << 20;
    let gpu = Gpu::acquire().unwrap();
    let free = || free_memory(&gpu, gpu.id()).unwrap();
    let before = free();
    assert_eq!(before % (2 << 20), 0);
    let buffer = Buffer::vram(&gpu, LEN as usize).unwrap();
    let with = free();
    assert!(
        (LEN..=LEN + SLACK).contains(&(before - with)),
        "{before} -> {with}"
    );
    drop(buffer);
    assert!(free() + SLACK >= before);
}

fn available_bad() {
    let gpu = Gpu::open().unwrap();
    refused!(free_memory(&gpu, 0xdead), EINVAL, "gpu_id is 0xdead");
    refused!(free_memory(&gpu, 0), EINVAL, "gpu_id is 0x0");
}
