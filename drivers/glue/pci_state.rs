// SPDX-License-Identifier: GPL-2.0
//! The configuration space over a reset of the card, which the kernel crate cannot save and restore.
use super::{bindings as b, mmio::raw_pci};
use kernel::{device::Bound, error::to_result, pci, prelude::*};

/// A card that does not access memory of its own accord, and whose configuration space is remembered. Dropping it
/// puts the configuration space back as it was, which lets the card access memory again.
pub(crate) struct Quiet<'a>(&'a pci::Device<Bound>);

impl<'a> Quiet<'a> {
    /// Remembers the configuration space and keeps the card from memory.
    pub(crate) fn new(pdev: &'a pci::Device<Bound>) -> Result<Self> {
        let raw = raw_pci(pdev);
        // SAFETY: `raw` is a live PCI device that is bound to this driver.
        to_result(unsafe { b::pci_save_state(raw) })?;
        // SAFETY: as above.
        unsafe { b::pci_clear_master(raw) };
        Ok(Self(pdev))
    }
}

impl Drop for Quiet<'_> {
    fn drop(&mut self) {
        // SAFETY: a live PCI device that is bound to this driver, whose state `new` has saved.
        unsafe { b::pci_restore_state(raw_pci(self.0)) };
    }
}
