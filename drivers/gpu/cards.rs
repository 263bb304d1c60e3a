// SPDX-License-Identifier: GPL-2.0
//! What the driver cannot ask the hardware for.

/// Figures of a card.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Card {
    /// Bits.
    pub(crate) memory_width: u32,
    /// MB/s over PCIe.
    pub(crate) pcie_bandwidth: u32,
}

/// The card with a PCI device id; zeroes, which mean unknown, for others.
pub(crate) fn of_device(device: u16) -> Card {
    match device {
        // AMD Instinct MI250X and MI250, each of the two GPUs (data sheets of 2021)
        0x7408 | 0x740c => Card {
            memory_width: 4096,
            pcie_bandwidth: 32000,
        },
        // AMD Instinct MI210 (data sheet of 2022)
        0x740f | 0x7410 => Card {
            memory_width: 4096,
            pcie_bandwidth: 32000,
        },
        _ => Card::default(),
    }
}
