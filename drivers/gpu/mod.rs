// SPDX-License-Identifier: GPL-2.0
//! The driver itself, one room per part of the hardware or of the interface.
//!
//! | room | for |
//! |---|---|
//! | `driver` | from the PCI device to a running GPU and back |
//! | `device` | who owns what, and in which order it comes up and goes down |
