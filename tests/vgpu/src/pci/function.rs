// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The PCI function: which region is what, and how accesses reach the card.

use std::os::fd::OwnedFd;
use std::sync::Arc;

use parking_lot::Mutex;
use rustix::io::Errno;

use super::config::{self, ConfigSpace, Effect, Identity, Sizes};
use super::irq::Vectors;
use crate::device::Gpu;
use crate::inject::event::{Event, Point, Verdict};
use crate::mem::{MessageDma, PhysAddr};
use crate::vfio::{self, IrqInfo, Region, SetIrqs};

/// How the card interrupts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum IrqMode {
    /// MSI, one vector; needed for tests that unplug the card, which QEMU does not survive with MSI-X.
    Msi,
    /// MSI-X, one vector.
    #[value(name = "msix")]
    MsiX,
}

/// Bytes of BAR2.
pub(crate) const DOORBELL_BAR: u64 = 2 << 20;
/// Bytes of BAR5.
pub(crate) const REGISTER_BAR: u64 = 512 << 10;

/// VFIO region indices.
mod region {
    pub(super) const BAR0: u32 = 0;
    pub(super) const BAR2: u32 = 2;
    pub(super) const BAR5: u32 = 5;
    pub(super) const ROM: u32 = 6;
    pub(super) const CONFIG: u32 = 7;
}

/// VFIO interrupt indices.
mod index {
    pub(super) const INTX: u32 = 0;
    pub(super) const MSI: u32 = 1;
    pub(super) const MSI_X: u32 = 2;
    pub(super) const ERROR: u32 = 3;
    pub(super) const REQUEST: u32 = 4;
}

/// An access to configuration space.
const CONFIG: Event = Event {
    point: Point::Config,
    unit: "CPU",
    what: "",
    vmid: 0,
};

/// The card behind the vfio-user protocol.
pub struct Function {
    gpu: Arc<Gpu>,
    rom: Arc<[u8]>,
    config: Mutex<ConfigSpace>,
    irq: IrqMode,
    vectors: Arc<Vectors>,
}

impl Function {
    /// A card in its slot.
    pub fn new(gpu: Arc<Gpu>, identity: Identity, irq: IrqMode) -> Self {
        let rom = gpu.rom.clone();
        let sizes = Sizes {
            vram: gpu.mem.vram_size(),
            doorbells: DOORBELL_BAR,
            registers: REGISTER_BAR,
            rom: rom.len() as u64,
        };
        let vectors = Arc::new(Vectors::default());
        gpu.ih.set_sink(Some(gpu.inject.irq_sink(vectors.clone())));
        Self {
            config: Mutex::new(ConfigSpace::new(identity, sizes, irq)),
            rom,
            irq,
            vectors,
            gpu,
        }
    }

    /// The card behind it.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Sets error bits in configuration space, as the link would.
    pub fn raise_errors(&self, uncorrectable: u32, correctable: u32) {
        self.config.lock().raise_errors(uncorrectable, correctable);
    }

    fn power_cycle(&self, why: &str) {
        tracing::info!("reset: {why}");
        self.gpu.trace.event("PCI", format_args!("reset {why}"));
        self.gpu.report.count("reset", 1);
        self.config.lock().reset();
        // this thread cannot take answers to DMA requests meanwhile: an engine that waits for one would never stop
        let messages = self.gpu.mem.set_messages(None);
        if let Some(m) = &messages {
            m.cancel();
        }
        self.gpu.reset();
        self.gpu.mem.set_messages(messages);
    }
}

impl vfio::Device for Function {
    fn region(&self, index: u32) -> Region<'_> {
        let both = |size| Region {
            size,
            read: true,
            write: true,
            file: None,
        };
        match index {
            region::BAR0 => Region {
                file: Some(self.gpu.mem.vram_fd()),
                ..both(self.gpu.mem.vram_size())
            },
            region::BAR2 => both(DOORBELL_BAR),
            region::BAR5 => both(REGISTER_BAR),
            region::ROM => Region {
                size: self.rom.len() as u64,
                read: true,
                ..Region::default()
            },
            region::CONFIG => both(config::SIZE as u64),
            _ => Region::default(),
        }
    }

    fn irq(&self, index: u32) -> IrqInfo {
        let one = |flags| IrqInfo { flags, count: 1 };
        match (index, self.irq) {
            (index::MSI, IrqMode::Msi) | (index::MSI_X, IrqMode::MsiX) => {
                one(vfio::IRQ_EVENTFD | vfio::IRQ_NORESIZE)
            }
            (index::ERROR | index::REQUEST, _) => one(vfio::IRQ_EVENTFD),
            (index::INTX | index::MSI | index::MSI_X, _) => IrqInfo {
                flags: vfio::IRQ_EVENTFD,
                count: 0,
            },
            _ => IrqInfo::default(),
        }
    }

    fn read(&self, index: u32, offset: u64, buf: &mut [u8]) -> Result<(), Errno> {
        match index {
            region::BAR0 => self
                .gpu
                .mem
                .read(PhysAddr::vram(offset), buf)
                .map_err(|_| Errno::INVAL),
            // doorbells are write-only; the C driver reads none
            region::BAR2 => {
                buf.fill(0);
                Ok(())
            }
            region::BAR5 => {
                self.gpu.bar5_read(offset as u32, buf);
                Ok(())
            }
            region::ROM => {
                let from = usize::try_from(offset)
                    .ok()
                    .and_then(|at| self.rom.get(at..))
                    .ok_or(Errno::INVAL)?;
                let from = from.get(..buf.len()).ok_or(Errno::INVAL)?;
                buf.copy_from_slice(from);
                Ok(())
            }
            region::CONFIG => {
                if self.gpu.inject.at(CONFIG) == Verdict::Lose {
                    buf.fill(0xff);
                    return Ok(());
                }
                self.config.lock().read(offset as usize, buf);
                Ok(())
            }
            _ => Err(Errno::INVAL),
        }
    }

    fn write(&self, index: u32, offset: u64, data: &[u8]) -> Result<(), Errno> {
        match index {
            region::BAR0 => self
                .gpu
                .mem
                .write(PhysAddr::vram(offset), data)
                .map_err(|_| Errno::INVAL),
            region::BAR2 => {
                self.gpu.bar2_write(offset as u32, data);
                Ok(())
            }
            region::BAR5 => {
                self.gpu.bar5_write(offset as u32, data);
                Ok(())
            }
            region::CONFIG => {
                if self.gpu.inject.at(CONFIG) == Verdict::Lose {
                    return Ok(());
                }
                let effect = self.config.lock().write(offset as usize, data);
                if effect == Effect::FunctionLevelReset {
                    self.power_cycle("function-level reset");
                }
                Ok(())
            }
            _ => Err(Errno::INVAL),
        }
    }

    fn dma_map(
        &self,
        addr: u64,
        len: u64,
        file: Option<(OwnedFd, u64)>,
        writable: bool,
    ) -> Result<(), Errno> {
        let kind = if file.is_some() { "mapped" } else { "by messages" };
        let r = self.gpu.mem.map(addr, len, file, writable);
        tracing::debug!("DMA map {addr:#x}+{len:#x} {kind}, writable {writable}: {r:?}");
        r
    }

    fn dma_unmap(&self, range: Option<(u64, u64)>) -> Result<(), Errno> {
        tracing::debug!("DMA unmap {range:x?}");
        match range {
            Some((addr, len)) => self.gpu.mem.unmap(addr, len),
            None => {
                self.gpu.mem.unmap_all();
                Ok(())
            }
        }
    }

    fn set_irqs(&self, request: SetIrqs<'_>) -> Result<(), Errno> {
        tracing::debug!("interrupts {request:?}");
        match (request.index, self.irq) {
            (index::MSI, IrqMode::Msi) | (index::MSI_X, IrqMode::MsiX) => self.vectors.set(request),
            // raising these would stop the machine or does nothing: their descriptors are not kept
            (index::ERROR | index::REQUEST, _) => Ok(()),
            _ if request.count == 0 => Ok(()),
            _ => Err(Errno::INVAL),
        }
    }

    fn reset(&self) -> Result<(), Errno> {
        self.power_cycle("by the platform");
        Ok(())
    }

    fn connected(&self, messages: Arc<dyn MessageDma>) {
        tracing::info!("client connected");
        self.gpu.mem.set_messages(Some(messages));
    }

    fn disconnected(&self) {
        tracing::info!("client disconnected");
        self.gpu.mem.set_messages(None);
        self.vectors.clear();
        self.power_cycle("the client left");
        self.gpu.mem.unmap_all();
    }
}

#[cfg(test)]
mod tests;
