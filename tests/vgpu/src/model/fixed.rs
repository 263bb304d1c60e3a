// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Blocks of which a driver sees some registers only: data fabric, thermal controller, the absent video engines, the
//! memory controllers, the memory hub's arbiters. One table: offset, name, power-on value.

use crate::regs::{Block, PlainRegs, Select};

/// A register of such a block.
struct Fixed(u32, &'static str, u32);

/// Offsets: df_3_6_offset.h (base 0x1c000), thm_13_0_2_offset.h (0x59800), vcn_2_5_offset.h, mmhub_1_7_offset.h (0x68000),
/// umc_6_7_0_offset.h (0x50000),
/// gmc_v9_0.c for the memory controllers of the data fabric.
const REGS: &[Fixed] = &[
    Fixed(0x1c110, "DF_CS_UMC_AON0_DramBaseAddress0", 0),
    // IntLvNumChan: channels interleaved by hash (df_v3_6.c: df_v3_6_query_hashes)
    Fixed(0x1c190, "DF_GCM_AON0_DramMegaBaseAddress0", 0x1e << 2),
    Fixed(0x1c3f0, "DF_PIE_AON0_DfGlobalClkGater", 0),
    // GlbHashIntlvCtl64K, 2M, 1G
    Fixed(0x1c3f8, "DF_CS_UMC_AON0_DfGlobalCtrl", 7 << 20),
    Fixed(0x1d040, "FabricConfigAccessControl", 0),
    Fixed(0x1d05c, "DF_PIE_AON_FabricIndirectConfigAccessAddress3", 0),
    Fixed(0x1d098, "DF_PIE_AON_FabricIndirectConfigAccessDataLo3", 0),
    Fixed(0x1d09c, "DF_PIE_AON_FabricIndirectConfigAccessDataHi3", 0),
    Fixed(0x1d9f8, "DF_CS_UMC_AON0_HardwareAssertMaskLow", 0),
    Fixed(0x1d9fc, "DF_NCS_PG0_HardwareAssertMaskHigh", 0),
    // UVD_DISABLE: both video engines are fused off (device-contract 4.10)
    Fixed(0x1f81c, "CC_UVD_HARVESTING", 2),
    Fixed(0x2401c, "CC_UVD_HARVESTING", 2),
    // UCFatalEn: memory errors are fatal, not poison, as the data fabric says too
    Fixed(0x5014c, "UMCCH0_0_EccCtrl", 1 << 8),
    Fixed(0x59828, "THM_THERMAL_INT_ENA", 0),
    Fixed(0x5982c, "THM_THERMAL_INT_CTRL", 0),
    Fixed(0x59a2c, "CG_FDO_CTRL0", 0),
    Fixed(0x59a30, "CG_FDO_CTRL1", 0),
    Fixed(0x59a34, "CG_FDO_CTRL2", 0),
    Fixed(0x59a38, "CG_TACH_CTRL", 0),
    Fixed(0x68178, "DAGB0_WRCLI_GPU_SNOOP_OVERRIDE", 0),
    Fixed(0x6817c, "DAGB0_WRCLI_GPU_SNOOP_OVERRIDE_VALUE", 0),
    Fixed(0x681a8, "DAGB0_CNTL_MISC2", 0),
    Fixed(0x68378, "DAGB1_WRCLI_GPU_SNOOP_OVERRIDE", 0),
    Fixed(0x6837c, "DAGB1_WRCLI_GPU_SNOOP_OVERRIDE_VALUE", 0),
    Fixed(0x683a8, "DAGB1_CNTL_MISC2", 0),
    Fixed(0x68578, "DAGB2_WRCLI_GPU_SNOOP_OVERRIDE", 0),
    Fixed(0x6857c, "DAGB2_WRCLI_GPU_SNOOP_OVERRIDE_VALUE", 0),
    Fixed(0x68778, "DAGB3_WRCLI_GPU_SNOOP_OVERRIDE", 0),
    Fixed(0x6877c, "DAGB3_WRCLI_GPU_SNOOP_OVERRIDE_VALUE", 0),
    Fixed(0x68978, "DAGB4_WRCLI_GPU_SNOOP_OVERRIDE", 0),
    Fixed(0x6897c, "DAGB4_WRCLI_GPU_SNOOP_OVERRIDE_VALUE", 0),
    Fixed(0x6ad2c, "ATC_L2_MISC_CG", 0),
];

/// The registers of [`REGS`].
pub struct FixedBlocks {
    regs: PlainRegs,
}

impl FixedBlocks {
    /// The power-on state.
    pub fn new() -> Self {
        Self {
            regs: PlainRegs::with_values(REGS.iter().map(|r| (r.0, r.2))),
        }
    }
}

impl Default for FixedBlocks {
    fn default() -> Self {
        Self::new()
    }
}

impl Block for FixedBlocks {
    fn name(&self) -> &'static str {
        "DF, UMC, THM, VCN, MMHUB"
    }

    fn read_reg(&self, off: u32, _sel: Select) -> Option<u32> {
        self.regs.read(off)
    }

    fn write_reg(&self, off: u32, _sel: Select, value: u32) -> bool {
        self.regs.write(off, value)
    }

    fn reg_name(&self, off: u32) -> Option<&'static str> {
        REGS.iter().find(|r| r.0 == off).map(|r| r.1)
    }

    fn reset(&self) {
        self.regs.reset();
    }
}
