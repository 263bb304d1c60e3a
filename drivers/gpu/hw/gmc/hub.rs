// SPDX-License-Identifier: GPL-2.0
//! What is done alike in both hubs.

use super::regs::*;
use super::SetUp;
use crate::glue::mmio::Registers;
use crate::gpu::hw::RegisterIo;
use amdgpu_logic::bits::{hi, lo};
use amdgpu_logic::iv::FaultStatus;
use amdgpu_logic::pm4::{FlushType, RegOffset};
use kernel::{
    io::register::{Register, RegisterBase, RelativeRegisterArray, RelativeRegisterArrayLoc, WithBase},
    prelude::*,
};

/// Invalidation engine of the CPU. Engines below are for the rings that can flush by themselves.
const CPU_ENGINE: usize = 17;

/// Element `index` of the register array `T` of hub `H`.
fn at<H: RegisterBase<HubBase>, T>(index: usize) -> Result<RelativeRegisterArrayLoc<T, H>>
where
    T: RelativeRegisterArray + WithBase<BaseFamily = HubBase>,
{
    T::of::<H>().try_at(index).ok_or(EINVAL)
}

/// Programs the whole hub and enables it.
pub(super) fn set_up<H: RegisterBase<HubBase>>(r: &Registers, s: &SetUp) -> Result {
    system_aperture::<H>(r, s)?;
    caches::<H>(r);
    faults::<H>(r);
    kernel_context::<H>(r, s)?;
    no_identity_aperture::<H>(r);
    for vmid in 1..16 {
        process_context::<H>(r, vmid)?;
    }
    for engine in 0..18 {
        // all pages of all address spaces
        r.write(
            at::<H, _>(engine)?,
            VM_INVALIDATE_ENG0_ADDR_RANGE_LO32::from(u32::MAX),
        );
        r.write(
            at::<H, _>(engine)?,
            VM_INVALIDATE_ENG0_ADDR_RANGE_HI32::from(0x1f),
        );
    }
    Ok(())
}

/// Disables all contexts and caches: nothing is translated any more.
pub(super) fn tear_down<H: RegisterBase<HubBase>>(r: &Registers) -> Result {
    for vmid in 0..16 {
        r.write(at::<H, _>(vmid)?, VM_CONTEXT0_CNTL::zeroed());
    }
    r.update(MC_VM_MX_L1_TLB_CNTL::of::<H>(), |v| {
        v.with_enable_l1_tlb(false)
            .with_enable_advanced_driver_model(false)
    });
    r.update(VM_L2_CNTL::of::<H>(), |v| v.with_enable_l2_cache(false));
    r.write(VM_L2_CNTL3::of::<H>(), VM_L2_CNTL3::zeroed());
    Ok(())
}

/// Where VMID 0 sees memory without translation: VRAM, and nothing else.
fn system_aperture<H: RegisterBase<HubBase>>(r: &Registers, s: &SetUp) -> Result {
    r.write(MC_VM_AGP_BASE::of::<H>(), MC_VM_AGP_BASE::zeroed());
    r.write(MC_VM_AGP_BOT::of::<H>(), MC_VM_AGP_BOT::from(0x00ff_ffff));
    r.write(MC_VM_AGP_TOP::of::<H>(), MC_VM_AGP_TOP::zeroed());

    let last = s.layout.vram.end.checked_sub(1).ok_or(EINVAL)?;
    let low =
        MC_VM_SYSTEM_APERTURE_LOW_ADDR::zeroed().try_with_logical_addr(lo(s.layout.vram.start >> 18))?;
    let high = MC_VM_SYSTEM_APERTURE_HIGH_ADDR::zeroed().try_with_logical_addr(lo(last >> 18))?;
    r.write(MC_VM_SYSTEM_APERTURE_LOW_ADDR::of::<H>(), low);
    r.write(MC_VM_SYSTEM_APERTURE_HIGH_ADDR::of::<H>(), high);

    let page = s.default_page;
    let msb =
        MC_VM_SYSTEM_APERTURE_DEFAULT_ADDR_MSB::zeroed().try_with_physical_page_number_msb(lo(page >> 44))?;
    r.write(
        MC_VM_SYSTEM_APERTURE_DEFAULT_ADDR_LSB::of::<H>(),
        MC_VM_SYSTEM_APERTURE_DEFAULT_ADDR_LSB::from(lo(page >> 12)),
    );
    r.write(MC_VM_SYSTEM_APERTURE_DEFAULT_ADDR_MSB::of::<H>(), msb);

    let page = s.fault_page;
    let hi4 =
        VM_L2_PROTECTION_FAULT_DEFAULT_ADDR_HI32::zeroed().try_with_physical_page_addr_hi4(lo(page >> 44))?;
    r.write(
        VM_L2_PROTECTION_FAULT_DEFAULT_ADDR_LO32::of::<H>(),
        VM_L2_PROTECTION_FAULT_DEFAULT_ADDR_LO32::from(lo(page >> 12)),
    );
    r.write(VM_L2_PROTECTION_FAULT_DEFAULT_ADDR_HI32::of::<H>(), hi4);
    r.update(VM_L2_PROTECTION_FAULT_CNTL2::of::<H>(), |v| {
        v.with_active_page_migration_pte_read_retry(true)
    });
    Ok(())
}

/// The clients' translation caches and the hub's.
fn caches<H: RegisterBase<HubBase>>(r: &Registers) {
    r.update(MC_VM_MX_L1_TLB_CNTL::of::<H>(), |v| {
        v.with_enable_l1_tlb(true)
            .with_const_system_access_mode::<3>()
            .with_enable_advanced_driver_model(true)
            .with_system_aperture_unmapped_access(false)
            .with_const_mtype::<3>()
            .with_atc_en(true)
    });
    r.update(VM_L2_CNTL::of::<H>(), |v| {
        v.with_enable_l2_cache(true)
            .with_enable_l2_fragment_processing(true)
            .with_l2_pde0_cache_tag_generation_mode(false)
            .with_pde_fault_classification(false)
            .with_const_context1_identity_access_mode::<1>()
            .with_const_identity_mode_fragment_size::<0>()
    });
    r.update(VM_L2_CNTL2::of::<H>(), |v| {
        v.with_invalidate_all_l1_tlbs(true).with_invalidate_l2_cache(true)
    });
    // the power-on value, but for tables that translate further: 2 MiB (512 pages) and up count as big
    r.write(
        VM_L2_CNTL3::of::<H>(),
        VM_L2_CNTL3::from(0x8010_0007)
            .with_const_bank_select::<12>()
            .with_const_l2_cache_bigk_fragment_size::<9>(),
    );
    // page tables are read by VMID 0 addresses, not physical ones
    r.write(
        VM_L2_CNTL4::of::<H>(),
        VM_L2_CNTL4::from(0xc1)
            .with_vmc_tap_pde_request_physical(false)
            .with_vmc_tap_pte_request_physical(false),
    );
}

/// Accesses that cannot be translated read and write a page that means nothing, and the hub goes on.
fn faults<H: RegisterBase<HubBase>>(r: &Registers) {
    r.update(VM_L2_PROTECTION_FAULT_CNTL::of::<H>(), |v| {
        v.with_range_protection_fault_enable_default(true)
            .with_pde0_protection_fault_enable_default(true)
            .with_pde1_protection_fault_enable_default(true)
            .with_pde2_protection_fault_enable_default(true)
            .with_translate_further_protection_fault_enable_default(true)
            .with_nack_protection_fault_enable_default(true)
            .with_dummy_page_protection_fault_enable_default(true)
            .with_valid_protection_fault_enable_default(true)
            .with_read_protection_fault_enable_default(true)
            .with_write_protection_fault_enable_default(true)
            .with_execute_protection_fault_enable_default(true)
            .with_crash_on_no_retry_fault(false)
            .with_crash_on_retry_fault(false)
    });
}

/// VMID 0: one flat table over the GART range.
fn kernel_context<H: RegisterBase<HubBase>>(r: &Registers, s: &SetUp) -> Result {
    let root = s.gart_table | 1; // valid
    r.write(
        at::<H, _>(0)?,
        VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32::from(lo(root)),
    );
    r.write(
        at::<H, _>(0)?,
        VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_HI32::from(hi(root)),
    );
    let last = s.layout.gart.end.checked_sub(1).ok_or(EINVAL)?;
    covered_pages::<H>(r, 0, s.layout.gart.start >> 12, last >> 12)?;
    let context = at::<H, VM_CONTEXT0_CNTL>(0)?;
    r.update(context, |v| {
        interrupts(v)
            .with_enable_context(true)
            .with_const_page_table_depth::<0>()
            .with_const_page_table_block_size::<0>()
            .with_retry_permission_or_invalid_page_fault(false)
    });
    Ok(())
}

/// Other VMIDs: 48 bits of addresses under four levels of tables, of which the hardware is told three: entries
/// of the third are leaves of 2 MiB unless they say "translate further" (gmc_v9_0.c: translate_further). The
/// scheduler sets the root when it gives the VMID to a process.
fn process_context<H: RegisterBase<HubBase>>(r: &Registers, vmid: usize) -> Result {
    let context = at::<H, VM_CONTEXT0_CNTL>(vmid)?;
    r.update(context, |v| {
        interrupts(v)
            .with_enable_context(true)
            .with_const_page_table_depth::<2>()
            .with_const_page_table_block_size::<9>()
            .with_range_protection_fault_enable_default(true)
            .with_dummy_page_protection_fault_enable_default(true)
            .with_pde0_protection_fault_enable_default(true)
            .with_valid_protection_fault_enable_default(true)
            .with_read_protection_fault_enable_default(true)
            .with_write_protection_fault_enable_default(true)
            .with_execute_protection_fault_enable_default(true)
            // whether a wave really retries is decided per process, in SH_MEM_CONFIG
            .with_retry_permission_or_invalid_page_fault(true)
    });
    covered_pages::<H>(r, vmid, 0, (1 << 36) - 1)
}

/// Every kind of fault is reported.
fn interrupts(v: VM_CONTEXT0_CNTL) -> VM_CONTEXT0_CNTL {
    v.with_range_protection_fault_enable_interrupt(true)
        .with_dummy_page_protection_fault_enable_interrupt(true)
        .with_pde0_protection_fault_enable_interrupt(true)
        .with_valid_protection_fault_enable_interrupt(true)
        .with_read_protection_fault_enable_interrupt(true)
        .with_write_protection_fault_enable_interrupt(true)
        .with_execute_protection_fault_enable_interrupt(true)
}

/// Pages that the tables of a context cover, both inclusive.
fn covered_pages<H: RegisterBase<HubBase>>(r: &Registers, vmid: usize, first: u64, last: u64) -> Result {
    let first_hi =
        VM_CONTEXT0_PAGE_TABLE_START_ADDR_HI32::zeroed().try_with_logical_page_number_hi4(hi(first))?;
    let last_hi =
        VM_CONTEXT0_PAGE_TABLE_END_ADDR_HI32::zeroed().try_with_logical_page_number_hi4(hi(last))?;
    r.write(
        at::<H, _>(vmid)?,
        VM_CONTEXT0_PAGE_TABLE_START_ADDR_LO32::from(lo(first)),
    );
    r.write(at::<H, _>(vmid)?, first_hi);
    r.write(
        at::<H, _>(vmid)?,
        VM_CONTEXT0_PAGE_TABLE_END_ADDR_LO32::from(lo(last)),
    );
    r.write(at::<H, _>(vmid)?, last_hi);
    Ok(())
}

/// Nothing is translated to itself: an aperture whose first page lies above its last.
fn no_identity_aperture<H: RegisterBase<HubBase>>(r: &Registers) {
    r.write(
        VM_L2_CONTEXT1_IDENTITY_APERTURE_LOW_ADDR_LO32::of::<H>(),
        VM_L2_CONTEXT1_IDENTITY_APERTURE_LOW_ADDR_LO32::from(u32::MAX),
    );
    r.write(
        VM_L2_CONTEXT1_IDENTITY_APERTURE_LOW_ADDR_HI32::of::<H>(),
        VM_L2_CONTEXT1_IDENTITY_APERTURE_LOW_ADDR_HI32::from(0xf),
    );
    r.write(
        VM_L2_CONTEXT1_IDENTITY_APERTURE_HIGH_ADDR_LO32::of::<H>(),
        VM_L2_CONTEXT1_IDENTITY_APERTURE_HIGH_ADDR_LO32::zeroed(),
    );
    r.write(
        VM_L2_CONTEXT1_IDENTITY_APERTURE_HIGH_ADDR_HI32::of::<H>(),
        VM_L2_CONTEXT1_IDENTITY_APERTURE_HIGH_ADDR_HI32::zeroed(),
    );
    r.write(
        VM_L2_CONTEXT_IDENTITY_PHYSICAL_OFFSET_LO32::of::<H>(),
        VM_L2_CONTEXT_IDENTITY_PHYSICAL_OFFSET_LO32::zeroed(),
    );
    r.write(
        VM_L2_CONTEXT_IDENTITY_PHYSICAL_OFFSET_HI32::of::<H>(),
        VM_L2_CONTEXT_IDENTITY_PHYSICAL_OFFSET_HI32::zeroed(),
    );
}

/// Request and acknowledge register of the CPU's invalidation engine.
pub(super) fn invalidation<H: RegisterBase<HubBase>>() -> (RegOffset, RegOffset) {
    let place = |first: usize, stride: usize| {
        let engine = CPU_ENGINE.wrapping_mul(stride);
        RegOffset::from_byte(H::BASE.wrapping_add(first).wrapping_add(engine) as u32)
    };
    (
        place(VM_INVALIDATE_ENG0_REQ::OFFSET, 4),
        place(VM_INVALIDATE_ENG0_ACK::OFFSET, 4),
    )
}

/// The request that drops all translations of the VMIDs in `vmids`.
pub(super) fn request(vmids: u16, flush: FlushType) -> u32 {
    let request = VM_INVALIDATE_ENG0_REQ::zeroed()
        .with_per_vmid_invalidate_req(vmids)
        .with_invalidate_l2_ptes(true)
        .with_invalidate_l2_pde0(true)
        .with_invalidate_l2_pde1(true)
        .with_invalidate_l2_pde2(true)
        .with_invalidate_l1_ptes(true);
    match flush {
        FlushType::Legacy => request.with_const_flush_type::<0>(),
        FlushType::Heavyweight => request.with_const_flush_type::<2>(),
    }
    .into()
}

/// The first fault since this was last called, if there was one; later ones can be recorded again.
pub(super) fn take_fault<H: RegisterBase<HubBase>>(r: &Registers) -> Option<FaultStatus> {
    let status = u32::from(r.read(VM_L2_PROTECTION_FAULT_STATUS::of::<H>()));
    if status == 0 {
        return None;
    }
    r.update(VM_L2_PROTECTION_FAULT_CNTL::of::<H>(), |v| {
        v.with_clear_protection_fault_status_addr(true)
    });
    Some(FaultStatus(status))
}
