// SPDX-License-Identifier: GPL-2.0
//! Areas of a process that show pages of a device: set up by `mmap()`, filled in by page faults, emptied when the
//! device goes.

use super::{super::Table, Driver, Fops};
use crate::glue::{
    bindings::{self as b, shim},
    inject,
};
use core::ptr::NonNull;
use kernel::{
    error::from_err_ptr, ffi::c_ulong, mm::virt::VmaNew, page::PAGE_SHIFT, prelude::*, str::CStrExt,
};

/// A memory area of a process that is about to be mapped.
pub(crate) struct Area<'a> {
    vma: &'a VmaNew,
    offset: u64,
}

impl<'a> Area<'a> {
    /// # Safety
    ///
    /// `vma` must be an area that `mmap()` is setting up.
    pub(super) unsafe fn from_raw(vma: *mut b::vm_area_struct) -> Self {
        // SAFETY: by the requirement.
        let (new, page) = unsafe { (VmaNew::from_raw(vma), (*vma).vm_pgoff) };
        Self {
            vma: new,
            // its upper bits may say what is to be mapped: no overflow, the kernel has shifted them out
            offset: (page as u64) << PAGE_SHIFT,
        }
    }

    /// The offset given to `mmap()`, in bytes.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Bytes to be mapped.
    pub(crate) fn len(&self) -> u64 {
        self.vma.end().saturating_sub(self.vma.start()) as u64
    }

    /// Lets [`Driver::fault`] provide the pages, uncached, and keeps the area out of forks, core dumps and `mremap`.
    pub(super) fn set_up<D: Driver>(&self) {
        self.vma.set_io();
        self.vma.set_dontcopy();
        self.vma.set_dontexpand();
        self.vma.set_dontdump();
        // SAFETY: the area is being set up and nobody else uses it; the table is static, and for areas of files of
        // this driver, which this one is.
        unsafe { shim::vma_set_device_pages(self.vma.as_ptr(), &AreaOps::<D>::TABLE.0) }
    }
}

/// An access to a page of an [`Area`] that has not been filled in.
pub(crate) struct Fault {
    raw: NonNull<b::vm_fault>,
}

/// Proof that a fault was answered with a page, or why the kernel could not.
pub(crate) struct Inserted(b::vm_fault_t);

impl Fault {
    /// The page as an offset given to `mmap()`, in bytes.
    pub(crate) fn offset(&self) -> u64 {
        // SAFETY: the kernel's description of the fault lives until its handler returns.
        (unsafe { self.raw.as_ref().__bindgen_anon_1.pgoff } as u64) << PAGE_SHIFT
    }

    /// Shows the page at physical address `phys` of a BAR. The caller answers for it being one that this process may
    /// use, and for it to be [taken away](Mappings::zap) before it is not.
    pub(crate) fn insert(self, phys: u64) -> Result<Inserted> {
        inject::point(ENOMEM)?;
        let pfn = c_ulong::try_from(phys >> PAGE_SHIFT)?;
        // SAFETY: as above; the area has VM_PFNMAP, see `Area::set_up`, and the address is in it.
        Ok(Inserted(unsafe {
            let fault = &self.raw.as_ref().__bindgen_anon_1;
            b::vmf_insert_pfn(fault.vma, fault.address, pfn)
        }))
    }
}

/// All areas of a device, whichever inode its files were opened through.
pub(crate) struct Mappings {
    /// An empty file that nobody else has, for its address space.
    file: NonNull<b::file>,
}

// SAFETY: files may be used and released from any task.
unsafe impl Send for Mappings {}
// SAFETY: as above; nothing changes the file.
unsafe impl Sync for Mappings {}

impl Mappings {
    /// None, for the device with this name.
    pub(crate) fn new(name: &'static CStr) -> Result<Self> {
        // SAFETY: a plain call with a static name.
        let file = from_err_ptr(unsafe { shim::empty_private_file(name.as_char_ptr()) })?;
        Ok(Self {
            file: NonNull::new(file).ok_or(ENOMEM)?,
        })
    }

    /// Enters the areas of a file that is being opened here.
    ///
    /// # Safety
    ///
    /// `file` must be being opened, and be closed before `self` is dropped.
    pub(super) unsafe fn adopt(&self, file: *mut b::file) {
        // SAFETY: nobody else uses a file that is being opened; the address space lives as long as `self`.
        unsafe { (*file).f_mapping = self.file.as_ref().f_mapping }
    }

    /// Takes away all pages of areas with offsets in `offset..offset + len`.
    pub(crate) fn zap(&self, offset: u64, len: u64) {
        // SAFETY: the address space is live. The numbers are taken for unsigned ones, so that any offset is right.
        unsafe { b::unmap_mapping_range(self.file.as_ref().f_mapping, offset as i64, len as i64, 1) }
    }
}

impl Drop for Mappings {
    fn drop(&mut self) {
        // SAFETY: gives up what `new` was given.
        unsafe { b::fput(self.file.as_ptr()) }
    }
}

/// The C table of areas of a driver.
struct AreaOps<D>(core::marker::PhantomData<D>);

impl<D: Driver> AreaOps<D> {
    const TABLE: &'static Table<b::vm_operations_struct> = &Table(b::vm_operations_struct {
        fault: Some(Self::fault),
        ..pin_init::zeroed()
    });

    /// # Safety
    ///
    /// For the memory manager, which calls it for an area that [`Area::set_up`] has set up.
    unsafe extern "C" fn fault(vmf: *mut b::vm_fault) -> b::vm_fault_t {
        let Some(raw) = NonNull::new(vmf) else {
            return b::vm_fault_reason_VM_FAULT_SIGBUS;
        };
        // SAFETY: the kernel handles a fault in an area that `Area::set_up` has set up; its file is open as long.
        let (driver, file) = unsafe { Fops::<D>::opened((*raw.as_ref().__bindgen_anon_1.vma).vm_file) };
        match driver.fault(file, Fault { raw }) {
            Ok(Inserted(answer)) => answer,
            Err(e) if e == ENOMEM => b::vm_fault_reason_VM_FAULT_OOM,
            Err(_) => b::vm_fault_reason_VM_FAULT_SIGBUS,
        }
    }
}
