// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The card as a PCI function: configuration space, ROM, interrupts, and the BARs in front of the card's insides.

mod atom;
mod caps;
mod config;
mod function;
mod irq;
mod rom;

pub use config::Identity;
pub use function::{Function, IrqMode};
pub use rom::build as build_rom;
