// SPDX-License-Identifier: GPL-2.0
//! The hardware, one folder per block of the chip.
//!
//! | folder | block | for |
//! |---|---|---|
//! | `nbio` | north bridge I/O | the PCIe side: VRAM size, doorbell routing, flush page |
//! | `hdp` | host data path | CPU accesses to VRAM through BAR 0 |
//! | `gmc` | graphics memory controller | address spaces and their translation caches, in two hubs |
//! | `ih` | interrupt handler | the ring of interrupt vectors |
//! | `gfx` | graphics and compute | RLC, command processor (MEC) with its kernel queues, shader engines |
//! | `sdma` | system DMA | copies and fills |
//! | `psp` | security processor | loads the firmware of all others |
//! | `smu` | system management unit | clocks, power, temperatures |
//!
//! Besides: `firmware`, the files that the security processor gets; `bios`, the tables of the board's maker; `reset`, the
//! way back to a card on which nothing runs.
//!
//! In each: `mod.rs` says what the block is for and holds its state; `regs.rs` declares its registers; `hal.rs` has
//! what differs between generations as a trait, and the one place that chooses by IP version; `hal/<version>.rs`
//! the generations.
//!
//! # Words
//!
//! AMD's documents and headers are full of these: MEC, micro engine compute (the part of the command processor for
//! compute); ME, pipe and queue, the coordinates of a hardware queue; HQD, hardware queue descriptor (the registers
//! of such a queue); MQD, memory queue descriptor (their image in memory); KIQ and HIQ, the kernel's two queues on
//! the MEC; HWS, the scheduler in MEC firmware; EOP, end of pipe; RLC, run list controller (a helper processor; in
//! SDMA's register names, a user queue); GRBM, the register bus of the graphics block; VMID, slot of an address
//! space in the hardware (0 is the kernel's); PASID, its name that stays; GART, the page table of VMID 0.

mod bars;
pub(crate) mod bios;
pub(crate) mod faults;
pub(crate) mod firmware;
pub(crate) mod gfx;
pub(crate) mod gmc;
pub(crate) mod hdp;
pub(crate) mod ih;
pub(crate) mod ip;
pub(crate) mod nbio;
pub(crate) mod psp;
pub(crate) mod reset;
mod ring;
pub(crate) mod sdma;
pub(crate) mod smu;
mod wait;
mod words;

pub(crate) use bars::{Bars, RegisterIo};
pub(crate) use wait::memory_wait;
use words::Words;
