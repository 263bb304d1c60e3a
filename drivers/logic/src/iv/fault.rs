// SPDX-License-Identifier: GPL-2.0
//! GPU page faults: what the interrupt and the status register tell.

use super::{Client, Iv};
use crate::bits::extract;
use core::fmt;

/// A VM hub: one set of contexts and translation caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hub {
    /// GFXHUB: shaders and command processor.
    Gfx,
    /// MMHUB: SDMA and everything else.
    Mm,
}

impl Hub {
    /// As logs name it.
    pub const fn name(self) -> &'static str {
        match self {
            Hub::Gfx => "gfxhub",
            Hub::Mm => "mmhub",
        }
    }
}

/// How memory was accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Load or instruction fetch.
    Read,
    /// Store or atomic.
    Write,
}

/// A page fault as its interrupt tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Hub that could not translate.
    pub hub: Hub,
    /// Page address, 4 KiB aligned.
    pub addr: u64,
    /// Access that failed.
    pub access: Access,
    /// The access is repeated until it succeeds (XNACK); otherwise it has been dropped.
    pub retry: bool,
    /// No page was mapped; otherwise the page forbids the access.
    pub not_present: bool,
    /// The page may not be written.
    pub read_only: bool,
}

impl Fault {
    pub(super) fn of(iv: &Iv) -> Self {
        let [page_lo, page_hi, ..] = iv.data;
        Self {
            hub: if iv.client == Client::VMC {
                Hub::Mm
            } else {
                Hub::Gfx
            },
            addr: u64::from(page_lo) << 12 | u64::from(extract::<3, 0>(page_hi)) << 44,
            access: if extract::<5, 5>(page_hi) == 1 {
                Access::Write
            } else {
                Access::Read
            },
            retry: extract::<7, 7>(page_hi) == 1,
            not_present: iv.ring_id & 1 << 3 != 0,
            read_only: iv.ring_id & 1 << 5 != 0,
        }
    }
}

/// VM_L2_PROTECTION_FAULT_STATUS, decoded (gc_9_4_2_sh_mask.h).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultStatus(pub u32);

impl FaultStatus {
    /// More faults came in than this register holds.
    pub fn more(self) -> bool {
        extract::<0, 0>(self.0) == 1
    }

    /// Where the walk failed: 0 not at all, else the level counted from the page directory root.
    pub fn walker_error(self) -> u32 {
        extract::<3, 1>(self.0)
    }

    /// Rights that were missing: bit 0 valid, 1 read, 2 write, 3 execute.
    pub fn permissions(self) -> u32 {
        extract::<7, 4>(self.0)
    }

    /// Instructions were to be fetched: the right that is missing, or the unit, says so.
    pub fn execute(self, hub: Hub) -> bool {
        self.permissions() >> 3 & 1 == 1 || self.unit_name(hub) == "SQC (inst)"
    }

    /// The address lies in no aperture.
    pub fn mapping_error(self) -> bool {
        extract::<8, 8>(self.0) == 1
    }

    /// Id of the unit in the hub that accessed.
    pub fn unit(self) -> u32 {
        extract::<17, 9>(self.0)
    }

    /// Access that failed.
    pub fn access(self) -> Access {
        if extract::<18, 18>(self.0) == 1 {
            Access::Write
        } else {
            Access::Read
        }
    }

    /// It was an atomic.
    pub fn atomic(self) -> bool {
        extract::<19, 19>(self.0) == 1
    }

    /// VMID of the access.
    pub fn vmid(self) -> u32 {
        extract::<23, 20>(self.0)
    }

    /// Name of the unit, where the hub's list is known (kernel `gmc_v9_0.c`: gfxhub_client_ids, and
    /// mmhub_client_ids_aldebaran).
    pub fn unit_name(self, hub: Hub) -> &'static str {
        match (hub, self.unit()) {
            (Hub::Gfx, 0) => "CB",
            (Hub::Gfx, 1) => "DB",
            (Hub::Gfx, 2) => "IA",
            (Hub::Gfx, 3) => "WD",
            (Hub::Gfx, 4) => "CPF",
            (Hub::Gfx, 5) => "CPC",
            (Hub::Gfx, 6) => "CPG",
            (Hub::Gfx, 7) => "RLC",
            (Hub::Gfx, 8) => "TCP",
            (Hub::Gfx, 9) => "SQC (inst)",
            (Hub::Gfx, 10) => "SQC (data)",
            (Hub::Gfx, 11) => "SQG",
            (Hub::Gfx, 12) => "PA",
            (Hub::Mm, 2) => "MP1",
            (Hub::Mm, 3) => "MP0",
            (Hub::Mm, 161) => "XDP",
            (Hub::Mm, 174) => "HDP",
            (Hub::Mm, 256) => "SDMA0",
            (Hub::Mm, 257) => "SDMA1",
            (Hub::Mm, 258) => "SDMA2",
            (Hub::Mm, 259) => "SDMA3",
            (Hub::Mm, 260) => "SDMA4",
            (Hub::Mm, 384) => "OSS",
            _ => "?",
        }
    }
}

impl FaultStatus {
    /// What the unit is for, and its name.
    pub fn unit_words(self, hub: Hub) -> UnitWords {
        let name = self.unit_name(hub);
        UnitWords(
            match name {
                "CPF" => "the command processor's fetcher",
                "CPC" => "the compute command processor",
                "CPG" => "the graphics command processor",
                "RLC" => "the run list controller",
                "TCP" => "vector memory instructions",
                "SQC (inst)" => "instruction fetch",
                "SQC (data)" => "scalar memory instructions",
                "HDP" => "the host data path",
                "MP0" => "the security processor",
                "MP1" => "the power management unit",
                _ if name.starts_with("SDMA") => "a copy engine",
                _ => "unit",
            },
            name,
        )
    }
}

/// A unit in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitWords(&'static str, &'static str);

impl fmt::Display for UnitWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(words, name) = self;
        write!(f, "{words} {name}")
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_iv_fault))]
mod tests {
    use super::super::Cause;
    use super::*;

    #[test]
    fn interrupt() {
        let words = [0x0308_001b, 0, 0, 0x8001, 0xf123_4567, 0xab, 0, 0];
        let fault = Fault {
            hub: Hub::Gfx,
            addr: 0xbf12_3456_7000,
            access: Access::Write,
            retry: true,
            not_present: true,
            read_only: false,
        };
        assert_eq!(Iv::decode(&words).cause(), Cause::PageFault(fault));
    }

    #[test]
    fn mmhub_is_its_own_client() {
        let words = [0x8300_0012, 0, 0, 0x8001, 1, 0, 0, 0];
        assert!(matches!(
            Iv::decode(&words).cause(),
            Cause::PageFault(Fault {
                hub: Hub::Mm,
                access: Access::Read,
                retry: false,
                ..
            })
        ));
    }

    #[test]
    fn status() {
        let s = FaultStatus(1 | 3 << 1 | 2 << 4 | 1 << 8 | 8 << 9 | 1 << 18 | 5 << 20);
        assert!(s.more() && s.mapping_error() && !s.atomic());
        assert_eq!((s.walker_error(), s.permissions(), s.vmid()), (3, 2, 5));
        assert_eq!((s.unit_name(Hub::Gfx), s.access()), ("TCP", Access::Write));
    }
}
