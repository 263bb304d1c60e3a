// SPDX-License-Identifier: GPL-2.0
//! Versions of the firmware that is loaded, in the folder `fw_version` of the PCI device.

use super::names;
use crate::{
    glue::sysfs::{Directory, Text},
    gpu::hw::firmware::FirmwareVersions,
};
use core::fmt::Write;
use kernel::prelude::*;

/// Versions of a GPU's firmware.
pub(super) struct Versions(pub(super) FirmwareVersions);

/// Picks one of them.
type Version = fn(&FirmwareVersions) -> u32;

/// All SDMA engines have the same firmware, and so have both compute micro engines.
const TABLE: [(&CStr, Version); 10] = [
    (c"mec_fw_version", |v| v.mec),
    (c"mec2_fw_version", |v| v.mec),
    (c"rlc_fw_version", |v| v.rlc),
    (c"rlc_srlc_fw_version", |v| v.rlc_lists[0]),
    (c"rlc_srlg_fw_version", |v| v.rlc_lists[1]),
    (c"rlc_srls_fw_version", |v| v.rlc_lists[2]),
    (c"sdma_fw_version", |v| v.sdma),
    (c"sdma2_fw_version", |v| v.sdma),
    (c"smc_fw_version", |v| v.smc),
    (c"sos_fw_version", |v| v.sos),
];

impl Directory for Versions {
    const FILES: &'static [&'static CStr] = &names(&TABLE);

    fn show(&self, file: usize, out: &mut Text<'_>) -> Result {
        let version = TABLE.get(file).ok_or(ENOENT)?.1;
        Ok(writeln!(out, "{:#010x}", version(&self.0))?)
    }
}
