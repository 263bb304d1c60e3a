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
];

const SDMA_DOORBELL_RANGE: &str = "computed by nbio_v7_4.c: nbio_v7_4_sdma_doorbell_range";

/// A register and a field of it that the headers lack or have otherwise; where it is from.
pub(crate) const FIELDS: &[(&str, &str, &str)] = &[];

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
