// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A virtual gfx90a (AMD Instinct MI210, 1002:740f) behind vfio-user: register, ring, packet and ISA level.
//!
//! * [`vfio`] speaks the vfio-user protocol with QEMU, [`pci`] is the card's configuration space and ROM.
//! * [`mem`] is what the card can reach: its VRAM and the guest memory mapped for DMA.
//! * [`regs`] turns a BAR5 offset into a block's register, [`model`] holds the blocks.
//! * [`device`] owns all blocks and is the only place that knows them all.
//! * [`report`] counts, and collects what a driver did wrong.

pub mod clock;
pub mod control;
pub mod ctx;
pub mod device;
pub mod inject;
pub mod mem;
pub mod model;
pub mod pci;
pub mod regs;
pub mod report;
pub mod status;
#[cfg(test)]
mod testing;
pub mod trace;
pub mod vfio;
