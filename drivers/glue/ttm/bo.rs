// SPDX-License-Identifier: GPL-2.0
//! The buffer object and its counted handle.
use super::{
    super::{
        bindings::{self as b, shim},
        drm::{self, AnyDevice},
        inject, Table,
    },
    pinned::{Locked, Pinned},
    Device, Domain,
};
use core::{marker::PhantomData, ptr::NonNull};
use kernel::{
    error::{from_err_ptr, to_result},
    ffi::c_int,
    new_mutex,
    page::{PAGE_SHIFT, PAGE_SIZE},
    prelude::*,
    sync::{aref::ARef, Mutex},
    types::Opaque,
};

/// A buffer object as TTM, GEM and this driver see it.
#[pin_data]
#[repr(C)]
pub(super) struct Object {
    /// First, so that the C object is also a pointer to this structure.
    #[pin]
    tbo: Opaque<b::ttm_buffer_object>,
    /// Where it belongs.
    pub(super) domain: Domain,
    /// Whether its VRAM must be one piece.
    pub(super) contiguous: bool,
    /// See [`Create::flags`].
    flags: u64,
    #[pin]
    label: Mutex<Option<KBox<Label>>>,
}

/// What userspace keeps with an object, for whoever it shares the object with. Means nothing to the driver.
#[derive(Clone, Copy)]
pub(crate) struct Label {
    /// Two words.
    pub(crate) words: [u64; 2],
    /// And bytes, in words.
    pub(crate) data: [u32; 64],
    /// How many bytes.
    pub(crate) len: u32,
}

impl Object {
    /// # Safety
    ///
    /// `raw` must be a live buffer object of this driver that outlives the result.
    pub(super) unsafe fn from_raw<'a>(raw: *mut b::ttm_buffer_object) -> &'a Self {
        // SAFETY: buffer objects are made by `Bo::new` alone; `tbo` is the first field.
        unsafe { &*raw.cast() }
    }

    pub(super) fn as_raw(&self) -> *mut b::ttm_buffer_object {
        self.tbo.get()
    }

    fn gem(&self) -> *mut b::drm_gem_object {
        // SAFETY: only the address of the field is computed.
        unsafe { &raw mut (*self.as_raw()).base }
    }

    /// Bytes, a whole number of pages.
    pub(super) fn size(&self) -> u64 {
        // SAFETY: constant since creation.
        unsafe { (*self.gem()).size as u64 }
    }

    /// Whether it is not one of the driver's own.
    pub(super) fn is_of_user(&self) -> bool {
        // SAFETY: constant since creation.
        unsafe { (*self.as_raw()).type_ == b::ttm_bo_type_ttm_bo_type_device }
    }

    /// Alignment in pages, 0 for none.
    pub(super) fn page_alignment(&self) -> u32 {
        // SAFETY: constant since creation.
        unsafe { (*self.as_raw()).page_alignment }
    }
}

/// How to make a buffer object.
#[derive(Clone, Copy)]
pub(crate) struct Create {
    /// Bytes, rounded up to pages. Not 0.
    pub(crate) size: u64,
    /// Where it belongs.
    pub(crate) domain: Domain,
    /// Bytes, a power of two, or 0.
    pub(crate) align: u64,
    /// Whether its VRAM must be one piece.
    pub(crate) contiguous: bool,
    /// Whether userspace may map it.
    pub(crate) user: bool,
}

/// A counted reference to a buffer object. Keeps the DRM device, too.
///
/// Field order does not matter: `drop` gives up the object, then the field gives up the device.
pub(crate) struct Bo {
    object: NonNull<Object>,
    device: ARef<AnyDevice>,
}

// SAFETY: a buffer object may be used from any task.
unsafe impl Send for Bo {}
// SAFETY: as above.
unsafe impl Sync for Bo {}

impl Bo {
    /// [`Self::with_flags`], without flags.
    pub(crate) fn new<D: drm::Driver>(device: &drm::Device<D>, how: Create) -> Result<Self> {
        Self::with_flags(device, how, 0)
    }

    /// Makes an object of `device` in its domain. `flags` are kept with it for the driver. `ENOMEM` if there is no room, `EINVAL` for a size of 0 or a bad
    /// alignment, `ERESTARTSYS` if a signal comes while other objects are being moved away.
    pub(crate) fn with_flags<D: drm::Driver>(
        device: &drm::Device<D>,
        how: Create,
        flags: u64,
    ) -> Result<Self> {
        let (base, ttm) = (device.base(), device.memory());
        let size = usize::try_from(how.size)?
            .checked_next_multiple_of(PAGE_SIZE)
            .ok_or(EINVAL)?;
        let pages = u32::try_from(how.align >> PAGE_SHIFT)?;
        if size == 0 || !(how.align == 0 || how.align.is_power_of_two()) {
            return Err(EINVAL);
        }
        if ttm
            .usage(how.domain)
            .is_some_and(|usage| size as u64 > usage.size)
        {
            return Err(ENOMEM);
        }
        let object = pin_init!(Object {
            tbo: Opaque::zeroed(),
            domain: how.domain,
            contiguous: how.contiguous,
            flags,
            label <- new_mutex!(None, "buffer label"),
        });
        // The object frees itself with its last reference, also if initialising it fails.
        let object = KBox::into_raw(unpinned(KBox::pin_init(object, GFP_KERNEL)?));
        let object = NonNull::new(object).ok_or(ENOMEM)?;
        // SAFETY: just leaked.
        let (tbo, gem) = unsafe { (object.as_ref().as_raw(), object.as_ref().gem()) };
        let place = ttm.place(how.domain);
        let mut placement = b::ttm_placement {
            num_placement: 1,
            placement: &place,
        };
        let mut ctx = b::ttm_operation_ctx {
            interruptible: how.user,
            ..pin_init::zeroed()
        };
        let kind = match how.user {
            true => b::ttm_bo_type_ttm_bo_type_device,
            false => b::ttm_bo_type_ttm_bo_type_kernel,
        };
        // SAFETY:
        // - `gem` is zeroed memory for an object of an initialised device, and the functions are static;
        // - `tbo` contains it; placement and context live during the call; `destroy` frees what was leaked above,
        //   also on failure, where the object must not be used any more.
        to_result(unsafe {
            b::drm_gem_private_object_init(base.as_raw(), gem, size);
            (*gem).funcs = &Gem::<D>::FUNCS.0;
            b::ttm_bo_init_reserved(
                ttm.as_raw(),
                tbo,
                kind,
                &mut placement,
                pages,
                &mut ctx,
                core::ptr::null_mut(),
                core::ptr::null_mut(),
                Some(destroy),
            )
        })?;
        // SAFETY: initialised and reserved by the call above.
        unsafe { shim::ttm_bo_unreserve(tbo) };
        Ok(Self {
            object,
            device: base.into(),
        })
    }

    /// Takes over a reference to a GEM object.
    ///
    /// # Safety
    ///
    /// `gem` must be a live object of this driver, with a reference that passes to the result.
    pub(in crate::glue) unsafe fn from_gem(gem: NonNull<b::drm_gem_object>) -> Self {
        // SAFETY: as the caller promises; an object is used only while its device lives.
        let device = unsafe { ARef::from(&*(*gem.as_ptr()).dev.cast::<AnyDevice>()) };
        // `base` is the first field of the TTM object, which is the first field of ours.
        Self {
            object: gem.cast(),
            device,
        }
    }

    pub(super) fn object(&self) -> &Object {
        // SAFETY: the reference keeps it.
        unsafe { self.object.as_ref() }
    }

    pub(super) fn gem(&self) -> *mut b::drm_gem_object {
        self.object().gem()
    }

    /// The managers that its memory comes from.
    pub(super) fn ttm(&self) -> &Device {
        // SAFETY: set at creation; the DRM device keeps it alive.
        unsafe { Device::from_raw((*self.object().as_raw()).bdev) }
    }

    /// Bytes, a whole number of pages.
    pub(crate) fn size(&self) -> u64 {
        self.object().size()
    }

    /// What its start is aligned to, in bytes; 0 if nobody asked for an alignment.
    pub(crate) fn alignment(&self) -> u64 {
        u64::from(self.object().page_alignment()) << PAGE_SHIFT
    }

    /// Where it belongs. It may be elsewhere while it is not pinned.
    pub(crate) fn domain(&self) -> Domain {
        self.object().domain
    }

    /// Whether it is where it belongs. Waits while it is moved; false if a signal comes. No reservation lock may be held.
    pub(crate) fn is_resident(&self) -> bool {
        Locked::new(self, true).is_ok_and(|locked| locked.is_in_place())
    }

    /// What [`Self::with_flags`] was given.
    pub(crate) fn flags(&self) -> u64 {
        self.object().flags
    }

    /// What userspace keeps with it.
    pub(crate) fn label(&self) -> Option<Label> {
        self.object().label.lock().as_deref().copied()
    }

    /// Keeps something with it.
    pub(crate) fn set_label(&self, label: Label) -> Result {
        let new = KBox::new(label, GFP_KERNEL)?;
        let old = self.object().label.lock().replace(new);
        drop(old);
        Ok(())
    }

    /// Whether it is one of this card's.
    pub(crate) fn is_of<D: drm::Driver>(&self, device: &drm::Device<D>) -> bool {
        // SAFETY: set at creation and constant since.
        core::ptr::eq(unsafe { (*self.object().gem()).dev }, device.base().as_raw())
    }

    /// Whether both refer to one object.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.object == other.object
    }

    /// Brings the object to where it belongs and keeps it there. `ENOMEM` if there is no room, `ERESTARTSYS` if a
    /// signal comes. No reservation lock may be held.
    pub(crate) fn pin(&self) -> Result<Pinned> {
        Pinned::new(self, true)
    }

    /// [`Self::pin`], whatever signals come: for the driver's own objects.
    pub(crate) fn pin_unkillable(&self) -> Result<Pinned> {
        Pinned::new(self, false)
    }

    /// The offset at which files that were [allowed](Self::allow) to can map it, in bytes.
    pub(crate) fn mmap_offset(&self) -> u64 {
        // SAFETY: the node is part of the object and was initialised with it.
        unsafe { shim::drm_vma_node_offset_addr(&raw mut (*self.gem()).vma_node) }
    }

    /// Lets `file` map the object. Undone by as many calls of [`Self::forbid`].
    pub(crate) fn allow<D: drm::Driver>(&self, file: &drm::File<D>) -> Result {
        inject::point(ENOMEM)?;
        // SAFETY: node and file are live.
        to_result(unsafe { b::drm_vma_node_allow(&raw mut (*self.gem()).vma_node, file.as_raw()) })
    }

    /// Undoes [`Self::allow`]; existing mappings stay.
    pub(crate) fn forbid<D: drm::Driver>(&self, file: &drm::File<D>) {
        // SAFETY: node and file are live.
        unsafe { b::drm_vma_node_revoke(&raw mut (*self.gem()).vma_node, file.as_raw()) }
    }

    /// Gives the object a handle in `file`, which keeps it until userspace closes the handle.
    pub(crate) fn create_handle<D: drm::Driver>(&self, file: &drm::File<D>) -> Result<u32> {
        inject::point(ENOMEM)?;
        let mut handle = 0;
        // SAFETY: file and object are live.
        to_result(unsafe { b::drm_gem_handle_create(file.as_raw(), self.gem(), &mut handle) })?;
        Ok(handle)
    }

    /// The object behind a handle of `file`, `ENOENT` if there is none.
    pub(crate) fn from_handle<D: drm::Driver>(file: &drm::File<D>, handle: u32) -> Result<Self> {
        // SAFETY: the file is live.
        let gem = unsafe { b::drm_gem_object_lookup(file.as_raw(), handle) };
        // SAFETY: a reference to an object of this driver: foreign ones cannot be imported.
        Ok(unsafe { Self::from_gem(NonNull::new(gem).ok_or(ENOENT)?) })
    }

    /// A new file descriptor of the current process for the object as a dma-buf. Of `flags`, `O_CLOEXEC` and the
    /// access mode count; others mean nothing to the kernel.
    pub(crate) fn export(&self, flags: u32) -> Result<u32> {
        let flags = flags as c_int;
        inject::point(ENOMEM)?;
        // SAFETY: the object is live; the dma-buf takes references of its own.
        let buf = from_err_ptr(unsafe { b::drm_gem_prime_export(self.gem(), flags) })?;
        let fd = match inject::point(EMFILE) {
            // SAFETY: `buf` is live; on success the descriptor owns our reference.
            Ok(()) => unsafe { b::dma_buf_fd(buf, flags) },
            Err(e) => e.to_errno(),
        };
        if fd < 0 {
            // SAFETY: gives the reference back.
            unsafe { b::dma_buf_put(buf) };
        }
        to_result(fd.min(0))?;
        Ok(fd as u32)
    }
}

impl Clone for Bo {
    fn clone(&self) -> Self {
        // SAFETY: the object is live.
        unsafe { shim::drm_gem_object_get(self.gem()) };
        Self {
            object: self.object,
            device: self.device.clone(),
        }
    }
}

impl Drop for Bo {
    fn drop(&mut self) {
        // SAFETY: gives up the handle's reference, last use of the object through it.
        unsafe { shim::drm_gem_object_put(self.gem()) }
    }
}

/// The C table for objects of a driver's devices.
struct Gem<D>(PhantomData<D>);

impl<D: drm::Driver> Gem<D> {
    const FUNCS: &'static Table<b::drm_gem_object_funcs> = &Table(b::drm_gem_object_funcs {
        free: Some(free),
        close: Some(Self::close),
        mmap: Some(mmap),
        ..pin_init::zeroed()
    });

    /// `drm_gem_object_funcs.close`: a file gives up its handle.
    ///
    /// # Safety
    ///
    /// For DRM, which calls it for an object of this driver and an open file of it.
    unsafe extern "C" fn close(gem: *mut b::drm_gem_object, file: *mut b::drm_file) {
        // SAFETY: DRM calls this with a live object of ours and the open file; the handle has a reference of its own.
        unsafe {
            let Some(gem) = NonNull::new(gem) else { return };
            shim::drm_gem_object_get(gem.as_ptr());
            D::closed(drm::File::from_raw(file), &Bo::from_gem(gem));
        }
    }
}

/// `drm_gem_object_funcs.free`: the last reference is gone. TTM calls `destroy` when the object is idle.
///
/// # Safety
///
/// For DRM, which calls it once for an object of this driver, after the last reference to it.
unsafe extern "C" fn free(gem: *mut b::drm_gem_object) {
    // SAFETY: `base` is the first field of the TTM object.
    unsafe { b::ttm_bo_fini(gem.cast()) }
}

/// `drm_gem_object_funcs.mmap`: TTM's fault and access handlers. A mapping with PROT_NONE costs nothing but itself.
///
/// # Safety
///
/// For DRM, which calls it for an object of this driver that it holds, and a new area of the caller's.
unsafe extern "C" fn mmap(gem: *mut b::drm_gem_object, vma: *mut b::vm_area_struct) -> c_int {
    // SAFETY: DRM calls this with an area being set up and a reference that a successful call consumes; TTM takes
    // one of its own for the area.
    unsafe {
        let result = b::ttm_bo_mmap_obj(vma, gem.cast());
        if result == 0 {
            shim::drm_gem_object_put(gem);
        }
        result
    }
}

/// A pinned box as a plain one, for handing its address to C.
fn unpinned<T>(pinned: Pin<KBox<T>>) -> KBox<T> {
    // SAFETY: the caller leaks it where it is.
    unsafe { Pin::into_inner_unchecked(pinned) }
}

/// `ttm_buffer_object.destroy`
///
/// # Safety
///
/// For TTM, which calls it once for an object of this driver, after the last reference to it.
unsafe extern "C" fn destroy(tbo: *mut b::ttm_buffer_object) {
    // SAFETY: TTM's last use of an object that `Bo::new` leaked.
    unsafe {
        b::drm_gem_object_release(&raw mut (*tbo).base);
        drop(Pin::new_unchecked(KBox::from_raw(tbo.cast::<Object>())));
    }
}
