// SPDX-License-Identifier: GPL-2.0
//! The GPU: who owns what, and in which order it goes down. `bring_up` has the order in which it comes up.

use super::{
    hw::{
        faults::Faults,
        firmware::FirmwareVersions,
        gfx::Gfx,
        gmc::Tlb,
        ih::{self, Ih},
        ip::IpVersions,
        nbio::Nbio,
        psp::Psp,
        sdma::Sdma,
        smu::Smu,
        Bars,
    },
    mem::Memory,
    parts::{GfxOn, KiqOn, MoverOn, NbioOpen, SparePages, Translation},
    queue::Scheduler,
};
use crate::glue::irq;
use amdgpu_logic::atom::PartNumber;
use kernel::sync::Arc;

/// A bound GPU. Fields go down in the order in which they stand, each with the reason why it comes before the next.
pub(crate) struct Gpu {
    /// Nobody looks at the interrupt ring by the clock any more.
    pub(super) _watch: ih::Watch,
    /// No handler runs any more: the blocks it tells of interrupts may go.
    pub(super) _vector: irq::Vector<ih::Handler>,
    /// Takes all queues of users off the hardware, and gives up the HIQ.
    pub(super) scheduler: Arc<Scheduler>,
    /// The CPU moves memory again: the engines that did may stop.
    pub(super) _mover: MoverOn,
    /// Stops the SDMA engines, whose rings are in memory behind the GART.
    pub(super) sdma: Arc<Sdma>,
    /// Nobody is told of interrupts any more.
    pub(super) ih: Arc<Ih>,
    /// Keeps the last page faults.
    pub(super) faults: Arc<Faults>,
    /// Stops the KIQ: nobody flushes translations of processes any more.
    pub(super) _kiq: KiqOn,
    /// Stops MEC and RLC.
    pub(super) gfx: GfxOn,
    /// Ends the management of clocks, which may rise and fall no more.
    pub(super) smu: Arc<Smu>,
    /// Takes the firmware of all engines away.
    pub(super) _psp: Psp,
    /// Switches translation off: no engine runs that would need it.
    pub(super) _translation: Translation,
    /// Pages that translation led to.
    pub(super) _pages: SparePages,
    pub(super) tlb: Arc<Tlb>,
    pub(super) memory: Arc<Memory>,
    /// Closes the doorbell BAR.
    pub(super) nbio: NbioOpen,
    pub(super) bars: Arc<Bars>,
    pub(super) versions: IpVersions,
    pub(super) firmware: FirmwareVersions,
    pub(super) part_number: PartNumber,
    pub(super) pci: PciIds,
}

/// What PCI says of the card.
#[derive(Clone, Copy)]
pub(crate) struct PciIds {
    /// Device id.
    pub(crate) device: u16,
    /// Revision id.
    pub(crate) revision: u8,
}

impl Gpu {
    /// Access to registers and doorbells.
    pub(crate) fn bars(&self) -> &Arc<Bars> {
        &self.bars
    }

    /// What PCI says of the card.
    pub(crate) fn pci(&self) -> PciIds {
        self.pci
    }

    /// The generation of each block.
    pub(crate) fn versions(&self) -> &IpVersions {
        &self.versions
    }

    /// The PCIe side.
    pub(crate) fn nbio(&self) -> &Nbio {
        &self.nbio.nbio
    }

    /// The GPU's memory.
    pub(crate) fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    /// The way to drop cached translations.
    pub(crate) fn tlb(&self) -> &Arc<Tlb> {
        &self.tlb
    }

    /// Shader engines and command processor.
    pub(crate) fn gfx(&self) -> &Arc<Gfx> {
        self.gfx.gfx()
    }

    /// Clocks, power and temperatures.
    pub(crate) fn smu(&self) -> &Arc<Smu> {
        &self.smu
    }

    /// The board's part number.
    pub(crate) fn part_number(&self) -> PartNumber {
        self.part_number
    }

    /// Versions of the firmware.
    pub(crate) fn firmware(&self) -> &FirmwareVersions {
        &self.firmware
    }

    /// Interrupts.
    pub(crate) fn ih(&self) -> &Arc<Ih> {
        &self.ih
    }

    /// The last page faults.
    pub(crate) fn faults(&self) -> &Arc<Faults> {
        &self.faults
    }

    /// Copy engines.
    pub(crate) fn sdma(&self) -> &Arc<Sdma> {
        &self.sdma
    }

    /// Queues of users.
    pub(crate) fn scheduler(&self) -> &Arc<Scheduler> {
        &self.scheduler
    }
}
