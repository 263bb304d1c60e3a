// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bad input of the render node's requests.

use amdgpu_uapi::abi::Abi;
use amdgpu_uapi::drm::gem::{
    create_flags, domain, metadata_op, op, va_flags, va_op, GemCreate, GemCreateIn, GemMetadata, GemMmap,
    GemMmapIn, GemOp, GemVa, GemWaitIdle,
};
use amdgpu_uapi::drm::info::{query, Info, QueryMmrReg};
use amdgpu_uapi::drm::{amdgpu_request as request, base, IOCTL_BASE};
use amdgpu_uapi::ioctl::{self, encode, Dir};
use guest_tests::errno::Errno;
use guest_tests::gpu::Gpu;
use guest_tests::memory::Mapping;
use guest_tests::refusal::check;
use guest_tests::refused;
use guest_tests::runner::Case;

pub(crate) const CASES: &[Case] = &[
    ("render node: unknown requests are refused", unknown),
    ("render node: bad addresses of the argument", addresses),
    ("render node: bad objects are refused", create_bad),
    ("render node: unknown handles are refused", handles),
    ("render node: bad operations are refused", operations),
    ("render node: bad questions are refused", info_bad),
    ("render node: bad mappings are refused", va_bad),
];

/// The requests that the driver has.
const KNOWN: [u32; 7] = [
    request::GEM_CREATE,
    request::GEM_MMAP,
    request::INFO,
    request::GEM_METADATA,
    request::GEM_WAIT_IDLE,
    request::GEM_VA,
    request::GEM_OP,
];

fn unknown() {
    let gpu = Gpu::open().unwrap();
    let numbers = (0..(base::END - base::BASE) as u8).map(|nr| base::BASE as u8 + nr);
    let absent = numbers.filter(|nr| KNOWN.iter().all(|known| ioctl::nr(*known) != *nr));
    let mut argument = [0u64; 8];
    for nr in absent.step_by(5) {
        let cmd = encode(Dir::ReadWrite, IOCTL_BASE, nr, 64);
        let why = format!("request number is {:#x}", nr - base::BASE as u8);
        check(&why, Errno(libc::EINVAL), &why, || {
            gpu.render.call_at(cmd, argument.as_mut_ptr() as usize)
        });
    }
}

fn addresses() {
    let gpu = Gpu::open().unwrap();
    let half = Mapping::anonymous(8192).unwrap();
    half.protect(4096, 4096, libc::PROT_NONE).unwrap();
    for cmd in KNOWN {
        for address in [0, half.address() as usize + 4092, usize::MAX & !4095] {
            let text = format!("request {:#x} at {address:#x}", ioctl::nr(cmd));
            check(&text, Errno(libc::EFAULT), "the argument cannot be", || {
                gpu.render.call_at(cmd, address)
            });
        }
    }
}

fn create(gpu: &Gpu, input: GemCreateIn) -> Result<u32, Errno> {
    let mut argument = GemCreate::zeroed();
    argument.set_input(input);
    gpu.render.call(request::GEM_CREATE, &mut argument)?;
    Ok(argument.output().handle)
}

/// A page in GTT.
const PAGE: GemCreateIn = GemCreateIn {
    bo_size: 4096,
    alignment: 0,
    domains: domain::GTT,
    domain_flags: 0,
};

fn create_bad() {
    let gpu = Gpu::open().unwrap();
    let with = |change: fn(&mut GemCreateIn)| {
        let mut input = PAGE;
        change(&mut input);
        create(&gpu, input)
    };
    refused!(with(|i| i.bo_size = 0), EINVAL, "bo_size is 0x0");
    refused!(with(|i| i.bo_size = u64::MAX), EINVAL, "bo_size: too large");
    refused!(
        with(|i| i.bo_size = 1 << 46),
        ENOMEM,
        "bo_size: there is not so much memory"
    );
    refused!(
        with(|i| i.alignment = 3 << 12),
        EINVAL,
        "alignment: no power of two"
    );
    refused!(with(|i| i.domains = 1 << 7), EINVAL, "domains is 0x80");
    refused!(with(|i| i.domains = domain::DOORBELL), EINVAL, "domains is 0x40");
    refused!(
        with(|i| i.domain_flags = 1 << 63),
        EINVAL,
        "domain_flags is 0x8000000000000000"
    );
    refused!(
        with(|i| i.domain_flags = create_flags::ENCRYPTED),
        EINVAL,
        "domain_flags is 0x400"
    );
    with(|_| ()).unwrap();
}

fn map_offset(gpu: &Gpu, handle: u32) -> Result<(), Errno> {
    let mut argument = GemMmap::zeroed();
    argument.set_input(GemMmapIn { handle, pad: 0 });
    gpu.render.call(request::GEM_MMAP, &mut argument)
}

fn handles() {
    const WHY: &str = "handle: the file has no such buffer object";
    let gpu = Gpu::open().unwrap();
    for handle in [0, 77, u32::MAX] {
        let call = |cmd, mut bytes: Vec<u8>| {
            bytes[..4].copy_from_slice(&handle.to_ne_bytes());
            gpu.render.call_at(cmd, bytes.as_mut_ptr() as usize)
        };
        let va = GemVa {
            operation: va_op::MAP,
            va_address: 1 << 30,
            map_size: 4096,
            ..GemVa::zeroed()
        };
        let unmap = GemVa {
            operation: va_op::UNMAP,
            ..va
        };
        refused!(
            call(request::GEM_MMAP, GemMmap::zeroed().as_bytes().to_vec()),
            ENOENT,
            WHY
        );
        refused!(
            call(request::GEM_WAIT_IDLE, GemWaitIdle::zeroed().as_bytes().to_vec()),
            ENOENT,
            WHY
        );
        refused!(
            call(request::GEM_METADATA, GemMetadata::zeroed().as_bytes().to_vec()),
            ENOENT,
            WHY
        );
        refused!(
            call(request::GEM_OP, GemOp::zeroed().as_bytes().to_vec()),
            ENOENT,
            WHY
        );
        refused!(call(request::GEM_VA, va.as_bytes().to_vec()), ENOENT, WHY);
        refused!(call(request::GEM_VA, unmap.as_bytes().to_vec()), ENOENT, WHY);
    }
    // a handle of another open file
    let other = Gpu::open().unwrap();
    let handle = create(&other, PAGE).unwrap();
    refused!(map_offset(&gpu, handle), ENOENT, WHY);
    map_offset(&other, handle).unwrap();
}

fn operations() {
    let gpu = Gpu::open().unwrap();
    let handle = create(&gpu, PAGE).unwrap();
    let metadata = |op, data_size_bytes| {
        let mut argument = GemMetadata::zeroed();
        (argument.handle, argument.op) = (handle, op);
        argument.data.data_size_bytes = data_size_bytes;
        gpu.render.call(request::GEM_METADATA, &mut argument)
    };
    refused!(metadata(0, 0), EINVAL, "op is 0x0");
    refused!(metadata(77, 0), EINVAL, "op is 0x4d");
    refused!(
        metadata(metadata_op::SET_METADATA, 257),
        EINVAL,
        "data_size_bytes is 0x101"
    );
    refused!(
        metadata(metadata_op::SET_METADATA, u32::MAX),
        EINVAL,
        "data_size_bytes is 0xffffffff"
    );
    metadata(metadata_op::SET_METADATA, 256).unwrap();
    let operation = |op, value| {
        let mut argument = GemOp {
            handle,
            op,
            value,
            ..GemOp::zeroed()
        };
        gpu.render.call(request::GEM_OP, &mut argument)
    };
    refused!(operation(77, 0), EINVAL, "op is 0x4d");
    for value in [0, 4096, u64::MAX - 7] {
        refused!(
            operation(op::GET_GEM_CREATE_INFO, value),
            EFAULT,
            "value: the address cannot be written"
        );
    }
    let hidden = GemCreateIn {
        domain_flags: create_flags::NO_CPU_ACCESS,
        ..PAGE
    };
    let hidden = create(&gpu, hidden).unwrap();
    refused!(map_offset(&gpu, hidden), EPERM, "made without CPU access");
}

fn info_bad() {
    let gpu = Gpu::open().unwrap();
    let mut answer = [0u32; 64];
    let good = Info {
        return_pointer: answer.as_mut_ptr() as u64,
        return_size: 256,
        query: query::DEV_INFO,
        ..Info::zeroed()
    };
    let ask = |mut info: Info| gpu.render.call(request::INFO, &mut info);
    refused!(
        ask(Info {
            return_size: 0,
            ..good
        }),
        EINVAL,
        "return_size is 0x0"
    );
    refused!(
        ask(Info {
            return_pointer: 0,
            ..good
        }),
        EINVAL,
        "return_pointer is 0x0"
    );
    for return_pointer in [4096, u64::MAX - 7] {
        refused!(
            ask(Info {
                return_pointer,
                ..good
            }),
            EFAULT,
            "return_pointer cannot be written"
        );
    }
    for query in [0x7fff, u32::MAX] {
        let why = format!("query is {query:#x}");
        refused!(ask(Info { query, ..good }), EINVAL, &why);
    }
    let register = |dword_offset, count, instance| {
        let mut info = Info {
            query: query::READ_MMR_REG,
            ..good
        };
        info.payload.set_read_mmr_reg(QueryMmrReg {
            dword_offset,
            count,
            instance,
            flags: 0,
        });
        ask(info)
    };
    refused!(register(0x263e, 0, u32::MAX), EINVAL, "count is 0x0");
    refused!(
        register(0x263e, u32::MAX, u32::MAX),
        EINVAL,
        "count is 0xffffffff"
    );
    refused!(register(0x263e, 1, 0), EINVAL, "instance is 0x0");
    refused!(register(0, 1, u32::MAX), EFAULT, "dword_offset is 0x0");
    register(0x263e, 1, u32::MAX).unwrap();
    ask(good).unwrap();
}

fn va_bad() {
    let gpu = Gpu::open().unwrap();
    let handle = create(&gpu, PAGE).unwrap();
    let good = GemVa {
        handle,
        operation: va_op::MAP,
        flags: va_flags::PAGE_READABLE | va_flags::PAGE_WRITEABLE,
        va_address: 1 << 30,
        map_size: 4096,
        ..GemVa::zeroed()
    };
    let call = |mut va: GemVa| gpu.render.call(request::GEM_VA, &mut va);
    let unmap = GemVa {
        operation: va_op::UNMAP,
        ..good
    };
    // the file gets an address space with its first mapping
    call(good).unwrap();
    call(unmap).unwrap();
    refused!(
        call(GemVa {
            flags: 1 << 31,
            ..good
        }),
        EINVAL,
        "flags is 0x80000000"
    );
    refused!(call(GemVa { operation: 0, ..good }), EINVAL, "operation is 0x0");
    refused!(
        call(GemVa {
            operation: 77,
            ..good
        }),
        EINVAL,
        "operation is 0x4d"
    );
    refused!(
        call(GemVa {
            num_syncobj_handles: 1,
            ..good
        }),
        EINVAL,
        "num_syncobj_handles is 0x1"
    );
    refused!(
        call(GemVa {
            vm_timeline_syncobj_out: 1,
            ..good
        }),
        EINVAL,
        "vm_timeline_syncobj_out is 0x1"
    );
    for va_address in [0, 1, (1 << 30) + 8, 1 << 47, u64::MAX - 4095] {
        refused!(call(GemVa { va_address, ..good }), EINVAL, "va_address is");
    }
    for map_size in [0, 100, u64::MAX - 4095] {
        refused!(call(GemVa { map_size, ..good }), EINVAL, "va_address is");
    }
    refused!(
        call(GemVa {
            map_size: 8192,
            ..good
        }),
        EINVAL,
        "beyond the object"
    );
    refused!(
        call(GemVa {
            offset_in_bo: 4096,
            ..good
        }),
        EINVAL,
        "beyond the object"
    );
    refused!(
        call(GemVa {
            offset_in_bo: u64::MAX - 4095,
            ..good
        }),
        EINVAL,
        "beyond the object"
    );
    refused!(call(unmap), ENOENT, "va_address: no mapping");
    call(good).unwrap();
    refused!(call(good), EINVAL, "something is mapped there");
    call(unmap).unwrap();
    refused!(call(unmap), ENOENT, "va_address: no mapping");
}
