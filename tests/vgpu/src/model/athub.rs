// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The address translation hub: which PASID runs in which VMID, as seen by the IOMMU (athub_1_0_offset.h, base 0x3080).

use parking_lot::Mutex;

use crate::regs::{name_in, Block, PlainRegs, Select};

crate::registers! {
    /// A bit per mapping that was taken over; writing 1 clears it.
    ATC_VMID_PASID_MAPPING_UPDATE_STATUS = 0x30ac;
    /// First of 16: PASID of a VMID of the graphics hub.
    ATC_VMID0_PASID_MAPPING = 0x30b0;
    /// First of 16: PASID of a VMID of the memory hub.
    ATC_VMID16_PASID_MAPPING = 0x3174;
}

/// Registers that only remember.
const PLAIN: &[(u32, &str)] = &[
    (0x30a8, "ATHUB_MISC_CNTL"),
    (0x33c8, "RPB_ARB_CNTL"),
    (0x33cc, "RPB_ARB_CNTL2"),
];

/// ATHUB 1.0.
pub struct Athub {
    /// The 32 mappings, and the update status.
    state: Mutex<([u32; 32], u32)>,
    plain: PlainRegs,
}

impl Athub {
    /// The power-on state: no mapping.
    pub fn new() -> Self {
        Self {
            state: Mutex::default(),
            plain: PlainRegs::named(PLAIN),
        }
    }
}

impl Default for Athub {
    fn default() -> Self {
        Self::new()
    }
}

/// Which mapping a register is.
fn mapping(off: u32) -> Option<usize> {
    let nth = |first: u32| off.checked_sub(first).map(|d| d / 4).filter(|n| *n < 16);
    nth(ATC_VMID0_PASID_MAPPING)
        .or_else(|| nth(ATC_VMID16_PASID_MAPPING).map(|n| n + 16))
        .map(|n| n as usize)
}

impl Block for Athub {
    fn name(&self) -> &'static str {
        "ATHUB"
    }

    fn read_reg(&self, off: u32, _sel: Select) -> Option<u32> {
        let (mappings, status) = &*self.state.lock();
        match mapping(off) {
            Some(n) => mappings.get(n).copied(),
            None if off == ATC_VMID_PASID_MAPPING_UPDATE_STATUS => Some(*status),
            None => self.plain.read(off),
        }
    }

    fn write_reg(&self, off: u32, _sel: Select, value: u32) -> bool {
        let (mappings, status) = &mut *self.state.lock();
        match mapping(off) {
            Some(n) => {
                if let Some(m) = mappings.get_mut(n) {
                    *m = value;
                    *status |= 1 << n;
                }
            }
            None if off == ATC_VMID_PASID_MAPPING_UPDATE_STATUS => *status &= !value,
            None => return self.plain.write(off, value),
        }
        true
    }

    fn reg_name(&self, off: u32) -> Option<&'static str> {
        let first = match mapping(off) {
            Some(..16) => ATC_VMID0_PASID_MAPPING,
            Some(_) => ATC_VMID16_PASID_MAPPING,
            None => off,
        };
        name_in(NAMES, first).or_else(|| name_in(PLAIN, off))
    }

    fn reset(&self) {
        *self.state.lock() = Default::default();
        self.plain.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestCard;

    #[test]
    fn a_mapping_is_taken_over_and_acknowledged() {
        let card = TestCard::new();
        card.write(ATC_VMID0_PASID_MAPPING + 4 * 9, 0x8000_0123);
        card.write(ATC_VMID16_PASID_MAPPING + 4 * 9, 0x8000_0123);
        assert_eq!(card.read(ATC_VMID_PASID_MAPPING_UPDATE_STATUS), 1 << 9 | 1 << 25);
        card.write(ATC_VMID_PASID_MAPPING_UPDATE_STATUS, 1 << 9);
        assert_eq!(card.read(ATC_VMID_PASID_MAPPING_UPDATE_STATUS), 1 << 25);
        assert_eq!(card.read(ATC_VMID16_PASID_MAPPING + 4 * 9), 0x8000_0123);
        card.assert_clean();
    }
}
