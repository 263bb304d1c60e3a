// SPDX-License-Identifier: GPL-2.0
//! GMC, the graphics memory controller: how the GPU's addresses become memory.
//!
//! There are 16 address spaces at a time (VMIDs), the same in both hubs: the GFXHUB translates for shaders and
//! command processor, the MMHUB for SDMA. VMID 0 is the kernel's: VRAM appears in it untranslated (system aperture)
//! and system memory through one flat table (GART). VMIDs 3 to 15 go to processes, by the hardware scheduler.

mod hal;
mod hub;
mod regs;
mod tlb;

use super::{ip::IpVersion, Bars};
use amdgpu_logic::iv::{FaultStatus, Hub};
use amdgpu_logic::pm4::FlushType;
use core::ops::Range;
use hal::GmcHal;
use kernel::{dev_err, dev_info, prelude::*, time::Delta};

pub(crate) use tlb::{Tlb, Translations};

/// Where memory lies in the address space of VMID 0.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// VRAM, all of it.
    pub(crate) vram: Range<u64>,
    /// System memory behind the GART.
    pub(crate) gart: Range<u64>,
    /// Address of the start of VRAM in page-table entries.
    pub(crate) vram_physical: u64,
}

/// Bytes that the GART covers: 128 Ki pages.
pub(crate) const GART_BYTES: u64 = 512 << 20;

impl Layout {
    /// The range right below VRAM, or else right above.
    fn gart_beside(vram: &Range<u64>) -> Option<Range<u64>> {
        match vram.start.checked_sub(GART_BYTES) {
            // an address of 0 stays invalid
            Some(start) if start > 0 => Some(start..vram.start),
            _ => Some(vram.end..vram.end.checked_add(GART_BYTES)?),
        }
    }

    /// Physical address, as page-table entries have it, of byte `offset` of VRAM.
    pub(crate) fn vram_entry_address(&self, offset: u64) -> Option<u64> {
        self.vram_physical.checked_add(offset)
    }
}

/// What the hubs are programmed with.
pub(crate) struct SetUp {
    /// Where memory lies.
    pub(crate) layout: Layout,
    /// Physical address (as in page-table entries) of the GART's table in VRAM, [`GART_BYTES`] / 512 bytes long.
    pub(crate) gart_table: u64,
    /// Physical address of a page of VRAM for accesses that find no memory.
    pub(crate) default_page: u64,
    /// Bus address of a page of system memory for accesses that find no translation.
    pub(crate) fault_page: u64,
}

/// The block.
#[derive(Clone, Copy)]
pub(crate) struct Gmc {
    hal: &'static dyn GmcHal,
}

/// How long an invalidation may take.
const INVALIDATION_DEADLINE: Delta = Delta::from_millis(100);

impl Gmc {
    /// The block that goes with that version of the graphics block; `ENODEV` if the driver does not know it.
    pub(crate) fn new(bars: &Bars, gc: IpVersion) -> Result<Self> {
        let hal = hal::of(gc).ok_or(ENODEV).inspect_err(|_| {
            dev_err!(bars.dev, "GMC of GC {}: version not supported\n", gc);
        })?;
        Ok(Self { hal })
    }

    /// Where `vram_bytes` of VRAM and the GART lie. `EIO` if the device puts VRAM outside its address space,
    /// `ENODEV` if it shares that with others.
    pub(crate) fn layout(&self, bars: &Bars, vram_bytes: u64) -> Result<Layout> {
        if self.hal.shares_addresses(&bars.registers) {
            dev_err!(
                bars.dev,
                "GMC: the card shares its address space with others over XGMI, which this driver does not support\n"
            );
            return Err(ENODEV);
        }
        let (start, vram_physical) = self.hal.vram_location(&bars.registers);
        let end = start
            .checked_add(vram_bytes)
            .filter(|&end| end <= 1 << 48 && start > 0);
        let layout = end.and_then(|end| {
            let vram = start..end;
            let gart = self.hal.gart(&vram)?;
            Some(Layout {
                vram,
                gart,
                vram_physical,
            })
        });
        let layout = layout.ok_or(EIO).inspect_err(|_| {
            dev_err!(
                bars.dev,
                "GMC: VRAM at {:#x} does not fit the address space\n",
                start
            );
        })?;
        dev_info!(
            bars.dev,
            "GMC: VRAM {} MiB at {:#x}, GART {} MiB at {:#x}\n",
            vram_bytes >> 20,
            layout.vram.start,
            GART_BYTES >> 20,
            layout.gart.start
        );
        Ok(layout)
    }

    /// Programs both hubs and enables all contexts, then drops whatever they had cached.
    pub(crate) fn set_up(&self, bars: &Bars, s: &SetUp) -> Result {
        self.hal.set_up(&bars.registers, s)?;
        self.invalidate_kernel(bars)
    }

    /// Disables translation. The device must have stopped accessing memory.
    pub(crate) fn tear_down(&self, bars: &Bars) -> Result {
        self.hal.tear_down(&bars.registers)
    }

    /// The first fault of the hub since this was last called, with the hub ready to record the next.
    pub(crate) fn take_fault(&self, bars: &Bars, hub: Hub) -> Option<FaultStatus> {
        self.hal.take_fault(&bars.registers, hub)
    }

    /// Drops the translations of VMID 0 in both hubs. Callers take turns: there is one engine.
    fn invalidate_kernel(&self, bars: &Bars) -> Result {
        let request = self.hal.invalidation_request(1, FlushType::Heavyweight);
        for hub in [Hub::Gfx, Hub::Mm] {
            let (req, _) = self.hal.invalidation(hub);
            bars.registers.write32(byte(req), request);
        }
        for hub in [Hub::Gfx, Hub::Mm] {
            let (_, ack) = self.hal.invalidation(hub);
            let what = match hub {
                Hub::Gfx => "GFXHUB: TLB of VMID 0 invalidated",
                Hub::Mm => "MMHUB: TLB of VMID 0 invalidated",
            };
            bars.poll(
                what,
                INVALIDATION_DEADLINE,
                |r| r.read32(byte(ack)),
                |v| v & 1 == 1,
            )?;
        }
        Ok(())
    }
}

/// Byte offset of a register in the register BAR.
fn byte(register: amdgpu_logic::pm4::RegOffset) -> usize {
    (register.dword() as usize).wrapping_mul(4)
}
