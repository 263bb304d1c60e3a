// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The vfio-user protocol, server side (version 0.0 as QEMU 10.1 and later speak it; QEMU docs/interop/vfio-user.rst).
//!
//! One connection at a time: the protocol thread reads a message whole, has the [`Device`] handle it, and replies.
//! Engines may meanwhile send DMA requests to the client over the same socket ([`dma`]).

mod dispatch;
mod dma;
mod info;
mod server;
mod socket;
mod wire;

pub use dispatch::{Device, IrqAction, IrqInfo, Region, SetIrqs, IRQ_EVENTFD, IRQ_NORESIZE};
pub use rustix::io::Errno;
pub use server::{serve, Ended};

#[cfg(test)]
mod tests;
