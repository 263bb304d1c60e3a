// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Declarations that AMD's headers lack. One that they have after all is an error.

/// A register, its offset, and where that is from.
pub(crate) const REGISTERS: &[(&str, u32, &str)] = &[
    ("BIF_SDMA2_DOORBELL_RANGE", 0x3bd8, SDMA_DOORBELL_RANGE),
    ("BIF_SDMA3_DOORBELL_RANGE", 0x3bdc, SDMA_DOORBELL_RANGE),
    ("BIF_SDMA4_DOORBELL_RANGE", 0x3be4, SDMA_DOORBELL_RANGE),
    (
        "DRIVER_SCRATCH_0",
        0x250,
        "amdgpu_discovery.c, which defines it as a dword of the BAR",
    ),
    ("DRIVER_SCRATCH_1", 0x254, "likewise"),
    ("DRIVER_SCRATCH_2", 0x258, "likewise"),
    (
        "MP1_FIRMWARE_FLAGS",
        0x03b1_0024,
        "smu_v13_0.c, which adds MP1_Public to smnMP1_FIRMWARE_FLAGS",
    ),
    (
        "RESERVED_7",
        0x1c,
        "amdgpu_bios.c reads BIOS_SCRATCH_7 there before it knows its place",
    ),
    ("SDMA0_EDC_CONFIG", 0x4a48, SDMA_EDC_CONFIG),
    ("SDMA1_EDC_CONFIG", 0x6248, SDMA_EDC_CONFIG),
    ("SDMA2_EDC_CONFIG", 0x780c8, SDMA_EDC_CONFIG),
    ("SDMA3_EDC_CONFIG", 0x790c8, SDMA_EDC_CONFIG),
    ("SDMA4_EDC_CONFIG", 0x7a0c8, SDMA_EDC_CONFIG),
];

const SDMA_EDC_CONFIG: &str =
    "sdma0_4_2_offset.h; sdma_v4_0.c: sdma_v4_0_set_ecc_irq_state writes it on every generation";

const SDMA_DOORBELL_RANGE: &str = "computed by nbio_v7_4.c: nbio_v7_4_sdma_doorbell_range";

/// A register and a field of it that the headers lack or have otherwise; where it is from.
pub(crate) const FIELDS: &[(&str, &str, &str)] = &[
    (
        "PCIE_LC_SPEED_CNTL",
        "LC_CURRENT_DATA_RATE",
        "smu_v13_0.c; nbio_7_4_sh_mask.h has other fields of a register of that name",
    ),
    ("PCIE_PERF_CNTL_TXCLK3", "EVENT0_SEL", TXCLK3),
    ("PCIE_PERF_CNTL_TXCLK3", "EVENT1_SEL", TXCLK3),
    ("PCIE_PERF_CNTL_TXCLK3", "COUNTER0_UPPER", TXCLK3),
    ("PCIE_PERF_CNTL_TXCLK3", "COUNTER1_UPPER", TXCLK3),
];

const TXCLK3: &str =
    "soc15.c: vega20_get_pcie_usage; nbio_7_4_sh_mask.h has the fields of its like, PCIE_PERF_CNTL_TXCLK";

/// A file and a constant in it that has the name of a register and is none; what it is.
pub(crate) const NO_REGISTERS: &[(&str, &str, &str)] = &[(
    "model/cp/aql/amd_queue.rs",
    "COMPUTE_TMPRING_SIZE",
    "a field of amd_queue_t",
)];

/// A register that exists without a name, and why.
pub(crate) const NAMELESS: &[(u32, &str)] = &[(
    0xc954,
    "dword 144 of the queue descriptor is reserved, but loaded with the others (amdgpu_amdkfd_gfx_v9.c: kgd_gfx_v9_hqd_load)",
)];

/// Dwords from an SDMA engine's base that can be read and are no registers: sdma_v4_0.c dumps them on every generation
/// (sdma_reg_list_4_0: VM_CNTL, and places of the PAGE and RLC0 queues by sdma0_4_2_offset.h).
pub(crate) const SDMA_HOLES: &[u32] = &[
    0x04, 0xec, 0xed, 0xee, 0x111, 0x143, 0x144, 0x145, 0x146, 0x14c, 0x14d, 0x14e,
];

/// Dword offsets of the SDMA engines (aldebaran_reg_init.c).
pub(crate) const SDMA_BASES: &[u32] = &[0x1260, 0x1860, 0x1e000, 0x1e400, 0x1e800];
