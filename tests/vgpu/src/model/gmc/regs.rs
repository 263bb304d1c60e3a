// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Registers of a VM hub. Both hubs have the same layout: offsets here are bytes from VM_L2_CNTL
//! (gc_9_4_2_offset.h, mmhub_1_7_offset.h).

use super::types::HubId;

/// BAR5 offset of VM_L2_CNTL in GFXHUB (gc_9_4_2_offset.h: regVM_L2_CNTL).
pub const GFXHUB: u32 = 0xa100;
/// BAR5 offset of VM_L2_CNTL in MMHUB (mmhub_1_7_offset.h: regVM_L2_CNTL).
pub const MMHUB: u32 = 0x6ae00;
/// Bytes of register space in one hub.
pub(crate) const SIZE: u32 = 0x560;

/// Invalidation engines of a hub.
pub(crate) const ENGINES: u32 = 18;

crate::registers! {
    /// L2 cache control.
    VM_L2_CNTL = 0x000;
    /// L2 cache control 2: whole-cache invalidation.
    VM_L2_CNTL2 = 0x004;
    /// L2 cache control 3: bank select, big fragment size.
    VM_L2_CNTL3 = 0x008;
    /// L2 cache state.
    VM_L2_STATUS = 0x00c;
    /// Redirection of faults to a dummy page.
    VM_DUMMY_PAGE_FAULT_CNTL = 0x010;
    /// Dummy page.
    VM_DUMMY_PAGE_FAULT_ADDR_LO32 = 0x014;
    /// Dummy page.
    VM_DUMMY_PAGE_FAULT_ADDR_HI32 = 0x018;
    /// Fault handling: bit 0 clears the latched fault, bit 1 lets later faults replace it.
    VM_L2_PROTECTION_FAULT_CNTL = 0x01c;
    /// Fault handling 2.
    VM_L2_PROTECTION_FAULT_CNTL2 = 0x020;
    /// Clients whose faults retry.
    VM_L2_PROTECTION_FAULT_MM_CNTL3 = 0x024;
    /// Clients whose faults retry.
    VM_L2_PROTECTION_FAULT_MM_CNTL4 = 0x028;
    /// The latched fault.
    VM_L2_PROTECTION_FAULT_STATUS = 0x02c;
    /// Page of the latched fault, bits 31:0.
    VM_L2_PROTECTION_FAULT_ADDR_LO32 = 0x030;
    /// Page of the latched fault, bits 35:32.
    VM_L2_PROTECTION_FAULT_ADDR_HI32 = 0x034;
    /// Page that faulting accesses are redirected to.
    VM_L2_PROTECTION_FAULT_DEFAULT_ADDR_LO32 = 0x038;
    /// Page that faulting accesses are redirected to.
    VM_L2_PROTECTION_FAULT_DEFAULT_ADDR_HI32 = 0x03c;
    /// Identity aperture (unused: LOW above HIGH).
    VM_L2_CONTEXT1_IDENTITY_APERTURE_LOW_ADDR_LO32 = 0x044;
    /// Identity aperture.
    VM_L2_CONTEXT1_IDENTITY_APERTURE_LOW_ADDR_HI32 = 0x048;
    /// Identity aperture.
    VM_L2_CONTEXT1_IDENTITY_APERTURE_HIGH_ADDR_LO32 = 0x04c;
    /// Identity aperture.
    VM_L2_CONTEXT1_IDENTITY_APERTURE_HIGH_ADDR_HI32 = 0x050;
    /// Identity aperture.
    VM_L2_CONTEXT_IDENTITY_PHYSICAL_OFFSET_LO32 = 0x054;
    /// Identity aperture.
    VM_L2_CONTEXT_IDENTITY_PHYSICAL_OFFSET_HI32 = 0x058;
    /// L2 cache control 4.
    VM_L2_CNTL4 = 0x05c;
    /// Clock gating of the L2 cache.
    VM_L2_CGTT_CLK_CTRL = 0x078;
    /// First of 16, 4 bytes apart: enable, depth, block size, fault handling of a context.
    VM_CONTEXT0_CNTL = 0x100;
    /// Context disable bits.
    VM_CONTEXTS_DISABLE = 0x140;
    /// First of 18, 4 bytes apart: reading 1 takes the engine, writing 0 gives it back.
    VM_INVALIDATE_ENG0_SEM = 0x144;
    /// First of 18: writing starts an invalidation of the VMIDs in bits 15:0.
    VM_INVALIDATE_ENG0_REQ = 0x18c;
    /// First of 18: the VMIDs whose invalidation is done.
    VM_INVALIDATE_ENG0_ACK = 0x1d4;
    /// First of 18 pairs: what an invalidation covers.
    VM_INVALIDATE_ENG0_ADDR_RANGE_LO32 = 0x21c;
    /// First of 16 pairs: root table of a context, in PDE format.
    VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32 = 0x2ac;
    /// First of 16 pairs: first page of a context.
    VM_CONTEXT0_PAGE_TABLE_START_ADDR_LO32 = 0x32c;
    /// First of 16 pairs: last page of a context.
    VM_CONTEXT0_PAGE_TABLE_END_ADDR_LO32 = 0x3ac;
    /// Physical address of VRAM, in 16 MiB.
    MC_VM_FB_OFFSET = 0x4ac;
    /// Page that accesses outside the system aperture go to.
    MC_VM_SYSTEM_APERTURE_DEFAULT_ADDR_LSB = 0x4b0;
    /// Page that accesses outside the system aperture go to.
    MC_VM_SYSTEM_APERTURE_DEFAULT_ADDR_MSB = 0x4b4;
    /// Hive membership; 0: none.
    MC_VM_XGMI_LFB_CNTL = 0x4e0;
    /// VRAM per hive member.
    MC_VM_XGMI_LFB_SIZE = 0x4e4;
    /// First 16 MiB of VRAM in the card's address space; set by the platform firmware.
    MC_VM_FB_LOCATION_BASE = 0x500;
    /// Last 16 MiB of VRAM in the card's address space; set by the platform firmware.
    MC_VM_FB_LOCATION_TOP = 0x504;
    /// Last 16 MiB of the AGP aperture.
    MC_VM_AGP_TOP = 0x508;
    /// First 16 MiB of the AGP aperture; above TOP: no aperture.
    MC_VM_AGP_BOT = 0x50c;
    /// Where the AGP aperture leads, in 16 MiB.
    MC_VM_AGP_BASE = 0x510;
    /// First 256 KiB that VMID 0 reaches without translation.
    MC_VM_SYSTEM_APERTURE_LOW_ADDR = 0x514;
    /// Last 256 KiB that VMID 0 reaches without translation.
    MC_VM_SYSTEM_APERTURE_HIGH_ADDR = 0x518;
    /// L1 TLB control.
    MC_VM_MX_L1_TLB_CNTL = 0x51c;
}

crate::fields! {
    ENABLE_CONTEXT = VM_CONTEXT0_CNTL.ENABLE_CONTEXT[0:0];
    PAGE_TABLE_DEPTH = VM_CONTEXT0_CNTL.PAGE_TABLE_DEPTH[2:1];
    PAGE_TABLE_BLOCK_SIZE = VM_CONTEXT0_CNTL.PAGE_TABLE_BLOCK_SIZE[6:3];
    RANGE_INTERRUPT = VM_CONTEXT0_CNTL.RANGE_PROTECTION_FAULT_ENABLE_INTERRUPT[9:9];
    PDE0_INTERRUPT = VM_CONTEXT0_CNTL.PDE0_PROTECTION_FAULT_ENABLE_INTERRUPT[13:13];
    VALID_INTERRUPT = VM_CONTEXT0_CNTL.VALID_PROTECTION_FAULT_ENABLE_INTERRUPT[15:15];
    READ_INTERRUPT = VM_CONTEXT0_CNTL.READ_PROTECTION_FAULT_ENABLE_INTERRUPT[17:17];
    WRITE_INTERRUPT = VM_CONTEXT0_CNTL.WRITE_PROTECTION_FAULT_ENABLE_INTERRUPT[19:19];
    EXECUTE_INTERRUPT = VM_CONTEXT0_CNTL.EXECUTE_PROTECTION_FAULT_ENABLE_INTERRUPT[21:21];
    /// Forgets the latched fault.
    CLEAR_STATUS = VM_L2_PROTECTION_FAULT_CNTL.CLEAR_PROTECTION_FAULT_STATUS_ADDR[0:0];
    /// Later faults replace the latched one.
    ALLOW_UPDATES = VM_L2_PROTECTION_FAULT_CNTL.ALLOW_SUBSEQUENT_PROTECTION_FAULT_STATUS_ADDR_UPDATES[1:1];
    MORE_FAULTS = VM_L2_PROTECTION_FAULT_STATUS.MORE_FAULTS[0:0];
    WALKER_ERROR = VM_L2_PROTECTION_FAULT_STATUS.WALKER_ERROR[3:1];
    PERMISSION_FAULTS = VM_L2_PROTECTION_FAULT_STATUS.PERMISSION_FAULTS[7:4];
    MAPPING_ERROR = VM_L2_PROTECTION_FAULT_STATUS.MAPPING_ERROR[8:8];
    CID = VM_L2_PROTECTION_FAULT_STATUS.CID[17:9];
    RW = VM_L2_PROTECTION_FAULT_STATUS.RW[18:18];
    ATOMIC = VM_L2_PROTECTION_FAULT_STATUS.ATOMIC[19:19];
    VMID = VM_L2_PROTECTION_FAULT_STATUS.VMID[23:20];
    FAULT_ADDR_HI = VM_L2_PROTECTION_FAULT_ADDR_HI32.LOGICAL_PAGE_ADDR_HI4[3:0];
    /// A bit per VMID.
    PER_VMID_REQ = VM_INVALIDATE_ENG0_REQ.PER_VMID_INVALIDATE_REQ[15:0];
    REQ_L2_PTES = VM_INVALIDATE_ENG0_REQ.INVALIDATE_L2_PTES[18:18];
    REQ_L2_PDE0 = VM_INVALIDATE_ENG0_REQ.INVALIDATE_L2_PDE0[19:19];
    REQ_L2_PDE1 = VM_INVALIDATE_ENG0_REQ.INVALIDATE_L2_PDE1[20:20];
    REQ_L2_PDE2 = VM_INVALIDATE_ENG0_REQ.INVALIDATE_L2_PDE2[21:21];
    REQ_L1_PTES = VM_INVALIDATE_ENG0_REQ.INVALIDATE_L1_PTES[22:22];
    REQ_CLEAR_FAULT = VM_INVALIDATE_ENG0_REQ.CLEAR_PROTECTION_FAULT_STATUS_ADDR[23:23];
}

/// The parts of the cache that a whole invalidation covers.
pub(crate) const REQ_ALL_PARTS: u32 = REQ_L2_PTES | REQ_L2_PDE0 | REQ_L2_PDE1 | REQ_L2_PDE2 | REQ_L1_PTES;

/// Register families: first register, number of members, bytes from one to the next, words per member.
pub(crate) const FAMILIES: &[(u32, u32, u32)] = &[
    (VM_CONTEXT0_CNTL, 16, 1),
    (VM_INVALIDATE_ENG0_SEM, ENGINES, 1),
    (VM_INVALIDATE_ENG0_REQ, ENGINES, 1),
    (VM_INVALIDATE_ENG0_ACK, ENGINES, 1),
    (VM_INVALIDATE_ENG0_ADDR_RANGE_LO32, ENGINES, 2),
    (VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32, 16, 2),
    (VM_CONTEXT0_PAGE_TABLE_START_ADDR_LO32, 16, 2),
    (VM_CONTEXT0_PAGE_TABLE_END_ADDR_LO32, 16, 2),
];

/// Which hub a BAR5 offset is in, and where in it.
pub(crate) fn hub_of(off: u32) -> Option<(HubId, u32)> {
    [(HubId::Gfx, GFXHUB), (HubId::Mm, MMHUB)]
        .into_iter()
        .find_map(|(hub, base)| off.checked_sub(base).filter(|r| *r < SIZE).map(|r| (hub, r)))
}

/// The family a register belongs to: the family's first register, the member, the word of the member.
pub(crate) fn family(reg: u32) -> Option<(u32, u32, u32)> {
    FAMILIES.iter().find_map(|&(first, members, words)| {
        let n = reg.checked_sub(first)? / 4;
        (n < members * words).then(|| (first, n / words, n % words))
    })
}

/// Public name of a register; of a family, the name of its first member.
pub(crate) fn name(reg: u32) -> Option<&'static str> {
    let first = family(reg).map_or(reg, |f| f.0);
    crate::regs::name_in(NAMES, first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_those_of_the_contract() {
        // device-contract 4.3 gives absolute offsets
        for (reg, gfx, mm) in [
            (VM_CONTEXT0_CNTL, 0xa200, 0x6af00),
            (VM_INVALIDATE_ENG0_SEM, 0xa244, 0x6af44),
            (VM_INVALIDATE_ENG0_REQ, 0xa28c, 0x6af8c),
            (VM_INVALIDATE_ENG0_ACK, 0xa2d4, 0x6afd4),
            (VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32, 0xa3ac, 0x6b0ac),
            (VM_L2_PROTECTION_FAULT_STATUS, 0xa12c, 0x6ae2c),
            (MC_VM_FB_LOCATION_BASE, 0xa600, 0x6b300),
            (MC_VM_SYSTEM_APERTURE_LOW_ADDR, 0xa614, 0x6b314),
        ] {
            assert_eq!(GFXHUB + reg, gfx);
            assert_eq!(MMHUB + reg, mm);
            assert_eq!(hub_of(gfx), Some((HubId::Gfx, reg)));
            assert_eq!(hub_of(mm), Some((HubId::Mm, reg)));
        }
        assert_eq!(GFXHUB + MC_VM_FB_OFFSET, 0xa5ac);
        assert_eq!(GFXHUB + MC_VM_XGMI_LFB_CNTL, 0xa5e0);
    }

    #[test]
    fn families() {
        assert_eq!(family(VM_CONTEXT0_CNTL + 60), Some((VM_CONTEXT0_CNTL, 15, 0)));
        assert_eq!(
            family(VM_INVALIDATE_ENG0_REQ + 68),
            Some((VM_INVALIDATE_ENG0_REQ, 17, 0))
        );
        let base = VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32;
        assert_eq!(family(base + 8 * 3 + 4), Some((base, 3, 1)));
        assert_eq!(family(VM_L2_CNTL), None);
    }
}
