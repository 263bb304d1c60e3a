// SPDX-License-Identifier: GPL-2.0
//! Facts about the machine: its clocks, processors and memory, and where a card sits in it.
use super::{
    bindings::{self as b, shim},
    raw_device,
};
use core::ptr::null_mut;
use kernel::{device::Bound, pci, prelude::*, str::CStrExt, sync::aref::ARef};

/// CLOCK_MONOTONIC_RAW, ns.
pub(crate) fn raw_ns() -> u64 {
    // SAFETY: a plain call.
    unsafe { b::ktime_get_raw() as u64 }
}

/// CLOCK_BOOTTIME, ns.
pub(crate) fn boottime_ns() -> u64 {
    // SAFETY: a plain call.
    unsafe { b::ktime_get_with_offset(b::tk_offsets_TK_OFFS_BOOT) as u64 }
}

/// A NUMA node with processors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NumaNode {
    /// Its number in the kernel.
    pub(crate) id: u32,
    /// Processors that are online.
    pub(crate) cpus: u32,
    /// APIC id of the first.
    pub(crate) first_apic_id: u32,
    /// Bytes of memory.
    pub(crate) memory: u64,
}

/// The online NUMA nodes that have processors, by number.
pub(crate) fn numa_nodes() -> impl Iterator<Item = NumaNode> {
    (0..b::MAX_NUMNODES as i32).filter_map(|id| {
        // SAFETY: plain calls; the id is in range, and the later ones need the node to be online.
        unsafe {
            if !shim::node_online(id) || shim::node_cpus(id) == 0 {
                return None;
            }
            Some(NumaNode {
                id: id as u32,
                cpus: shim::node_cpus(id),
                first_apic_id: shim::node_first_apic_id(id),
                memory: shim::node_memory(id),
            })
        }
    })
}

/// Highest clock of the processors, MHz, 0 if unknown.
pub(crate) fn max_cpu_mhz() -> u32 {
    // SAFETY: a plain call.
    unsafe { b::cpufreq_quick_get_max(0) / 1000 }
}

/// What the firmware says about who made the platform.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Platform {
    /// Six letters of the maker.
    pub(crate) oem: [u8; 6],
    /// Eight letters of the model.
    pub(crate) model: [u8; 8],
    /// Revision.
    pub(crate) revision: u8,
}

/// As in the ACPI DSDT; `None` if there is none.
pub(crate) fn platform() -> Option<Platform> {
    let mut table = null_mut();
    // SAFETY: the signature has four letters; the table is read before it is given back.
    unsafe {
        // ACPI's errors are positive
        if b::acpi_get_table(c"DSDT".as_char_ptr().cast_mut(), 0, &mut table) != 0 {
            return None;
        }
        let header = table.as_ref()?;
        let platform = Platform {
            oem: header.oem_id,
            model: header.oem_table_id,
            revision: header.revision,
        };
        b::acpi_put_table(table);
        Some(platform)
    }
}

/// Whether the processors are AMD's.
pub(crate) fn is_amd() -> bool {
    // SAFETY: a plain call.
    unsafe { shim::boot_cpu_is_amd() }
}

/// Number of the PCI domain that a card is in.
pub(crate) fn pci_domain(pdev: &pci::Device<Bound>) -> u32 {
    // SAFETY: a bound PCI device; the type is a transparent wrapper.
    unsafe { shim::pci_domain(core::ptr::from_ref(pdev).cast_mut().cast()) as u32 }
}

/// The NUMA node that a card is near to, if that is known.
pub(crate) fn numa_node_of(pdev: &pci::Device<Bound>) -> Option<u32> {
    // SAFETY: a bound device.
    u32::try_from(unsafe { shim::dev_to_node(raw_device(pdev.as_ref())) }).ok()
}

/// Lets a card do atomics on system memory. False if something on the way to it does not pass them on.
pub(crate) fn enable_pci_atomics(pdev: &pci::Device<Bound>) -> bool {
    let both = b::PCI_EXP_DEVCAP2_ATOMIC_COMP32 | b::PCI_EXP_DEVCAP2_ATOMIC_COMP64;
    // SAFETY: a bound PCI device; the type is a transparent wrapper.
    unsafe { b::pci_enable_atomic_ops_to_root(core::ptr::from_ref(pdev).cast_mut().cast(), both) == 0 }
}

/// A card's PCIe link.
pub(crate) struct PciLink(ARef<pci::Device>);

impl PciLink {
    /// Of this card.
    pub(crate) fn of(pdev: &pci::Device<Bound>) -> Self {
        Self((&**pdev).into())
    }

    /// Lanes and speed now, the latter in 0.1 GT/s; `None` if the card is gone, or not on PCIe.
    pub(crate) fn now(&self) -> Option<(u16, u16)> {
        let mut status = 0;
        // SAFETY: the reference keeps the device; the type is a transparent wrapper. A card that is gone reads as an
        // error.
        let read = unsafe {
            b::pcie_capability_read_word(
                core::ptr::from_ref(&*self.0).cast_mut().cast(),
                b::PCI_EXP_LNKSTA as i32,
                &mut status,
            )
        };
        let status = Some(status).filter(|_| read == 0)?;
        let speed = match u32::from(status) & b::PCI_EXP_LNKSTA_CLS {
            1 => 25,
            2 => 50,
            3 => 80,
            4 => 160,
            5 => 320,
            6 => 640,
            _ => return None,
        };
        let lanes = (u32::from(status) & b::PCI_EXP_LNKSTA_NLW) >> b::PCI_EXP_LNKSTA_NLW_SHIFT;
        Some((u16::try_from(lanes).ok()?, speed))
    }
}

#[kunit_tests(amdgpu_glue_machine)]
mod tests {
    use super::*;
    use kernel::time::{delay::fsleep, Delta};

    #[test]
    fn clocks_count_nanoseconds() {
        for clock in [raw_ns, boottime_ns] {
            let before = clock();
            fsleep(Delta::from_millis(2));
            let elapsed = clock().saturating_sub(before);
            assert!((2_000_000..60_000_000_000).contains(&elapsed));
        }
    }

    #[test]
    fn every_processor_belongs_to_a_node() {
        let mut cpus = 0;
        for node in numa_nodes() {
            assert!(node.cpus > 0 && node.memory >= 1 << 20);
            cpus += node.cpus;
        }
        // SAFETY: a counter of the kernel that lives for ever; processors do not come and go meanwhile.
        let online = unsafe { (&raw const b::__num_online_cpus.counter).read_volatile() };
        assert_eq!(u32::try_from(online), Ok(cpus));
    }
}
