// SPDX-License-Identifier: GPL-2.0
//! The three BARs, in forms that outlive the binding of the device harmlessly.
//!
//! The kernel crate maps BARs (`pci::Bar`) and revokes them at unbind (`Devres`); missing are a write-combined
//! mapping and bulk access with run-time offsets. Every access here is bounds-checked. After unbind a read
//! returns what a removed card returns, all ones, and a write goes nowhere: whoever polls runs into its deadline.
use super::bindings::{self as b, shim};
use kernel::{device::Bound, devres::Devres, io::Io, page::PAGE_SIZE, pci, prelude::*, sync::aref::ARef};

/// Bytes of BAR 5 that the driver maps (device-contract 1.2: the last page is the HDP remap hole).
pub(crate) const REGISTERS_LEN: usize = 0x80000;

/// The mapped register BAR as the kernel crate knows it, for its `register!` types.
pub(crate) type RegisterBar<'a> = pci::Bar<'a, REGISTERS_LEN>;

/// The register BAR (BAR 5). Offsets are in bytes.
pub(crate) struct Registers(pci::DevresBar<REGISTERS_LEN>);

impl Registers {
    /// Maps BAR 5. Fails with `ENOMEM` if it is smaller than [`REGISTERS_LEN`], `EBUSY` if someone has it.
    pub(crate) fn new(pdev: &pci::Device<Bound>) -> Result<Self> {
        Ok(Self(
            pdev.iomap_region_sized::<REGISTERS_LEN>(5, c"amdgpu registers")?
                .into_devres()?,
        ))
    }

    /// Runs `f` on the mapped BAR, or returns `None` after unbind. `f` must not sleep (it runs under RCU).
    pub(crate) fn with<R>(&self, f: impl FnOnce(&RegisterBar<'_>) -> R) -> Option<R> {
        self.0.try_access_with(|bar| f(bar))
    }

    /// Reads the register at `offset`; all ones after unbind or outside the BAR.
    pub(crate) fn read32(&self, offset: usize) -> u32 {
        self.with(|bar| bar.try_read32(offset).unwrap_or(u32::MAX))
            .unwrap_or(u32::MAX)
    }

    /// Writes the register at `offset`; nothing happens after unbind or outside the BAR.
    pub(crate) fn write32(&self, offset: usize, value: u32) {
        self.with(|bar| bar.try_write32(value, offset));
    }
}

/// The doorbell BAR (BAR 2).
pub(crate) struct Doorbells {
    bar: pci::DevresBar,
    phys: u64,
    len: u64,
}

impl Doorbells {
    /// Maps BAR 2. Fails with `ENOMEM` if the card has none.
    pub(crate) fn new(pdev: &pci::Device<Bound>) -> Result<Self> {
        let (phys, len) = (pdev.resource_start(2)?, pdev.resource_len(2)?);
        Ok(Self {
            bar: pdev.iomap_region(2, c"amdgpu doorbells")?.into_devres()?,
            phys,
            len,
        })
    }

    /// CPU physical address of the BAR, for mapping pages of it into a process.
    pub(crate) fn phys(&self) -> u64 {
        self.phys
    }

    /// Size of the BAR in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Rings a 64-bit doorbell. `index` counts dwords (device-contract 5.6); it must be even and in the BAR, else
    /// nothing happens.
    pub(crate) fn ring64(&self, index: u32, value: u64) {
        if let Some(offset) = (index as usize).checked_mul(4) {
            self.bar.try_access_with(|bar| bar.try_write64(value, offset));
        }
    }

    /// Rings a 32-bit doorbell. `index` counts dwords; nothing happens outside the BAR.
    pub(crate) fn ring32(&self, index: u32, value: u32) {
        if let Some(offset) = (index as usize).checked_mul(4) {
            self.bar.try_access_with(|bar| bar.try_write32(value, offset));
        }
    }
}

/// The VRAM aperture (BAR 0), mapped write-combined. Offsets are in bytes from the start of VRAM.
///
/// Writes may linger in the CPU's write-combining buffers and in the card's HDP cache: the device sees them for
/// sure only after an HDP flush.
pub(crate) struct Aperture {
    map: Devres<WriteCombined>,
    phys: u64,
    len: u64,
}

/// Longest stretch that is copied without a chance to be scheduled away, in bytes.
const CHUNK: usize = 64 << 10;

impl Aperture {
    /// Maps BAR 0. Fails with `ENOMEM` if the card has none or it cannot be mapped, `EBUSY` if someone has it.
    pub(crate) fn new(pdev: &pci::Device<Bound>) -> Result<Self> {
        let (phys, len) = (pdev.resource_start(0)?, pdev.resource_len(0)?);
        let map = WriteCombined::new(pdev, 0, phys, usize::try_from(len)?)?;
        Ok(Self {
            map: Devres::new(pdev.as_ref(), map)?,
            phys,
            len,
        })
    }

    /// CPU physical address of the start of VRAM, for mapping pages of it into a process.
    pub(crate) fn phys(&self) -> u64 {
        self.phys
    }

    /// Bytes of VRAM that the CPU can reach.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Copies from VRAM. `EINVAL` outside the aperture, `ENODEV` after unbind. May sleep.
    pub(crate) fn read(&self, offset: u64, out: &mut [u8]) -> Result {
        let mut at = offset;
        for part in out.chunks_mut(CHUNK) {
            self.locate(at, part.len(), |p| {
                // SAFETY: `locate` has checked that `part.len()` bytes from `p` are in the live mapping.
                unsafe { shim::memcpy_fromio(part.as_mut_ptr().cast(), p.cast(), part.len()) }
            })?;
            at = at.checked_add(part.len() as u64).ok_or(EINVAL)?;
        }
        Ok(())
    }

    /// Copies to VRAM. `EINVAL` outside the aperture, `ENODEV` after unbind. May sleep.
    pub(crate) fn write(&self, offset: u64, data: &[u8]) -> Result {
        let mut at = offset;
        for part in data.chunks(CHUNK) {
            self.locate(at, part.len(), |p| {
                // SAFETY: `locate` has checked that `part.len()` bytes from `p` are in the live mapping.
                unsafe { shim::memcpy_toio(p.cast(), part.as_ptr().cast(), part.len()) }
            })?;
            at = at.checked_add(part.len() as u64).ok_or(EINVAL)?;
        }
        Ok(())
    }

    /// Clears `len` bytes of VRAM. `EINVAL` outside the aperture, `ENODEV` after unbind. May sleep.
    pub(crate) fn clear(&self, offset: u64, len: u64) -> Result {
        let mut at = offset;
        let mut left = len;
        while left > 0 {
            let part = left.min(CHUNK as u64);
            self.locate(at, part as usize, |p| {
                // SAFETY: `locate` has checked that `part` bytes from `p` are in the live mapping.
                unsafe { shim::memset_io(p.cast(), 0, part as usize) }
            })?;
            at = at.checked_add(part).ok_or(EINVAL)?;
            left = left.saturating_sub(part);
            // SAFETY: a plain call from process context.
            unsafe { shim::cond_resched() };
        }
        Ok(())
    }

    /// Reads an aligned 32-bit word.
    pub(crate) fn read32(&self, offset: u64) -> Result<u32> {
        let mut word = [0; 4];
        self.read(offset, &mut word)?;
        Ok(u32::from_le_bytes(word))
    }

    /// Reads an aligned 64-bit word.
    pub(crate) fn read64(&self, offset: u64) -> Result<u64> {
        let mut word = [0; 8];
        self.read(offset, &mut word)?;
        Ok(u64::from_le_bytes(word))
    }

    /// Writes an aligned 32-bit word in one access.
    pub(crate) fn write32(&self, offset: u64, value: u32) -> Result {
        if offset % 4 != 0 {
            return Err(EINVAL);
        }
        // SAFETY: `locate` has checked that a word is in the live mapping, which is page aligned.
        self.locate(offset, 4, |p| unsafe {
            p.cast::<u32>().write_volatile(value.to_le())
        })
    }

    /// Copies a whole page of system memory to VRAM, or back.
    ///
    /// # Safety
    ///
    /// `page` must be a live page that nobody else writes.
    pub(super) unsafe fn copy_page(&self, offset: u64, page: *mut b::page, to_vram: bool) -> Result {
        self.locate(offset, PAGE_SIZE, |p| {
            // SAFETY: `locate` has checked that a page is in the live mapping; `page` as the caller promises.
            unsafe {
                match to_vram {
                    true => shim::copy_page_to_io(p.cast(), page),
                    false => shim::copy_page_from_io(page, p.cast()),
                }
            }
        })
    }

    /// Writes 64-bit words to consecutive places, each in one access; `offset` must be a multiple of 8. `value(i)`
    /// gives the word number `i`. Used for page-table entries, which the device may read while they change.
    pub(crate) fn write_words(&self, offset: u64, count: usize, value: impl Fn(usize) -> u64) -> Result {
        let len = count.checked_mul(8).ok_or(EINVAL)?;
        if offset % 8 != 0 {
            return Err(EINVAL);
        }
        self.locate(offset, len, |p| {
            for i in 0..count {
                // SAFETY: `locate` has checked that `count` words from `p` are in the live mapping, which is page
                // aligned, so that `p` is aligned as `offset` is.
                unsafe { core::ptr::write_volatile(p.cast::<u64>().wrapping_add(i), value(i).to_le()) }
            }
        })
    }

    /// Runs `f` on the address of `offset`, if `len` bytes from there are in the aperture, under RCU.
    fn locate<R>(&self, offset: u64, len: usize, f: impl FnOnce(*mut u8) -> R) -> Result<R> {
        let end = offset.checked_add(len as u64).ok_or(EINVAL)?;
        if end > self.len {
            return Err(EINVAL);
        }
        self.map
            .try_access_with(|map| f(map.base.wrapping_add(offset as usize)))
            .ok_or(ENODEV)
    }
}

/// A requested BAR with a write-combined mapping.
struct WriteCombined {
    pdev: ARef<pci::Device>,
    bar: i32,
    base: *mut u8,
}

// SAFETY: the mapping is valid on every CPU, and released by `drop` alone.
unsafe impl Send for WriteCombined {}
// SAFETY: shared use is plain I/O memory access.
unsafe impl Sync for WriteCombined {}

impl WriteCombined {
    fn new(pdev: &pci::Device<Bound>, bar: i32, phys: u64, len: usize) -> Result<Self> {
        if len == 0 {
            return Err(ENOMEM);
        }
        let raw = raw_pci(pdev);
        // SAFETY: `raw` is a live PCI device, `bar` one of its BARs, and the name is static.
        if unsafe {
            b::pci_request_region(
                raw,
                bar,
                kernel::str::as_char_ptr_in_const_context(c"amdgpu vram"),
            )
        } != 0
        {
            return Err(EBUSY);
        }
        // SAFETY: the range is a BAR that was just reserved for this driver.
        let base = unsafe { b::ioremap_wc(phys, len) };
        if base.is_null() {
            // SAFETY: requested above.
            unsafe { b::pci_release_region(raw, bar) };
            return Err(ENOMEM);
        }
        Ok(Self {
            pdev: pdev.into(),
            bar,
            base: base.cast(),
        })
    }
}

impl Drop for WriteCombined {
    fn drop(&mut self) {
        // SAFETY:
        // - `base` was mapped by `new`, and `Devres` has ended all accesses;
        // - the region was requested by `new`; the device is alive through `self.pdev`.
        unsafe {
            b::iounmap(self.base.cast());
            b::pci_release_region(raw_pci(&self.pdev), self.bar);
        }
    }
}

/// The C device of a PCI device reference, whose own accessor is private to the kernel crate.
pub(super) fn raw_pci<Ctx: kernel::device::DeviceContext>(pdev: &pci::Device<Ctx>) -> *mut b::pci_dev {
    // `pci::Device` is a transparent wrapper of `Opaque<struct pci_dev>`.
    core::ptr::from_ref(pdev).cast_mut().cast()
}
