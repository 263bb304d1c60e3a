// SPDX-License-Identifier: GPL-2.0
//! A character device with a device class of its own and no parent device.
//!
//! The kernel crate has `miscdevice` only, whose nodes belong to the class `misc`; ROCm looks for
//! `/sys/devices/virtual/kfd/kfd`.
mod area;

pub(crate) use area::{Area, Fault, Inserted, Mappings};

use super::{bindings as b, sysfs, Table};
use core::{
    marker::{PhantomData, PhantomPinned},
    ptr::{null_mut, NonNull},
};
use kernel::{
    error::{from_err_ptr, to_result},
    ffi::{c_int, c_long, c_uint, c_ulong},
    prelude::*,
    str::CStrExt,
    sync::Arc,
    types::Opaque,
};

/// What the device does.
pub(crate) trait Driver: Send + Sync + Sized + 'static {
    /// Name of the class, of the device and of the node in `/dev`.
    const NAME: &'static CStr;

    /// What an open file is.
    type File: Send + Sync + 'static;

    /// Opens the device for the current task.
    fn open(&self) -> Result<KBox<Self::File>>;

    /// An ioctl by the current task, which need not be the one that opened. `arg` is as userspace gave it.
    fn ioctl(&self, file: &Self::File, cmd: u32, arg: usize) -> Result<c_long>;

    /// Whether `area` of the current task may be mapped. Its pages come with accesses to it.
    fn mmap(&self, file: &Self::File, area: &Area<'_>) -> Result;

    /// The current task, which need not be the one that opened, accesses a page of an area. Called with its mm lock.
    /// `ENOMEM` lets the access be tried again when there is memory, other errors are a SIGBUS.
    fn fault(&self, file: &Self::File, fault: Fault) -> Result<Inserted>;

    /// The last reference to the file is gone.
    fn release(&self, file: KBox<Self::File>);
}

/// A registered device. Open files keep the module from being unloaded, hence none is left when it is dropped.
#[pin_data(PinnedDrop)]
#[repr(C)]
pub(crate) struct Registration<D: Driver> {
    /// First, so that the C device is also a pointer to this structure.
    #[pin]
    cdev: Opaque<b::cdev>,
    number: b::dev_t,
    class: NonNull<b::class>,
    device: NonNull<b::device>,
    mappings: Arc<Mappings>,
    data: D,
    #[pin]
    _pin: PhantomPinned,
}

// SAFETY: the C objects may be used and released from any task.
unsafe impl<D: Driver> Send for Registration<D> {}
// SAFETY: as above; `D` is `Sync`.
unsafe impl<D: Driver> Sync for Registration<D> {}

impl<D: Driver> Registration<D> {
    /// Creates class, device and node. Files can be opened as soon as this returns, and even shortly before. What is
    /// mapped from them is entered in `mappings`.
    pub(crate) fn new(data: D, mappings: Arc<Mappings>) -> impl PinInit<Self, Error> {
        let name = D::NAME.as_char_ptr();
        try_pin_init!(&this in Self {
            data,
            mappings,
            number: {
                let mut number = 0;
                // SAFETY: plain calls with a place for the result and a static name.
                to_result(unsafe { b::alloc_chrdev_region(&mut number, 0, 1, name) })?;
                number
            },
            class: {
                // SAFETY: the name is static.
                from_err_ptr(unsafe { b::class_create(name) })
                    .and_then(|class| NonNull::new(class).ok_or(ENOMEM))
                    // SAFETY: allocated above.
                    .inspect_err(|_| unsafe { b::unregister_chrdev_region(*number, 1) })?
            },
            cdev <- {
                let (number, class) = (*number, *class);
                Opaque::try_ffi_init(move |slot: *mut b::cdev| {
                    // SAFETY: `slot` is memory for a cdev; the table is static; all fields that the callbacks use,
                    // `data` above all, are initialised.
                    let added = to_result(unsafe {
                        b::cdev_init(slot, &Fops::<D>::TABLE.0);
                        (*slot).owner = owner();
                        b::cdev_add(slot, number, 1)
                    });
                    added.inspect_err(|_| {
                        // SAFETY: created above.
                        unsafe {
                            b::class_destroy(class.as_ptr());
                            b::unregister_chrdev_region(number, 1);
                        }
                    })
                })
            },
            device: {
                // SAFETY: the class exists, there is no parent, the name is static and printed by "%s".
                from_err_ptr(unsafe {
                    b::device_create(class.as_ptr(), null_mut(), *number, null_mut(), c"%s".as_char_ptr(), name)
                })
                .and_then(|device| NonNull::new(device).ok_or(ENOMEM))
                .inspect_err(|_| {
                    // SAFETY: created above; the cdev is the first field of `this`.
                    unsafe {
                        b::cdev_del(this.cast().as_ptr());
                        b::class_destroy(class.as_ptr());
                        b::unregister_chrdev_region(*number, 1);
                    }
                })?
            },
            _pin: PhantomPinned,
        })
    }
}

/// The device's own directory, `/sys/devices/virtual/CLASS/NAME`.
impl<D: Driver> sysfs::Parent for Registration<D> {
    fn raw_kobject(&self) -> NonNull<Opaque<b::kobject>> {
        // SAFETY: the device exists as long as `self`; only the address of the field is computed.
        unsafe { NonNull::new_unchecked(&raw mut (*self.device.as_ptr()).kobj) }.cast()
    }
}

#[pinned_drop]
impl<D: Driver> PinnedDrop for Registration<D> {
    fn drop(self: Pin<&mut Self>) {
        // SAFETY: undoes `new` in reverse order. No file is open (see above), so no callback runs.
        unsafe {
            b::device_destroy(self.class.as_ptr(), self.number);
            b::cdev_del(self.cdev.get());
            b::class_destroy(self.class.as_ptr());
            b::unregister_chrdev_region(self.number, 1);
        }
    }
}

/// The module that open files keep loaded.
pub(super) const fn owner() -> *mut b::module {
    kernel::module::this_module::<crate::Amdgpu>().as_ptr()
}

/// The C table of a driver.
struct Fops<D>(PhantomData<D>);

impl<D: Driver> Fops<D> {
    const TABLE: &'static Table<b::file_operations> = &Table(b::file_operations {
        owner: owner(),
        open: Some(Self::open),
        release: Some(Self::release),
        unlocked_ioctl: Some(Self::ioctl),
        compat_ioctl: b::compat_ptr_ioctl,
        mmap: Some(Self::mmap),
        llseek: Some(b::noop_llseek),
        ..pin_init::zeroed()
    });

    /// The device behind an inode.
    ///
    /// # Safety
    ///
    /// `inode` must be of a device registered with this table, and not be used longer than the open file.
    unsafe fn device<'a>(inode: *mut b::inode) -> &'a Registration<D> {
        // SAFETY: by the requirement `i_cdev` points to the first field of a `Registration<D>`, which lives as long
        // as files are open.
        unsafe { &*(*inode).__bindgen_anon_5.i_cdev.cast() }
    }

    /// The driver and the file object behind an open file.
    ///
    /// # Safety
    ///
    /// `file` must have been opened by [`Self::open`] and not have been released.
    unsafe fn opened<'a>(file: *mut b::file) -> (&'a D, &'a D::File) {
        // SAFETY: by the requirement, `open` has set `private_data` to a leaked box.
        unsafe {
            (
                &Self::device((*file).f_inode).data,
                &*(*file).private_data.cast::<D::File>(),
            )
        }
    }

    /// # Safety
    ///
    /// For the file layer, which calls it with the inode of the registered device and a file being opened.
    unsafe extern "C" fn open(inode: *mut b::inode, file: *mut b::file) -> c_int {
        // SAFETY: the VFS opens an inode of this device.
        let device = unsafe { Self::device(inode) };
        match device.data.open() {
            Ok(opened) => {
                // SAFETY: `private_data` of a file being opened is the driver's to set; open files keep the device.
                unsafe {
                    (*file).private_data = KBox::into_raw(opened).cast();
                    device.mappings.adopt(file);
                }
                0
            }
            Err(e) => e.to_errno(),
        }
    }

    /// # Safety
    ///
    /// For the file layer, which calls it once for a file that `open` has opened, when nobody uses it any more.
    unsafe extern "C" fn release(inode: *mut b::inode, file: *mut b::file) -> c_int {
        // SAFETY: called once, for a file that `open` has opened, after all other calls have ended.
        unsafe {
            let opened = KBox::from_raw((*file).private_data.cast::<D::File>());
            Self::device(inode).data.release(opened);
        }
        0
    }

    /// # Safety
    ///
    /// For the file layer, which calls it for a file that `open` has opened.
    unsafe extern "C" fn ioctl(file: *mut b::file, cmd: c_uint, arg: c_ulong) -> c_long {
        // SAFETY: the VFS calls this for open files.
        let (driver, file) = unsafe { Self::opened(file) };
        driver
            .ioctl(file, cmd, arg)
            .unwrap_or_else(|e| e.to_errno() as c_long)
    }

    /// # Safety
    ///
    /// For the memory manager, which calls it for a file that `open` has opened and a new area of the caller's.
    unsafe extern "C" fn mmap(file: *mut b::file, vma: *mut b::vm_area_struct) -> c_int {
        // SAFETY: the VFS calls this for open files, with an area that is being set up.
        let ((driver, file), area) = unsafe { (Self::opened(file), Area::from_raw(vma)) };
        match driver.mmap(file, &area) {
            Ok(()) => {
                area.set_up::<D>();
                0
            }
            Err(e) => e.to_errno(),
        }
    }
}
