// SPDX-License-Identifier: GPL-2.0
//! The INFO ioctl: what libdrm asks at the start of every process, and what management tools ask about memory.

use super::{Amdgpu, File, Guard};
use crate::{
    glue::{self, user},
    gpu::{
        cards,
        failure::{Explain, Failure},
        mem::Domain,
    },
};
use amdgpu_logic::{
    kfd::{Errno, Expected, Refusal},
    pagetable::{PAGE, VA_END, VA_START},
    smu::Clock,
};
use amdgpu_uapi::{
    abi::Abi,
    drm::info::{family, query, vram_type, HeapInfo, Info, InfoDevice, InfoVramGtt, MemoryInfo, QueryMmrReg},
};
use kernel::prelude::*;

/// Dword offset of GB_ADDR_CONFIG, the one register that libdrm reads (gc_9_4_2_offset.h: regGB_ADDR_CONFIG).
const GB_ADDR_CONFIG: u32 = 0x263e;

/// All shader engines and arrays, in [`QueryMmrReg::instance`].
const EVERYWHERE: u32 = 0xffff_ffff;

/// External revision of the first Aldebaran (kernel amdgpu/soc15.c: soc15_common_early_init).
const FIRST_EXTERNAL_REVISION: u32 = 0x3c;

/// Ticks of the GPU's clock in a millisecond.
const CLOCK_KHZ: u32 = 100_000;

/// Bytes that a PTE fragment covers: the block of a page directory entry.
const FRAGMENT: u32 = 2 << 20;

/// The handler.
pub(super) struct Query;

impl glue::drm::Handler<Amdgpu> for Query {
    const NAME: &'static CStr = c"AMDGPU_INFO";
    type Argument = Info;

    /// `EINVAL` for a question without an answer or a place for it, `EFAULT` for a bad place or register.
    fn run(gpu: &Guard<'_>, _file: &File, info: &mut Info) -> Result<(), Failure> {
        for (field, value) in [
            ("return_size", u64::from(info.return_size)),
            ("return_pointer", info.return_pointer),
        ] {
            if value == 0 {
                return Err(Refusal::invalid(field, 0, "not 0").into());
            }
        }
        match info.query {
            // probing has finished, so the engines run
            query::ACCEL_WORKING => answer(info, &1u32),
            query::DEV_INFO => answer(info, &device(gpu)?),
            query::READ_MMR_REG => answer(info, &register(gpu, info.payload.read_mmr_reg())?),
            query::TIMESTAMP => answer(info, &gpu.gfx().clock()),
            query::VRAM_GTT => answer(info, &sizes(gpu)),
            query::MEMORY => answer(info, &memory(gpu)),
            // all of VRAM is visible
            query::VRAM_USAGE | query::VIS_VRAM_USAGE => answer(info, &gpu.memory().usage(Domain::Vram).used),
            query::GTT_USAGE => answer(info, &gpu.memory().usage(Domain::Gtt).used),
            other => Err(Refusal::invalid("query", other.into(), "a query for compute").into()),
        }
    }
}

/// Copies an answer to where the caller wants it, as much as there is room for.
fn answer<T: Abi>(info: &Info, value: &T) -> Result<(), Failure> {
    let bytes = value.as_bytes();
    let len = bytes.len().min(info.return_size as usize);
    user::write(info.return_pointer, bytes.get(..len).ok_or(EINVAL)?)
        .explain("return_pointer cannot be written")
}

fn device(gpu: &Guard<'_>) -> Result<InfoDevice> {
    let shape = gpu.gfx().shape();
    let units = gpu.gfx().compute_units();
    let card = cards::of_device(gpu.pci().device);
    let revision = u32::from(gpu.nbio().revision(gpu.bars()));
    let mut info = InfoDevice {
        device_id: gpu.pci().device.into(),
        chip_rev: revision,
        external_rev: revision.saturating_add(FIRST_EXTERNAL_REVISION),
        pci_rev: gpu.pci().revision.into(),
        family: family::AI,
        num_shader_engines: shape.shader_engines.into(),
        num_shader_arrays_per_engine: 1,
        gpu_counter_freq: CLOCK_KHZ,
        max_engine_clock: khz(gpu.smu().max_mhz(Clock::Gfx)),
        max_memory_clock: khz(gpu.smu().max_mhz(Clock::Memory)),
        cu_active_number: units.iter().map(|u| u.count_ones()).sum(),
        virtual_address_offset: VA_START,
        virtual_address_max: VA_END,
        virtual_address_alignment: PAGE as u32,
        pte_fragment_size: FRAGMENT,
        gart_page_size: PAGE as u32,
        vram_type: vram_type::HBM,
        vram_bit_width: card.memory_width,
        wave_front_size: 64,
        num_shader_visible_vgprs: 256,
        num_cu_per_sh: shape.cus_per_engine.into(),
        ..InfoDevice::default()
    };
    // engines 4 and up are where the second array of the first four would be (amdgpu_gfx.h: amdgpu_cu_info)
    for (engine, units) in units.iter().enumerate() {
        let place = info
            .cu_bitmap
            .get_mut(engine % 4)
            .and_then(|row| row.get_mut(engine / 4));
        *place.ok_or(EINVAL)? = (*units).into();
    }
    Ok(info)
}

fn khz(mhz: u32) -> u64 {
    u64::from(mhz).saturating_mul(1000)
}

/// The C driver, too, lets userspace read only registers from a list: here, of one.
fn register(gpu: &Guard<'_>, which: QueryMmrReg) -> Result<u32, Failure> {
    if which.count != 1 {
        return Err(Refusal::range("count", which.count.into(), Expected::Exactly(1)).into());
    }
    if which.instance != EVERYWHERE {
        let everywhere = Expected::Exactly(EVERYWHERE.into());
        return Err(Refusal::range("instance", which.instance.into(), everywhere).into());
    }
    match which.dword_offset {
        GB_ADDR_CONFIG => Ok(gpu.gfx().address_config()),
        other => {
            let only = Expected::Exactly(GB_ADDR_CONFIG.into());
            Err(Refusal::range("dword_offset", other.into(), only)
                .with(Errno::Fault)
                .into())
        }
    }
}

fn sizes(gpu: &Guard<'_>) -> InfoVramGtt {
    let vram = gpu.memory().usage(Domain::Vram).size;
    InfoVramGtt {
        vram_size: vram,
        vram_cpu_accessible_size: vram,
        gtt_size: gpu.memory().usage(Domain::Gtt).size,
    }
}

fn memory(gpu: &Guard<'_>) -> MemoryInfo {
    let heap = |domain| {
        let usage = gpu.memory().usage(domain);
        HeapInfo {
            total_heap_size: usage.size,
            usable_heap_size: usage.size,
            heap_usage: usage.used,
            max_allocation: usage.size,
        }
    };
    MemoryInfo {
        vram: heap(Domain::Vram),
        cpu_accessible_vram: heap(Domain::Vram),
        gtt: heap(Domain::Gtt),
    }
}
