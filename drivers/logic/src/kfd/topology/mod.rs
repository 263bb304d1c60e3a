// SPDX-License-Identifier: GPL-2.0
//! The topology in sysfs as text: nodes with their memory banks, caches and links.
//!
//! What the texts mean is said at the names ([`amdgpu_uapi::kfd::sysfs`]). Runtimes read each file into one page and
//! stop at the first line they cannot parse; counts must equal the folders.

mod cache;
mod text;

pub use cache::{gfx90a_caches, GpuCache, GpuShape, SiblingMap, MAX_SIBLINGS};
pub use text::{IoLink, MemBank, Node, Properties, System};

use amdgpu_uapi::kfd::sysfs::capability as cap;

/// `gfx_target_version`: decimal, two digits each for minor and stepping.
pub const fn gfx_target_version(major: u32, minor: u32, stepping: u32) -> u32 {
    major
        .saturating_mul(10000)
        .saturating_add(minor.saturating_mul(100))
        .saturating_add(stepping)
}

/// What a GPU and its driver can do, as the capability word has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// Revision of the chip, 0-15.
    pub asic_revision: u32,
    /// Shared virtual memory.
    pub svm: bool,
    /// Debuggers: firmware and driver.
    pub debug: bool,
    /// ECC in SRAM: `sramecc+` in the name of the instruction set.
    pub sram_ecc: bool,
    /// ECC in VRAM.
    pub mem_ecc: bool,
    /// Hardware errors are reported.
    pub ras_events: bool,
}

impl Capabilities {
    /// The capability word of a gfx9 GPU. Doorbells are of type 2, without which no queue works.
    pub fn word(&self) -> u32 {
        let mut word = cap::DOORBELL_TYPE_2_0 << cap::DOORBELL_TYPE_TOTALBITS_SHIFT;
        word |= self.asic_revision << cap::ASIC_REVISION_SHIFT & cap::ASIC_REVISION_MASK;
        let bits = [
            (self.svm, cap::SVMAPI_SUPPORTED),
            (
                self.debug,
                cap::TRAP_DEBUG_SUPPORT | cap::TRAP_DEBUG_FIRMWARE_SUPPORTED,
            ),
            (self.sram_ecc, cap::SRAM_EDCSUPPORTED),
            (self.mem_ecc, cap::MEM_EDCSUPPORTED),
            (self.ras_events, cap::RASEVENTNOTIFY),
        ];
        for (has, bit) in bits {
            if has {
                word |= bit;
            }
        }
        word
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_kfd_topology))]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        assert_eq!(gfx_target_version(9, 0, 10), 90010);
        assert_eq!(gfx_target_version(9, 4, 2), 90402);
    }

    #[test]
    fn capability_words() {
        assert_eq!(Capabilities::default().word(), 0x2000);
        let all = Capabilities {
            asic_revision: 1,
            svm: true,
            debug: true,
            sram_ecc: true,
            mem_ecc: true,
            ras_events: true,
        };
        assert_eq!(all.word(), 0x2c70_a000 | 0x2000);
    }
}
