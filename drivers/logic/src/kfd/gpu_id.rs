// SPDX-License-Identifier: GPL-2.0
//! The number that names a GPU: 1 to 65535, the same at each boot as long as the GPU stays in its slot, and the same as with the
//! C driver (kernel amdkfd/kfd_topology.c: kfd_generate_gpu_id). rocm-smi shows it as GUID.

/// What a GPU is recognised by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// PCI domain.
    pub domain: u32,
    /// PCI bus.
    pub bus: u8,
    /// PCI device and function.
    pub devfn: u8,
    /// PCI device id.
    pub device: u16,
    /// PCI subsystem vendor.
    pub subsystem_vendor: u16,
    /// PCI subsystem id.
    pub subsystem_device: u16,
    /// Bytes of VRAM, with what nobody may use.
    pub vram: u64,
    /// Compute dies.
    pub num_xcc: u16,
}

impl Identity {
    /// The number, unless `taken` says that another GPU has it: then the next free one. `None` if none is free.
    pub fn gpu_id(&self, taken: impl Fn(u32) -> bool) -> Option<u32> {
        let words = [
            u32::from(self.devfn),
            u32::from(self.subsystem_vendor) | u32::from(self.subsystem_device) << 16,
            self.domain,
            u32::from(self.device),
            u32::from(self.bus),
            crate::bits::lo(self.vram),
            crate::bits::hi(self.vram),
            u32::from(self.num_xcc) << 16,
        ];
        let first = u32::from(words.iter().flat_map(|w| w.to_le_bytes()).fold(0, crc16));
        let ids = (first..0x1_0000).chain(0..first);
        ids.filter(|&id| id != 0).find(|&id| !taken(id))
    }
}

/// One byte more of a CRC with the polynomial x^16 + x^15 + x^2 + 1, lowest bit first, as the kernel's `crc16()`.
fn crc16(crc: u16, byte: u8) -> u16 {
    (0..8).fold(crc ^ u16::from(byte), |crc, _| {
        if crc & 1 == 1 {
            (crc >> 1) ^ 0xa001
        } else {
            crc >> 1
        }
    })
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", ::kernel::prelude::kunit_tests(amdgpu_logic_kfd_gpu_id))]
mod tests {
    use super::*;
    #[cfg(test)]
    use proptest::prelude::*;

    fn identity(bus: u8) -> Identity {
        Identity {
            domain: 0,
            bus,
            devfn: 0x18,
            device: 0x740f,
            subsystem_vendor: 0x1002,
            subsystem_device: 0x0c34,
            vram: 4 << 30,
            num_xcc: 1,
        }
    }

    #[test]
    fn checksum() {
        // the check value of CRC-16/ARC
        assert_eq!(b"123456789".iter().fold(0, |c, &b| crc16(c, b)), 0xbb3d);
    }

    #[test]
    fn neighbours_differ() {
        let a = identity(3).gpu_id(|_| false);
        assert!(a.is_some() && a != identity(4).gpu_id(|_| false));
        assert_eq!(
            identity(3).gpu_id(|id| Some(id) == a),
            a.map(|a| if a == 0xffff { 1 } else { a + 1 })
        );
        assert_eq!(identity(3).gpu_id(|_| true), None);
    }

    #[cfg(test)]
    proptest! {
        #[test]
        fn fits_an_mmap_offset(bus: u8, used in proptest::collection::btree_set(0u32..0x1_0000, 0..50)) {
            let id = identity(bus).gpu_id(|id| used.contains(&id)).unwrap();
            prop_assert!((1..=0xffff).contains(&id) && !used.contains(&id));
        }
    }
}
