// SPDX-License-Identifier: GPL-2.0
//! The expansion ROM of a card, copied to memory.
use super::{
    bindings::{self as b, shim},
    mmio::raw_pci,
};
use kernel::{device::Bound, pci, prelude::*};

/// Bytes that a ROM may have at most: as much as one image can say of itself.
const LIMIT: usize = 16 << 20;

/// Copies the ROM. `ENODEV` if the card has none or it has no valid image, `EFBIG` if it is larger than any image.
pub(crate) fn read(pdev: &pci::Device<Bound>) -> Result<KVVec<u8>> {
    let raw = raw_pci(pdev);
    let mut len = 0;
    // SAFETY: `raw` is a live PCI device; `len` is a place for the result.
    let base = unsafe { b::pci_map_rom(raw, &mut len) };
    if base.is_null() {
        return Err(ENODEV);
    }
    let mapped = Mapped { raw, base };
    if len > LIMIT {
        return Err(EFBIG);
    }
    let mut copy = KVVec::from_elem(0u8, len, GFP_KERNEL)?;
    // SAFETY: `len` bytes from `base` are mapped as long as `mapped` lives, and `copy` has as many.
    unsafe { shim::memcpy_fromio(copy.as_mut_ptr().cast(), mapped.base.cast(), len) };
    Ok(copy)
}

/// A mapped ROM.
struct Mapped {
    raw: *mut b::pci_dev,
    base: *mut kernel::ffi::c_void,
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: mapped by `read` for this device, which lives longer than the call of `read`.
        unsafe { b::pci_unmap_rom(self.raw, self.base) };
    }
}
